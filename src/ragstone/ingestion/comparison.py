"""The files of a source beside its stored documents, both by path: which must be read, and which are gone.

Neither is held as a whole: pages of documents and blocks of files are gone through side by side.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from ragstone.core.ports import Ledger, ListedFile
from ragstone.core.records import Skipped
from ragstone.core.types import Document
from ragstone.ingestion.document_jobs import DocumentJob, JobList, needs_rebuild, wants_vectors
from ragstone.ingestion.document_list import DocumentList
from ragstone.ingestion.file_stamps import FileStamps
from ragstone.ingestion.listing import Listing
from ragstone.ingestion.moves import Moves
from ragstone.ingestion.progress import is_outdated
from ragstone.ingestion.run_context import RunContext
from ragstone.ingestion.safeguards import ChunkingCount, UnreadPaths

MOST_LOOKED_UP = 16  # files whose members are looked up one file after the other
Pair = tuple[ListedFile | None, Document | None]


@dataclass(slots=True)
class Comparison:
    """A source beside its documents: how many there are, how they and those of the other sources are chunked, the files
    that must be read, and the documents whose files are gone. The others are `unchanged`; of these, `outdated`
    were extracted by an earlier version."""

    known: int = 0
    own: ChunkingCount = field(default_factory=ChunkingCount)
    others: ChunkingCount = field(default_factory=ChunkingCount)
    jobs: JobList = field(default_factory=JobList)
    gone: DocumentList = field(default_factory=DocumentList)
    unchanged: int = 0
    outdated: int = 0

    def list_touched(self) -> list[str]:
        """The ids of the documents that are replaced or removed."""
        return [job.before.id for job in self.jobs if job.before is not None] + [one.id for one in self.gone]


async def compare_files(
    context: RunContext,
    source: str,
    ledger: Ledger,
    listed: Listing,
    *,
    stamps: FileStamps,
    lacking: Collection[str],
    skipped: Sequence[Skipped],
) -> Comparison:
    """Compare what a source lists with what the collection has. `lacking`: the documents whose artifacts are missing;
    `skipped`: what the source has and could not list."""
    found = Comparison()
    unread = UnreadPaths(skipped)
    async with aclosing(pair_files(_scan_known(context, ledger, source), source, listed)) as pairs:
        async for entry, document in pairs:
            if document is not None and not wants_vectors(document, context):
                (found.own if document.source == source else found.others).add(document, context.builder)
            if entry is not None:
                _compare_file(found, context, entry, document, stamps, lacking)
            elif document is not None and document.source == source:
                found.known += 1
                if context.may_vanish(document.path) and document.path not in unread:
                    found.gone.append(document)
    return found


def _compare_file(
    found: Comparison,
    context: RunContext,
    entry: ListedFile,
    before: Document | None,
    stamps: FileStamps,
    lacking: Collection[str],
) -> None:
    found.known += before is not None
    job = DocumentJob(entry, before, before is not None and before.id in lacking)
    if before and not job.lacking and not needs_rebuild(before, context, entry) and stamps.is_unchanged(entry, before):
        found.unchanged += 1
        found.outdated += is_outdated(before)
    else:
        found.jobs.append(job)


async def _scan_known(context: RunContext, ledger: Ledger, source: str) -> AsyncGenerator[Sequence[Document]]:
    """The documents by path, a page at a time: all of the collection, or those that a run of few files looks at."""
    chosen = context.chosen
    if chosen is None or not context.uniform or (context.members and len(chosen) > MOST_LOOKED_UP):
        async with aclosing(ledger.scan_documents()) as pages:
            async for page in pages:
                yield page
    elif context.members:
        found = [document for path in chosen for document in await ledger.documents(source, within=path)]
        yield sorted({document.id: document for document in found}.values(), key=lambda document: document.path)
    else:
        yield await ledger.find_documents(source, sorted(chosen))


async def pair_files(known: AsyncGenerator[Sequence[Document]], source: str, listed: Listing) -> AsyncGenerator[Pair]:
    """Each listed file with its document, each file without one, and each document without a file, which may be of
    another source. `known` are documents by path."""
    files = iter(listed)
    entry = next(files, None)
    async with aclosing(known) as pages:
        async for page in pages:
            for document in page:
                if document.source != source:
                    yield None, document
                    continue
                while entry is not None and entry.path < document.path:
                    yield entry, None
                    entry = next(files, None)
                if entry is None or entry.path != document.path:
                    yield None, document
                while entry is not None and entry.path == document.path:
                    yield entry, document
                    entry = next(files, None)
    while entry is not None:
        yield entry, None
        entry = next(files, None)


async def count_lost(ledger: Ledger, source: str, listed: Listing, moves: Moves) -> int:
    """How many documents are gone of which the source has no copy: a move that was interrupted has written it
    already."""
    missing = Counter(document.version for document in moves.find_unmoved())
    async with aclosing(pair_files(ledger.scan_documents(), source, listed)) as pairs:
        async for entry, document in pairs:
            if entry is not None and document is not None:
                missing.pop(document.version, None)
    return missing.total()
