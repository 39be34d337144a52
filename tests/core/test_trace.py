"""A trace fails open in one place, out loud."""

import pytest

from ragstone.core.errors import NotAStore, StoreError, Unavailable, UsageError
from ragstone.core.trace import HIDES_PLACES, Trace


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


@pytest.mark.parametrize(
    ("error", "hidden"),
    [
        (StoreError("/srv/kb cannot be read"), True),
        (NotAStore("/srv/kb is not a Ragstone store"), True),
        (OSError(2, "No such file", "/srv/kb"), True),
        (UsageError("no such column"), False),
        (Unavailable("the model is away"), False),
    ],
)
async def test_a_caller_who_is_not_the_operator_reads_no_place_of_the_server(
    error: Exception, hidden: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> int:
        raise error

    async def note() -> str:
        trace = Trace()
        await trace.attempt("leg", fail(), 0, refused="leg_refused")
        return trace.notes[0].message

    assert str(error) in await note()
    entered = HIDES_PLACES.set(True)
    caplog.clear()
    said = await note()
    HIDES_PLACES.reset(entered)
    assert ("see the server's log" in said, str(error) not in said) == (hidden, hidden)
    assert str(error) in caplog.text


def test_a_note_is_told_once() -> None:
    trace = Trace()
    trace.note("a", "b")
    trace.note("a", "b")
    assert len(trace.notes) == 1
