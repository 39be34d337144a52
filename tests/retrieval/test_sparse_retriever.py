"""Searching by stored sparse vectors: what they find that words do not, weights, filters, explanations, what fails."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.config.load import load as load_settings
from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.filters import Where
from ragstone.core.types import Scope
from ragstone.engine import Engine
from ragstone.evaluation import Case
from ragstone.evaluation.engine_evaluation import evaluate_golden
from ragstone.stores.embedded.paths import files_of_scope
from ragstone.testing.bag_of_words import BagOfWords
from tests.providers import tiny_onnx
from tests.providers.serving import backends
from tests.providers.serving.between import Between, standing
from tests.server.conftest import open_client
from tests.stores.postgres.server import Server, shared

TEXTS = {
    "rare.md": "A zebra grazes here.",
    "warm.md": "The summer months come with warmth.",
    "long.md": "Long evenings with summer months.",
    "none.md": "Grass and hay.",
    "wet.md": "In wet summer months it rains.",
}
QUESTION = "zebra summer months"
BY_MODEL = ["long.md", "warm.md", "wet.md", "rare.md"]
STOP_WORDS = "with"  # what BM25 does not search, and the model does


@pytest.fixture
def server() -> Iterator[Between]:
    with standing(backends.tei_sparse) as between:
        yield between


def open_with(server: Between, store: Any, **settings: Any) -> ragstone.Knowledge:
    given: Any = {"sparse__model": "tei/splade", "sparse__base_url": server.url, "sparse__retries": 0}
    given |= {"sparse__index": True, "search__sparse": "splade"}
    given |= {} if "embedder" in settings else {"embed__model": "none"}
    return ragstone.open(store, **{**given, **settings})


def write_texts(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def paths(found: Any) -> list[str]:
    return [hit.chunk.document.path for hit in found.hits]


def codes(found: Any) -> list[str]:
    return [note.code for note in found.notes]


def test_it_finds_what_words_do_not_and_orders_by_the_dot_product(tmp_path: Path, server: Between) -> None:
    with open_with(server, tmp_path / "store") as kb:
        [run] = kb.ingest(write_texts(tmp_path / "docs"))
        assert run.stats["encoded"] == len(TEXTS)
        assert paths(kb.search(STOP_WORDS, sparse="bm25")) == []
        found = kb.search(STOP_WORDS)
        assert paths(found) == ["long.md", "warm.md"]
        assert [hit.signals["sparse"] for hit in found.hits] == [1.5 * 1.5] * 2
        assert paths(kb.search(QUESTION, bm25_weight=0.0, cosine_weight=1.0)) == BY_MODEL
        assert server.requests[-1].json["inputs"] == [QUESTION]  # no passage is read for a question
        assert kb.doctor() == []


@pytest.mark.parametrize("index", [True, False])
def test_a_semantic_search_says_that_it_does_not_use_it(tmp_path: Path, server: Between, index: bool) -> None:
    with open_with(server, tmp_path / "store", embedder=BagOfWords(), sparse__index=index) as kb:
        kb.ingest(write_texts(tmp_path / "docs"))
        asked = len(server.requests)
        found = kb.search(QUESTION, mode="semantic")
        assert codes(found) == ["sparse"]
        assert "search.sparse splade has no effect in mode semantic" in found.notes[0].message
        assert len(server.requests) == asked  # nor is the model asked
        assert codes(kb.search(QUESTION, mode="semantic", sparse="bm25")) == []


def test_its_ranking_is_fused_with_its_own_weight(tmp_path: Path, server: Between) -> None:
    with open_with(server, tmp_path / "store", embedder=BagOfWords()) as kb:
        kb.ingest(write_texts(tmp_path / "docs"))
        for fusion in ("minmax", "rrf"):
            options: Any = {"fusion": fusion, "cosine_weight": 0.01}
            heavy = kb.search(QUESTION, sparse_weight=9.0, **options)
            assert paths(heavy)[3] == "rare.md"
            assert {"sparse", "bm25", "cosine"} <= heavy.hits[0].signals.keys()
            light = kb.search(QUESTION, sparse_weight=0.0, bm25_weight=9.0, **options)
            assert paths(light)[0] == "rare.md"
        assert "splade" not in heavy.hits[0].signals


def test_filters_hold_and_an_explanation_says_its_rank(tmp_path: Path, server: Between) -> None:
    with open_with(server, tmp_path / "store") as kb:
        kb.ingest(write_texts(tmp_path / "docs"))
        assert paths(kb.search(QUESTION, where=Where(paths=("w*.md",)))) == ["warm.md", "wet.md"]
        fate = kb.explain(STOP_WORDS, path="warm.md")
        assert (fate.stage, fate.ranks) == ("found", {"bm25": None, "sparse": 2})
        assert fate.signals["sparse"] > 0
        assert kb.explain(STOP_WORDS, path="none.md").ranks == {"bm25": None, "sparse": None}


def test_a_model_that_fails_leaves_the_other_retrievers_with_a_note(tmp_path: Path, server: Between) -> None:
    with open_with(server, tmp_path / "store") as kb:
        kb.ingest(write_texts(tmp_path / "docs"))
        server.fail_next(503)
        found = kb.search(QUESTION, mode="keyword")
        assert (paths(found)[0], codes(found)) == ("rare.md", ["splade_failed"])


def test_damaged_vectors_leave_the_other_retrievers_with_a_note(tmp_path: Path, server: Between) -> None:
    with open_with(server, tmp_path / "store") as kb:
        kb.ingest(write_texts(tmp_path / "docs"))
        database = files_of_scope(tmp_path / "store", Scope("default", "default")).database
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute("UPDATE sparse_vectors SET vector = zeroblob(length(vector))")
        connection.close()
        found = kb.search(QUESTION, mode="keyword")
        assert (paths(found)[0], codes(found)) == ("rare.md", ["sparse_failed"])
        assert "run: ragstone doctor --repair" in found.notes[0].message


def test_a_failed_ingestion_leaves_chunks_pending_and_the_next_one_completes_them(
    tmp_path: Path, server: Between
) -> None:
    folder = write_texts(tmp_path / "docs")
    with open_with(server, tmp_path / "store") as kb:
        server.fail_next(503)
        with pytest.raises(ragstone.Unavailable, match="the next run goes on with the sparse vectors"):
            kb.ingest(folder)
        assert kb.doctor() == ["5 chunks have no sparse vector yet; set sparse.index and run: ragstone ingest"]
        found = kb.search(QUESTION, mode="keyword")
        assert (paths(found)[0], codes(found)) == ("rare.md", ["sparse_pending"])
        assert "run ingest with sparse.index" in found.notes[0].message
        assert kb.ingest(folder)[0].stats["encoded"] == len(TEXTS)
        assert codes(kb.search(QUESTION, mode="keyword")) == []
        (folder / "none.md").write_text("Months with snow.", encoding="utf-8")
        (folder / "warm.md").unlink()
        assert kb.ingest(folder)[0].stats["encoded"] == 1
        assert paths(kb.search(STOP_WORDS)) == ["long.md", "none.md"]
        assert kb.doctor() == []


def test_another_model_is_refused_until_a_refresh_makes_all_anew(tmp_path: Path, server: Between) -> None:
    folder = write_texts(tmp_path / "docs")
    with open_with(server, tmp_path / "store") as kb:
        kb.ingest(folder)
    other: Any = {"sparse__model": "tei/another"}
    with open_with(server, tmp_path / "store", **other) as kb:
        found = kb.search(QUESTION, mode="keyword")
        assert codes(found) == ["sparse_outdated"]
        assert "splade" in found.hits[0].signals
        (folder / "none.md").write_text("Months with snow.", encoding="utf-8")
        with pytest.raises(UsageError, match=r"keeps sparse vectors of tei/splade.*--refresh"):
            kb.ingest(folder)
        assert paths(kb.search("snow", mode="keyword")) == []  # nothing of that run was written
        assert kb.ingest(folder, refresh=True)[0].stats["encoded"] == len(TEXTS)
        assert codes(kb.search(QUESTION, mode="keyword")) == []


def test_settings_that_cannot_be_are_refused_with_what_to_set(tmp_path: Path, server: Between) -> None:
    folder = write_texts(tmp_path / "docs")
    with open_with(server, tmp_path / "store") as kb:
        kb.ingest(folder)
    with (
        open_with(server, tmp_path / "store", sparse__model="none") as kb,
        pytest.raises(ConfigError, match="set sparse"),
    ):
        kb.ingest(folder, recreate=True)
    with open_with(server, tmp_path / "store", sparse__index=False) as kb:
        assert paths(kb.search(QUESTION))  # it was refused before anything was erased
    with open_with(server, f"json:{tmp_path / 'store.json'}", sparse__index=False) as kb:
        kb.ingest(folder)
    with open_with(server, f"json:{tmp_path / 'store.json'}") as kb:
        with pytest.raises(UsageError, match=r"a store of kind .* keeps no sparse") as error:
            kb.ingest(folder)
        assert kb.doctor() == [str(error.value)]


def test_a_cached_search_is_not_served_after_vectors_came(tmp_path: Path, server: Between) -> None:
    folder = write_texts(tmp_path / "docs")
    asked: Any = {"cache": True, "sparse_weight": 5.0}
    with open_with(server, tmp_path / "store", embedder=BagOfWords(), sparse__index=False) as kb:
        kb.ingest(folder)
        assert "sparse" not in kb.search(QUESTION, **asked).hits[0].signals
    with open_with(server, tmp_path / "store", embedder=BagOfWords()) as kb:
        kb.ingest(folder)
        assert "sparse" in kb.search(QUESTION, **asked).hits[0].signals


@pytest.mark.slow
def test_every_store_gives_the_same_order_and_scores(tmp_path: Path, server: Between) -> None:
    postgres: Server = shared()
    folder = write_texts(tmp_path / "docs")
    seen = []
    with postgres.database() as name:
        qdrant = f"qdrant::memory:?ledger=embedded:{tmp_path / 'ledger'}"
        for store in (tmp_path / "store", postgres.url(name), qdrant):
            with open_with(server, store, embedder=BagOfWords()) as kb:
                kb.ingest(folder)
                found = kb.search(QUESTION)
                seen.append([(hit.chunk.document.path, hit.score, dict(hit.signals)) for hit in found.hits])
    assert "sparse" in seen[0][0][2]
    assert seen[0] == seen[1] == seen[2]


async def test_a_server_retrieves_by_them_and_takes_their_weight(tmp_path: Path, server: Between) -> None:
    folder, place = write_texts(tmp_path / "docs"), str(tmp_path / "store")
    given: Any = {"sparse__model": "tei/splade", "sparse__base_url": server.url, "sparse__index": True}
    settings = load_settings(store=place, embed__model="none", **given)
    async with Engine(settings) as engine:
        await engine.ingest(folder)
    async with open_client(settings) as client:
        asked = {"query": STOP_WORDS, "sparse": "splade", "sparse_weight": 2.0, "mode": "keyword"}
        found = (await client.post("/v1/search", json=asked)).json()
        assert [hit["signals"]["sparse"] for hit in found["hits"]] == [2.25, 2.25]
        refused = await client.post("/v1/search", json={**asked, "sparse_weight": -1})
        assert (refused.status_code, "sparse_weight" in refused.text) == (422, True)


async def test_an_ablation_leaves_the_retriever_out(tmp_path: Path, server: Between) -> None:
    folder, place = write_texts(tmp_path / "docs"), str(tmp_path / "store")
    given: Any = {"sparse__model": "tei/splade", "sparse__base_url": server.url, "sparse__index": True}
    async with Engine(load_settings(store=place, **given), embedder=BagOfWords()) as engine:
        await engine.ingest(folder)
        cases = [Case("1", QUESTION, relevance={"long.md": 1})]
        options: Any = {"sparse": "splade", "ablate": True, "granularity": "file", "name": "g"}
        report = await evaluate_golden(engine, cases, **options)
        [effect] = [one for one in report.ablation if one.stage == "SPLADE"]
        assert effect.options == {"sparse": "bm25"}


def test_a_copy_leaves_the_vectors_behind_with_a_note(tmp_path: Path, server: Between) -> None:
    target = str(tmp_path / "target")
    with open_with(server, tmp_path / "store") as kb:
        kb.ingest(write_texts(tmp_path / "docs"))
        [done] = kb.copy(target)
        assert (done.differing, len(done.notes)) == (0, 1)
        assert "the sparse vectors of tei/splade were not copied" in done.notes[0]
        before = kb.search(QUESTION)
    with open_with(server, target) as kb:
        assert kb.doctor() == ["no chunk has a sparse vector of tei/splade yet; run: ragstone ingest"]
        kb.ingest(tmp_path / "docs")
        assert [(hit.chunk.id, hit.score) for hit in kb.search(QUESTION).hits] == [
            (hit.chunk.id, hit.score) for hit in before.hits
        ]


def test_a_deleted_document_is_found_no_more(tmp_path: Path, server: Between) -> None:
    with open_with(server, tmp_path / "store") as kb:
        kb.ingest(write_texts(tmp_path / "docs"))
        assert kb.delete("long.md") == 1
        assert paths(kb.search(STOP_WORDS)) == ["warm.md"]
        assert kb.doctor() == []


def test_a_model_in_the_process_makes_the_vectors_too(tmp_path: Path) -> None:
    place = tiny_onnx.write_folder(tmp_path / "model", tiny_onnx.sparse_encoder())
    model: Any = {"sparse__model": "fastembed/prithivida/Splade_PP_en_v1", "sparse__folder": str(place)}
    model |= {"sparse__index": True, "embed__model": "none", "offline": True}
    with ragstone.open(tmp_path / "store", **model) as kb:
        assert kb.ingest(write_texts(tmp_path / "docs"))[0].stats["encoded"] == len(TEXTS)
        found = kb.search(QUESTION, sparse="splade", bm25_weight=0.0, cosine_weight=1.0)
        assert paths(found) == BY_MODEL
        assert found.hits[0].signals["sparse"] > found.hits[3].signals["sparse"] > 0
        assert kb.doctor() == []


async def test_a_pipeline_does_not_add_its_scores_to_one_collection_alone(tmp_path: Path, server: Between) -> None:
    """A passage of the collection without stored vectors would stand behind all that have one score more."""
    (plain := tmp_path / "plain").mkdir()
    (plain / "best.md").write_text("Zebra, summer, months.", encoding="utf-8")
    given: Any = {"store": str(tmp_path / "store"), "embed__model": "none"}
    given |= {"sparse__model": "tei/splade", "sparse__base_url": server.url}
    for collection, folder, index in (("kept", write_texts(tmp_path / "docs"), True), ("plain", plain, False)):
        async with Engine(load_settings(**given, collection=collection, sparse__index=index)) as engine:
            await engine.ingest(folder)
    pipelines: Any = [{"name": "both", "collections": ["kept", "plain"]}]
    async with Engine(load_settings(**given, pipelines=pipelines)) as engine:
        found = await engine.pipeline("both").search(QUESTION, sparse="splade")
    assert "best.md" in paths(found)[:2]
    assert next(one for one in paths(found) if one != "best.md") in BY_MODEL
