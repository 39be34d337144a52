"""Both retrievers of a source: at once where its reader gains by it, and what one of them cannot do."""

import gc
import warnings
from asyncio import CancelledError, Event, create_task, sleep
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import Vectors
from ragstone.core.trace import Trace
from ragstone.core.types import Candidate
from ragstone.retrieval.candidates import retrieve_candidates
from ragstone.retrieval.question import Question

VECTOR = np.ones(4, dtype=np.float32)


@dataclass
class WaitingReader:
    """Each retriever waits until the other one was asked, or fails with the error that is given for it."""

    errors: dict[str, Exception] = field(default_factory=dict)
    asked: dict[str, Event] = field(default_factory=lambda: {"cosine": Event(), "bm25": Event()})
    ended: list[str] = field(default_factory=list)
    runs_side_by_side: bool = True

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        return await self._wait_for("cosine", "bm25")

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        return await self._wait_for("bm25", "cosine")

    async def _wait_for(self, own: str, other: str) -> list[Candidate]:
        try:
            self.asked[own].set()
            if own in self.errors:
                raise self.errors[own]
            await self.asked[other].wait()
            if other in self.errors:
                await Event().wait()  # until it is cancelled
            return [Candidate(own, 1.0, ("docs", own, 0))]
        finally:
            self.ended.append(own)


async def search(reader: Any, *, seconds: float | None = None) -> tuple[dict[str, list[Candidate]], Trace]:
    trace = Trace()
    found = await retrieve_candidates(reader, Question("apple"), VECTOR, trace, seconds=seconds)
    return found, trace


async def test_both_retrievers_run_side_by_side() -> None:
    found, trace = await search(WaitingReader())
    assert {name: [one.id for one in candidates] for name, candidates in found.items()} == {
        "cosine": ["cosine"],
        "bm25": ["bm25"],
    }
    assert trace.notes == []
    assert set(trace.timings) == {"cosine", "bm25"}


@dataclass
class SlowReader:
    """Notes the beginning and the end of each retriever, with a pause between them."""

    runs_side_by_side: bool
    steps: list[str] = field(default_factory=list)

    async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
        return await self._pause("cosine")

    async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
        return await self._pause("bm25")

    async def _pause(self, name: str) -> list[Candidate]:
        self.steps.append(name)
        await sleep(0)
        self.steps.append(name)
        return []


@pytest.mark.parametrize(
    ("at_once", "steps"),
    [(True, ["cosine", "bm25", "cosine", "bm25"]), (False, ["cosine", "cosine", "bm25", "bm25"])],
)
async def test_a_reader_says_whether_it_is_asked_at_once(at_once: bool, steps: list[str]) -> None:
    reader = SlowReader(at_once)
    await search(reader)
    assert reader.steps == steps


async def test_a_mistake_of_the_caller_ends_the_other_retriever() -> None:
    reader = WaitingReader({"cosine": UsageError("the filter names no field")})
    with pytest.raises(UsageError, match="names no field"):
        await search(reader)
    assert sorted(reader.ended) == ["bm25", "cosine"]


async def test_one_that_fails_is_a_note_and_all_failing_is_an_error() -> None:
    broken = WaitingReader({"cosine": StoreError("it is damaged"), "bm25": StoreError("it is gone")})
    with pytest.raises(StoreError, match=r"it is damaged.*it is gone"):
        await search(broken)


async def test_a_question_that_nobody_waits_for_any_more_leaves_no_coroutine_unawaited() -> None:
    """It was cancelled before its retrievers began: the garbage collector would warn of them."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        waiting = create_task(search(WaitingReader()))
        await sleep(0)  # both are on their way, and neither has begun
        waiting.cancel()
        with pytest.raises(CancelledError):
            await waiting
        gc.collect()
    assert said == []


async def test_notes_stand_in_the_order_of_the_retrievers_whichever_fails_first() -> None:
    words_failed = Event()

    class LateReader(WaitingReader):
        async def nearest(self, vector: Vectors, *, where: Where, limit: int) -> list[Candidate]:
            await words_failed.wait()
            raise StoreError("vectors are gone")

        async def matching(self, query: str, *, where: Where, limit: int) -> list[Candidate]:
            words_failed.set()
            raise StoreError("words are gone")

    with pytest.raises(StoreError, match=r"vectors are gone.*words are gone"):
        await search(LateReader())
