"""A question of several parts: how it is split, and how what the parts find becomes one list."""

from collections.abc import Callable
from pathlib import Path

import pytest

import ragstone
from ragstone.core.types import Candidate
from ragstone.retrieval.fragments import split_fragments
from ragstone.retrieval.merging import _keep_best
from tests.scripted import Scripted

TWO = "How long are samples kept by default? Who is the release manager; when is the nightly snapshot taken."


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (TWO, 3),
        ("one question", 1),
        ("What is 3.5 of v1.2.3 in storage.md", 1),
        ("See e.g. Fig. 2 of Dr. Who. And then?", 2),
        ("a;b", 2),
        ("Why?! How... When", 3),
        ("open http://host/?q=1;b=2 now", 1),
        ("twice? twice?", 1),
        ("?;.", 0),
    ],
)
def test_a_question_is_split_at_its_ends(text: str, parts: int) -> None:
    found = split_fragments(text)
    assert len(found) == parts, found
    assert all(part in text for part in found)


def test_long_runs_of_stops_take_no_time_and_few_searches() -> None:
    assert len(split_fragments("a? b. " * 1600)) == 3
    assert len(split_fragments(" ".join(f"is {n} odd?" for n in range(900)))) == 20


def test_each_part_finds_its_own_passage_first(kb: ragstone.Knowledge) -> None:
    found = kb.search(TWO, fragments=True, top_k=3)
    assert {hit.chunk.document.path for hit in found.hits} == {"storage.md", "notes.txt", "page.html"}
    assert [note.message for note in found.notes] == ["fragments: searched for 3 parts of the question"]
    alone = kb.search("Who is the release manager", top_k=1).hits[0]
    merged = next(hit for hit in found.hits if hit.chunk.id == alone.chunk.id)
    assert merged.score == alone.score, "the best score of a part is that of the part alone"
    assert len({hit.chunk.id for hit in kb.search(TWO, fragments=True, top_k=50).hits}) == len(
        kb.search(TWO, fragments=True, top_k=50).hits
    )


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_every_mode_takes_parts_and_one_part_changes_nothing(kb: ragstone.Knowledge, mode: str) -> None:
    whole, parts = (kb.search("release manager", mode=mode, fragments=on) for on in (False, True))  # type: ignore[arg-type]  # parametrised
    assert [(h.chunk.id, h.score) for h in whole.hits] == [(h.chunk.id, h.score) for h in parts.hits]
    assert any(n.code == "fragments" for n in kb.search(TWO, mode=mode, fragments=True).notes)  # type: ignore[arg-type]  # parametrised


def test_a_chunk_of_several_parts_has_its_best_score() -> None:
    one = [Candidate("a", 0.5, ("a", "", 0)), Candidate("b", 0.4, ("b", "", 0))]
    two = [Candidate("b", 0.9, ("b", "", 0)), Candidate("c", 0.5, ("c", "", 0))]
    assert [(c.id, c.score) for c in _keep_best([one, two])] == [("b", 0.9), ("a", 0.5), ("c", 0.5)]


def test_where_hyde_ran_the_question_stays_whole(docs: Path, opened: Callable[..., ragstone.Knowledge]) -> None:
    kb = opened(completion=Scripted(lambda _: "Samples are kept for 15 days by default."))
    kb.ingest(docs)
    found = kb.search(TWO, fragments=True, hyde="standard")
    assert [note.code for note in found.notes] == ["hyde"]
