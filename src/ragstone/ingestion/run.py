"""The way in: source → extract → chunk → guard → store as text, then embed → store as vectors.

A run compares every document by the sha256 of its bytes, replaces what changed as a whole, removes what vanished from
the source that was walked, and only then fills in the vectors that are missing: text is searchable in seconds. After
any interruption, the next run continues from the committed state.
"""

import asyncio
import logging
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from ragstone.core.errors import StoreError, Unavailable, UsageError
from ragstone.core.ports import Embedder, Ledger, RecallingSource, Source, Vectors, Writer
from ragstone.core.records import Info, Run
from ragstone.core.types import Revision
from ragstone.ingestion import artifacts, chat_people, enrichment, safeguards, workers
from ragstone.ingestion.artifacts import ArtifactPlaces, ArtifactStore
from ragstone.ingestion.comparison import Comparison, compare_files
from ragstone.ingestion.document_jobs import (
    JobList,
    UnderWay,
    batch_revisions,
    count_changed_bytes,
    drop_unreadable_pictures,
    warn_of_missing_grammars,
)
from ragstone.ingestion.document_list import DocumentList
from ragstone.ingestion.file_stamps import load_stamps, open_stamps, recall_notes, save_stamps
from ragstone.ingestion.listing import Listing, tell_listing
from ragstone.ingestion.local_stamps import find_file_memory
from ragstone.ingestion.moves import Moves, find_moves
from ragstone.ingestion.outdated_editions import renew_outdated, was_renewed
from ragstone.ingestion.progress import EventCallback, Progress, Tally, record_unlisted
from ragstone.ingestion.ray_stages import prepare_here_or_on_ray
from ragstone.ingestion.removals import check_gone
from ragstone.ingestion.run_context import RunContext
from ragstone.ingestion.sparse_vectors import check_held_model, update_sparse_index
from ragstone.ingestion.vectors import fill_vectors
from ragstone.ingestion.written_vectors import update_written_vectors

log = logging.getLogger("ragstone")
REMOVED_AT_ONCE = 1024  # documents in one commit


async def run_ingestion(context: RunContext, source: Source, *, tell: EventCallback = lambda _event: None) -> Run:
    """Bring the store in line with one source; returns the finished run.

    `tell` gets `text` and `vectors` events with done and total, and `listed` ones, whose total is None until all is
    listed, where that takes long. Raises `UsageError` when the run would remove too much or mix two ways of chunking,
    `Busy` when the source is being ingested already; documents that cannot be ingested are listed in the run's stats.
    """
    tally = Tally()
    if isinstance(source, RecallingSource):
        source.recall(await _recall_files(context, source.name), tell_listing(tell, "pages"))
    await recall_notes(context, source)
    try:
        listed = await tally.list_in_thread(source, tell_listing(tell, "listed"))
    except Unavailable as error:
        if not context.keep_going:
            raise
        return await record_unlisted(context.store, context.builder.scope, source.name, tally, error)
    context = await _prepare_collection(context, source, listed, tally)
    ledger = context.store.ledger(context.builder.scope)
    where = await artifacts.find_artifact_places(
        context.store, context.builder.scope, configured=context.builder.artifacts
    )
    artifact_store = await _open_artifacts(context, where)
    config = {**_run_config(context, artifact_store), artifacts.BEFORE: where.config}
    progress = Progress(ledger, source.name, config=config, tally=tally, tell=tell)
    if context.model_missing:
        tally.warnings.append(f"no vectors were made, search is by keyword only: {context.model_missing}")
    async with progress.record_run():
        if artifact_store is not None:
            artifact_store = await artifacts.seal_anew(context.store, artifact_store)
            artifact_store = await asyncio.to_thread(artifact_store.put_claim)
        before = await _update_text(context, source, listed, ledger, tally, progress, artifact_store)
        if context.chosen is None or not (context.current or was_renewed(context, source.name)):
            await renew_outdated(context.store, context.builder.scope, source.name, tally, progress)
        await _update_vectors(context, tally, progress)
        await update_sparse_index(context, tally, progress)
        if context.flush:
            progress.begin_stage("artifacts")
            where = where if artifact_store is None else where.add_claim(artifact_store.claim)
            await _sweep_artifacts(context, source, tally, where, before)
    return await progress.end("succeeded")


async def _recall_files(context: RunContext, source: str) -> Mapping[str, Sequence[Any]]:
    """What the last run noted of a source's files; nothing where all are to be read."""
    new = not await context.store.admin.exists(context.builder.scope)
    if new or context.checksum or context.refresh:
        return {}
    memory = await find_file_memory(context.store, context.builder.scope, context.stamps_folder)
    rows = load_stamps(await memory.recall_files(source)) if memory is not None else ()
    return {path: stamp for path, *stamp in rows}


async def _prepare_collection(context: RunContext, source: Source, listed: Listing, tally: Tally) -> RunContext:
    """Make the collection on its first run, when there is something to put in; else check that this run fits it, and
    keep its chunking and the arithmetic of its vectors."""
    admin, scope = context.store.admin, context.builder.scope
    nothing = f"no documents found in source {source.name!r}: it is empty, or the rules exclude everything"
    if await admin.exists(scope):
        info = await _read_info(context)
        _check_model(context, info)
        await check_held_model(context)
        tally.warnings += await context.describe_kept_variant(info)
        context = context.fit_collection(info)
        if not listed and not tally.skipped:
            tally.warnings.append(nothing)
    elif not listed:
        first = f" ({len(tally.skipped)} skipped, first: {tally.skipped[0].message})" if tally.skipped else ""
        raise UsageError(nothing + first)
    model = context.builder.model
    await admin.create(
        scope,
        model=model.name if model else None,
        variant=context.builder.variant,
        dimension=model.dimension if model else None,
    )
    return context


async def _read_info(context: RunContext) -> Info:
    async with context.store.reader(context.builder.scope) as reader:
        return await reader.info()


def _check_model(context: RunContext, info: Info) -> None:
    """A collection with vectors takes no documents without: semantic search would never find them."""
    if info.model is not None and context.builder.model is None:
        raise UsageError(
            f"collection {context.builder.scope.collection!r} holds vectors of {info.model}; a run without a model "
            "would leave its documents out of semantic search: name the model, or use another --collection"
        )


async def _open_artifacts(context: RunContext, where: ArtifactPlaces) -> ArtifactStore | None:
    uri = context.builder.artifacts
    return await artifacts.open_artifact_store(context.store, context.builder.scope, uri, where) if uri else None


def _run_config(context: RunContext, artifact_store: ArtifactStore | None) -> dict[str, Any]:
    return {
        "chunker": context.builder.chunker_setup.chunker.recipe,
        "model": context.builder.model.name if context.builder.model else None,
        "prefix": context.builder.prefix,
        "refresh": context.refresh,
        "root": context.root,
        "place": context.place,
        "artifacts": artifact_store.config if artifact_store else None,
        "flushed": context.flush,
    }


# --- text ---------------------------------------------------------------------------------------


async def _update_text(
    context: RunContext,
    source: Source,
    listed: Listing,
    ledger: Ledger,
    tally: Tally,
    progress: Progress,
    artifact_store: ArtifactStore | None,
) -> list[str]:
    """Compare, replace, remove; gives the ids of the documents that there were, in a run of chosen files."""
    progress.begin_stage("text")
    lacking = await _find_missing_artifacts(context, artifact_store, tally)
    stamps = await open_stamps(context, source.name, now=tally.listed_at)
    found = await compare_files(
        context, source.name, ledger, listed, stamps=stamps, lacking=lacking, skipped=tally.skipped
    )
    if found.known and context.root is not None:
        await safeguards.check_root(context.root, source.name, ledger)
    moves = await _find_moves(context, source, listed, ledger, found)
    if listed:
        cutting = context.builder.chunking_recipe
        tally.warnings += safeguards.check_other_sources(found.others, cutting, refresh=context.refresh)
        if not context.refresh:
            safeguards.check_chunking(found.own, cutting)
    tally.count_unchanged(found.unchanged, outdated=found.outdated)
    jobs = await _choose_jobs(context, found.jobs, moves, tally)
    context = await asyncio.to_thread(chat_people.learn_people, context, source, jobs)
    size = count_changed_bytes(jobs, context)
    async with context.store.writer(context.builder.scope) as writer:
        done = len(listed) - len(jobs)
        with workers.open_worker_pool(context.builder, source.name, size=size, processes=context.processes) as pool:
            under_way = UnderWay()
            prepared = prepare_here_or_on_ray(pool, context, source, jobs, tally, artifact_store, stamps, under_way)
            prepared = enrichment.enrich_revisions(context, prepared, under_way.before, tally)
            async for revisions, passed in batch_revisions(prepared):
                await _write_batch(writer, revisions, under_way.vectors, tally, moves)
                done += passed
                await progress.report_stage("text", done=done, total=len(listed))
        await _remove_gone(writer, found.gone, moves, tally)
    await save_stamps(context, source, stamps)
    if tally.outdated:
        tally.warnings.append(
            f"{tally.outdated} documents were extracted by an earlier version; run with --refresh to redo them"
        )
    return [] if context.chosen is None else found.list_touched()


async def _write_batch(
    writer: Writer, revisions: Sequence[Revision], vectors: dict[str, Vectors], tally: Tally, moves: Container[str]
) -> None:
    if revisions:
        await writer.replace(revisions)
        tally.count_written(revisions, moves)
    if vectors:
        await writer.put(vectors)
        tally.embedded += len(vectors)
        vectors.clear()


async def _choose_jobs(context: RunContext, jobs: JobList, moves: Moves, tally: Tally) -> JobList:
    """The files that are read, with one warning for each kind that is left out or is read in a simpler way."""
    if moves:
        jobs = JobList(replace(job, moved=moves.get(job.entry.path)) for job in jobs)
    jobs = await asyncio.to_thread(drop_unreadable_pictures, jobs, tally, named=context.named)
    warn_of_missing_grammars(jobs, tally)
    return jobs


async def _find_moves(context: RunContext, source: Source, listed: Listing, ledger: Ledger, found: Comparison) -> Moves:
    """The documents whose files moved, by their new paths; raises `UsageError` if too many of the others are gone."""
    new = (job.entry for job in found.jobs if job.before is None)
    moves = await asyncio.to_thread(find_moves, source, new, found.gone, context.builder.max_bytes)
    if not context.allow_removals and context.chosen is None:
        await check_gone(context, source.name, ledger, listed, found, moves)
    return moves


async def _remove_gone(writer: Writer, gone: DocumentList, moves: Moves, tally: Tally) -> None:
    """Remove the documents whose files are gone; one that could not be read under its new path stays."""
    kept = {moved.id for skipped in tally.skipped if (moved := moves.get(skipped.path)) is not None}
    left = (document.id for document in gone if document.id not in kept)
    while batch := list(islice(left, REMOVED_AT_ONCE)):
        await writer.remove(batch)
    tally.removed += len(gone) - len(kept) - tally.moved


# --- artifacts ----------------------------------------------------------------------------------


async def _find_missing_artifacts(context: RunContext, artifact_store: ArtifactStore | None, tally: Tally) -> set[str]:
    """The documents that a refresh rebuilds because of their artifacts."""
    if artifact_store is None or not context.refresh:
        return set()
    try:
        return await artifacts.find_missing(context.store, context.builder.scope, artifact_store.place)
    except StoreError as error:
        tally.warnings.append(f"could not check for missing artifacts: {error}")
        return set()


async def _sweep_artifacts(
    context: RunContext, source: Source, tally: Tally, where: ArtifactPlaces, before: Sequence[str]
) -> None:
    """Remove the artifacts of revisions that are gone, and what earlier runs left when they were killed; in a run of
    chosen files only those of the documents that it was about."""
    store, scope = context.store, context.builder.scope
    documents = None if context.chosen is None else before
    _, failed = await artifacts.remove_strays(store, scope, where, source=source.name, documents=documents)
    tally.warnings.extend(failed)


# --- vectors ------------------------------------------------------------------------------------


async def _update_vectors(context: RunContext, tally: Tally, progress: Progress) -> None:
    """Compute the missing vectors of active chunks, also those that earlier runs left."""
    progress.begin_stage("vectors")
    async with context.store.writer(context.builder.scope) as writer:
        if context.embedder is not None and context.model_missing is None:
            await _fill_pending(context, context.embedder, writer, tally, progress)
        await update_written_vectors(context, tally, progress)  # before those of chunks that are gone go
        if context.flush:
            await writer.settle()


async def _fill_pending(
    context: RunContext, embedder: Embedder, writer: Writer, tally: Tally, progress: Progress
) -> None:
    async with context.store.reader(context.builder.scope) as reader:
        total = (await reader.info()).pending_vectors
    await fill_vectors(writer, embedder, context.builder, total=total, tally=tally, progress=progress)
