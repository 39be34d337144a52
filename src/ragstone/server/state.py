"""The things that all requests of a server share, and who asks."""

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, TypeVar, cast

from starlette.requests import Request

from ragstone.config.settings import Settings
from ragstone.core import waits
from ragstone.core.errors import QueueFull, Unauthorized
from ragstone.core.records import Run
from ragstone.engine import Engine
from ragstone.engine.engine_pool import EnginePool
from ragstone.server.admission import HELD_SECONDS, Admission
from ragstone.server.ingestion_queue import IngestionQueue
from ragstone.server.metrics import Metrics
from ragstone.server.rates import Rates
from ragstone.server.store_probe import StoreProbe
from ragstone.server.token_counts import TokenCounts
from ragstone.server.uploads import Uploads

R = TypeVar("R")
KEY_PREFIX = "rag_"
TOKEN_DOTS = 2


@dataclass(slots=True)
class ServerState:
    """The settings in force, the engines, and the turns of requests. `trusts_anyone`: a request without a key is
    answered for the tenant that it names."""

    settings: Settings
    pool: EnginePool
    admission: Admission
    trusts_anyone: bool
    uploads: Uploads
    tokens: TokenCounts = field(default_factory=TokenCounts)

    metrics: Metrics = field(default_factory=Metrics)
    rates: Rates = field(default_factory=lambda: Rates(None))
    queue: IngestionQueue = field(default_factory=IngestionQueue)
    probe: StoreProbe = field(default_factory=StoreProbe)

    problem: str | None = None
    """Why the configuration that was written last is not in force; None when it is."""

    _works: set[asyncio.Task[Any]] = field(default_factory=set)
    _users: int = 0
    _retired: bool = False

    def __post_init__(self) -> None:
        """Count the runs of uploads as those of sources."""
        self.uploads.count = lambda run: self.metrics.observe_runs([run])

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Stores and models stay open while the block runs."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            if self._retired and not self._users:
                await asyncio.shield(self.pool.close())

    async def retire(self) -> None:
        """Close stores and models as soon as nobody uses them; requests that run go on."""
        self._retired = True
        if not self._users:
            await self.pool.close()

    def start_work(self, work: Coroutine[Any, Any, R]) -> "asyncio.Task[R]":
        """Work that goes on when its request has ended; it is cancelled when the server ends."""

        async def hold_and_work() -> R:
            waits.HAS_CLIENT.set(False)
            async with self.hold():
                return await work

        task = asyncio.ensure_future(hold_and_work())
        self._works.add(task)
        task.add_done_callback(self._works.discard)
        return task

    def start_ingestion(self, work: Coroutine[Any, Any, list[Run]]) -> "asyncio.Task[list[Run]]":
        """As `start_work`; the runs are counted when they end."""

        def count(task: "asyncio.Task[list[Run]]") -> None:
            if not task.cancelled() and task.exception() is None:
                self.metrics.observe_runs(task.result())

        task = self.start_work(work)
        task.add_done_callback(count)
        return task

    def succeed(self, settings: Settings) -> "ServerState":
        """The state of new settings: the turns of requests and the counts go on; how the server listens stays."""
        settings = replace(settings, serve=self.settings.serve)
        pool, trusts = EnginePool(settings), trusts_callers(settings)
        return ServerState(
            settings, pool, self.admission, trusts, Uploads(settings), self.tokens, self.metrics, self.rates, self.queue
        )

    async def close(self) -> None:
        """End works of the background, which record that they were interrupted; close stores and models."""
        works = list(self._works)
        for work in works:
            work.cancel()
        await asyncio.gather(*works, return_exceptions=True)
        await self.pool.close()

    @classmethod
    def of_settings(cls, settings: Settings, metrics: Metrics | None = None) -> "ServerState":
        """The state at the start of a server."""
        serve = settings.serve
        admission = Admission(serve.concurrency, serve.queue_size, serve.queue_wait, held_seconds=HELD_SECONDS)
        made = cls(settings, EnginePool(settings), admission, trusts_callers(settings), Uploads(settings))
        made.rates = Rates(serve.rate)
        return made if metrics is None else replace(made, metrics=metrics)


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return address == "localhost"


def trusts_callers(settings: Settings) -> bool:
    """Whether requests without a key are answered: where `access.trusted` says so, or where it says nothing, no issuer
    of tokens is configured and only this machine reaches the server."""
    if settings.access.trusted is not None:
        return settings.access.trusted
    return settings.access.jwt is None and is_loopback(settings.serve.listen_address)


def state_of(request: Request) -> ServerState:
    """The state of the server that a request came to."""
    return cast(ServerState, request.scope["state"]["server"])


def read_key(request: Request) -> str | None:
    """The key or token of a request, from `Authorization: Bearer` or `X-API-Key`."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and text.strip():
        return text.strip()
    return request.headers.get("x-api-key", "").strip() or None


def _is_own_kind(key: str) -> bool:
    """Whether this may be one of our keys, or a token of an issuer."""
    return key.startswith(KEY_PREFIX) or key.count(".") == TOKEN_DOTS


def _name_caller(request: Request, key: str | None) -> str:
    """The public part of a key, else the address."""
    return _public_part(key) or (request.client.host if request.client else "")


def _public_part(key: str | None) -> str | None:
    """The part of one of our keys that may be shown; None for anything else."""
    return key.removeprefix(KEY_PREFIX).partition("_")[0] if key is not None and key.startswith(KEY_PREFIX) else None


async def authenticate(request: Request) -> None:
    """Check the caller's key or token and count the request, before anything else of it is looked at; raises
    `Unauthorized`, `Forbidden`, `QueueFull`."""
    state = state_of(request)
    if not state.trusts_anyone or read_key(request) is not None:
        request.scope["state"]["engine"] = await open_engine(request)


async def open_engine(request: Request, *, collection: str | None = None, tenant: str | None = None) -> Engine:
    """The engine of a request's caller; raises `Unauthorized`, or `Forbidden` for another tenant than the key's."""
    state, key = state_of(request), read_key(request)
    known: Engine | None = request.scope["state"].get("engine")
    if known is not None and tenant is None and collection in (None, state.settings.collection):
        return known  # of `authenticate`; its methods check the key anew
    if state.trusts_anyone and key is not None and not _is_own_kind(key):
        key = None  # a placeholder: many clients send one where none is asked for
    if key is None and not state.trusts_anyone:
        tenant = None  # nothing is said of a tenant to whom nobody is let in
    opening = state.pool.open(
        key=key, tenant=tenant, collection=collection, trusted=state.trusts_anyone and key is None
    )
    engine = await _open_counted(request, key, opening)
    request.scope["state"]["tenant"] = engine.scope.tenant
    request.scope["state"]["key_id"] = _public_part(key)
    return engine


async def _open_counted(request: Request, key: str | None, opening: Coroutine[Any, Any, Engine]) -> Engine:
    """Open an engine, and count the request the first time that one is opened for it."""
    if request.scope["state"].setdefault("counted", False):
        return await opening
    request.scope["state"]["counted"] = True
    if key is not None and key.count(".") == TOKEN_DOTS:
        return await _open_for_token(request, key, opening)
    try:
        state_of(request).rates.take(_name_caller(request, key))
    except QueueFull:
        opening.close()
        raise
    return await opening


async def _open_for_token(request: Request, token: str, opening: Coroutine[Any, Any, Engine]) -> Engine:
    """The engine for a token: requests are counted for an accepted one, else for the address, since anyone can make up
    tokens without end."""
    rates = state_of(request).rates
    try:
        engine = await opening
    except Unauthorized:
        rates.take(_name_caller(request, None))
        raise
    rates.take(sha256(token.encode("utf-8", "replace")).hexdigest())
    return engine
