"""What a source lists is packed: a run over many files holds no object for each of them."""

import tracemalloc
from collections.abc import Iterator

import pytest

from ragstone.core.ports import ListedFile
from ragstone.core.records import Skipped
from ragstone.core.types import Document
from ragstone.ingestion.document_jobs import DocumentJob, JobList
from ragstone.ingestion.listing import Listing
from ragstone.ingestion.packed_rows import BLOCK
from ragstone.ingestion.progress import Tally

A_FILE = 100  # bytes; a path, a size and a stamp as objects take 360


class Folder:
    """A source of so many files, which are made when they are listed."""

    name = "folder"

    def __init__(self, files: int) -> None:
        self._files = files

    def walk(self) -> Iterator[ListedFile | Skipped]:
        yield Skipped("a.key", "denied", "a.key is on the deny list")
        for n in range(self._files):
            yield make_file(n)

    def read(self, path: str, limit: int) -> bytes:
        raise NotImplementedError


def make_file(n: int) -> ListedFile:
    return ListedFile(f"notes/{n // 100:04}/note-{n:06}.md", n, (n, 1_764_000_000_000_000_000 + n * 7919, n, 2**70 + n))


def measure_held(files: int) -> int:
    """The bytes that stay of a listing."""
    tracemalloc.start()
    listed = Tally().list_files(Folder(files))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(listed) == files
    return held


def test_files_come_as_they_were_listed_as_often_as_they_are_asked_for() -> None:
    files = [make_file(n) for n in range(2 * BLOCK + 1)]
    odd = [ListedFile("https://example.org/ä\u2028", 3, (3, -1, 0, "etag")), ListedFile("no-stamp", 0)]
    listing = Listing([*files, *odd])
    for _ in range(2):
        assert [(one, one.stamp) for one in listing] == [(one, one.stamp) for one in (*files, *odd)]
    assert (len(listing), bool(Listing())) == (len(files) + 2, False)


def test_what_is_refused_is_counted_and_not_listed() -> None:
    tally = Tally()
    assert [one.path for one in tally.list_files(Folder(1))] == ["notes/0000/note-000000.md"]
    assert [one.path for one in tally.skipped] == ["a.key"]
    assert tally.listed_at > 0


def test_a_file_more_takes_a_few_bytes_more() -> None:
    measure_held(10)
    few, many = measure_held(5 * BLOCK), measure_held(25 * BLOCK)
    assert (many - few) / (20 * BLOCK) < A_FILE


def test_files_in_another_order_are_listed_by_path() -> None:
    class Shuffled(Folder):
        def walk(self) -> Iterator[ListedFile | Skipped]:
            yield from sorted(super().walk(), key=lambda entry: entry.path[::-1])

    paths = [one.path for one in Tally().list_files(Shuffled(300))]
    assert paths == [make_file(n).path for n in range(300)]


def test_jobs_come_as_they_were_packed() -> None:
    before = Document("id", "docs", "a.md", 3, "0", "r", meta={"deep": [1, 2.5, None]}, notes=("cut",))
    jobs = [
        DocumentJob(make_file(n), before if n % 2 else None, lacking=n % 3 == 0, moved=None if n % 2 else before)
        for n in range(BLOCK + 5)
    ]
    packed = JobList(jobs)
    for _ in range(2):
        assert [(job, job.entry.stamp) for job in packed] == [(job, job.entry.stamp) for job in jobs]
    assert (len(packed), bool(JobList())) == (BLOCK + 5, False)


def test_a_listing_that_takes_long_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int | None]] = []
    monkeypatch.setattr("ragstone.ingestion.progress.LISTING_SECONDS", float("inf"))
    Tally().list_files(Folder(3), lambda done, total: told.append((done, total)))
    assert told == []
    monkeypatch.setattr("ragstone.ingestion.progress.LISTING_SECONDS", 0)
    Tally().list_files(Folder(3), lambda done, total: told.append((done, total)))
    assert told == [(1, None), (2, None), (3, None), (4, None), (4, 4)]
