"""What an earlier edition of a chunker made is brought up to date by the next ingestion of its source."""

import re
from pathlib import Path

import pytest

import ragstone
from ragstone.chunking.structure import StructureChunker
from tests.ingestion.test_run import Open, counts


def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunk under the name of the first edition."""
    now = StructureChunker.recipe.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(StructureChunker, "recipe", property(lambda self: re.sub(r"/\d+", "/1", now(self), count=1)))


def test_an_ingestion_makes_anew_what_an_earlier_edition_made(
    docs: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        as_before(patch)
        opened().ingest(docs)
    kb: ragstone.Knowledge = opened()
    [run] = kb.ingest(docs)
    assert counts(run) == {"changed": 4}
    assert run.stats["embedded"] == 0  # chunks that stayed as they were keep their vectors
    [again] = kb.ingest(docs)
    assert counts(again) == {"unchanged": 4}


def test_another_source_of_an_earlier_edition_is_named_and_not_refused(
    docs: Path, tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        as_before(patch)
        opened().ingest(docs)
    other = tmp_path / "other"
    other.mkdir()
    (other / "more.md").write_text("# More\n\nThere is more to read.\n", encoding="utf-8")
    kb: ragstone.Knowledge = opened()
    [run] = kb.ingest(other)
    assert counts(run) == {"added": 1}
    assert any("earlier version" in warning and repr(docs.name) in warning for warning in run.stats["warnings"])
