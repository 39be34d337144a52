"""The stages of an ingestion on Ray Data: other machines read, chunk and embed; this process compares and writes.

Workers only compute: one that dies is replaced, and its documents are made again. Each is written once, here.
"""

import asyncio
import logging
import pickle
from collections.abc import AsyncIterator, Generator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

from ragstone.core.errors import RagstoneError, Unavailable, UsageError
from ragstone.core.ports import Embedder, Source, Vectors
from ragstone.core.records import Skipped
from ragstone.core.types import Document, Revision
from ragstone.extraction import sandbox
from ragstone.ingestion.artifacts import ArtifactStore
from ragstone.ingestion.build_revision import RevisionBuilder
from ragstone.ingestion.document_jobs import (
    DocumentJob,
    JobList,
    Outcome,
    UnderWay,
    catch_failures,
    keep_artifact,
    make_document,
    prepare_revisions,
)
from ragstone.ingestion.file_stamps import FileStamps
from ragstone.ingestion.progress import Tally
from ragstone.ingestion.run_context import Cluster, RunContext
from ragstone.ingestion.workers import WorkerPool
from ragstone.ingestion.workers.child_pool import build_in_process
from ragstone.providers.batching import embed_all

BATCH = 4  # documents that a worker takes at once: what its death costs is made again
MISSING = "Ray is not installed: pip install 'ragstone[ray]'"
Batch = dict[str, Any]  # columns of pickles, as Ray Data hands them on


@dataclass(frozen=True, slots=True)
class PortableRules:
    """The rules that workers get; implements `DocumentRules`."""

    builder: RevisionBuilder
    named: bool
    refresh: bool
    enrichment: str | None


@dataclass(frozen=True, slots=True)
class _Made:
    """One document as it comes from the workers."""

    outcome: Outcome
    vectors: dict[str, Vectors]


def prepare_here_or_on_ray(
    pool: WorkerPool,
    context: RunContext,
    source: Source,
    jobs: JobList,
    tally: Tally,
    artifact_store: ArtifactStore | None,
    stamps: FileStamps,
    under_way: UnderWay,
) -> AsyncIterator[Revision | None]:
    """The revisions to write; `under_way` gets what comes with them."""
    if context.cluster is None:
        return prepare_revisions(pool, context, source, jobs, tally, artifact_store, stamps, under_way)
    return prepare_on_ray(context, source, jobs, tally, artifact_store, stamps, under_way)


async def prepare_on_ray(
    context: RunContext,
    source: Source,
    jobs: JobList,
    tally: Tally,
    artifact_store: ArtifactStore | None,
    stamps: FileStamps,
    under_way: UnderWay,
) -> AsyncIterator[Revision | None]:
    """As `prepare_revisions`; the vectors of the chunks of a revision are there when it is given.

    Raises `UsageError` where Ray is missing, no cluster answers, or the source is none that other machines can read.
    """
    assert context.cluster is not None  # who calls this looked
    if not jobs:
        return
    made = await asyncio.to_thread(_start_stages, context, context.cluster, source, jobs)
    try:
        for job in jobs:
            one = await asyncio.to_thread(_read_next, made, job)
            outcome = one.outcome
            if isinstance(outcome, Revision) and outcome.artifact is not None:
                keep = partial(keep_artifact, outcome, artifact_store)
                outcome = await asyncio.to_thread(catch_failures, context, job, keep)
            if not isinstance(outcome, Skipped):
                stamps.note(job.entry, (outcome if isinstance(outcome, Document) else outcome.document).version)
            under_way.vectors.update(one.vectors)
            yield under_way.keep_before(job, tally.count_outcome(outcome), context)
    finally:
        await asyncio.to_thread(made.close)


def _read_next(rows: Generator[Batch], job: DocumentJob) -> _Made:
    try:
        # All that is unpickled here comes from workers that this run started.
        made: _Made = pickle.loads(next(rows)["made"])  # noqa: S301
        return made
    except Exception as error:  # Ray has many of its own
        raise Unavailable(f"Ray gave no result for {job.entry.path}: {type(error).__name__}: {error}") from error


def _start_stages(context: RunContext, cluster: Cluster, source: Source, jobs: JobList) -> Generator[Batch]:
    """The documents in the order of the jobs.

    The connection to Ray stays for the next run of this process: Ray Data mixes up the objects of two connections.
    """
    try:
        import ray
        from ray import cloudpickle
    except ModuleNotFoundError as error:
        raise UsageError(MISSING) from error
    rules = PortableRules(context.builder, context.named, context.refresh, context.enrichment)
    embeds = cluster.make_embedder if context.embedder is not None and context.model_missing is None else None
    try:
        packed = cloudpickle.dumps((rules, source, embeds))
    except Exception as error:  # a class of the caller's own may refuse in any way
        raise UsageError(f"source {source.name!r} or its embedder cannot be sent to other machines: {error}") from error
    if not ray.is_initialized():
        _connect(cluster.address)
    data_context = ray.data.DataContext.get_current()
    for name in ("ray", "ray.data"):  # after the line above, which sets them
        logging.getLogger(name).setLevel(logging.ERROR)  # a run has a progress of its own
    data_context.execution_options.preserve_order = True
    data_context.enable_progress_bars = False
    rows = [{"job": pickle.dumps(job)} for job in jobs]
    stages = ray.data.from_items(rows, override_num_blocks=max(1, len(rows) // BATCH))
    stages = stages.map_batches(partial(build_batch, packed=packed), batch_size=BATCH)
    if embeds is not None:
        stages = stages.map_batches(partial(embed_batch, packed=packed), batch_size=BATCH)
    return _read_rows(stages)


def _connect(address: str) -> None:
    """Connect to a cluster, in a thread that stays: processes that Ray starts end with the thread that started them."""
    import ray

    outcome: SimpleQueue[Exception | None] = SimpleQueue()

    def connect_and_stay() -> None:
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
            with suppress(ImportError):  # it would print the failures that it mends on stdout, among the data
                vars(import_module("ray._private.worker"))["_worker_logs_enabled"] = False
        except Exception as error:  # it has many of its own
            outcome.put(error)
        else:
            outcome.put(None)
            Event().wait()

    Thread(target=connect_and_stay, name="ragstone-ray", daemon=True).start()
    if (error := outcome.get()) is not None:
        raise UsageError(f"no Ray cluster answers at {address!r:.80}: {error}") from error


def _read_rows(stages: Any) -> Generator[Batch]:
    rows = iter(stages.iter_rows())
    try:
        yield from rows
    finally:
        if isinstance(rows, Generator):
            rows.close()


def build_batch(batch: Batch, *, packed: bytes) -> Batch:
    """On a worker: read, extract and chunk documents."""
    rules, source, _ = _unpack(packed)
    build = build_in_process(rules.builder, source.name, _find_sandbox())
    made = []
    for row in batch["job"]:
        job: DocumentJob = pickle.loads(row)  # noqa: S301  # of the process that began the run
        outcome = catch_failures(rules, job, partial(make_document, build, rules, source, job))
        made.append(pickle.dumps(_Made(outcome, {})))
    return {"made": made}


def embed_batch(batch: Batch, *, packed: bytes) -> Batch:
    """On a worker: embed the chunks of documents. Where that fails, the run embeds them itself, with the reason."""
    rules, _, _ = _unpack(packed)
    made: list[_Made] = [pickle.loads(row) for row in batch["made"]]  # noqa: S301  # of another worker of this run
    for one in made:
        if isinstance(one.outcome, Revision):
            try:
                one.vectors.update(asyncio.run(_embed(_find_embedder(packed), rules.builder, one.outcome)))
            except RagstoneError:
                continue
    return {"made": [pickle.dumps(one) for one in made]}


async def _embed(embedder: Embedder, builder: RevisionBuilder, revision: Revision) -> dict[str, Vectors]:
    chunks = [chunk for chunk in revision.chunks if chunk.vector_key]
    texts = [builder.format_for_embedding(chunk) for chunk in chunks]
    found: dict[str, Vectors] = {}
    async for places, vectors in embed_all(embedder, texts, unusable={}):
        found.update({chunks[place].vector_key: vector for place, vector in zip(places, vectors, strict=True)})
    return found


@cache
def _unpack(packed: bytes) -> tuple[PortableRules, Source, Any]:
    """The rules, once for each worker process."""
    unpacked: tuple[PortableRules, Source, Any] = pickle.loads(packed)  # noqa: S301  # of the process that began the run
    return unpacked


@cache
def _find_embedder(packed: bytes) -> Embedder:
    """The embedder, loaded once for each worker process."""
    embedder: Embedder = _unpack(packed)[2]()
    return embedder


@cache
def _find_sandbox() -> sandbox.Sandbox:
    return sandbox.create_sandbox()
