"""Words count less beside vectors where even the best passage has few of the question's words."""

import math
import re
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.config.settings import PipelineSettings, Settings
from ragstone.core.answers import Found
from ragstone.core.types import Candidate
from ragstone.retrieval.question import Question
from ragstone.retrieval.ranking import fuse_candidates
from ragstone.retrieval.word_coverage import ENOUGH, HEAVIEST, rate_coverage
from ragstone.testing.bag_of_words import BagOfWords

TEXTS = {
    "meaning.md": "To uninstall the editor, start the setup once more with the option remove.",
    "words.md": "The computer was slow again. Nobody knew how to get rid of the noise that its fan made.",
    "other.md": "The garden opens at nine, and visitors may bring their dogs.",
    "more.md": "A ticket for a day costs twelve euros, a ticket for a year eighty.",
}
SCALES: tuple[Any, ...] = ("coverage", "best")
QUESTION = "How do I get rid of an application on this computer?"


def ingest(folder: Path) -> Path:
    docs = folder / "docs"
    docs.mkdir()
    for name, text in TEXTS.items():
        (docs / name).write_text(text, encoding="utf-8")
    return docs


def score_by_words(found: Found) -> list[float]:
    return [hit.signals["bm25"] for hit in found.hits]


def idf(holding: int) -> float:
    return math.log(1 + (len(TEXTS) - holding + 0.5) / (holding + 0.5))


def test_meaning_comes_first_where_words_are_few(tmp_path: Path) -> None:
    with ragstone.open(tmp_path / "store") as kb:
        kb.ingest(ingest(tmp_path))
        found = {scale: kb.search(QUESTION, word_scale=scale) for scale in SCALES}
        told = {scale: kb.explain(QUESTION, path="words.md", word_scale=scale).notes for scale in found}
    first = {scale: one.hits[0].chunk.document.path for scale, one in found.items()}
    assert first == {"coverage": "meaning.md", "best": "words.md"}
    said = {scale: [note.message for note in notes if note.code == "word_coverage"] for scale, notes in told.items()}
    assert not said["best"]
    assert re.fullmatch(r"words count 0\.\d\d of their weight: .*", "".join(said["coverage"]))


def test_scores_of_words_are_the_share_of_the_best_times_the_coverage(tmp_path: Path) -> None:
    asked = "ticket umbrella refund tuesday"  # of which no text has the last three
    with ragstone.open(tmp_path / "store", embedder=BagOfWords(4096)) as kb:
        kb.ingest(ingest(tmp_path))
        found = kb.search(asked, cosine_weight=0, bm25_weight=1, feedback=0)
        whole = kb.search("ticket", cosine_weight=0, bm25_weight=1, feedback=0)
    best = score_by_words(found)[0]
    coverage = best / (ENOUGH * (idf(1) + 3 * idf(0)))
    assert 0 < coverage < 1
    assert [hit.score for hit in found.hits] == pytest.approx(
        [word / best * coverage for word in score_by_words(found)], abs=1e-5
    )
    assert whole.hits[0].score == 1


def test_of_a_long_question_the_heaviest_terms_count() -> None:
    weights = {f"term{n}": float(n) for n in range(1, 40)}
    heaviest = sum(range(40 - HEAVIEST, 40))
    assert rate_coverage(10.0, weights) == pytest.approx(10 / (ENOUGH * heaviest), abs=1e-6)
    assert rate_coverage(1000.0, weights) == 1
    assert rate_coverage(1.0, {}) == 1


@pytest.mark.parametrize(("fusion", "changed"), [("minmax", True), ("rrf", False)])
def test_only_scores_of_words_in_fusion_by_score_are_scaled(fusion: str, changed: bool) -> None:
    def fuse(words: float) -> list[tuple[str, float]]:
        candidates = {"bm25": [Candidate("a", 4.0, ("a", "", 0))], "cosine": [Candidate("b", 0.5, ("b", "", 0))]}
        signals = {"a": {"bm25": 4.0, "cosine": 0.1}, "b": {"bm25": 0.0, "cosine": 0.5}}
        asked = Question("x", fusion=fusion, word_scale="coverage")  # type: ignore[arg-type]
        return [(one.id, one.score) for one in fuse_candidates(asked, candidates, signals, words=words)]

    assert (fuse(1.0) != fuse(0.25)) == changed
    if changed:
        assert dict(fuse(0.25)) == {"a": 0.1, "b": 0.6}


def open_two(store: str, docs: Path, far: Path) -> Any:
    for name, folder in (("many", docs), ("few", far)):
        with ragstone.open(store, collection=name, embedder=BagOfWords(4096)) as kb:
            kb.ingest(folder)
    settings = Settings(store, pipelines=(PipelineSettings("all", collections=("few", "many")),))
    return ragstone.open(settings=settings, embedder=BagOfWords(4096))


@pytest.mark.parametrize(
    ("far", "asked", "score"),
    [
        ("The computer was slow for a day.", "euros for a day ticket", 1),  # one of them covers the question
        ("Nobody knew.", "ticket umbrella refund tuesday", None),  # one has no word of it, and says nothing
    ],
)
def test_the_collection_that_covers_a_question_best_says_how_much_words_count(
    tmp_path: Path, far: str, asked: str, score: float | None
) -> None:
    docs = ingest(tmp_path)
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "far.md").write_text(far, encoding="utf-8")
    options: dict[str, Any] = {"cosine_weight": 0, "bm25_weight": 1, "feedback": 0}
    with open_two(str(tmp_path / "store"), docs, tmp_path / "few") as kb:
        found = kb.pipeline("all").search(asked, **options).hits[0]
    with ragstone.open(str(tmp_path / "store"), collection="many", embedder=BagOfWords(4096)) as kb:
        alone = kb.search(asked, **options).hits[0].score
    assert (found.chunk.document.path, found.score) == ("more.md", alone if score is None else score)
    assert score == 1 or alone < 1
