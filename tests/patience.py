"""How tests wait: for what must happen, on a machine of any speed. The one limit ends a hang and nothing else."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")
HANG = 300.0  # seconds after which a wait counts as for ever


def until(look: Callable[[], T], *, pause: float = 0.02) -> T:
    """Look until there is something to see, and give that; it fails after `HANG` seconds."""
    end = time.monotonic() + HANG
    while not (seen := look()):
        assert time.monotonic() < end, "what a test waits for never came"
        time.sleep(pause)
    return seen


async def until_async(look: Callable[[], Awaitable[T]], *, pause: float = 0.02) -> T:
    """The same with a look that is awaited."""
    end = time.monotonic() + HANG
    while not (seen := await look()):
        assert time.monotonic() < end, "what a test waits for never came"
        await asyncio.sleep(pause)
    return seen
