"""An interrupt before any instruction of a call that waits: it comes out, and the collection goes on being usable."""

import asyncio
import gc
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from types import FrameType
from typing import Any
from weakref import ref

import pytest

import ragstone
from ragstone.core.answers import Event
from ragstone.engine import blocking
from tests.patience import HANG


def interrupt_before(step: int, call: Callable[[], object]) -> bool:
    """Make a call and raise KeyboardInterrupt before its `step`-th instruction in this thread; False where it ended
    sooner."""
    left = step

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt  # ends the tracing too
        return trace

    before = sys.gettrace()
    sys._getframe().f_trace_opcodes = True  # before tracing begins, else Python 3.12 and newer tell no instruction
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return left <= 0


def check_usable(kb: ragstone.Knowledge) -> None:
    """Make another call, in a thread: one that hangs fails the test."""
    said: list[str] = []
    other = threading.Thread(target=lambda: said.append(kb.wait(asyncio.sleep(0, "well"))), daemon=True)
    other.start()
    other.join(HANG)
    assert said == ["well"]


def check_nothing_is_kept(call: Callable[[Callable[[], object]], object]) -> None:
    """A call of work that fails leaves no value of the work, though nobody looks for circles of references."""

    class Document:
        pass

    kept: list[ref[Document]] = []

    def fail() -> None:
        document = Document()
        kept.append(ref(document))
        raise ValueError

    gc.disable()
    try:
        with suppress(ValueError):
            call(fail)
        assert kept[0]() is None
    finally:
        gc.enable()


def test_a_call_that_fails_keeps_nothing(kb: ragstone.Knowledge) -> None:
    async def run(work: Callable[[], object]) -> None:
        work()

    check_nothing_is_kept(lambda work: kb.wait(run(work)))


async def stream_for_ever() -> AsyncGenerator[Event]:
    yield Event("message", {"text": "Samples "})
    await asyncio.sleep(HANG)


def read_stream(kb: ragstone.Knowledge) -> list[Event]:
    return list(kb.iterate_stream(stream_for_ever()))


def wait_shortly(kb: ragstone.Knowledge) -> None:
    kb.wait(asyncio.sleep(0))


def wait_for_ever(kb: ragstone.Knowledge) -> None:
    kb.wait(asyncio.sleep(HANG))


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="Python 3.13 tells a function no instructions this way")
# How many instructions are tried: all of a short call; the way to the first waits of a long one and of a stream.
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")  # where the interrupt came before it was begun
@pytest.mark.parametrize(("call", "steps"), [(wait_shortly, 2000), (wait_for_ever, 400), (read_stream, 700)])
def test_no_interrupt_of_a_call_locks_the_next_one_out(
    call: Callable[[ragstone.Knowledge], object], steps: int, kb: ragstone.Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocking, "POLL_SECONDS", 0.001)
    tried = 0
    while tried < steps and interrupt_before(tried + 1, lambda: call(kb)):
        tried += 1
        check_usable(kb)
    assert tried == steps if call is not wait_shortly else tried > 100
