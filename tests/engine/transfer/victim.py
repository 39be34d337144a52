"""A process that copies a store: `python -m tests.engine.transfer.victim FROM TO [POINT NTH]`; `backup:FOLDER` as TO
makes a backup there.

With a fault point it kills itself when it reaches it for the nth time; the point `told` is each thing that the copy
tells.
"""

import asyncio
import os
import signal
import sys

from ragstone import Engine, load
from ragstone.core.answers import Event
from ragstone.engine.transfer import pages
from tests.stores.victim import kill_at

FEW = 3  # revisions carried at once, so that there is much to interrupt


async def copied(source: str, target: str, nth: int) -> None:
    """One copy, as the command does it."""
    heard = 0

    def hear(event: Event) -> None:
        nonlocal heard
        heard += 1
        if heard == nth:
            os.kill(os.getpid(), signal.SIGKILL)

    async with Engine(load(store=source, tenant="acme", embed__model="none")) as engine:
        if target.startswith("backup:"):
            await engine.backup(target.removeprefix("backup:"), tell=hear)
        else:
            await engine.copy(target, tell=hear)


if __name__ == "__main__":
    pages.MAX_REVISIONS = FEW
    source, target, *fault = sys.argv[1:]
    told = int(fault[1]) if fault and fault[0] == "told" else 0
    if fault and not told:
        kill_at(fault[0], int(fault[1]))
    asyncio.run(copied(source, target, told))
