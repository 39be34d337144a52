"""Which chunks a search reads: those of its results, as far down as near-duplicates may be."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.retrieval.ranking import HEADED
from ragstone.stores.embedded.reader import EmbeddedReader

APPLES = 40
NUMBERS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()


@pytest.fixture
def asked(tmp_path: Path, opened: Callable[..., ragstone.Knowledge]) -> ragstone.Knowledge:
    folder = tmp_path / "apples"
    folder.mkdir()
    for n in range(APPLES):
        words = " ".join(f"w{n}x{word}" for word in NUMBERS)
        (folder / f"{n:02}.md").write_text(f"An apple of kind {n}, {words}.", encoding="utf-8")
    for n in range(8):  # nearly equal, and the best
        (folder / f"twin{n}.md").write_text(f"An apple, an apple, an apple. {' '.join(NUMBERS)}{' ' * n}", "utf-8")
    kb = opened()
    kb.ingest(folder)
    return kb


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the chunks that are read from now on."""
    ids: list[str] = []
    chunks = EmbeddedReader.chunks

    async def record(self: EmbeddedReader, wanted: Sequence[str]) -> Any:
        ids.extend(wanted)
        return await chunks(self, wanted)

    monkeypatch.setattr(EmbeddedReader, "chunks", record)
    return ids


def test_no_more_chunks_are_read_than_the_results_need(asked: ragstone.Knowledge, read: list[str]) -> None:
    found = asked.search("apple", top_k=3, fold=False, heading_weight=0.0)
    assert {hit.chunk.id for hit in found} <= set(read)
    assert len(read) == len(set(read)) <= 6  # the results, and the first three before feedback
    assert found.counts["merged"] > APPLES


def test_more_are_read_where_near_duplicates_leave_too_few(asked: ragstone.Knowledge, read: list[str]) -> None:
    first = asked.search("apple", top_k=3, heading_weight=0.0)
    assert len(first) == 3
    assert len(first.hits[0].duplicates) == 7
    assert 8 < len(read) < APPLES


@pytest.mark.parametrize(
    "options", [{"keyword_boost": True}, {"per_document": 1}, {"min_cosine": -1.0}, {"notes_boost": 0.1}]
)
def test_all_are_read_where_the_order_depends_on_more_than_scores(
    asked: ragstone.Knowledge, read: list[str], options: dict[str, Any]
) -> None:
    found = asked.search("apple", top_k=3, **options)
    assert len(read) == found.counts["merged"]


def test_what_a_heading_may_lift_is_read_unless_the_question_is_too_long_for_one(
    asked: ragstone.Knowledge, read: list[str]
) -> None:
    found = asked.search("apple", top_k=3)
    lifted = len(read)
    assert lifted == len(set(read)) == min(HEADED, found.counts["merged"])
    read.clear()
    asked.search("apple " + " ".join(NUMBERS), top_k=3)
    assert len(read) < lifted
