"""Several collections in one search: rankings by different retrievers are judged on one scale."""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from ragstone.answering.abstention.abstain import decide_by_thresholds
from ragstone.core.ports import SparseVector
from ragstone.core.types import Hit, Scope
from ragstone.retrieval.question import Question
from ragstone.retrieval.retriever_weights import list_answered_weights
from ragstone.retrieval.search import search
from ragstone.retrieval.search_context import SearchContext, collection_source
from ragstone.stores.embedded import EmbeddedStore
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.stores import fill_sparse, make_revision, make_sparse
from ragstone.testing.stores.sparse_index import ENCODER
from tests.retrieval.made import hit

EMBEDDER = BagOfWords(64)
TEXTS = ["alpha beta", "alpha omega", "omega gamma", "kappa delta"]
WITH, WITHOUT = Scope("acme", "with"), Scope("acme", "without")


class Encoder:
    """The vectors of `make_sparse`."""

    model = ENCODER

    async def encode(
        self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document"
    ) -> list[SparseVector]:
        return [make_sparse(text) for text in texts]

    async def check(self) -> list[str]:
        return []

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    """Two collections of the same texts, of which one keeps sparse vectors."""
    store = EmbeddedStore(tmp_path / "store")
    for scope in (WITH, WITHOUT):
        await store.admin.create(scope, model=EMBEDDER.model, variant=EMBEDDER.variant, dimension=64)
        async with store.writer(scope) as writer:
            await writer.replace([make_revision(f"{scope.collection}.md", TEXTS, scope=scope)])
            wanted = await writer.find_unembedded(9)
            vectors = await EMBEDDER.embed([chunk.text for chunk in wanted])
            await writer.put({chunk.vector_key: row for chunk, row in zip(wanted, vectors, strict=True)})
    await fill_sparse(store, WITH)
    yield store
    await store.close()


async def find(store: EmbeddedStore, scopes: Sequence[Scope], **options: Any) -> tuple[Question, list[Hit]]:
    sources = tuple(collection_source(store, scope, EMBEDDER) for scope in scopes)
    question = Question("alpha beta", fusion="rrf", sparse="splade", fold=False, **options)
    return question, list((await search(SearchContext(sources, sparse=Encoder), question)).hits)


def judge(question: Question, hits: Sequence[Hit]) -> tuple[bool, float]:
    decision = decide_by_thresholds(hits, weights=list_answered_weights(hits, question, by_store=False))
    return decision.abstain, decision.answerability


def best_by_path(hits: Sequence[Hit]) -> Mapping[str, float]:
    best: dict[str, float] = {}
    for one in hits:
        path = one.chunk.document.path
        best[path] = max(best.get(path, 0.0), one.signals["rrf"])
    return best


WEIGHTS = [{}, {"sparse_weight": 3.0}, {"bm25_weight": 0.9, "cosine_weight": 0.2}, {"sparse_weight": 0.0}]


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
async def test_the_best_of_a_collection_without_sparse_vectors_counts_as_much_as_that_of_one_with(
    store: EmbeddedStore, weights: Any
) -> None:
    question, hits = await find(store, [WITH, WITHOUT], **weights)
    assert {"sparse" in one.signals for one in hits} == {True, False}
    best = best_by_path(hits)
    assert best["with.md"] == pytest.approx(best["without.md"], abs=2e-6)
    assert best["with.md"] == pytest.approx((question.bm25_weight + question.cosine_weight) / 61, abs=2e-6)
    for path in best:
        abstain, likely = judge(question, [one for one in hits if one.chunk.document.path == path])
        assert not abstain
        assert likely == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("freshness", [0.0, 0.5])
async def test_one_collection_is_judged_as_two_are(store: EmbeddedStore, freshness: float) -> None:
    judged = [
        judge(*await find(store, scopes, freshness_weight=freshness))
        for scopes in ([WITH], [WITHOUT], [WITH, WITHOUT], [WITHOUT, WITH])
    ]
    assert [abstain for abstain, _ in judged] == [False] * 4
    assert [likely for _, likely in judged] == pytest.approx([1.0] * 4, abs=1e-3)


def test_two_scores_of_words_are_one_retriever() -> None:
    question = Question("x", fusion="rrf")
    hits = [hit("a", score=1 / 61, bm25=1.0, cosine=0.5), hit("b", path="b.md", score=0.001, count=3.0, cosine=0.5)]
    assert list_answered_weights(hits, question, by_store=False) == {
        "words": question.bm25_weight,
        "cosine": question.cosine_weight,
    }
    assert not decide_by_thresholds(hits, weights=list_answered_weights(hits, question, by_store=False)).abstain
    alone = list_answered_weights([hit("a", bm25=1.0), hit("b", count=1.0)], question, by_store=False)
    assert list(alone) == ["words"]
