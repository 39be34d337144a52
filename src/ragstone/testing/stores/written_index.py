"""The contract of a store with `written`: vectors of the summaries and questions of its chunks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ragstone.core.chunk_enrichment import ENRICHED, QUESTIONS, list_written
from ragstone.core.errors import StoreError
from ragstone.core.filters import Where
from ragstone.core.ports import Store, WrittenIndex, WrittenIndexingStore, WrittenReader
from ragstone.core.records import WrittenState
from ragstone.core.types import Revision, Scope
from ragstone.testing.stores.actions import create_collection, require_capabilities, write_revisions
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import (
    DIMENSION,
    EVERYTHING,
    MODEL,
    OTHER,
    SCOPE,
    VARIANT,
    make_revision,
    make_vector,
)

ABOUT = (MODEL, VARIANT, DIMENSION)
PRECISION = 0.01  # of a score: these vectors have few dimensions


def make_written(
    path: str,
    texts: Mapping[str, Sequence[str]],
    *,
    revision: int = 1,
    scope: Scope = SCOPE,
    meta: Mapping[str, Any] | None = None,
) -> Revision:
    """A document whose chunks, by their texts, have these questions, as a model would have written them."""
    made = make_revision(path, list(texts), revision=revision, scope=scope, meta=meta)
    asked = zip(made.chunks, texts.values(), strict=True)
    chunks = [
        replace(chunk, metadata={**chunk.metadata, QUESTIONS: list(own), ENRICHED: "x"}) if own else chunk
        for chunk, own in asked
    ]
    return replace(made, chunks=tuple(chunks))


def as_written(store: Store) -> WrittenIndexingStore:
    """The store as a `WrittenIndexingStore`; one that keeps no such vectors skips the test."""
    require_capabilities(store, "written")
    assert isinstance(store, WrittenIndexingStore)
    return store


async def fill_written(store: Store, scope: Scope = SCOPE, *, at_once: int = 3) -> list[str]:
    """Put all such vectors that are wanted; the texts that were embedded."""
    async with as_written(store).written_index(scope) as index:
        await index.begin(*ABOUT)
        return await _fill(index, at_once)


async def _fill(index: WrittenIndex, at_once: int) -> list[str]:
    made: list[str] = []
    last = 0
    while wanted := await index.find_unlinked(at_once, after=last):
        last = wanted[-1][0]
        texts = {"|".join(own): own for own in (list_written(chunk) for _, chunk in wanted) if own}
        known = await index.find_known(texts.keys())
        fresh = {key: own for key, own in texts.items() if key not in known}
        vectors = {key: np.stack([make_vector(text) for text in own]) for key, own in fresh.items()}
        await index.put({number: "|".join(list_written(chunk)) for number, chunk in wanted}, vectors)
        made += [text for own in fresh.values() for text in own]
    return made


async def search_written(
    store: Store, query: str, scope: Scope = SCOPE, *, where: Where = EVERYTHING, limit: int = 100
) -> list[tuple[str, int, float]]:
    """Path, ordinal and score of the chunks found; checks that `rate_written` gives the same scores."""
    async with store.reader(scope) as reader:
        assert isinstance(reader, WrittenReader)
        found = await reader.match_written(make_vector(query), where=where, limit=limit)
        ids = [one.id for one in found]
        assert await reader.rate_written([*ids, "unknown"], make_vector(query)) == {one.id: one.score for one in found}
        assert [chunk.id for chunk in await reader.chunks(ids)] == ids
    return [(one.place[0], one.place[2], one.score) for one in found]


async def read_state(store: Store, scope: Scope = SCOPE) -> WrittenState | None:
    """The state of the collection's vectors of summaries and questions."""
    async with store.reader(scope) as reader:
        return (await reader.info()).written


def cosine(one: str, other: str) -> float:
    """The cosine of two texts."""
    a, b = make_vector(one).astype(np.float64), make_vector(other).astype(np.float64)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


class WrittenIndexContract(StoreFixtures):
    """Vectors of what a model wrote about chunks, beside the chunks' own."""

    async def test_a_chunk_scores_the_best_of_its_written_texts(self, store: Store) -> None:
        as_written(store)
        await create_collection(store)
        assert await read_state(store) is None
        assert await search_written(store, "who") == []
        await write_revisions(
            store,
            make_written("b.md", {"alpha": ["who", "what"], "beta": [], "gamma": ["when"]}),
            make_written("a.md", {"delta": ["who", "where", "why"]}),
        )
        assert sorted(await fill_written(store)) == sorted(["who", "what", "when", "who", "where", "why"])
        assert await fill_written(store) == []
        assert await read_state(store) == WrittenState(*ABOUT, 0)
        expected = await search_written(store, "who")
        assert [place[:2] for place in expected] == [("a.md", 0), ("b.md", 0), ("b.md", 2)]
        assert expected[0][2] == expected[1][2]
        assert [place[2] for place in expected] == pytest.approx([1.0, 1.0, cosine("who", "when")], abs=PRECISION)
        assert await search_written(store, "who", limit=2) == expected[:2]
        assert await search_written(store, "who", limit=0) == []
        assert await search_written(store, "who", where=Where(paths=("b.md",))) == expected[1:]
        assert await store.admin.check(SCOPE) == []

    async def test_only_new_texts_are_embedded_where_a_document_changes_or_moves(self, store: Store) -> None:
        as_written(store)
        await write_revisions(store, make_written("a.md", {"alpha": ["who"], "beta": ["what"]}))
        await fill_written(store)
        await write_revisions(store, make_written("a.md", {"alpha": ["who"], "gamma": ["when"]}, revision=2))
        assert await read_state(store) == WrittenState(*ABOUT, 2)
        assert await search_written(store, "who") == []
        assert await fill_written(store) == ["when"]
        async with store.writer(SCOPE) as writer:
            await writer.replace([make_written("moved.md", {"alpha": ["who"], "gamma": ["when"]})])
            await writer.remove([make_revision("a.md", []).document.id])
            assert await fill_written(store) == []
            await writer.settle()
        assert [place[:2] for place in await search_written(store, "who", limit=1)] == [("moved.md", 0)]
        assert await store.admin.check(SCOPE) == []

    async def test_what_no_chunk_refers_to_is_gone_after_the_run(self, store: Store) -> None:
        as_written(store)
        await write_revisions(store, make_written("a.md", {"alpha": ["who"]}), make_written("b.md", {"beta": ["what"]}))
        await fill_written(store)
        async with store.writer(SCOPE) as writer:
            await writer.remove([make_revision("a.md", []).document.id])
            await writer.settle()
        async with as_written(store).written_index(SCOPE) as index:
            assert await index.find_known({"who", "what"}) == {"what"}
        assert [place[0] for place in await search_written(store, "who")] == ["b.md"]

    async def test_a_chunk_that_is_gone_before_its_vectors_come_gets_none(self, store: Store) -> None:
        await write_revisions(store, make_written("a.md", {"alpha": ["who"]}))
        async with as_written(store).written_index(SCOPE) as index:
            await index.begin(*ABOUT)
            [(number, _)] = await index.find_unlinked(9)
            await write_revisions(store, make_written("a.md", {"omega": ["what"]}, revision=2))
            await index.put({number: "who"}, {"who": make_vector("who")[None]})
            [(other, _)] = await index.find_unlinked(9)
            await index.put({other: "away"}, {})  # vectors that went meanwhile: looked at again
            assert await index.find_unlinked(9, after=other) == []
            assert [one for one, _ in await index.find_unlinked(9)] == [other]
            await index.put({other: "what"}, {"what": make_vector("what")[None]})
            assert await index.find_known({"who", "what"}) == {"what"}
        assert [place[:2] for place in await search_written(store, "what")] == [("a.md", 0)]
        assert await store.admin.check(SCOPE) == []

    async def test_restricted_documents_are_not_found_by_written_texts_without_the_permission(
        self, store: Store
    ) -> None:
        as_written(store)
        secret = make_written("b.md", {"beta": ["who"]}, meta={"confidentiality": "Restricted"})
        await write_revisions(store, make_written("a.md", {"alpha": ["who"]}), secret)
        await fill_written(store)
        assert [place[0] for place in await search_written(store, "who", where=Where(), limit=1)] == ["a.md"]
        assert [place[0] for place in await search_written(store, "who", where=Where())] == ["a.md"]
        assert [place[0] for place in await search_written(store, "who")] == ["a.md", "b.md"]

    async def test_a_view_shows_the_vectors_of_its_time(self, store: Store) -> None:
        as_written(store)
        await write_revisions(store, make_written("a.md", {"alpha": ["who"]}))
        await fill_written(store)
        async with store.reader(SCOPE) as reader:
            assert isinstance(reader, WrittenReader)
            generation = (await reader.info()).generation
            await write_revisions(store, make_written("b.md", {"beta": ["who"]}))
            await fill_written(store)
            found = await reader.match_written(make_vector("who"), where=EVERYTHING, limit=9)
            assert [one.place[0] for one in found] == ["a.md"]
        async with store.reader(SCOPE) as reader:
            assert (await reader.info()).generation > generation
        assert [place[0] for place in await search_written(store, "who")] == ["a.md", "b.md"]

    async def test_written_vectors_of_another_collection_or_tenant_are_not_seen(self, store: Store) -> None:
        as_written(store)
        beside = Scope(SCOPE.tenant, "beside")
        for scope in (SCOPE, beside, OTHER):
            await write_revisions(store, make_written("a.md", {"alpha": ["who"]}, scope=scope), scope=scope)
        await fill_written(store)
        assert await read_state(store, beside) is None
        async with as_written(store).written_index(beside) as index:
            assert await index.find_known({"who"}) == set()
        assert await fill_written(store, OTHER) == ["who"]
        async with as_written(store).written_index(OTHER) as index:
            await index.drop()
        assert await search_written(store, "who", OTHER) == await search_written(store, "who", beside) == []
        assert len(await search_written(store, "who")) == 1

    async def test_written_vectors_of_another_model_are_refused_until_the_first_are_dropped(self, store: Store) -> None:
        await write_revisions(store, make_written("a.md", {"alpha": ["who"]}))
        async with as_written(store).written_index(SCOPE) as before:
            await fill_written(store)
            with pytest.raises(StoreError, match=f"summaries and questions of {MODEL}.*run: ragstone ingest"):
                await before.begin("another", None, 2)
            async with as_written(store).written_index(SCOPE) as index:
                await index.drop()
                assert await read_state(store) is None
                await index.begin("another", None, 2)
                [(number, _)] = await index.find_unlinked(9)
                with pytest.raises(StoreError, match="another model"):
                    await before.put({number: "who"}, {"who": make_vector("who")[None]})
                with pytest.raises(StoreError, match=r"shape \(2,\) was expected"):
                    await index.put({number: "who"}, {"who": make_vector("who")[None]})
        assert await read_state(store) == WrittenState("another", None, 2, 1)
