"""The way in: source → extract → chunk → guard → store as text, then embed → store as vectors.

A run compares every document by the sha256 of its bytes, replaces what changed as a whole, removes
what vanished from the source that was walked, and only then fills in the vectors that are missing:
text is searchable in seconds. Whatever stops a run, the next one goes on from what was committed.
"""

import asyncio
import hashlib
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragstone import artifacts, changes, cutting, workers
from ragstone.artifacts import Shelf
from ragstone.errors import Refused, StoreError, UsageError
from ragstone.extract import pictures
from ragstone.extract.sandbox import Apart
from ragstone.fill import fill
from ragstone.ports import Embedder, Ledger, Listed, Source, Store, Writer
from ragstone.progress import PASSED_OVER, Progress, Tally, Tell
from ragstone.revise import Making
from ragstone.types import Document, Info, Revision, Run, Skipped

IN_FLIGHT = 8  # documents read and cut ahead of the writer
BATCH_CHUNKS = 512  # a commit costs an fsync; past this many chunks the gain is gone
BATCH_SECONDS = 0.5

log = logging.getLogger("ragstone")


@dataclass(frozen=True, slots=True)
class Intake:
    """Where a run writes, what makes and embeds its documents, and how it behaves.

    `removals` is the share of a source's documents that may vanish unasked; `model_missing` says why
    there is no embedder though one was wanted; `root` tells two roots of one name apart,
    `place` is where the source's files stand; `apart` are the processes that read foreign formats, else the
    run has its own. `named`: the source is one file, which is read whatever it is; pictures that lie in a folder are
    passed over where they are small or nothing can read them. `counts`: how other models count tokens, and how many
    they read, for collections that were cut for one of them.
    """

    store: Store
    making: Making
    embedder: Embedder | None = None
    refresh: bool = False
    allow_removals: bool = False
    removals: float = 0.5
    model_missing: str | None = None
    root: str | None = None
    place: str | None = None
    apart: Apart | None = None
    named: bool = False
    counts: cutting.Counts = ()


async def ingest(intake: Intake, source: Source, *, tell: Tell = lambda _event: None) -> Run:
    """Bring the store in line with one source; returns the finished run.

    `tell` hears `text` and `vectors` events with done and total. Raises `UsageError` when the run
    would remove too much or mix two ways of cutting, `Busy` when the source is being ingested
    already; a document that cannot be taken in is listed in the run's stats and the run goes on.
    """
    tally = Tally()
    listed = await asyncio.to_thread(tally.surveyed, source)
    intake = await _open(intake, source, listed, tally)
    ledger = intake.store.ledger(intake.making.scope)
    shelf = await _shelf(intake)
    progress = Progress(ledger, source.name, config=_config(intake, shelf), tally=tally, tell=tell)
    if intake.model_missing:
        tally.warnings.append(f"no vectors were made, search is by keyword only: {intake.model_missing}")
    async with progress.recorded():
        shelf = await asyncio.to_thread(shelf.claimed) if shelf else None
        await _text(intake, source, listed, ledger, tally, progress, shelf)
        await _vectors(intake, tally, progress)
        await _sweep(intake, source, tally)
    return await progress.end("succeeded")


async def _open(intake: Intake, source: Source, listed: Sequence[Listed], tally: Tally) -> Intake:
    """Make the collection on its first run, when there is something to put in; else check that this run fits it, and
    cut as it is cut."""
    admin, scope, model = intake.store.admin, intake.making.scope, intake.making.model
    if await admin.exists(scope):
        info = await _info(intake)
        _check_model(intake, info)
        making = intake.making if intake.refresh else cutting.as_cut(intake.making, info, intake.counts)
        intake = replace(intake, making=making)
    elif not listed:
        raise UsageError(
            f"no documents found in source {source.name!r}: it is empty, or the rules leave nothing of it"
            + (f" ({len(tally.skipped)} skipped, first: {tally.skipped[0].message})" if tally.skipped else "")
        )
    await admin.create(
        scope,
        model=model.name if model else None,
        variant=intake.making.variant,
        dimension=model.dimension if model else None,
    )
    return intake


async def _info(intake: Intake) -> Info:
    async with intake.store.reader(intake.making.scope) as reader:
        return await reader.info()


def _check_model(intake: Intake, info: Info) -> None:
    """A collection with vectors takes no documents without: semantic search would never find them."""
    if info.model is not None and intake.making.model is None:
        raise UsageError(
            f"collection {intake.making.scope.collection!r} holds vectors of {info.model}; a run without a model would "
            "leave its documents out of semantic search: name the model, or use another --collection"
        )


async def _shelf(intake: Intake) -> Shelf | None:
    uri = intake.making.artifacts
    return await artifacts.opened(intake.store, intake.making.scope, uri) if uri else None


def _config(intake: Intake, shelf: Shelf | None) -> dict[str, Any]:
    return {
        "chunker": intake.making.cutter.chunker.recipe,
        "model": intake.making.model.name if intake.making.model else None,
        "prefix": intake.making.prefix,
        "refresh": intake.refresh,
        "root": intake.root,
        "place": intake.place,
        "artifacts": shelf.config if shelf else None,
    }


# --- text ---------------------------------------------------------------------------------------


async def _text(
    intake: Intake,
    source: Source,
    listed: Sequence[Listed],
    ledger: Ledger,
    tally: Tally,
    progress: Progress,
    shelf: Shelf | None,
) -> None:
    """Compare, replace, remove."""
    stored = await ledger.documents()
    known = {document.path: document for document in stored if document.source == source.name}
    if known and intake.root is not None:
        await changes.check_root(intake.root, source.name, ledger)
    gone = changes.vanished(known, listed, tally.skipped)
    if not intake.allow_removals:
        changes.check_removals(source.name, gone, known, share=intake.removals)
    if listed:
        beside = [d for d in stored if d.source != source.name and not _wants_vectors(d, intake)]
        tally.warnings += changes.cut_beside(intake.making.cutting, beside, refresh=intake.refresh)
    if listed and not intake.refresh:
        kept = {path: document for path, document in known.items() if not _wants_vectors(document, intake)}
        changes.check_cutting(intake.making.cutting, kept)
    lacking = await _lacking(intake, shelf, tally)
    jobs = [
        _Job(entry, before := known.get(entry.path), before is not None and before.id in lacking) for entry in listed
    ]
    jobs = jobs if intake.named else await asyncio.to_thread(_readable, jobs, tally)
    size = sum(job.entry.size for job in jobs if _looks_changed(job, intake))
    async with intake.store.writer(intake.making.scope) as writer:
        done = 0
        with workers.opened(intake.making, source.name, size=size, apart=intake.apart) as shop:
            async for revisions, passed in _batches(_prepared(shop, intake, source, jobs, tally, shelf)):
                if revisions:
                    await writer.replace(revisions)
                    tally.wrote(revisions)
                done += passed
                await progress.at("text", done=done, total=len(jobs))
        if gone:
            await writer.remove([document.id for document in gone])
            tally.removed += len(gone)
    if tally.outdated:
        tally.warnings.append(
            f"{tally.outdated} documents were extracted by an earlier version; run with --refresh to redo them"
        )


@dataclass(frozen=True, slots=True)
class _Job:
    """One listed file and what is known of it; `lacking`: its artifact is wanted and not there."""

    entry: Listed
    before: Document | None
    lacking: bool


def _readable(jobs: list[_Job], tally: Tally) -> list[_Job]:
    """Without new pictures where nothing reads them: one line tells of all."""
    new = sum(job.before is None and pictures.is_picture(job.entry.path) for job in jobs)
    missing = pictures.unreadable() if new else ""
    if not missing:
        return jobs
    tally.passed_over += new
    what = "pictures" if new > 1 else "picture"
    tally.warnings.append(f"{new:,} {what} passed over: no OCR engine ({missing})")
    return [job for job in jobs if job.before is not None or not pictures.is_picture(job.entry.path)]


def _looks_changed(job: _Job, intake: Intake) -> bool:
    """What can be said before a file is read."""
    before = job.before
    return before is None or before.bytes != job.entry.size or job.lacking or _asked_anew(before, intake)


async def _prepared(
    shop: workers.Shop, intake: Intake, source: Source, jobs: Sequence[_Job], tally: Tally, shelf: Shelf | None
) -> AsyncIterator[Revision | None]:
    """Each listed file in order: its new revision, or None when there is nothing to write."""
    loop = asyncio.get_running_loop()
    flying: deque[tuple[_Job, asyncio.Future[Revision | Skipped | Document]]] = deque()
    left = iter(jobs)
    try:
        while True:
            while len(flying) < IN_FLIGHT and (job := next(left, None)) is not None:
                flying.append((job, loop.run_in_executor(shop.threads, _outcome, shop, intake, source, job, shelf)))
            if not flying:
                return
            job, future = flying.popleft()
            yield tally.told(await future)
    finally:
        for _, future in flying:
            future.cancel()


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


def _outcome(
    shop: workers.Shop, intake: Intake, source: Source, job: _Job, shelf: Shelf | None
) -> Revision | Skipped | Document:
    """Read and compare one file, and keep its artifact, which is there before its revision is; a document that cannot
    be taken in is a value, not an exception."""
    entry, before = job.entry, job.before
    try:
        data = source.read(entry.path, intake.making.most_bytes)
        if not (intake.named or before) and pictures.is_picture(entry.path) and pictures.is_small(data):
            return Skipped(entry.path, PASSED_OVER)
        version = hashlib.sha256(data).hexdigest()
        if before and before.version == version and not job.lacking and not _asked_anew(before, intake):
            return before
        made = shop.build(entry.path, data, version, before)
        if shelf is None or made.artifact is None:
            return made
        shelf.put(made.document, made.artifact)
        return replace(made, artifact=None)
    except Refused as error:
        return Skipped(entry.path, error.reason, str(error))
    except Exception as error:  # whatever a document does to a parser must not end the run of the others
        log.exception("%s could not be taken in", entry.path)
        return Skipped(entry.path, "broken", f"{entry.path} could not be taken in: {type(error).__name__}: {error}")


def _asked_anew(before: Document, intake: Intake) -> bool:
    """Whether an unchanged document is to be redone: for its vectors, for what the run says of all its documents,
    or for its recipe when the run refreshes."""
    making = intake.making
    said = ((making.version_label, before.version_label), (making.effective_at, before.effective_at))
    return (
        _wants_vectors(before, intake)
        or any(now is not None and now != then for now, then in said)
        or (intake.refresh and before.recipe != making.recipe(before.media_type))
    )


def _wants_vectors(before: Document, intake: Intake) -> bool:
    """Whether a document came in without a model and there is one now. Addresses of vectors stay when a collection goes
    over to another model."""
    return intake.making.address is not None and before.addressed is None


# --- artifacts ----------------------------------------------------------------------------------


async def _lacking(intake: Intake, shelf: Shelf | None, tally: Tally) -> set[str]:
    """The documents that a refresh makes anew for the sake of their artifact."""
    if shelf is None or not intake.refresh:
        return set()
    try:
        return await artifacts.missing(intake.store, intake.making.scope, shelf.place)
    except StoreError as error:
        tally.warnings.append(f"whether artifacts are missing is not known: {error}")
        return set()


async def _sweep(intake: Intake, source: Source, tally: Tally) -> None:
    """Remove the artifacts of revisions that are gone, and what earlier runs left when they were killed."""
    store, scope = intake.store, intake.making.scope
    where = await artifacts.known(store, scope, configured=intake.making.artifacts)
    _, failed = await artifacts.sweep(store, scope, where, source=source.name)
    tally.warnings.extend(failed)


# --- vectors ------------------------------------------------------------------------------------


async def _vectors(intake: Intake, tally: Tally, progress: Progress) -> None:
    """Fill in the vectors that active chunks lack, whoever left them missing."""
    async with intake.store.writer(intake.making.scope) as writer:
        if intake.embedder is not None and intake.model_missing is None:
            await _fill(intake, intake.embedder, writer, tally, progress)
        await writer.settle()


async def _fill(intake: Intake, embedder: Embedder, writer: Writer, tally: Tally, progress: Progress) -> None:
    async with intake.store.reader(intake.making.scope) as reader:
        total = (await reader.info()).pending_vectors
    await fill(writer, embedder, intake.making, total=total, tally=tally, progress=progress)
