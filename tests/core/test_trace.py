"""A trace fails open in one place, out loud."""

import pytest

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.trace import Trace


async def fine() -> int:
    return 1


async def broken() -> int:
    raise StoreError("the disk is gone")


async def misused() -> int:
    raise UsageError("no such column")


async def test_an_attempt_gives_its_result_and_its_time() -> None:
    trace = Trace()
    assert await trace.attempt("leg", fine(), 0) == 1
    assert "leg" in trace.timings
    assert trace.notes == []


async def test_a_failed_attempt_gives_the_default_and_a_note() -> None:
    trace = Trace()
    assert await trace.attempt("leg", broken(), 7) == 7
    assert [note.code for note in trace.notes] == ["leg_failed"]
    assert "the disk is gone" in trace.notes[0].message


async def test_a_callers_mistake_is_not_swallowed() -> None:
    with pytest.raises(UsageError, match="no such column"):
        await Trace().attempt("leg", misused(), 0)


async def test_a_mistake_that_may_be_gone_past_has_a_note_of_its_own() -> None:
    trace = Trace()
    assert await trace.attempt("leg", misused(), 7, refused="leg_refused") == 7
    assert [note.code for note in trace.notes] == ["leg_refused"]


def test_a_note_is_told_once() -> None:
    trace = Trace()
    trace.note("a", "b")
    trace.note("a", "b")
    assert len(trace.notes) == 1
