"""Searching with a model of sparse vectors over BM25's candidates: the order, the signals, what holds without it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.core.ports import SparseVector
from ragstone.retrieval.rescoring import multiply
from ragstone.testing.bag_of_words import BagOfWords
from tests.providers import tiny_onnx
from tests.providers.serving import backends
from tests.providers.serving.between import Between, standing

QUESTION = "zebra summer months"
# BM25 puts the page with the one rare word first; a model for which all words weigh the same puts it last.
TEXTS = {
    "rare.md": "A zebra grazes here.",
    "warm.md": "The summer months bring warmth.",
    "long.md": "Long evenings of summer months.",
    "none.md": "Grass and hay.",
    "wet.md": "In wet summer months it rains.",
}
BY_WORDS = ["rare.md", "long.md", "warm.md", "wet.md"]
BY_MODEL = ["long.md", "warm.md", "wet.md", "rare.md"]


@pytest.fixture
def server() -> Iterator[Between]:
    with standing(backends.tei_sparse) as between:
        yield between


def open_with(server: Between, store: Any, **settings: Any) -> ragstone.Knowledge:
    sparse: Any = {"sparse__model": "tei/splade", "sparse__base_url": server.url, "sparse__retries": 0}
    words: Any = {} if "embedder" in settings else {"embed__model": "none"}
    return ragstone.open(store, **sparse, **words, **settings)


def write_texts(folder: Path) -> list[Path]:
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in TEXTS]


def paths(found: Any) -> list[str]:
    return [hit.chunk.document.path for hit in found.hits]


def is_served(found: Any) -> bool:
    return any(note.message.startswith("cache hit") for note in found.notes)


def test_a_dot_product_counts_shared_terms_alone() -> None:
    assert multiply({1: 0.5, 2: 1.0}, SparseVector((2, 3), (0.25, 9.0))) == 0.25
    assert multiply({}, SparseVector((2,), (1.0,))) == 0.0


@pytest.mark.parametrize("store", ["store", "json:store.json"])
def test_keyword_candidates_stand_in_the_order_of_the_model(store: str, tmp_path: Path, server: Between) -> None:
    with open_with(server, store) as kb:
        kb.ingest(*write_texts(tmp_path))
        assert store != "store" or paths(kb.search(QUESTION)) == BY_WORDS
        found = kb.search(QUESTION, sparse="splade")
        assert paths(found) == BY_MODEL
        assert [hit.score for hit in found.hits] == [hit.signals["splade"] for hit in found.hits]
        assert found.hits[0].signals["splade"] == pytest.approx(2 * 1.5 * 1.5)
        assert server.requests[0].json["inputs"] == [QUESTION]
        fate = kb.explain(QUESTION, path="rare.md", sparse="splade")
        assert fate.signals["splade"] == found.hits[3].signals["splade"]


def test_both_rankings_are_fused_with_it(tmp_path: Path, server: Between) -> None:
    with open_with(server, tmp_path / "store", embedder=BagOfWords()) as kb:
        kb.ingest(*write_texts(tmp_path))
        for fusion in ("minmax", "rrf"):
            found = kb.search(QUESTION, sparse="splade", fusion=fusion)
            assert paths(found)[0] != "rare.md"
            assert {"splade", "bm25", "cosine"} <= found.hits[0].signals.keys()
            assert "splade" in found.timings


def test_the_line_of_a_question_counts_the_candidates_that_a_model_ordered(
    tmp_path: Path, server: Between, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_with(server, tmp_path / "store", log__queries=True) as kb:
        kb.ingest(*write_texts(tmp_path))
        kb.search(QUESTION)
        kb.search(QUESTION, sparse="splade")
    plain, ordered = map(json.loads, capsys.readouterr().err.splitlines())
    assert plain["num_fts_candidates"] == ordered["num_fts_candidates"] == len(BY_WORDS)


def test_a_model_of_a_folder_runs_in_the_process(tmp_path: Path) -> None:
    place = tiny_onnx.write_folder(tmp_path / "model", tiny_onnx.sparse_encoder())
    model: Any = {"sparse__model": "fastembed/prithivida/Splade_PP_en_v1", "sparse__folder": str(place)}
    with ragstone.open(tmp_path / "store", **model, embed__model="none", offline=True) as kb:
        kb.ingest(*write_texts(tmp_path))
        assert paths(kb.search(QUESTION, sparse="splade")) == BY_MODEL
        assert kb.doctor() == []


def test_without_a_model_the_order_stays_and_a_note_says_what_to_set(tmp_path: Path) -> None:
    with ragstone.open(tmp_path / "store", embed__model="none") as kb:
        kb.ingest(*write_texts(tmp_path))
        found = kb.search(QUESTION, mode="keyword", sparse="splade")
        assert paths(found) == BY_WORDS
        [note] = found.notes
        assert (note.code, "set sparse.model" in note.message) == ("splade_refused", True)


def test_a_model_that_fails_or_is_late_leaves_the_order_with_a_note(tmp_path: Path, server: Between) -> None:
    with open_with(server, tmp_path / "store") as kb:
        kb.ingest(*write_texts(tmp_path))
        server.fail_next(503)
        found = kb.search(QUESTION, mode="keyword", sparse="splade")
        assert (paths(found), [note.code for note in found.notes]) == (BY_WORDS, ["splade_failed"])
    with open_with(server, tmp_path / "store", deadlines__sparse=0.05) as kb:
        server.stall_after(0)
        found = kb.search(QUESTION, mode="keyword", sparse="splade")
        assert paths(found) == BY_WORDS
        assert "took longer than 0.05 s" in found.notes[0].message


def test_a_search_that_a_model_ordered_is_not_served_to_another_model(tmp_path: Path, server: Between) -> None:
    with open_with(server, tmp_path / "store", embedder=BagOfWords()) as kb:
        kb.ingest(*write_texts(tmp_path))
        asked: Any = {"sparse": "splade", "cache": True}
        kb.search(QUESTION, **asked)
    asked_before = len(server.requests)
    with open_with(server, tmp_path / "store", embedder=BagOfWords(), sparse__total=60.0) as kb:
        assert is_served(kb.search(QUESTION, **asked))
    assert len(server.requests) == asked_before
    with ragstone.open(tmp_path / "store", embedder=BagOfWords(), sparse__model="fastembed/another") as kb:
        assert not is_served(kb.search(QUESTION, **asked))
