"""The memory of a server's process stays what it needs."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from ragstone.core.freed_memory import release_memory
from ragstone.server.background import run_beside

PAUSE_SECONDS = 60.0


@asynccontextmanager
async def release_now_and_then() -> AsyncGenerator[None]:
    """Give back what requests freed, once a minute while the block runs."""

    async def release_forever() -> None:
        while True:
            await asyncio.sleep(PAUSE_SECONDS)
            await asyncio.to_thread(release_memory)

    async with run_beside(release_forever()):
        yield
