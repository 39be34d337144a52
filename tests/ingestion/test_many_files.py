"""What a run holds does not grow with the collection: bytes a file more takes, traced at two sizes."""

import asyncio
import tracemalloc
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ragstone
from ragstone.core.ids import document_id
from ragstone.core.ports import ListedFile
from ragstone.core.types import Document, Scope
from ragstone.ingestion import progress
from ragstone.ingestion.comparison import Comparison, compare_files
from ragstone.ingestion.file_stamps import FileStamps
from ragstone.ingestion.listing import Listing
from ragstone.ingestion.packed_rows import BLOCK
from tests.ingestion.test_run import counts

# Bytes. A stored document as an object takes 1,000 and more, the times of a file 500.
A_KNOWN_FILE, A_NOTED_FILE, A_GONE_FILE = 250, 120, 200
FEW, MANY = BLOCK + 76, 3 * BLOCK + 76
NOW = 1_900_000_000_000_000_000  # nanoseconds


def make_file(n: int) -> ListedFile:
    return ListedFile(f"notes/{n // 100:04}/note-{n:06}.md", 50 + n % 7, (50 + n % 7, 10**18 + n * 7919, n, 2**40 + n))


def make_document(n: int, source: str = "docs") -> Document:
    entry = make_file(n)
    identity = document_id(Scope("acme", "notes"), source, entry.path)
    version = f"{hash(entry.path) & (2**64 - 1):064x}"
    return Document(identity, source, entry.path, 1, version, "markdown-3+cut", bytes=entry.size, meta={"n": n})


class StoredDocuments:
    """So many documents, which are made when they are read; as a ledger's."""

    def __init__(self, files: int) -> None:
        self._files = files

    async def scan_documents(self) -> AsyncGenerator[list[Document]]:
        for start in range(0, self._files, 512):
            yield [make_document(n) for n in range(start, min(start + 512, self._files))]


BUILDER = SimpleNamespace(
    address=None,
    version_label=None,
    effective_at=None,
    chunking_recipe="cut",
    is_former=lambda _: False,
    keeps_other_share=lambda _: False,
)
CONTEXT: Any = SimpleNamespace(builder=BUILDER, refresh=False, enrichment=None, chosen=None, may_vanish=lambda _: True)


def compare(files: int, *, stored: bool, listed: bool) -> tuple[Comparison, int]:
    """The comparison of so many files with as many documents, and the bytes that it held at most."""
    listing = Listing(make_file(n) for n in range(files if listed else 0))
    tracemalloc.start()
    stamps = FileStamps(None, "docs", now=NOW)
    ledger: Any = StoredDocuments(files if stored else 0)
    found = asyncio.run(compare_files(CONTEXT, "docs", ledger, listing, stamps=stamps, lacking=(), skipped=()))
    for job in found.jobs:
        stamps.note(job.entry, "0" * 64)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return found, peak


@pytest.mark.parametrize(("stored", "listed", "most"), [(False, True, A_NOTED_FILE), (True, False, A_GONE_FILE)])
def test_new_and_vanished_files_are_packed(stored: bool, listed: bool, most: int) -> None:
    compare(10, stored=stored, listed=listed)
    _, few = compare(FEW, stored=stored, listed=listed)
    found, many = compare(MANY, stored=stored, listed=listed)
    assert (len(found.jobs), len(found.gone), found.known) == (MANY * listed, MANY * stored, MANY * stored)
    assert (many - few) / (MANY - FEW) < most


@pytest.fixture
def much_later(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Files have settled, so that they are known by size and time."""
    monkeypatch.setattr(progress, "read_clock", lambda: NOW)
    return iter(())


@pytest.mark.usefixtures("much_later")
def test_a_run_over_unchanged_files_holds_neither_documents_nor_stamps(
    tmp_path: Path, opened: Callable[..., ragstone.Knowledge]
) -> None:
    def measure(files: int) -> int:
        folder = tmp_path / f"docs{files}"
        folder.mkdir()
        for n in range(files):
            (folder / f"note-{n:06}.md").write_text(f"# Note {n}\n", encoding="utf-8")
        options = {"embedder": None, "embed__model": "none", "collection": f"notes{files}"}
        opened(**options).ingest(folder)
        kb = opened(**options)
        tracemalloc.start()
        [run] = kb.ingest(folder)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert counts(run) == {"unchanged": files}
        return peak

    few, many = measure(FEW), measure(MANY)
    assert (many - few) / (MANY - FEW) < A_KNOWN_FILE
