"""A process that makes keys until it is killed, or as many as it is told.

Run as `python keymaker.py ROOT NAME [COUNT]`. Each key that was committed is printed by its id.
"""

import asyncio
import itertools
import sys
from pathlib import Path

from ragstone.stores.embedded import EmbeddedStore
from ragstone.testing.stores import make_key


async def work(root: Path, name: str, count: int | None) -> None:
    """Make keys one after the other."""
    store = EmbeddedStore(root)
    for number in itertools.count() if count is None else range(count):
        await store.keys.add(make_key(f"{name}{number:04d}"))
        print(f"{name}{number:04d}", flush=True)


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None))
