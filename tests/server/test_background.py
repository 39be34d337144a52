"""Work beside requests ends with its block, however that ends."""

import asyncio
import contextlib

import pytest

from ragstone.server.background import run_beside


async def test_a_cancellation_while_the_work_ends_is_not_lost() -> None:
    ending, going = asyncio.Event(), asyncio.Event()

    async def end_slowly() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        ending.set()
        await going.wait()

    async def serve() -> None:
        async with run_beside(end_slowly()):
            await asyncio.sleep(0)

    serving = asyncio.ensure_future(serve())
    await ending.wait()
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    going.set()


async def test_a_failure_of_the_work_is_told_at_the_end() -> None:
    async def fail() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        async with run_beside(fail()):
            await asyncio.sleep(0)
