"""What a source lists is packed: a run over many files holds no object for each of them."""

import tracemalloc
from collections.abc import Iterator

from ragstone.core.ports import ListedFile
from ragstone.core.records import Skipped
from ragstone.ingestion.document_jobs import DocumentJob, JobList
from ragstone.ingestion.listing import BLOCK, Listing
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


def test_jobs_are_selected_in_order_and_made_anew() -> None:
    files = Listing(make_file(n) for n in range(BLOCK + 5))
    jobs = JobList(files, lambda entry: DocumentJob(entry, None, lacking=False))
    chosen = jobs.select(lambda job: job.entry.size % 500 == 1)
    assert [job.entry.size for job in chosen] == [1, 501, 1001]
    assert (len(jobs), len(chosen)) == (BLOCK + 5, 3)
