"""A file of the same size and time is not read again, unless it may have changed without a sign."""

import base64
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import ragstone
from ragstone.core.ports import ListedFile
from ragstone.ingestion import progress
from ragstone.ingestion.file_stamps import load_stamps
from ragstone.ingestion.sources.container_notes import Contents
from ragstone.ingestion.sources.files import FileSource
from ragstone.ingestion.sources.members import Members
from ragstone.testing.bag_of_words import BagOfWords
from tests.engine.transfer.test_copy import in_postgres, in_qdrant
from tests.extraction.containers.packing import pack_zip
from tests.ingestion.test_run import counts

Open = Callable[..., ragstone.Knowledge]
HOUR = 3_600_000_000_000  # nanoseconds


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are read, while time has gone on for an hour since the files were written."""
    paths: list[str] = []
    whole = FileSource.read

    def noted(source: FileSource, path: str, limit: int) -> bytes:
        paths.append(path)
        return whole(source, path, limit)

    monkeypatch.setattr(FileSource, "read", noted)
    now = time.time_ns() + HOUR
    monkeypatch.setattr(progress, "read_clock", lambda: now)
    monkeypatch.setattr("ragstone.ingestion.sources.expansion.time.time_ns", lambda: now)
    return paths


@pytest.fixture
def contents(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The containers that are opened to list them."""
    paths: list[str] = []
    whole = Members.list_contents

    def noted(members: Members, entry: ListedFile) -> Contents:
        paths.append(entry.path)
        return whole(members, entry)

    monkeypatch.setattr(Members, "list_contents", noted)
    return paths


def test_unchanged_files_are_not_read_again(docs: Path, opened: Open, read: list[str]) -> None:
    kb = opened()
    kb.ingest(docs)
    assert sorted(set(read)) == sorted(document.path for document in kb.documents())
    read.clear()
    [run] = kb.ingest(docs)
    assert (read, counts(run)) == ([], {"unchanged": 4})
    (docs / "notes.txt").write_text("Other notes by Erik.", encoding="utf-8")
    [run] = kb.ingest(docs)
    assert (read, counts(run)) == (["notes.txt"], {"changed": 1, "unchanged": 3})
    read.clear()
    kb.ingest(docs, checksum=True)
    assert len(read) == 4
    assert kb.doctor() == []


def test_a_file_with_its_old_size_and_time_is_read_if_it_was_replaced(
    docs: Path, opened: Open, read: list[str]
) -> None:
    kb = opened()
    kb.ingest(docs)
    file = docs / "notes.txt"
    before = file.stat()
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("Dana", "Erik"), encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    [run] = kb.ingest(docs)
    assert counts(run) == {"changed": 1, "unchanged": 3}
    assert "Erik" in kb.chunk("notes.txt", 0).text


def test_a_file_that_was_written_just_now_is_read_again(
    docs: Path, opened: Open, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = (docs / "notes.txt").stat().st_ctime_ns + 1_000_000_000
    monkeypatch.setattr(progress, "read_clock", lambda: now)
    kb = opened()
    kb.ingest(docs)
    read.clear()
    kb.ingest(docs)
    assert len(read) == 4


def test_a_removed_document_leaves_no_stamp_and_a_damaged_file_is_no_harm(
    docs: Path, opened: Open, read: list[str], tmp_path: Path
) -> None:
    kb = opened()
    kb.ingest(docs)
    [stamps] = tmp_path.rglob("stamps-*")
    assert "notes.txt" in [path for path, *_ in load_stamps(stamps.read_bytes())]
    earlier = stamps.with_suffix(".json")
    earlier.write_text('{"notes.txt": [1, 2, 3, 4, "of an earlier version"]}', encoding="utf-8")
    (docs / "notes.txt").unlink()
    kb.ingest(docs)
    assert [path for path, *_ in load_stamps(stamps.read_bytes())] == sorted(set(read) - {"notes.txt"})
    assert not earlier.exists()
    stamps.write_bytes(stamps.read_bytes()[:-9] + b"{ damaged")
    read.clear()
    [run] = kb.ingest(docs)
    assert (len(read), counts(run)) == (3, {"unchanged": 3})
    assert kb.drop("default")
    assert not list(tmp_path.rglob("stamps-*"))


KEY = base64.b64encode(bytes(range(32))).decode()


@pytest.fixture(params=["encrypted", "postgresql", "qdrant", "qdrant+postgresql", "json"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], ragstone.Knowledge]]:
    """Opens a collection on one of the other stores."""
    with ExitStack() as stack:

        def enter(kind: str) -> str:
            return stack.enter_context({"postgresql": in_postgres, "qdrant": in_qdrant}[kind]())

        match request.param:
            case "encrypted":
                url = str(tmp_path / "sealed")
            case "json":
                url = f"json:{tmp_path}/store.json"
            case "qdrant+postgresql":
                url = f"{enter('qdrant').partition('ledger=')[0]}ledger={quote(enter('postgresql'), safe='')}"
            case kind:
                url = enter(kind)
        options: dict[str, Any] = {"encryption": {"key": KEY}} if request.param == "encrypted" else {}
        yield lambda: stack.enter_context(ragstone.open(url, embedder=BagOfWords(), **options))


def test_every_store_knows_unchanged_files(
    opener: Callable[[], ragstone.Knowledge], docs: Path, read: list[str], contents: list[str], tmp_path: Path
) -> None:
    (docs / "x.zip").write_bytes(pack_zip({"tea.md": b"# Tea\n\nAt four."}))
    opener().ingest(docs)
    read.clear()
    contents.clear()
    [run] = opener().ingest(docs)
    assert (read, contents, counts(run)) == ([], [], {"unchanged": 5})
    (docs / "notes.txt").write_text("Other notes by Erik.", encoding="utf-8")
    kb = opener()
    [run] = kb.ingest(docs)
    assert (read, counts(run)) == (["notes.txt"], {"changed": 1, "unchanged": 4})
    read.clear()
    kb.ingest(docs, checksum=True)
    assert (len(read), "x.zip" in contents) == (5, True)
    assert kb.drop("default")
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and stamped(path)]


def stamped(path: Path) -> bool:
    """Whether a file is one of stamps."""
    return "stamps" in path.name or path.parent.name == "stamps"


def test_what_another_machine_wrote_is_read_again(
    docs: Path, read: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Two caches stand for two machines with copies of one folder."""
    with in_postgres() as url, ragstone.open(url, embedder=BagOfWords()) as kb:
        kb.ingest(docs, name="docs")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
        read.clear()
        kb.ingest(docs, name="docs")
        assert len(read) == 4  # the other machine has no stamps yet
        text = (docs / "notes.txt").read_text(encoding="utf-8")
        (docs / "notes.txt").write_text("Other notes by Erik.", encoding="utf-8")
        kb.ingest(docs, name="docs")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        (docs / "notes.txt").write_text(text, encoding="utf-8")
        read.clear()
        [run] = kb.ingest(docs, name="docs")
        assert (read, counts(run)) == (["notes.txt"], {"changed": 1, "unchanged": 3})
        assert "Dana" in kb.chunk("notes.txt", 0).text


def test_an_encrypted_tenant_shows_no_path(docs: Path, read: list[str], tmp_path: Path) -> None:
    with ragstone.open(tmp_path / "sealed", embedder=BagOfWords(), encryption={"key": KEY}) as kb:
        (docs / "x.zip").write_bytes(pack_zip({"tea.md": b"# Tea\n\nAt four."}))
        kb.ingest(docs)
        assert read
    stamps = [path for path in tmp_path.rglob("*") if path.is_file() and stamped(path)]
    assert len(stamps) == 2  # of files, and of archives
    assert not any(name in path.read_bytes() for path in stamps for name in (b"notes.txt", b"x.zip", b"tea.md"))
    assert not any("docs" in path.name for path in stamps)
