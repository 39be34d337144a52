"""A process that writes until it is killed: run as `python victim.py ROOT [POINT NTH [sealed]]`.

Two documents are always replaced together, so that both stand at the same number; each number that was
committed is printed. With a fault point the process kills itself when it reaches it for the nth time.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from ragstone.core.types import Revision, Scope
from ragstone.stores import fault_points
from ragstone.stores.embedded import EmbeddedStore, compaction
from ragstone.stores.encryption import SecretKey
from ragstone.stores.master_key import MasterKey
from ragstone.testing.stores import SCOPE, create_collection, fill_vectors, make_revision, write_revisions

MASTER = MasterKey(SecretKey(bytes(range(32))))
PASSING = Scope(SCOPE.tenant, "passing")


def state(number: int) -> list[Revision]:
    """Both documents at a number: how many chunks they have follows from it."""
    texts = [f"alpha {number} {i}" for i in range(1 + number % 5)]
    return [make_revision(path, texts, revision=number) for path in ("a.md", "b.md")]


def kill_at(point: str, nth: int) -> None:
    """Set the hook that ends this process at a fault point."""
    seen = 0

    def hook(name: str) -> None:
        nonlocal seen
        seen += name == point
        if seen == nth and name == point:
            os.kill(os.getpid(), signal.SIGKILL)

    fault_points.hook = hook


async def write(root: Path, master: MasterKey | None = None) -> None:
    compaction.MIN_DEAD_ROWS = 6  # so that compaction comes often
    store = EmbeddedStore(root, master=master)
    await create_collection(store)
    number = max((d.revision for d in await store.ledger(SCOPE).documents()), default=0)
    while True:
        number += 1
        async with store.writer(SCOPE) as writer:
            await writer.replace(state(number))
            print(number, flush=True)
            await fill_vectors(writer)
            if number % 4 == 0:  # so that an erasure is wiped
                await writer.replace([make_revision("gone.md", [], revision=number)])
                await writer.remove([make_revision("gone.md", []).document.id])
            if number % 2 == 0:
                await writer.settle()
        if number % 3 == 0:
            await write_revisions(store, make_revision("x.md", ["alpha"], scope=PASSING), scope=PASSING)
            await store.admin.drop(PASSING)


async def write_filled(states: Callable[[int], list[Revision]], fill: Callable[..., Awaitable[object]]) -> None:
    """Write a thousand states, each filled with vectors of some kind, and die on the way; `sys.argv` says where."""
    root, point, nth = sys.argv[1:]
    kill_at(point, int(nth))
    store = EmbeddedStore(Path(root))
    await create_collection(store)
    for number in range(1, 1000):
        async with store.writer(SCOPE) as writer:
            await writer.replace(states(number))
            await fill(store, at_once=1)
            await writer.settle()


if __name__ == "__main__":
    if len(sys.argv) > 2:
        kill_at(sys.argv[2], int(sys.argv[3]))
    asyncio.run(write(Path(sys.argv[1]), MASTER if "sealed" in sys.argv[4:] else None))
