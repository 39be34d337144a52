"""The memory of a server's process stays what it needs."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from ragstone.core.freed_memory import release_memory

PAUSE_SECONDS = 60.0


@asynccontextmanager
async def release_now_and_then() -> AsyncGenerator[None]:
    """Give back what requests freed, once a minute while the block runs."""

    async def release_forever() -> None:
        while True:
            await asyncio.sleep(PAUSE_SECONDS)
            await asyncio.to_thread(release_memory)

    task = asyncio.ensure_future(release_forever())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
