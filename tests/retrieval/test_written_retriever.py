"""Searching by the vectors of summaries and questions: what they find that the chunk's own do not, on every path."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragstone.config.load import load as load_settings
from ragstone.engine import Engine
from ragstone.evaluation import Case
from ragstone.evaluation.engine_evaluation import evaluate_golden
from ragstone.retrieval.retriever_weights import WRITTEN_MARGIN
from tests.commands import Run
from tests.providers.serving.between import Between, standing
from tests.server.conftest import open_client
from tests.stores.postgres.server import shared
from tests.stores.qdrant.engine import Engine as QdrantEngine
from tests.stores.qdrant.server import Recorder
from tests.stores.qdrant.server import serving as recording
from tests.written_texts import BY_OTHERS, QUESTION, SEMANTIC, count_asked, open_with, paths, reply, write_folder


@pytest.fixture
def writer() -> Iterator[Between]:
    with standing(reply) as between:
        yield between


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "docs")


@pytest.fixture(params=["embedded", "encrypted", "postgresql", "qdrant"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The URL of an empty store of each kind that keeps them, with its settings."""
    if request.param in ("embedded", "encrypted"):
        key = {"encryption__key": "A" * 43 + "="} if request.param == "encrypted" else {}
        yield f"embedded:{tmp_path / 'store'}", key
    elif request.param == "qdrant":
        engine = QdrantEngine(tmp_path / "engine")
        with recording(recorder=Recorder(inner=engine)) as recorder:
            yield recorder.url(tmp_path / "ledger"), {}
        engine.close()
    else:
        server = shared()
        with server.database() as name:
            yield server.url(name), {}


def score_of(path: str, found: Any) -> float:
    return next(float(hit.score) for hit in found.hits if hit.chunk.document.path == path)


def test_a_question_in_the_words_of_a_written_one_finds_the_chunk_only_when_asked_for(
    place: tuple[str, dict[str, Any]], folder: Path, writer: Between
) -> None:
    store, settings = place
    with open_with(store, writer, vectors=False, **settings) as kb:
        [run] = kb.ingest(folder)
        assert "written_texts" not in run.stats
        before = kb.search(QUESTION, **SEMANTIC)
        assert paths(before) == BY_OTHERS
        assert {name for hit in before.hits for name in hit.signals} == {"bm25", "cosine"}
        hybrid, by_rank = paths(kb.search(QUESTION)), score_of("fault.md", kb.search(QUESTION, fusion="rrf"))
        assert kb.doctor() == []
    asked = count_asked(writer)
    with open_with(store, writer, **settings) as kb:
        assert kb.doctor() == ["the summaries and questions have no vectors yet; run: ragstone ingest"]
        [run] = kb.ingest(folder)
        assert (run.stats["written_texts"], run.stats["embedded"], count_asked(writer)) == (9, 0, asked)
        found = kb.search(QUESTION, **SEMANTIC)
        assert paths(found)[0] == "fault.md"
        [best] = [hit for hit in found.hits if hit.chunk.document.path == "fault.md"]
        own = next(hit.signals["cosine"] for hit in before.hits if hit.chunk.document.path == "fault.md")
        assert best.signals["cosine"] == own
        assert best.score == round(best.signals["written"] - WRITTEN_MARGIN, 6) > 0.6 > own
        assert paths(kb.search(QUESTION))[0] == "fault.md" != hybrid[0]
        assert score_of("fault.md", kb.search(QUESTION, fusion="rrf")) > by_rank
        without = kb.search(QUESTION, written_vectors=False, **SEMANTIC)
        assert [(hit.score, hit.signals) for hit in without.hits] == [(hit.score, hit.signals) for hit in before.hits]
        assert not any("written" in hit.signals for hit in kb.search(QUESTION, mode="keyword").hits)
        assert paths(kb.search(QUESTION, min_cosine=0.6, **SEMANTIC)) == ["fault.md"]
        if store.startswith("qdrant"):
            notes = [note.message for note in kb.search(QUESTION, fusion_at="server").notes]
            assert "the store's own fusion leaves the vectors of summaries and questions out" in notes
        assert kb.doctor() == []
        [again] = kb.ingest(folder)
        assert (again.stats["written_texts"], count_asked(writer)) == (0, asked)


def test_explanations_and_notes_name_them(folder: Path, tmp_path: Path, writer: Between) -> None:
    with open_with(tmp_path / "store", writer) as kb:
        kb.ingest(folder)
        told = kb.explain(QUESTION, path="fault.md")
        assert (told.stage, told.final_rank, told.ranks["written"]) == ("found", 1, 1)
        assert told.ranks["cosine"] == 3
        assert told.signals["written"] > 0.8 > told.signals["cosine"]
        assert "written" not in kb.explain(QUESTION, path="fault.md", written_vectors=False).ranks
        low = kb.explain(QUESTION, path="cold.md", min_cosine=0.6)
        assert low.stage == "below_threshold"
        assert kb.search(QUESTION).counts["written"] == 3
    with open_with(tmp_path / "store", writer, vectors=False) as kb:
        (folder / "new.md").write_text("A bell rings at six.\n", encoding="utf-8")
        kb.ingest(folder)
        [note] = [note for note in kb.search(QUESTION).notes if note.code == "written_pending"]
        assert "of 1 chunks have no vectors yet; run ingest with chunk.enrich_vectors" in note.message
        [problem] = kb.doctor()
        assert problem.startswith("1 chunk was not looked at for vectors of summaries and questions yet")
        kb.ingest(folder, refresh=True)  # without the setting they go
        assert paths(kb.search(QUESTION, **SEMANTIC))[0] == "menu.md"


def test_two_collections_beside_each_other_keep_one_scale(folder: Path, tmp_path: Path, writer: Between) -> None:
    """A chunk of a collection with such vectors gains by them alone; those of one without keep their scores."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "tea.md").write_text("Tea stays in the cold pot of the coffee maker.\n", encoding="utf-8")
    settings: Any = {
        "collections": {"with": {}, "without": {}},
        "pipelines": [{"name": "both", "collections": ["with", "without"]}],
    }
    with open_with(tmp_path / "store", writer, collection="with", **settings) as kb:
        kb.ingest(folder)
    with open_with(tmp_path / "store", writer, vectors=False, collection="without", **settings) as kb:
        kb.ingest(other)
        found = kb.pipeline("both").search(QUESTION, **SEMANTIC)
        signals = {hit.chunk.document.path: hit.signals for hit in found.hits}
        assert paths(found)[:2] == ["fault.md", "tea.md"]
        assert ("written" in signals["fault.md"], "written" in signals["tea.md"]) == (True, False)


async def test_a_server_compares_them_unless_asked_not_to(folder: Path, tmp_path: Path, writer: Between) -> None:
    given: Any = {"llm__model": "openai/writer", "llm__base_url": f"{writer.url}/v1", "llm__api_key": "k"}
    given |= {"chunk__enrich": ["questions"], "chunk__enrich_vectors": True}
    settings = load_settings(store=str(tmp_path / "store"), **given)
    async with Engine(settings) as engine:
        await engine.ingest(folder)
        cases = [Case("1", QUESTION, relevance={"fault.md": 1})]
        report = await evaluate_golden(engine, cases, ablate=True, granularity="file", name="g", mode="semantic")
        [effect] = [one for one in report.ablation if one.stage == "written vectors"]
        assert effect.options == {"written_vectors": False}
        gains = {str(gain.metric): gain for gain in effect.gains}
        assert gains["nDCG@10"].with_stage > gains["nDCG@10"].without
    async with open_client(settings) as client:
        asked = {"query": "Why does my coffee machine stay cold?", **SEMANTIC}
        found = (await client.post("/v1/search", json=asked)).json()
        best = found["hits"][0]
        assert (best["document"]["path"], best["signals"]["written"] > 0.99) == ("fault.md", True)
        without = (await client.post("/v1/search", json={**asked, "written_vectors": False})).json()
        assert all("written" not in hit["signals"] for hit in without["hits"])
        refused = await client.post("/v1/search", json={**asked, "written_vectors": "maybe"})
        assert (refused.status_code, "written_vectors" in refused.text) == (422, True)


def test_a_command_names_the_signal_and_leaves_them_out(
    folder: Path, tmp_path: Path, writer: Between, run: Run
) -> None:
    with open_with(tmp_path / "store", writer) as kb:
        kb.ingest(folder)
    search = ("search", QUESTION, "--store", str(tmp_path / "store"), "--mode", "semantic", "--json")
    best = json.loads(run(*search).out)["hits"][0]
    assert (best["document"]["path"], best["signals"]["written"] > 0.8) == ("fault.md", True)
    other = json.loads(run(*search, "--no-written-vectors").out)["hits"][0]
    assert (other["document"]["path"], "written" in other["signals"]) == ("menu.md", False)


def test_each_variant_of_a_question_is_compared_with_them(folder: Path, tmp_path: Path, writer: Between) -> None:
    """Fragments: the second part of the question is the one that a written question answers."""
    with open_with(tmp_path / "store", writer) as kb:
        kb.ingest(folder)
        found = kb.search(f"When does the kitchen close at night? {QUESTION}", fragments=True, **SEMANTIC)
        assert "fault.md" in paths(found)[:2]
        without = kb.search(
            f"When does the kitchen close at night? {QUESTION}", fragments=True, written_vectors=False, **SEMANTIC
        )
        assert paths(without)[-1] == "fault.md"
