"""Work of a server beside its requests."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def run_beside(work: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Let the work run while the block does; what is left of it is cancelled at the block's end."""
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})  # to await the task itself would lose a cancellation that comes meanwhile
        if not task.cancelled():
            task.result()
