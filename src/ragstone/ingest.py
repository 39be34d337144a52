"""The way in: source → extract → chunk → guard → store as text, then embed → store as vectors.

A run compares every document by the sha256 of its bytes, replaces what changed as a whole, removes
what vanished from the source that was walked, and only then fills in the vectors that are missing:
text is searchable in seconds. Whatever stops a run, the next one goes on from what was committed.
"""

import asyncio
import hashlib
import os
import time
import traceback
import uuid
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from ragstone import extract
from ragstone.embed import embed_all
from ragstone.errors import RagstoneError, Refused, UsageError
from ragstone.ports import Embedder, Ledger, Listed, Source, Store, Writer
from ragstone.revise import Making, build
from ragstone.types import Document, Event, Revision, Run, Skipped

IN_FLIGHT = 8  # documents read and cut ahead of the writer
BATCH_CHUNKS = 512  # a commit costs an fsync; past this many chunks the gain is gone
BATCH_SECONDS = 0.5
EMBED_AT_ONCE = 256
SMALL_SOURCE = 10  # below this many documents only a removal of all of them is suspicious
RUNS = 1000  # how far back a source's root is looked for
LASTING = ("succeeded", "interrupted")  # runs that may have written something
POLICY = frozenset({"denied", "outside_root"})  # refused by rule: what stood there goes

Tell = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Intake:
    """Where a run writes, what makes its documents, and how it behaves.

    `removals` is the share of a source's documents that may vanish unasked; `model_missing` says why
    there is no embedder though one was wanted; `root` tells two roots of one name apart; `redo` takes
    unchanged documents in again as well.
    """

    store: Store
    making: Making
    refresh: bool = False
    allow_removals: bool = False
    removals: float = 0.5
    model_missing: str | None = None
    root: str | None = None
    redo: bool = False


@dataclass(slots=True)
class _Tally:
    """What a run has done so far."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    written: int = 0
    embedded: int = 0
    outdated: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def stats(self) -> dict[str, Any]:
        documents = {name: getattr(self, name) for name in ("added", "changed", "unchanged", "removed")}
        return {
            "documents": {**documents, "skipped": len(self.skipped)},
            "written": self.written,
            "embedded": self.embedded,
            "skipped": [{"path": s.path, "reason": s.reason, "message": s.message} for s in self.skipped],
            "warnings": self.warnings,
        }


async def ingest(intake: Intake, source: Source, *, tell: Tell = lambda _event: None) -> Run:
    """Bring the store in line with one source; returns the finished run.

    `tell` hears `text` and `vectors` events with done and total. Raises `UsageError` when the run
    would remove too much or mix two ways of cutting, `Busy` when the source is being ingested
    already; a document that cannot be taken in is listed in the run's stats and the run goes on.
    """
    tally = _Tally()
    listed = await asyncio.to_thread(_survey, source, tally)
    intake = await _open(intake, source, listed, tally)
    ledger = intake.store.ledger(intake.making.scope)
    run = Run(str(uuid.uuid4()), source.name, "running", _now(), config=_config(intake))
    await ledger.start(run)
    if intake.model_missing:
        tally.warnings.append(f"no vectors were made, search is by keyword only: {intake.model_missing}")
    start = time.monotonic()
    try:
        await _text(intake, source, listed, ledger, tally, tell)
        await _vectors(intake, tally, tell)
    except BaseException as error:
        stopped = isinstance(error, asyncio.CancelledError | KeyboardInterrupt)
        status = "interrupted" if stopped else "failed"
        cause = None if stopped else f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=8)}"
        done = replace(run, status=status, finished_at=_now(), stats=tally.stats(), error=cause)  # type: ignore[arg-type]  # a literal by construction
        await asyncio.shield(ledger.finish(done))
        raise
    seconds = round(time.monotonic() - start, 3)
    run = replace(run, status="succeeded", finished_at=_now(), stats={**tally.stats(), "seconds": seconds})
    await ledger.finish(run)
    return run


async def _open(intake: Intake, source: Source, listed: Sequence[Listed], tally: _Tally) -> Intake:
    """Make the collection on its first run, when there is something to put in; an intake that fits what is there."""
    admin, scope, embedder = intake.store.admin, intake.making.scope, intake.making.embedder
    if await admin.exists(scope):
        intake = await _fitting(intake)
    elif not listed:
        raise UsageError(
            f"no documents found in source {source.name!r}: it is empty, or the rules leave nothing of it"
            + (f" ({len(tally.skipped)} skipped, first: {tally.skipped[0].message})" if tally.skipped else "")
        )
    await admin.create(
        scope,
        model=embedder.model if embedder else None,
        variant=intake.making.variant,
        dimension=embedder.dimension if embedder else None,
    )
    return intake


async def _fitting(intake: Intake) -> Intake:
    """With and without vectors must not be mixed: a collection that had none gets them for all its documents."""
    async with intake.store.reader(intake.making.scope) as reader:
        info = await reader.info()
    if info.model is not None and intake.making.embedder is None:
        raise UsageError(
            f"collection {intake.making.scope.collection!r} holds vectors of {info.model}; a run without a model would "
            "leave its documents out of semantic search: name the model, or use another --collection"
        )
    return replace(intake, redo=info.model is None and intake.making.embedder is not None)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _config(intake: Intake) -> dict[str, Any]:
    return {
        "chunker": intake.making.chunker.recipe,
        "model": intake.making.embedder.model if intake.making.embedder else None,
        "prefix": intake.making.prefix,
        "refresh": intake.refresh,
        "root": intake.root,
    }


# --- text ---------------------------------------------------------------------------------------


async def _text(
    intake: Intake, source: Source, listed: Sequence[Listed], ledger: Ledger, tally: _Tally, tell: Tell
) -> None:
    """Compare, replace, remove."""
    known = {document.path: document for document in await ledger.documents(source.name)}
    if known and intake.root is not None:
        await _check_root(intake.root, source, ledger)
    gone = _vanished(known, listed, tally.skipped)
    _check_removals(source, gone, known, intake)
    _check_recipe(intake, known, listed)
    async with intake.store.writer(intake.making.scope) as writer:
        done = 0
        async for revisions, passed in _batches(_prepared(intake, source, listed, known, tally)):
            if revisions:
                await writer.replace(revisions)
            done += passed
            tell(Event("text", {"done": done, "total": len(listed)}))
        if gone:
            await writer.remove([document.id for document in gone])
            tally.removed += len(gone)
    if tally.outdated:
        tally.warnings.append(
            f"{tally.outdated} documents were extracted by an earlier version; run with --refresh to redo them"
        )


def _survey(source: Source, tally: _Tally) -> list[Listed]:
    found: list[Listed] = []
    for entry in source.walk():
        if isinstance(entry, Listed):
            found.append(entry)
        else:
            tally.skipped.append(entry)
    return found


def _vanished(known: Mapping[str, Document], listed: Iterable[Listed], skipped: Iterable[Skipped]) -> list[Document]:
    """What the source no longer has: not what merely could not be read this time."""
    present = {entry.path for entry in listed}
    unread = tuple(s.path for s in skipped if s.reason not in POLICY)
    folders = tuple(f"{path.rstrip('/')}/" for path in unread)
    kept = present.union(unread)
    return [
        document for path, document in known.items() if path not in kept and not (folders and path.startswith(folders))
    ]


async def _check_root(root: str, source: Source, ledger: Ledger) -> None:
    """Two folders of one name are two sources: the second must not pass for a changed first one."""
    earlier = [run for run in await ledger.runs(RUNS) if run.source == source.name and run.status in LASTING]
    other = next((run.config["root"] for run in earlier if run.config.get("root")), root)
    if other != root:
        raise UsageError(
            f"source {source.name!r} stands for {other}; to add {root} beside it give it a name of its own "
            f"(--source NAME), or --source {source.name} if it is the same source in a new place"
        )


def _check_removals(source: Source, gone: Sequence[Document], known: Mapping[str, Document], intake: Intake) -> None:
    if intake.allow_removals or not gone:
        return
    everything = len(gone) == len(known)
    if everything or (len(known) > SMALL_SOURCE and len(gone) > intake.removals * len(known)):
        raise UsageError(
            f"{len(gone)} of {len(known)} documents of source {source.name!r} are gone; nothing was changed. "
            "If a folder is not mounted, mount it; if they were deleted on purpose, add --allow-removals"
        )


def _check_recipe(intake: Intake, known: Mapping[str, Document], listed: Sequence[Listed]) -> None:
    """Two ways of cutting in one source would make its chunks incomparable."""
    cut = intake.making.cutting
    others = [document for document in known.values() if not document.recipe.endswith(f"+{cut}")]
    if others and listed and not (intake.refresh or intake.redo):
        raise UsageError(
            f"{len(others)} of {len(known)} documents were cut with other settings ({others[0].recipe}; now {cut}); "
            "add --refresh to cut them all anew, or restore the settings"
        )


@dataclass(frozen=True, slots=True)
class _Job:
    """One listed file and what is known of it."""

    entry: Listed
    before: Document | None


async def _prepared(
    intake: Intake, source: Source, listed: Sequence[Listed], known: Mapping[str, Document], tally: _Tally
) -> AsyncIterator[Revision | None]:
    """Each listed file in order: its new revision, or None when there is nothing to write."""
    loop = asyncio.get_running_loop()
    flying: deque[asyncio.Future[Revision | Skipped | Document]] = deque()
    jobs = iter(_Job(entry, known.get(entry.path)) for entry in listed)
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="ragstone-text") as pool:
        try:
            while True:
                while len(flying) < IN_FLIGHT and (job := next(jobs, None)) is not None:
                    flying.append(loop.run_in_executor(pool, _outcome, intake, source, job))
                if not flying:
                    return
                outcome = await flying.popleft()
                yield _told(outcome, known, tally)
        finally:
            for future in flying:
                future.cancel()


def _told(outcome: Revision | Skipped | Document, known: Mapping[str, Document], tally: _Tally) -> Revision | None:
    """Count what became of a file; give on what must be written."""
    if isinstance(outcome, Skipped):
        tally.skipped.append(outcome)
        return None
    if isinstance(outcome, Document):
        tally.unchanged += 1
        tally.outdated += outcome.recipe.split("+")[0] != extract.recipe(outcome.media_type)
        return None
    if outcome.document.path in known:
        tally.changed += 1
    else:
        tally.added += 1
    tally.written += len(outcome.chunks)
    tally.warnings.extend(f"{outcome.document.path}: {note}" for note in outcome.document.notes)
    return outcome


async def _batches(prepared: AsyncIterator[Revision | None]) -> AsyncIterator[tuple[list[Revision], int]]:
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


def _outcome(intake: Intake, source: Source, job: _Job) -> Revision | Skipped | Document:
    """Read and compare one file; a document that cannot be taken in is a value, not an exception."""
    entry, before = job.entry, job.before
    try:
        data = source.read(entry.path, intake.making.most_bytes)
        version = hashlib.sha256(data).hexdigest()
        if before and before.version == version and not _asked_anew(before, intake):
            return before
        return build(intake.making, source.name, entry.path, data, version=version, before=before)
    except Refused as error:
        return Skipped(entry.path, error.reason, str(error))


def _asked_anew(before: Document, intake: Intake) -> bool:
    """Whether an unchanged document is to be redone: its recipe differs and the run refreshes."""
    return intake.redo or (intake.refresh and before.recipe != intake.making.recipe(before.media_type))


# --- vectors ------------------------------------------------------------------------------------


async def _vectors(intake: Intake, tally: _Tally, tell: Tell) -> None:
    """Fill in the vectors that active chunks lack, whoever left them missing."""
    async with intake.store.writer(intake.making.scope) as writer:
        if intake.making.embedder is not None and intake.model_missing is None:
            await _fill(intake, intake.making.embedder, writer, tally, tell)
        await writer.settle()


async def _fill(intake: Intake, embedder: Embedder, writer: Writer, tally: _Tally, tell: Tell) -> None:
    async with intake.store.reader(intake.making.scope) as reader:
        total = (await reader.info()).pending_vectors
    while chunks := await writer.wanted(EMBED_AT_ONCE):
        texts = [intake.making.embedded(chunk) for chunk in chunks]
        keys = [chunk.vector_key for chunk in chunks]
        names = [f"{chunk.document.path}#{chunk.ordinal}" for chunk in chunks]
        try:
            async for places, vectors in embed_all(embedder, texts, references=names):
                await writer.put({keys[place]: vector for place, vector in zip(places, vectors, strict=True)})
        except RagstoneError as error:
            raise type(error)(f"{error} (text is searchable; the next run goes on with the vectors)") from error
        tally.embedded += len(chunks)
        tell(Event("vectors", {"done": tally.embedded, "total": max(total, tally.embedded)}))
