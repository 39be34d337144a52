"""Fusion by the store: one round trip, the same formula as ours, and a note that says which ran."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.core.errors import UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import FusingReader, Store
from ragstone.core.types import Candidate, Scope
from ragstone.retrieval.fusion_formulas import rrf
from ragstone.retrieval.question import Question
from ragstone.retrieval.search import search
from ragstone.retrieval.search_context import SearchContext
from ragstone.stores import open_store
from ragstone.stores.embedded import EmbeddedStore
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.stores import SCOPE, make_revision
from tests.stores.qdrant.server import Recorder

EMBEDDER = BagOfWords(32)
TEXTS = [
    "the gate valve leaks oil",
    "oil pressure is low in the gate",
    "a red valve on the left",
    "pressure gauge and valve of the pump",
    "nothing of the kind stands here",
    "oil oil oil",
    "the pump hums",
]
QUESTION = "oil valve pressure"


def context_of(store: Store, **options: Any) -> SearchContext:
    """The context of the tests' collection."""
    return SearchContext.of_collection(store, SCOPE, EMBEDDER, **options)


async def filled(store: Store, scope: Scope = SCOPE, texts: list[str] = TEXTS) -> Store:
    await store.admin.create(scope, model=EMBEDDER.model, variant=EMBEDDER.variant, dimension=32)
    async with store.writer(scope) as writer:
        tags = [{"tags": ["even"] if n % 2 == 0 else ["odd"]} for n in range(len(texts))]
        await writer.replace(
            [make_revision(f"{n}.md", [text], scope=scope, meta=tags[n]) for n, text in enumerate(texts)]
        )
        while wanted := await writer.find_unembedded(50):
            rows = await EMBEDDER.embed([chunk.text for chunk in wanted])
            await writer.put({chunk.vector_key: row for chunk, row in zip(wanted, rows, strict=True)})
    return store


@pytest.fixture
async def store(either: Recorder, tmp_path: Path) -> AsyncIterator[Store]:
    made = await filled(open_store(either.url(tmp_path / "ledger")))
    yield made
    await made.close()


async def test_both_legs_and_their_fusion_are_one_round_trip(either: Recorder, store: Store) -> None:
    asked = Question(QUESTION, fusion_at="server")
    await search(context_of(store), asked)
    del either.calls[:]
    found = await search(context_of(store), asked)
    assert either.methods() == ["Query"]
    [call] = either.calls
    assert [leg.using for leg in call.request.prefetch] == ["dense", "sparse"]
    assert call.request.query.rrf.k == 61
    assert {hit.chunk.text for hit in found.hits} == set(TEXTS)
    assert all(set(hit.signals) == {"cosine", "bm25"} for hit in found.hits)
    [note] = [note for note in found.notes if note.code == "fusion_at"]
    assert note.message.startswith("fused by the store (RRF, k = 60, both retrievers alike)")


async def test_the_servers_ranks_give_our_formula(either: Recorder, store: Store) -> None:
    """Qdrant counts ranks from 0, so that its k of 61 is our 60; ours, over the legs as the server ranked them."""
    vector = (await EMBEDDER.embed([QUESTION]))[0]
    async with store.reader(SCOPE) as reader:
        assert isinstance(reader, FusingReader)
        found = await reader.fuse_on_server(QUESTION, vector, where=Where(), limit=9)
    [call] = [call for call in either.calls if call.method == "Query"]
    legs = {}
    for name, leg in zip(("cosine", "bm25"), call.request.prefetch, strict=True):
        alone = type(call.request)(
            collection_name=call.request.collection_name, query=leg.query, using=leg.using, filter=leg.filter,
            limit=leg.limit, with_payload=call.request.with_payload, with_vectors=call.request.with_vectors,
        )  # fmt: skip
        ranked = either.query(alone).result
        legs[name] = [Candidate(point.id.uuid, point.score, ("", "", n)) for n, point in enumerate(ranked)]
    ours = {one.id: one.score for one in rrf(legs)}
    assert {one.id: one.score for one in found} == pytest.approx(ours, abs=1e-6)


async def test_filters_hold_in_the_servers_fusion(store: Store) -> None:
    for where, count in ((Where(tags=("odd",)), 3), (Where(paths=("*.md",)), 7), (Where(paths=("1.*",)), 1)):
        asked = Question(QUESTION, where=where, fusion_at="server")
        found = await search(context_of(store), asked)
        assert len(found.hits) == count


async def test_other_tenants_are_neither_found_nor_counted(store: Store) -> None:
    asked = Question(QUESTION, fusion_at="server")
    before = await search(context_of(store), asked)
    rival = Scope("rival", SCOPE.collection)
    await filled(store, rival, ["oil " * n for n in range(1, 30)])
    after = await search(context_of(store), asked)
    assert [(hit.chunk.id, hit.score) for hit in after.hits] == [(hit.chunk.id, hit.score) for hit in before.hits]


async def test_a_question_without_a_word_is_fused_all_the_same(store: Store) -> None:
    found = await search(context_of(store), Question("of the", fusion_at="server"))
    assert found.hits
    found = await search(context_of(store), Question("?!", fusion_at="server"))
    assert found.hits


async def test_only_what_the_ledger_calls_active_comes_out(store: Store) -> None:
    async with store.writer(SCOPE) as writer:
        await writer.replace([make_revision("0.md", ["oil anew"], revision=2)])
        await writer.remove([make_revision("1.md", []).document.id])
    found = await search(context_of(store), Question(QUESTION, fusion_at="server"))
    assert {hit.chunk.text for hit in found.hits} == {"oil anew", *TEXTS[2:]}


async def test_where_the_store_cannot_fuse_it_is_done_here_and_said(tmp_path: Path) -> None:
    store = await filled(EmbeddedStore(tmp_path / "store"))
    here = await search(context_of(store), Question(QUESTION))
    asked = await search(context_of(store), Question(QUESTION, fusion_at="server"))
    assert asked.hits == here.hits
    assert [note.message for note in asked.notes if note.code == "fusion_at"] == [
        "fused here, not by the store: this store has no fusion of its own"
    ]
    assert not [note for note in here.notes if note.code == "fusion_at"]
    await store.close()


async def test_one_leg_is_not_fused_and_said(store: Store) -> None:
    found = await search(context_of(store), Question(QUESTION, mode="keyword", fusion_at="server"))
    assert [note.message for note in found.notes] == ["nothing was fused: one retriever was searched"]


def test_another_place_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown fusion_at 'moon': expected client or server"):
        Question("x", fusion_at="moon")  # type: ignore[arg-type]  # what a caller without types may say
