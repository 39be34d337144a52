"""Files that move inside their source: no mass removal, no new embedding, counted as moves."""

import random
import shutil
from pathlib import Path

import pytest

from ragstone.core.errors import UsageError
from ragstone.core.types import Document
from ragstone.ingestion import run as ingestion_run
from ragstone.ingestion.document_list import DocumentList
from ragstone.ingestion.moves import Moves
from tests.ingestion.test_editions import open_at, url
from tests.ingestion.test_run import counts
from tests.speed import within

__all__ = ["url"]


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Twelve documents, half of them without a title: their path is embedded."""
    folder = tmp_path / "docs"
    (folder / "a").mkdir(parents=True)
    for n in range(6):
        (folder / "a" / f"{n}.md").write_text(f"# Title {n}\n\nA text about topic{n}.\n", encoding="utf-8")
        (folder / "a" / f"{n}.txt").write_text(f"Another text about matter{n}.\n", encoding="utf-8")
    return folder


def test_a_move_keeps_its_vectors_and_is_no_removal(many: Path, url: str) -> None:
    with open_at(url) as kb:
        kb.ingest(many)
        shutil.move(many / "a", many / "b")
        [run] = kb.ingest(many)
        assert counts(run) == {"moved": 12}
        assert run.stats["embedded"] == 0
        info = kb.info()
        assert (info.documents, info.pending_vectors) == (12, 0)
        assert {document.path.split("/")[0] for document in kb.documents()} == {"b"}
        [hit] = kb.search("matter3", top_k=1).hits
        assert hit.chunk.document.path == "b/3.txt"
        shutil.move(many / "b", many / "c")
        [again] = kb.ingest(many)
        assert (counts(again), again.stats["embedded"]) == ({"moved": 12}, 0)
        [refreshed] = kb.ingest(many, refresh=True)
        assert (counts(refreshed), refreshed.stats["embedded"]) == ({"unchanged": 12}, 0)


def test_a_moved_document_that_changes_is_embedded_under_its_new_path(many: Path, url: str) -> None:
    with open_at(url) as kb:
        kb.ingest(many)
        (many / "a" / "1.txt").rename(many / "one.txt")
        kb.ingest(many)
        (many / "one.txt").write_text("Another text about matter1, changed.\n", encoding="utf-8")
        [run] = kb.ingest(many)
        vectors = 0 if url.startswith("json") else 1  # that store keeps none
        assert (counts(run), run.stats["embedded"]) == ({"changed": 1, "unchanged": 11}, vectors)
        assert "embedded_as" not in kb.chunk("one.txt", 0).document.meta


def test_what_is_really_gone_still_asks(many: Path, url: str) -> None:
    with open_at(url) as kb:
        kb.ingest(many)
        shutil.move(many / "a" / "1.txt", many / "one.txt")
        for n in range(2, 6):
            (many / "a" / f"{n}.txt").unlink()
            (many / "a" / f"{n}.md").unlink()
        with pytest.raises(UsageError, match="8 of 12 documents"):
            kb.ingest(many)
        [run] = kb.ingest(many, allow_removals=True)
        assert counts(run) == {"moved": 1, "unchanged": 3, "removed": 8}


def test_a_move_that_was_interrupted_is_finished(many: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with open_at(url) as kb:
        kb.ingest(many)
        shutil.move(many / "a", many / "b")
        with monkeypatch.context() as patch:
            patch.setattr(ingestion_run, "_remove_gone", fail)
            with pytest.raises(KeyboardInterrupt):
                kb.ingest(many)
        [run] = kb.ingest(many)
        assert counts(run) == {"unchanged": 12, "removed": 12}
        assert run.stats["embedded"] == 0


def test_documents_that_moved_are_found_in_any_order() -> None:
    """Files that were renamed come in the order of their new names."""
    gone = DocumentList()
    for n in range(4_000):
        gone.append(Document(f"docs/{n}.md", "docs", f"{n:04}.md", 1, f"{n}", "r"))
    places = random.Random(1).sample(range(4_000), 4_000)
    moves = Moves(gone)
    for n, place in enumerate(places):
        moves.add(f"new/{n}.md", place)
    found = within(1.5, lambda: [moves.get(f"new/{n}.md") for n in range(4_000)])
    assert [one and one.path for one in found] == [f"{place:04}.md" for place in places]
