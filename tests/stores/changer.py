"""A process that changes a tenant's keys, or erases it, until it is killed: `python changer.py ROOT VERB POINT NTH`."""

import asyncio
import sys
from pathlib import Path

from ragstone.stores.embedded import EmbeddedStore
from tests.stores.victim import MASTER, kill_at


async def change(root: Path, verb: str) -> None:
    """`rekey`, `encrypt` or `erase` of the tenant acme."""
    store = EmbeddedStore(root, master=MASTER)
    if verb == "erase":
        await store.admin.begin_erasing("acme")
        await store.admin.erase("acme")
    else:
        await store.rekey("acme", fresh=verb == "rekey")
        await store.forget_keys("acme")
    await store.close()


if __name__ == "__main__":
    kill_at(sys.argv[3], int(sys.argv[4]))
    asyncio.run(change(Path(sys.argv[1]), sys.argv[2]))
