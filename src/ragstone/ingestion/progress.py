"""The progress of a run, and its record in the ledger, updated during the run."""

import asyncio
import time
import traceback
import uuid
from collections.abc import AsyncIterator, Callable, Container, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from ragstone import extraction
from ragstone.core.answers import Event
from ragstone.core.errors import Unavailable
from ragstone.core.ports import Ledger, ListedFile, Source, Store
from ragstone.core.records import LEFT_OUT, PASSED_OVER, Run, Skipped
from ragstone.core.types import Document, Revision, Scope
from ragstone.core.work_limit import check_work, end_work_with_caller
from ragstone.ingestion.file_stamps import read_clock
from ragstone.ingestion.listing import Listing
from ragstone.ingestion.packed_rows import PackedRows

EventCallback = Callable[[Event], None]
ListingCallback = Callable[[int, int | None], None]
UPDATE_SECONDS = 2.0
LISTING_SECONDS = 1.0


@dataclass(slots=True)
class Tally:
    """The counts of a run so far."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    moved: int = 0
    written: int = 0
    embedded: int = 0
    outdated: int = 0
    renewed: int = 0
    passed_over: int = 0
    enriched: int | None = None  # chunks that a language model described; None where none is asked
    encoded: int | None = None  # chunks that got a sparse vector; None where none is wanted
    written_texts: int | None = None  # summaries and questions that got a vector; None where none is wanted
    listed_at: int = 0  # nanoseconds
    skipped: list[Skipped] = field(default_factory=list)
    ignored: PackedRows = field(default_factory=PackedRows)
    warnings: list[str] = field(default_factory=list)
    left_out: PackedRows = field(default_factory=PackedRows)

    async def list_in_thread(self, source: Source, tell: ListingCallback) -> Listing:
        """As `list_files`, which may take minutes where there are archives. `tell` is called from another thread."""
        with end_work_with_caller():
            return await asyncio.to_thread(self.list_files, source, tell)

    def list_files(self, source: Source, tell: ListingCallback = lambda _done, _total: None) -> Listing:
        """The files that a source lists, by path; what it refuses is counted. `tell` gets now and then how many were
        looked at, and the total once it is known."""
        self.listed_at = read_clock()
        return Listing(self._count_refused(source.walk(), tell)).sort()

    def _count_refused(self, found: Iterable[ListedFile | Skipped], tell: ListingCallback) -> Iterator[ListedFile]:
        begun = last = time.monotonic()
        looked_at = 0
        for looked_at, entry in enumerate(found, 1):
            check_work()
            if (now := time.monotonic()) - last >= LISTING_SECONDS:
                last = now
                tell(looked_at, None)
            if isinstance(entry, Skipped):
                self._count_skipped(entry)
            else:
                yield entry
        if last > begun:
            tell(looked_at, looked_at)

    def count_outcome(self, outcome: Revision | Skipped | Document) -> Revision | None:
        """Count a file that was skipped or did not change (a document); give on what must be written."""
        if isinstance(outcome, Skipped):
            self._count_skipped(outcome)
            return None
        if isinstance(outcome, Document):
            self.unchanged += 1
            self.outdated += is_outdated(outcome)
            return None
        self.warnings.extend(f"{outcome.document.path}: {note}" for note in outcome.document.notes)
        if outcome.left_out:
            self.left_out.append({"path": outcome.document.path, **outcome.left_out})
        return outcome

    def count_unchanged(self, documents: int, *, outdated: int) -> None:
        """Count documents whose files need not be read, and those of them that an earlier version extracted."""
        self.unchanged += documents
        self.outdated += outdated

    def _count_skipped(self, entry: Skipped) -> None:
        if entry.reason == PASSED_OVER:
            self.passed_over += 1
        elif entry.reason in LEFT_OUT:
            self.ignored.append({"path": entry.path, "reason": entry.reason})
        else:
            self.skipped.append(entry)

    def count_written(self, revisions: Sequence[Revision], moves: Container[str] = ()) -> None:
        """Count the committed changes; `moves`: the paths that documents moved to."""
        moved = sum(revision.document.path in moves for revision in revisions)
        new = sum(revision.document.revision == 1 for revision in revisions) - moved
        self.moved += moved
        self.added += new
        self.changed += len(revisions) - new - moved
        self.written += sum(len(revision.chunks) for revision in revisions)

    def stats(self, *, whole: bool = True) -> dict[str, Any]:
        """The counts and lists; unless `whole`, without what may have an entry for each document."""
        documents = {name: getattr(self, name) for name in ("added", "changed", "moved", "unchanged", "removed")}
        return {
            "documents": {**documents, "skipped": len(self.skipped)},
            "passed_over": self.passed_over,
            "written": self.written,
            "embedded": self.embedded,
            "renewed": self.renewed,
            **({} if self.enriched is None else {"enriched": self.enriched}),
            **({} if self.encoded is None else {"encoded": self.encoded}),
            **({} if self.written_texts is None else {"written_texts": self.written_texts}),
            "skipped": [{"path": s.path, "reason": s.reason, "message": s.message} for s in self.skipped],
            "ignored": list(self.ignored) if whole else [],
            "warnings": self.warnings,
            "left_out": list(self.left_out) if whole else [],
        }


class Progress:
    """A run on its way: reports progress to the caller, and to the ledger now and then."""

    def __init__(
        self, ledger: Ledger, source: str, *, config: dict[str, Any], tally: Tally, tell: EventCallback
    ) -> None:
        self._ledger = ledger
        self._tell = tell
        self._tally = tally
        self._stage = "start"
        self._start = self._last = time.monotonic()
        self._run = Run(str(uuid.uuid4()), source, "running", utc_timestamp(), config=config)

    @asynccontextmanager
    async def record_run(self) -> AsyncIterator[None]:
        """The block is the run: recorded when it begins, and as interrupted or failed when it breaks off. How it ended
        otherwise, its last call says. Raises `Busy` when the source is being ingested already."""
        starting = asyncio.ensure_future(self._ledger.start(self._run))
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:  # a thread goes on, and would hold the source with nobody to let it go
            await asyncio.shield(self._give_up(starting))
            raise
        try:
            yield
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            await asyncio.shield(self.end("interrupted"))
            raise
        except BaseException as error:
            await asyncio.shield(self.fail(error))
            raise

    async def _give_up(self, starting: asyncio.Future[None]) -> None:
        """End a run as soon as it has begun, if it does."""
        await asyncio.wait([starting])
        if starting.exception() is None:
            await self.end("interrupted")

    def begin_stage(self, stage: str) -> None:
        """Errors from now on are of this stage."""
        self._stage = stage

    async def report_stage(self, stage: str, *, done: int, total: int) -> None:
        """Say how far a stage is."""
        self._stage = stage
        self._tell(Event(stage, {"done": done, "total": total}))
        if time.monotonic() - self._last > UPDATE_SECONDS:
            self._last = time.monotonic()
            # One entry a document: written once, at the end, and not every two seconds.
            await self._ledger.update(replace(self._run, stats=self._stats(whole=False)))

    async def end(self, status: Literal["succeeded", "interrupted"]) -> Run:
        """Record how it ended."""
        return await self._finish(replace(self._run, status=status))

    async def fail_early(self, error: BaseException, *, recorded: bool) -> Run:
        """The run that failed before it was recorded; it is `recorded` now, or only given."""
        if recorded:
            await self._ledger.start(self._run)
            return await self.fail(error)
        ended = replace(self._run, status="failed", error=f"{self._stage}: {type(error).__name__}: {error}")
        return replace(ended, finished_at=utc_timestamp(), stats=self._stats())

    async def fail(self, error: BaseException) -> Run:
        """Record the error with the stage that it came in and the last frames of its trace."""
        trace = "".join(traceback.format_exception(error, limit=-8))
        cause = f"{self._stage}: {type(error).__name__}: {error}\n{trace}"
        return await self._finish(replace(self._run, status="failed", error=cause))

    async def _finish(self, run: Run) -> Run:
        run = replace(run, finished_at=utc_timestamp(), stats=self._stats())
        await self._ledger.finish(run)
        return run

    def _stats(self, *, whole: bool = True) -> dict[str, Any]:
        return {**self._tally.stats(whole=whole), "seconds": round(time.monotonic() - self._start, 3)}


async def record_unlisted(store: Store, scope: Scope, source: str, tally: Tally, error: Unavailable) -> Run:
    """The failed run of a source that does not answer; a collection that is there keeps a record of it."""
    tally.warnings.append(f"source {source!r} was not updated: {error}")
    progress = Progress(store.ledger(scope), source, config={}, tally=tally, tell=lambda _event: None)
    progress.begin_stage("list")
    return await progress.fail_early(error, recorded=await store.admin.exists(scope))


def is_outdated(document: Document) -> bool:
    """Whether a document was extracted by an earlier version."""
    return document.recipe.split("+")[0] != extraction.recipe(document.media_type)


def utc_timestamp() -> str:
    """The time as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
