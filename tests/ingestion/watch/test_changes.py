"""Changes are waited for until one comes, the time is over, or the wait is cancelled."""

import asyncio

import pytest

from ragstone.ingestion.watch.changes import FolderChanges


@pytest.mark.parametrize("turns", range(4))
async def test_a_cancellation_that_comes_with_a_change_ends_the_wait(turns: int) -> None:
    """asyncio.wait_for of Python 3.11 loses it, after which a watcher goes on for ever."""
    changes = FolderChanges((), poll=False, tell_note=print)
    waiting = asyncio.ensure_future(changes.wait(60.0))
    for _ in range(5):
        await asyncio.sleep(0)
    changes._queue.put_nowait("docs")
    for _ in range(turns):
        await asyncio.sleep(0)
    if waiting.cancel():
        with pytest.raises(asyncio.CancelledError):
            await waiting
    else:
        assert waiting.result() == {"docs"}


async def test_no_change_in_time_is_an_empty_set() -> None:
    assert await FolderChanges((), poll=False, tell_note=print).wait(0.0) == set()
