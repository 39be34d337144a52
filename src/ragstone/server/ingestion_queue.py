"""Jobs of clients that do not wait: kept in the store, worked on in the background, tried again, or dead."""

import asyncio
import contextlib
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from ragstone.access import Permission
from ragstone.config.settings import Settings
from ragstone.core.errors import (
    ConfigError,
    DiskFull,
    RagstoneError,
    Refused,
    SourceNotReady,
    StoreError,
    StoreNotReady,
    StoreTooNew,
    Unavailable,
    UsageError,
)
from ragstone.core.ports import Job, JobQueue, QueueingStore
from ragstone.core.types import Scope
from ragstone.engine import Engine
from ragstone.engine.engine_pool import EnginePool
from ragstone.engine.verbs.jobs import NO_QUEUE
from ragstone.server.errors import describe_error
from ragstone.server.metrics import Metrics
from ragstone.server.uploads import Uploads

log = logging.getLogger("ragstone")

RENEWALS = 3  # of a claim, in the time that it lasts
POLL_SECONDS = 1.0  # other processes queue jobs too, and waits for another try end
AWAY_SECONDS = 10.0  # while the store does not answer
LONGEST_PAUSE = 300.0  # seconds between two tries
KEPT_SECONDS = 86_400.0  # how long clients can ask for a job that is done
SWEEP_SECONDS = 3600.0


# A job waits until these pass, however long that takes: for a newer server, for room on the disk.
WAITED_FOR = (StoreTooNew, DiskFull)


class QueueHost(Protocol):
    """The part of a server's state that jobs need."""

    @property
    def settings(self) -> Settings: ...

    @property
    def pool(self) -> EnginePool: ...

    @property
    def uploads(self) -> Uploads: ...

    @property
    def metrics(self) -> Metrics: ...

    def hold(self) -> AbstractAsyncContextManager[None]: ...


class IngestionQueue:
    """The jobs of a server; `clock` gives seconds since 1970."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._wake = asyncio.Event()
        self._swept = 0.0

    async def enqueue(self, state: QueueHost, engine: Engine, path: str | None, file: Path | None = None) -> Job:
        """Accept a job: when this returns, it is durable. `file` is the received document for `path`.

        Raises `QueueFull`, and `Forbidden` for a caller who may not write.
        """
        await engine.admit(Permission.WRITE, what="ingestion")
        queue = find_queue(engine)
        if queue is None:
            raise UsageError(NO_QUEUE)
        now = self._clock()
        job = Job(str(uuid.uuid4()), engine.scope.tenant, engine.scope.collection, path, now, due=now)
        if file is not None:
            await state.uploads.keep_waiting(engine.scope, job.id, file)
        try:
            gone = await queue.add(job, most=state.settings.serve.jobs)
        except BaseException:
            await asyncio.shield(state.uploads.discard_waiting(engine.scope, [job.id]))
            raise
        await state.uploads.discard_waiting(engine.scope, gone)
        self._wake.set()
        return job

    async def supersede(self, state: QueueHost, engine: Engine, path: str) -> None:
        """A newer request decides about a document: older jobs for it are not worked on any more. Raises `Forbidden`
        for a caller who may not write."""
        await engine.admit(Permission.WRITE, what="ingestion")
        queue = find_queue(engine)
        if queue is not None:
            scope = engine.scope
            gone = await queue.supersede(scope.tenant, scope.collection, path, now=self._clock())
            await state.uploads.discard_waiting(scope, gone)

    def wake_up(self) -> None:
        """A job may be due."""
        self._wake.set()

    @asynccontextmanager
    async def work(self, find: Callable[[], QueueHost]) -> AsyncGenerator[None]:
        """Work on jobs while the block runs; `find` gives the state in force. Jobs that are cut off at its end are
        queued again."""
        tasks = [asyncio.ensure_future(self._loop(find)) for _ in range(find().settings.serve.job_workers)]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _loop(self, find: Callable[[], QueueHost]) -> None:
        said, own = "", asyncio.current_task()
        while True:
            self._wake.clear()
            pause = POLL_SECONDS
            try:
                state = find()
                async with state.hold():
                    while await self._work_once(state):
                        pass
            except Exception as error:  # the store is away, or another state is in force by now
                pause = AWAY_SECONDS
                if str(error) != said:
                    said = str(error)
                    log.warning("jobs cannot be worked on now: %s", error)
            if own is not None and own.cancelling():  # `wait_for` loses a cancellation that comes with its result
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._wake.wait()

    async def _work_once(self, state: QueueHost) -> bool:
        """Work on one job; False when none is due."""
        serve = state.settings.serve
        is_time = self._clock() - self._swept > SWEEP_SECONDS
        if is_time:  # whatever the state of the store that keeps the jobs
            self._swept = self._clock()
            await self._sweep_uploads(state)
        queue = find_queue(await state.pool.open(trusted=True))
        if queue is None:
            return False
        if is_time:
            await self._forget_ended(state, queue)
        now = self._clock()
        job = await queue.take(now=now, lease=now + serve.job_lease, tries=serve.job_tries)
        if job is None:
            return False
        working = asyncio.ensure_future(self._run_job(state, job))
        holding = asyncio.ensure_future(self._hold(queue, job, serve.job_lease))
        try:
            await asyncio.wait({working, holding}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():  # it is another worker's by now
                await _end(working)
                return True
        except asyncio.CancelledError:
            await _end(working)
            await asyncio.shield(queue.finish(job, replace(job, tries=job.tries - 1, status="queued", due=now)))
            raise
        finally:
            holding.cancel()
        ended = await queue.finish(job, working.result())
        state.metrics.jobs_finished.labels(ended.status).inc()
        if ended.status in ("done", "superseded"):
            await state.uploads.discard_waiting(Scope(job.tenant, job.collection), [job.id])
        return True

    async def _hold(self, queue: JobQueue, job: Job, lease: float) -> None:
        """Tell the store now and then that this job is worked on; ends when it is another worker's."""
        while True:
            await asyncio.sleep(lease / RENEWALS)
            with contextlib.suppress(StoreError):
                if not await queue.renew(job, lease=self._clock() + lease):
                    return

    async def _run_job(self, state: QueueHost, job: Job) -> Job:
        """The job as it ended: done, dead, or queued for another try."""
        serve = state.settings.serve
        try:
            engine = await state.pool.open(tenant=job.tenant, collection=job.collection, trusted=True)
            if job.path is None:
                runs = await engine.ingest()
                state.metrics.observe_runs(runs)
                if away := [run.stats["warnings"][-1] for run in runs if run.status == "failed"]:
                    raise Unavailable("; ".join(away))  # the others are up to date: another try costs little
            else:
                await state.uploads.add_waiting(engine, job.id, job.path)
        except Exception as error:
            problem = describe_error(error)
            failed = replace(job, code=problem.code, message=problem.message)
            now, pause = self._clock(), find_pause(job.tries, first=serve.job_pause)
            if isinstance(error, WAITED_FOR):
                return replace(failed, status="queued", tries=job.tries - 1, due=now + AWAY_SECONDS)
            if _is_for_good(error) or job.tries >= serve.job_tries:
                return replace(failed, status="dead", finished=now)
            return replace(failed, status="queued", due=now + pause)
        return replace(job, status="done", finished=self._clock(), code=None, message=None)

    async def _sweep_uploads(self, state: QueueHost) -> None:
        """Settle uploads of servers that were killed."""
        with contextlib.suppress(RagstoneError, OSError):  # it stays for the next time
            await state.uploads.sweep(state.pool)

    async def _forget_ended(self, state: QueueHost, queue: JobQueue) -> None:
        """Forget jobs that ended long ago, and files that no job has."""
        await queue.prune(before=self._clock() - KEPT_SECONDS)
        await state.uploads.sweep_waiting(frozenset(await queue.list_ids()))


async def _end(working: "asyncio.Task[Job]") -> None:
    working.cancel()
    await asyncio.wait({working})


def find_queue(engine: Engine) -> JobQueue | None:
    """The queue of an engine's store; None for a store that keeps none."""
    return engine.store.jobs if isinstance(engine.store, QueueingStore) else None


def find_pause(tries: int, *, first: float) -> float:
    """Seconds before the next try after this number of them."""
    return float(min(first * 2 ** (tries - 1), LONGEST_PAUSE))


def _is_for_good(error: Exception) -> bool:
    """Whether another try would fail as well: the document, or the request, is what is wrong."""
    return isinstance(error, Refused | UsageError) and not isinstance(
        error, ConfigError | SourceNotReady | StoreNotReady
    )
