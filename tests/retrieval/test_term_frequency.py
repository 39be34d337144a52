"""Keyword candidates by term frequency: the formula, and what a search makes of it."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

import ragstone
from ragstone.core.chunk_enrichment import searchable_text
from ragstone.retrieval.term_frequency import score_frequencies
from ragstone.testing.bag_of_words import BagOfWords
from tests.retrieval.made import hit

TEXTS = {"once.md": "Llamas eat grass and sleep.", "often.md": "Llamas, llamas and more llamas.", "none.md": "Grass."}


def test_a_score_is_the_cosine_of_logarithmic_counts() -> None:
    chunk = hit("llama llama llama grass").chunk
    weight = 1 + math.log(3)
    expected = weight / math.sqrt(weight**2 + 1)
    assert score_frequencies("llama", {"a": chunk}) == {"a": pytest.approx(expected, abs=1e-6)}
    assert score_frequencies("zebra", {"a": chunk}) == {"a": 0.0}


def test_the_words_that_are_counted_are_those_that_stores_search() -> None:
    chunk = replace(hit("text").chunk, heading_path=("One", "Two"), header="| a | b |")
    assert searchable_text(chunk) == "One > Two\n| a | b |\ntext"


@pytest.mark.parametrize("store", ["store", "json:store.json"])
def test_keyword_candidates_stand_in_the_order_of_their_frequency(store: str, tmp_path: Path) -> None:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with ragstone.open(store, embed__model="none") as kb:
        kb.ingest(tmp_path)
        hits = kb.search("llamas", sparse="tf").hits
        assert [hit.chunk.document.path for hit in hits] == ["often.md", "once.md"]
        assert [hit.score for hit in hits] == [hit.signals["tf"] for hit in hits]
        assert all("tf" not in hit.signals for hit in kb.search("llamas").hits)


def test_both_rankings_are_fused_with_it(tmp_path: Path) -> None:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with ragstone.open(tmp_path / "store", embedder=BagOfWords()) as kb:
        kb.ingest(*(tmp_path / name for name in TEXTS))
        for fusion in ("minmax", "rrf"):
            hits = kb.search("llamas", sparse="tf", fusion=fusion).hits
            assert hits[0].chunk.document.path == "often.md"
            assert {"tf", "bm25", "cosine"} <= hits[0].signals.keys()
        [note] = kb.search("llamas", sparse="tf", fusion_at="server").notes
        assert note.code == "fusion_at"
