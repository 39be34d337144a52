"""An interrupt before any instruction of a call from the main thread: no place of the pool is lost, no child stays."""

import _thread
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction.sandbox import messages, pool, uninterrupted
from ragstone.extraction.sandbox.pool import Pool
from tests.engine.test_interrupted_calls import check_nothing_is_kept, interrupt_before
from tests.patience import HANG, until

PARSER = "tests.extraction.sandbox.hostile:fine"


class Answering:
    """A child that answers at once."""

    living: "set[Answering]"
    pages, stderr_tail = 0, b""

    def __init__(self) -> None:
        self.living.add(self)

    def await_greeting(self, **_: object) -> tuple[bytes, bool, bytearray]:
        return messages.READY, False, bytearray()

    def ask(self, *_: object, **__: object) -> tuple[bytes, bool, bytearray]:
        if self not in self.living:
            raise EOFError
        return messages.DRAWN, False, bytearray(b"picture")

    def is_quiet(self) -> bool:
        return True

    def end(self, **_: object) -> int:
        self.living.discard(self)
        return -9

    def close(self) -> None:
        assert self not in self.living


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[Answering]]:
    Answering.living = set()
    monkeypatch.setattr(pool, "Child", Answering)
    monkeypatch.setattr(uninterrupted, "LOOK_SECONDS", 0.001)
    yield Answering.living
    until(lambda: not Answering.living)


def test_no_interrupt_of_a_document_locks_the_next_one_out(children: set[Answering]) -> None:
    steps, kept = 0, []
    while True:
        drawing = Pool(1)
        kept.append(drawing)  # where one goes, Python calls back and swallows an interrupt

        def draw(drawing: Pool = drawing) -> bytes:
            return drawing.draw(PARSER, b"", path="a.pdf")

        struck = interrupt_before(steps + 1, draw)
        said: list[Any] = []
        other = threading.Thread(target=lambda said=said, draw=draw: said.append(draw()), daemon=True)
        other.start()
        other.join(HANG)
        assert said == [b"picture"]
        assert len(children) == 1
        drawing.close()
        if not struck:
            break
        steps += 1
    assert steps > 100


def test_work_that_is_given_up_ends_before_the_interrupt_is_raised(children: set[Answering]) -> None:
    """While the answer is awaited."""
    asked, ended, drawing = threading.Event(), threading.Event(), Pool(1)

    class Silent(Answering):
        def ask(self, *_: object, **__: object) -> tuple[bytes, bool, bytearray]:
            asked.set()
            ended.wait(HANG)
            raise EOFError

        def end(self, **_: object) -> int:
            ended.set()
            return super().end()

    def interrupt() -> None:
        assert asked.wait(HANG)
        raise KeyboardInterrupt

    def draw() -> None:
        drawing.draw(PARSER, b"", path="a.pdf")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "Child", Silent)
        with pytest.raises(KeyboardInterrupt):
            _call_and_interrupt(draw, interrupt, patch)
    assert not children


def _call_and_interrupt(call: Any, interrupt: Any, patch: pytest.MonkeyPatch) -> None:
    """Raise what `interrupt` raises where the main thread waits."""
    allocate = _thread.allocate_lock

    class Struck:
        def __init__(self) -> None:
            self._lock: threading.Lock = allocate()
            self._waits = 0

        def acquire(self, *, timeout: float = -1) -> bool:
            self._waits += 1
            if self._waits == 2:  # the first is taken by the one that made it
                interrupt()
            return self._lock.acquire(timeout=timeout)

        def release(self) -> None:
            self._lock.release()

    patch.setattr(_thread, "allocate_lock", Struck)
    call()


def test_a_refusal_comes_out_as_it_is(children: set[Answering]) -> None:
    drawing = Pool(1)
    drawing.stop()
    with pytest.raises(Refused, match="the run was stopped"):
        drawing.draw(PARSER, b"", path="a.pdf")
    assert not children


def test_a_refusal_keeps_nothing_of_its_document() -> None:
    """Though nobody looks for circles of references: a folder of large documents may be refused."""
    check_nothing_is_kept(lambda work: uninterrupted.run_uninterrupted(work, lambda: None))
