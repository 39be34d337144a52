"""How long a store may take for one question."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ragstone.config.deadlines import Deadlines
from ragstone.core.errors import StoreError
from ragstone.core.waits import collect_waits


@asynccontextmanager
async def limit_store_time(deadlines: Deadlines, *, beside: float = 0.0) -> AsyncIterator[None]:
    """A block that reads a store. Raises `StoreError` when it takes longer than `deadlines.search` seconds, with the
    cause of a wait; `beside` are seconds more, for what else the block does."""
    with collect_waits() as causes:
        try:
            async with asyncio.timeout(deadlines.search + beside) as patience:
                yield
        except TimeoutError as error:
            if not patience.expired():
                raise
            seconds = f"{deadlines.search:g} s (deadlines.search)"
            cause = causes[0].said if causes else "it is too busy, or it needs longer"
            raise StoreError(f"the store did not answer within {seconds}: {cause}") from error
