"""The files of a run, one by one: which must be read again, and the result of each."""

import asyncio
import hashlib
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from ragstone.core.errors import Refused
from ragstone.core.plural import format_count
from ragstone.core.ports import ListedFile, Source, Vectors
from ragstone.core.records import IGNORED, LEFT_OUT, PASSED_OVER, Skipped
from ragstone.core.types import Document, Revision
from ragstone.extraction.code_languages import INSTALL_HINT, find_language, lacks_grammars
from ragstone.extraction.image import eligibility
from ragstone.extraction.minified import is_minified
from ragstone.ingestion import workers
from ragstone.ingestion.artifacts import ArtifactStore
from ragstone.ingestion.build_revision import RevisionBuilder, has_facts
from ragstone.ingestion.document_list import pack_document, unpack_document
from ragstone.ingestion.enricher import lacks_enrichment
from ragstone.ingestion.file_stamps import FileStamps
from ragstone.ingestion.listing import pack_file, unpack_file
from ragstone.ingestion.packed_rows import PackedRows
from ragstone.ingestion.progress import Tally
from ragstone.ingestion.run_context import RunContext
from ragstone.ingestion.sources.sizes import check_file_size

IN_FLIGHT = 8  # documents read and cut ahead of the writer
BATCH_CHUNKS = 512  # a commit costs an fsync; past this many chunks the gain is gone
BATCH_SECONDS = 0.5
BYTES_AHEAD = 64_000_000  # their bytes, unless one alone has more

log = logging.getLogger("ragstone")


Outcome = Revision | Skipped | Document  # a document that did not change is itself


class DocumentRules(Protocol):
    """The part of a run's context that decides about one document."""

    @property
    def builder(self) -> RevisionBuilder: ...

    @property
    def named(self) -> bool: ...

    @property
    def refresh(self) -> bool: ...

    @property
    def enrichment(self) -> str | None:
        """The recipe of what a model writes about chunks, None for nothing."""
        ...


@dataclass(frozen=True, slots=True)
class DocumentJob:
    """One listed file with its known facts; `lacking`: its artifact is wanted and not there; `moved`: the document that
    it was under another path."""

    entry: ListedFile
    before: Document | None
    lacking: bool
    moved: Document | None = None


class JobList:
    """Jobs in the order of their paths, packed, each made when it is looked at."""

    def __init__(self, jobs: Iterable[DocumentJob] = ()) -> None:
        self._rows = PackedRows()
        for job in jobs:
            self.append(job)

    def append(self, job: DocumentJob) -> None:
        """Add a job at the end."""
        documents = [None if one is None else pack_document(one) for one in (job.before, job.moved)]
        self._rows.append((job.lacking, *documents, *pack_file(job.entry)))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[DocumentJob]:
        for lacking, *documents, file in ((*row[:3], row[3:]) for row in self._rows):
            before, moved = (None if facts is None else unpack_document(facts) for facts in documents)
            yield DocumentJob(unpack_file(*file), before, lacking, moved)


@dataclass(slots=True)
class UnderWay:
    """Values that go with the revisions that are not written yet: the document that each was before, by its path, where
    a model is to write about its chunks, and vectors by their key."""

    before: dict[str, Document] = field(default_factory=dict)
    vectors: dict[str, Vectors] = field(default_factory=dict)

    def keep_before(self, job: DocumentJob, revision: Revision | None, context: RunContext) -> Revision | None:
        """Keep the document before a revision until it is enriched."""
        before = job.before or job.moved
        if revision is not None and before is not None and context.enricher is not None:
            self.before[revision.document.path] = before
        return revision


def drop_unreadable_pictures(jobs: JobList, tally: Tally, *, named: bool) -> JobList:
    """Without new pictures where nothing reads them: one line summarises them. `named`: the files were named, so that
    only those in them are passed over."""
    new = sum(_is_new_picture(job, named=named) for job in jobs)
    missing = eligibility.ocr_install_hint() if new else ""
    if not missing:
        return jobs
    tally.passed_over += new
    what = "pictures" if new > 1 else "picture"
    tally.warnings.append(f"{new:,} {what} passed over: no OCR engine ({missing})")
    return JobList(job for job in jobs if not _is_new_picture(job, named=named))


def _is_new_picture(job: DocumentJob, *, named: bool) -> bool:
    is_wanted = named and not job.entry.within
    return not is_wanted and (job.before or job.moved) is None and eligibility.is_picture(job.entry.path)


def warn_of_missing_grammars(jobs: JobList, tally: Tally) -> None:
    """One warning for all new files of code that are not cut at functions."""
    new = sum(job.before is None and find_language(job.entry.path, b"") is not None for job in jobs)
    if new and lacks_grammars():
        files = format_count(new, "file")
        tally.warnings.append(f"{files} of code cut at blank lines; to cut at functions: {INSTALL_HINT}")


def count_changed_bytes(jobs: JobList, context: RunContext) -> int:
    """The bytes of the files that look changed, before reading them."""
    return sum(job.entry.size for job in jobs if _looks_changed(job, context))


def _looks_changed(job: DocumentJob, context: RunContext) -> bool:
    before = job.before
    return before is None or before.bytes != job.entry.size or job.lacking or needs_rebuild(before, context, job.entry)


async def prepare_revisions(
    pool: workers.WorkerPool,
    context: RunContext,
    source: Source,
    jobs: JobList,
    tally: Tally,
    artifact_store: ArtifactStore | None,
    stamps: FileStamps,
    under_way: UnderWay,
) -> AsyncIterator[Revision | None]:
    """Each listed file in order: its new revision, or None when there is nothing to write."""
    loop = asyncio.get_running_loop()
    flying: deque[tuple[DocumentJob, asyncio.Future[Outcome]]] = deque()
    left, ahead = iter(jobs), 0
    job = next(left, None)
    try:
        while True:
            while job is not None and (
                not flying or (len(flying) < IN_FLIGHT and ahead + job.entry.size <= BYTES_AHEAD)
            ):
                future = loop.run_in_executor(pool.threads, _process_job, pool, context, source, job, artifact_store)
                flying.append((job, future))
                ahead += job.entry.size
                job = next(left, None)
            if not flying:
                return
            done, future = flying.popleft()
            outcome = await future
            if not isinstance(outcome, Skipped):
                stamps.note(done.entry, (outcome if isinstance(outcome, Document) else outcome.document).version)
            yield under_way.keep_before(done, tally.count_outcome(outcome), context)
            ahead -= done.entry.size
    finally:
        for _, future in flying:
            future.cancel()


def _process_job(
    pool: workers.WorkerPool,
    context: RunContext,
    source: Source,
    job: DocumentJob,
    artifact_store: ArtifactStore | None,
) -> Outcome:
    """Read and compare one file, and keep its artifact, which is there before its revision is."""
    return catch_failures(
        context, job, lambda: keep_artifact(make_document(pool.build, context, source, job), artifact_store)
    )


def make_document(build: workers.BuildFunction, rules: DocumentRules, source: Source, job: DocumentJob) -> Outcome:
    """Read and compare one file; raises `Refused`."""
    entry, before = job.entry, job.before
    check_file_size(source, entry, rules.builder.limits, called=entry.path)
    data = source.read(entry.path, rules.builder.max_bytes)
    is_wanted = (rules.named and not entry.within) or before or job.moved
    if not is_wanted and eligibility.is_picture(entry.path) and eligibility.is_small(data):
        return Skipped(entry.path, PASSED_OVER)
    if not is_wanted and is_minified(entry.path, data):
        return Skipped(entry.path, IGNORED, f"{entry.path} is minified, as programs write it: name it to have it read")
    version = hashlib.sha256(data).hexdigest()
    if before and before.version == version and not job.lacking and not needs_rebuild(before, rules, entry):
        return before
    return build(entry.path, data, version, before or job.moved, entry.enclosing)


def keep_artifact(made: Outcome, artifact_store: ArtifactStore | None) -> Outcome:
    """Keep the artifact of a revision; raises `Refused` where that fails."""
    if artifact_store is None or not isinstance(made, Revision) or made.artifact is None:
        return made
    artifact_store.put(made.document, made.artifact)
    return replace(made, artifact=None)


def catch_failures(rules: DocumentRules, job: DocumentJob, work: Callable[[], Outcome]) -> Outcome:
    """Work on one file; a document that cannot be taken in is a value, not an exception."""
    entry = job.entry
    try:
        return work()
    except Refused as error:
        wanted = (rules.named and not entry.within) or job.before is not None
        return Skipped(entry.path, "unsupported" if wanted and error.reason in LEFT_OUT else error.reason, str(error))
    except Exception as error:  # whatever a document does to a parser must not end the run of the others
        log.exception("%s could not be ingested", entry.path)
        return Skipped(entry.path, "broken", f"{entry.path} could not be ingested: {type(error).__name__}: {error}")


def needs_rebuild(before: Document, context: DocumentRules, entry: ListedFile) -> bool:
    """Whether an unchanged document is to be redone: for its vectors, for what the run says of all its documents,
    for an earlier edition of its chunker, for another limit of chunks, for what a model is to write about its chunks,
    for what the mail or PDF that it lies in says now, or for its recipe when the run refreshes."""
    builder = context.builder
    said = ((builder.version_label, before.version_label), (builder.effective_at, before.effective_at))
    return (
        wants_vectors(before, context)
        or not has_facts(before, entry.enclosing)
        or builder.is_former(before)
        or builder.keeps_other_share(before)
        or lacks_enrichment(before, context.enrichment, refresh=context.refresh)
        or any(now is not None and now != then for now, then in said)
        or (context.refresh and before.recipe != builder.recipe(before.media_type))
    )


def wants_vectors(before: Document, context: DocumentRules) -> bool:
    """Whether a document came in without a model and there is one now. Addresses of vectors stay when a collection goes
    over to another model."""
    return context.builder.address is not None and before.addressed is None


async def batch_revisions(prepared: AsyncIterator[Revision | None]) -> AsyncIterator[tuple[list[Revision], int]]:
    """Revisions to commit together, with how many files that covers: bounded by chunks and by time."""
    batch_: list[Revision] = []
    passed = 0
    since = time.monotonic()
    async for revision in prepared:
        passed += 1
        if revision is not None:
            batch_.append(revision)
        if sum(len(r.chunks) for r in batch_) >= BATCH_CHUNKS or time.monotonic() - since > BATCH_SECONDS:
            yield batch_, passed
            batch_, passed, since = [], 0, time.monotonic()
    if passed:
        yield batch_, passed
