"""The engine's verbs, waited for: for scripts, notebooks and the command line.

Nothing is written twice: each verb is the engine's own, run on one event loop in a thread of its own.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Generator
from concurrent import futures
from contextlib import suppress
from pathlib import Path
from types import AsyncGeneratorType, TracebackType
from typing import Any, NoReturn, Self

from ragstone.access import Credential
from ragstone.config.load import load
from ragstone.config.settings import Settings
from ragstone.core.answers import Event
from ragstone.core.errors import UsageError
from ragstone.core.ports import Completion, Embedder, Reranker, Store
from ragstone.engine import Engine
from ragstone.engine.arguments import PATH_KIND, check_arguments
from ragstone.engine.interruptible_call import InterruptibleCall
from ragstone.engine.pipeline import Pipeline
from ragstone.engine.waiting import R, Waiter, blocking, forwarding, iterating

CLEANUP_SECONDS = 30
CLOSED_MEANWHILE = "this collection was closed meanwhile: open it again"
POLL_SECONDS = 0.2  # a signal that another thread was given wakes nobody: whether one came is looked at so often


class BlockingPipeline(Waiter):
    """A pipeline's methods, waited for; see `ragstone.engine.pipeline`."""

    def __init__(self, knowledge: "Knowledge", pipeline: Pipeline) -> None:
        self.target = pipeline
        self.name = pipeline.name
        self._knowledge = knowledge

    def wait(self, work: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine to its end and return its result; as `Knowledge.wait` does."""
        return self._knowledge.wait(work)

    def iterate_stream(self, stream: AsyncGenerator[Event]) -> Generator[Event, None, None]:
        """Iterate over an asynchronous stream; as `Knowledge.iterate_stream` does."""
        return self._knowledge.iterate_stream(stream)

    search = blocking(Pipeline.search)
    ask = blocking(Pipeline.ask)
    context = blocking(Pipeline.context)
    explain = blocking(Pipeline.explain)
    check = blocking(Pipeline.check)
    events = iterating(Pipeline.events)


class Knowledge(Waiter):
    """An open collection. Use it in a `with`; it may be used from several threads."""

    def __init__(self, engine: Engine) -> None:
        self.engine = self.target = engine
        self._loop = asyncio.new_event_loop()
        self._closing = False
        self._calls: set[InterruptibleCall[Any]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="ragstone-loop", daemon=True)
        self._thread.start()
        try:
            self.wait(engine.sign_in())
        except BaseException:
            self.close()
            raise

    def wait(self, work: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine to its end; an interrupt cancels it, and it may tidy up before this raises.

        Raises `UsageError` when the collection is closed, or when called from its own loop (in `tell`).
        """
        self._check_usable(work)
        try:
            return self._wait_for(work)
        except futures.CancelledError as error:
            if self._closing:
                raise UsageError(CLOSED_MEANWHILE) from error
            raise

    def _check_usable(self, work: Coroutine[Any, Any, R]) -> None:
        own, closed = threading.current_thread() is self._thread, self._closing or self._loop.is_closed()
        if own or closed or self.engine.authenticator.is_of_parent:
            work.close()
            self.engine.authenticator.check_process()
            where = "this collection is closed" if closed else "this is the collection's own thread"
            raise UsageError(f"{where}: open another one to go on")

    def _wait_for(self, work: Coroutine[Any, Any, R]) -> R:
        call = InterruptibleCall(work)
        try:
            self._calls.add(call)
            self._loop.call_soon_threadsafe(call.begin)
            while not call.wait(POLL_SECONDS):
                if self._loop.is_closed():
                    raise UsageError(CLOSED_MEANWHILE)
        except BaseException:
            if not call.ended:
                # A run is marked interrupted and its lock given back before this thread goes on.
                with suppress(RuntimeError):  # the loop is closed
                    self._loop.call_soon_threadsafe(call.give_up)
                    call.wait(CLEANUP_SECONDS)
            raise
        finally:
            self._calls.discard(call)
        return call.result()

    def _give_up_calls(self) -> None:
        """End the calls of other threads: a run is marked interrupted and its lock given back. Other tasks of the loop,
        such as those of a pool of connections, end with the engine."""
        calls = list(self._calls)
        for call in calls:
            self._loop.call_soon_threadsafe(call.give_up)
        for call in calls:
            call.wait(CLEANUP_SECONDS)

    def __reduce__(self) -> NoReturn:
        raise UsageError("an open collection cannot be pickled: open it again in the other process")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Cancel calls of other threads, which raise `UsageError`, then close the engine and its loop; a second call
        does nothing, nor does one in a fork."""
        if self._closing or self._loop.is_closed() or self.engine.authenticator.is_of_parent:
            return
        self._closing = True
        try:
            self._give_up_calls()
            self._wait_for(self.engine.close())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    ingest = blocking(Engine.ingest)
    ingest_source = blocking(Engine.ingest_source)
    ingest_files = blocking(Engine.ingest_files)
    ingest_texts = blocking(Engine.ingest_texts)
    watch = blocking(Engine.watch)
    flush = blocking(Engine.flush)
    invalidate = blocking(Engine.invalidate)
    is_dirty = blocking(Engine.is_dirty)
    search = blocking(Engine.search)
    ask = blocking(Engine.ask)
    context = blocking(Engine.context)
    explain = blocking(Engine.explain)
    chunk = blocking(Engine.chunk)
    get = blocking(Engine.get)
    record = blocking(Engine.record)
    page = blocking(Engine.page)
    original = blocking(Engine.original)
    info = blocking(Engine.info)
    documents = blocking(Engine.documents)
    delete = blocking(Engine.delete)
    runs = blocking(Engine.runs)
    collections = blocking(Engine.collections)
    create = blocking(Engine.create)
    exists = blocking(Engine.exists)
    drop = blocking(Engine.drop)
    copy = blocking(Engine.copy)
    backup = blocking(Engine.backup)
    reembed = blocking(Engine.reembed)
    models = blocking(Engine.models)
    switch_model = blocking(Engine.switch_model)
    drop_model = blocking(Engine.drop_model)
    check_chunking = blocking(Engine.check_chunking)
    doctor = blocking(Engine.doctor)
    check_settings = blocking(Engine.check_settings)
    tenants = blocking(Engine.tenants)
    erase_tenant = blocking(Engine.erase_tenant)
    rotate = blocking(Engine.rotate)
    encrypt = blocking(Engine.encrypt)
    create_key = blocking(Engine.create_key)
    keys = blocking(Engine.keys)
    revoke_key = blocking(Engine.revoke_key)
    jobs = blocking(Engine.jobs)
    find_job = blocking(Engine.find_job)
    retry_job = blocking(Engine.retry_job)
    drop_job = blocking(Engine.drop_job)

    pipelines = forwarding(Engine.pipelines)
    extract = forwarding(Engine.extract)
    preview = forwarding(Engine.preview)
    events = iterating(Engine.events)

    def pipeline(self, name: str) -> BlockingPipeline:
        """The pipeline of this name, waited for; raises `UsageError` that names those that there are."""
        return BlockingPipeline(self, self.engine.pipeline(name))

    def iterate_stream(self, stream: AsyncGenerator[Event]) -> Generator[Event, None, None]:
        """The events of a stream, each waited for."""
        try:
            while (event := self.wait(_next_event(stream))) is not None:
                yield event
        finally:
            if not self._closing:  # with the collection, the stream was given back too
                self.wait(_close_stream(stream))


async def _next_event(stream: AsyncGenerator[Event]) -> Event | None:
    return await anext(stream, None)


async def _close_stream(stream: AsyncGenerator[Event]) -> None:
    if isinstance(stream, AsyncGeneratorType) and stream.ag_running:
        return  # a second interrupt came before it had ended: it ends by itself
    await stream.aclose()


@check_arguments(path=PATH_KIND)
def open(  # noqa: A001  # ragstone.open reads like what it is
    path: str | Path | None = None,
    *,
    settings: Settings | None = None,
    store: Store | None = None,
    embedder: Embedder | None = None,
    completion: Completion | None = None,
    reranker: Reranker | None = None,
    credential: Credential | None = None,
    **options: Any,
) -> Knowledge:
    """A collection to ingest into and to ask: `with ragstone.open("./store") as kb: …`.

    `path` is a folder or a store URL (default: as configured, `./.ragstone`); `options` are top-level
    settings such as `collection="manuals"` or `key="rag_…"`. Own store, embedder, language model and reranker may be
    handed in, and a `credential` of somebody whom your program knows already.
    """
    models = {"embedder": embedder, "completion": completion, "reranker": reranker}
    return Knowledge(_make_engine(path, settings, options, {**models, "store": store, "credential": credential}))


@check_arguments(path=PATH_KIND)
def open_async(
    path: str | Path | None = None,
    *,
    settings: Settings | None = None,
    store: Store | None = None,
    embedder: Embedder | None = None,
    completion: Completion | None = None,
    reranker: Reranker | None = None,
    credential: Credential | None = None,
    **options: Any,
) -> Engine:
    """Open a collection whose methods are coroutines: `async with ragstone.open_async("./store") as kb: await
    kb.ask("…")`.

    It takes the arguments of `open`.
    """
    models = {"embedder": embedder, "completion": completion, "reranker": reranker}
    return _make_engine(path, settings, options, {**models, "store": store, "credential": credential})


def _make_engine(
    path: str | Path | None, settings: Settings | None, options: dict[str, Any], parts: dict[str, Any]
) -> Engine:
    if settings is not None and options:
        raise UsageError(f"settings and {min(options)} are both given: put {min(options)} into the settings")
    settings = settings or load(store=None if path is None else str(path), **options)
    return Engine(settings, **parts)
