import asyncio
import itertools
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import Vectors
from ragstone.providers.batching import MODEL_FAILS, SORTED_BATCHES, embed_all, plan_batches
from ragstone.testing.bag_of_words import BagOfWords


class Spoiling(BagOfWords):
    """Multiplies the vectors of texts with the word "bad"; remembers the sizes of its batches."""

    def __init__(self, factor: float = 1.0) -> None:
        super().__init__(64)
        self.factor = factor
        self.sizes: list[int] = []

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
        self.sizes.append(len(texts))
        vectors = await super().embed(texts, kind=kind)
        for place, text in enumerate(texts):
            if "bad" in text:
                vectors[place, vectors[place] != 0] *= np.float32(self.factor)
        return vectors


async def collected(embedder: BagOfWords, texts: Sequence[str], size: int = 4) -> dict[int, Vectors]:
    found: dict[int, Vectors] = {}
    async for places, vectors in embed_all(embedder, texts, size=size):
        assert len(places) == len(vectors)
        assert not found.keys() & set(places)
        found.update(zip(places, vectors, strict=True))
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["", " ", "one", "two words", "three words here", "\n"]), max_size=60))
def test_every_text_that_is_not_blank_gets_its_own_vector(texts: list[str]) -> None:
    async def run() -> None:
        found = await collected(BagOfWords(), texts)
        assert sorted(found) == [place for place, text in enumerate(texts) if text.strip()]
        for place, vector in found.items():
            assert np.array_equal(vector, (await BagOfWords().embed([texts[place]]))[0])

    asyncio.run(run())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 50), max_size=200), st.integers(1, 7))
def test_batches_are_bounded_and_hold_like_lengths(lengths: list[int], size: int) -> None:
    texts = ["x" * length for length in lengths]
    made = list(plan_batches(texts, size=size))
    assert all(1 <= len(batch) <= size for batch in made)
    assert sorted(place for batch in made for place in batch) == [n for n, text in enumerate(texts) if text]
    for first, second in itertools.pairwise(made):
        if made.index(second) % SORTED_BATCHES:
            assert min(lengths[place] for place in first) >= max(lengths[place] for place in second)


async def test_batches_hold_no_more_than_asked() -> None:
    embedder = Spoiling()
    await collected(embedder, ["text"] * 10, size=4)
    assert embedder.sizes == [4, 4, 2]


async def test_progress_counts_what_is_done_of_what_is_not_blank() -> None:
    heard: list[tuple[int, int]] = []
    texts = ["one", "", "two", "three", " "]
    async for _ in embed_all(BagOfWords(), texts, size=2, on_progress=lambda done, total: heard.append((done, total))):
        pass
    assert heard == [(2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("factor", "what"),
    [(0.0, "a zero vector"), (float("nan"), "length nan"), (float("inf"), "length"), (2.0, "length 2")],
)
async def test_an_unusable_vector_names_its_text(factor: float, what: str) -> None:
    with pytest.raises(StoreError, match=rf"{what}.* for a\.md#1"):
        async for _ in embed_all(Spoiling(factor), ["good", "bad"], references=["a.md#0", "a.md#1"]):
            pass


@pytest.mark.parametrize("factor", [0.0, float("nan"), 2.0])
async def test_where_it_may_be_left_out_it_alone_is(factor: float) -> None:
    texts = ["good one", "bad", "good two", "good three"]
    unusable: dict[int, str] = {}
    found: set[int] = set()
    async for places, vectors in embed_all(Spoiling(factor), texts, size=2, unusable=unusable):
        assert len(places) == len(vectors)
        found |= set(places)
    assert (found, set(unusable)) == ({0, 2, 3}, {1})
    assert unusable[1].endswith("for text 1")


async def test_a_model_whose_vectors_are_all_unusable_fails_as_a_whole() -> None:
    with pytest.raises(StoreError, match="a zero vector"):
        async for _ in embed_all(Spoiling(0.0), ["bad"] * MODEL_FAILS, unusable={}):
            pass


async def test_a_vector_of_another_dimension_is_refused() -> None:
    embedder = BagOfWords(8)
    embedder.reads, wrong = 8, BagOfWords(9)
    embedder.embed = wrong.embed  # type: ignore[method-assign]  # a model that lies about its dimension
    with pytest.raises(StoreError, match="shape"):
        await collected(embedder, ["text"])


async def test_the_next_batch_runs_while_one_is_stored() -> None:
    embedder = Spoiling()
    async for _ in embed_all(embedder, ["text"] * 6, size=2):
        await asyncio.sleep(0)
        assert len(embedder.sizes) >= 2
        break


class Endless(BagOfWords):
    """Never answers the second batch."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.cancelled = False

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
        self.calls += 1
        if self.calls > 1:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                self.cancelled = True
                raise
        return await super().embed(texts, kind=kind)


async def test_who_stops_early_leaves_nothing_running() -> None:
    embedder = Endless()
    run = embed_all(embedder, ["text"] * 4, size=2)
    await anext(run)
    await asyncio.sleep(0)
    await run.aclose()  # type: ignore[attr-defined]  # an async generator, though declared as its protocol
    await asyncio.sleep(0)
    assert embedder.cancelled


@pytest.mark.parametrize("size", [0, 257])
async def test_a_batch_size_out_of_bounds_is_refused(size: int) -> None:
    with pytest.raises(UsageError, match="256"):
        await collected(BagOfWords(), ["text"], size=size)


async def test_references_must_match_the_texts() -> None:
    with pytest.raises(UsageError, match="references"):
        async for _ in embed_all(BagOfWords(), ["one", "two"], references=["a"]):
            pass
