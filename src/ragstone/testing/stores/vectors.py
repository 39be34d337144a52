"""The contract of a store with `dense` for vectors: each is wanted once, kept exactly, and refused when it is bad."""

from typing import Any

import numpy as np
import pytest

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import Store
from ragstone.testing.stores.actions import fill_vectors, require_capabilities, search_texts, write_revisions
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import DIMENSION, SCOPE, make_revision, make_vector, make_vector_key


class VectorContract(StoreFixtures):
    """The vectors of chunks."""

    async def test_each_vector_is_wanted_once(self, store: Store) -> None:
        require_capabilities(store, "dense")
        await write_revisions(store, make_revision("a.md", ["apple", "apple", "pear"]), vectors=False)
        async with store.reader(SCOPE) as reader:
            info = await reader.info()
        assert (info.state, info.pending_vectors) == ("degraded", 3)
        async with store.writer(SCOPE) as writer:
            assert sorted(chunk.text for chunk in await writer.find_unembedded(10)) == ["apple", "pear"]
            assert len(await writer.find_unembedded(1)) == 1
            assert await fill_vectors(writer) == 2
            await writer.put({make_vector_key("apple"): make_vector("apple")})
            assert await writer.find_unembedded(10) == []
        async with store.reader(SCOPE) as reader:
            assert len(await reader.nearest(make_vector("apple"), where=Where(), limit=9)) == 3
            assert ((await reader.info()).state, (await reader.info()).pending_vectors) == ("healthy", 0)

    async def test_wanted_vectors_come_in_batches_until_all_are_there(self, store: Store) -> None:
        require_capabilities(store, "dense")
        texts = [f"text {n % 17}" for n in range(40)]
        await write_revisions(
            store, make_revision("a.md", texts), make_revision("b.md", ["text 3", "new"]), vectors=False
        )
        async with store.writer(SCOPE) as writer:
            seen: list[str] = []
            while batch := await writer.find_unembedded(4):
                assert [chunk.id for chunk in await writer.find_unembedded(4)] == [chunk.id for chunk in batch]
                assert len(batch) == 4 or len(seen) + len(batch) == 18
                seen += [chunk.text for chunk in batch]
                await writer.put({chunk.vector_key: make_vector(chunk.text) for chunk in batch})
                if len(seen) == 8:
                    await writer.replace([make_revision("b.md", ["text 1", "newer"], revision=2)])
        assert sorted(seen) == sorted({*texts, "newer"})

    async def test_a_chunk_without_a_vector_is_left_out_of_nearest_only(self, store: Store) -> None:
        require_capabilities(store, "dense")
        await write_revisions(store, make_revision("a.md", ["apple"]))
        await write_revisions(store, make_revision("b.md", ["apple pie"]), vectors=False)
        async with store.reader(SCOPE) as reader:
            near = await reader.nearest(make_vector("apple"), where=Where(), limit=9)
            rated = await reader.rate(
                [make_revision("b.md", ["apple pie"]).chunks[0].id], vector=make_vector("x"), query=""
            )
        assert [candidate.place for candidate in near] == [("a.md", "docs", 0)]
        assert list(rated.values()) == [{"bm25": 0.0}]
        assert len(await search_texts(store, "apple")) == 2

    async def test_renames_copies_and_reverts_want_no_vector(self, store: Store) -> None:
        require_capabilities(store, "dense")
        first = make_revision("a.md", ["apple", "pear"])
        await write_revisions(store, first)
        async with store.writer(SCOPE) as writer:
            await writer.replace([make_revision("b.md", ["pear", "apple"])])
            assert await writer.find_unembedded(9) == []
            await writer.remove([first.document.id])
            await writer.replace([make_revision("b.md", ["plum"], revision=2)])
            await writer.replace([make_revision("b.md", ["apple"], revision=3)])
            assert await writer.find_unembedded(9) == []

    async def test_cosines_are_exact(self, store: Store) -> None:
        require_capabilities(store, "dense")
        texts = [f"text number {n}" for n in range(60)]
        await write_revisions(store, make_revision("a.md", texts))
        question = make_vector("question")
        async with store.reader(SCOPE) as reader:
            found = await reader.nearest(question * 3, where=Where(), limit=60)
        wanted = [float(make_vector(text).astype(np.float64) @ question.astype(np.float64)) for text in texts]
        assert {c.place[2]: c.score for c in found} == pytest.approx(dict(enumerate(wanted)), abs=2e-6)

    async def test_a_bad_vector_is_refused_and_named(self, store: Store) -> None:
        require_capabilities(store, "dense")
        await write_revisions(store, make_revision("a.md", ["apple", "pear"]), vectors=False)
        good, key = make_vector("apple"), make_vector_key("pear")
        bad: list[Any] = [
            good * 2,
            good * 0,
            good[:4],
            good.astype(np.float64),
            np.full(DIMENSION, np.nan, dtype=np.float32),
        ]
        async with store.writer(SCOPE) as writer:
            for vector in bad:
                with pytest.raises(StoreError, match=key):
                    await writer.put({make_vector_key("apple"): good, key: vector})
            assert len(await writer.find_unembedded(9)) == 2

    async def test_a_question_of_another_dimension_is_refused(self, store: Store) -> None:
        require_capabilities(store, "dense")
        await write_revisions(store, make_revision("a.md", ["apple"]))
        async with store.reader(SCOPE) as reader:
            for vector in (np.ones(3, dtype=np.float32), np.zeros(DIMENSION, dtype=np.float32)):
                with pytest.raises(UsageError):
                    await reader.nearest(vector, where=Where(), limit=1)
