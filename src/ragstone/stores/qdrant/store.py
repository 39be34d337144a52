"""A store in Qdrant with a ledger beside it: vectors there, the truth here. Opened without a connection."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime

from qdrant_client import AsyncQdrantClient

from ragstone.errors import StoreError, UsageError
from ragstone.ports import Keys, Store
from ragstone.stores.effective import utc_now
from ragstone.stores.qdrant.admin import QdrantAdmin
from ragstone.stores.qdrant.client import Client, connected
from ragstone.stores.qdrant.ledger import QdrantLedger
from ragstone.stores.qdrant.reader import PROVIDER, QdrantReader
from ragstone.stores.qdrant.reconcile import Reconciler
from ragstone.stores.qdrant.remote import Remote
from ragstone.stores.qdrant.space import Space, ensure, space_of
from ragstone.stores.qdrant.url import Url
from ragstone.stores.qdrant.writer import QdrantWriter
from ragstone.types import Info, Scope

AGAIN = 60.0  # seconds between two looks; writers look each time


class QdrantStore:
    """See `ragstone.ports.Store`. `ledger` is the store that holds everything but vectors; it is closed with this
    one. `now` is the clock, the same as the ledger's."""

    def __init__(
        self,
        url: Url,
        ledger: Store,
        *,
        now: Callable[[], datetime] = utc_now,
        connect: Callable[[Url], AsyncQdrantClient] = connected,
    ) -> None:
        self._client = Client(url, connect)
        self._ledger = ledger
        self._now = now
        self._ensured: dict[Space, Space] = {}
        self._whole: dict[Scope, int] = {}
        self._looked: dict[Scope, tuple[int, float]] = {}
        self._admin = QdrantAdmin(ledger.admin, self._parts, self._forget)

    @property
    def provider(self) -> str:
        return PROVIDER

    @property
    def capabilities(self) -> frozenset[str]:
        return self._ledger.capabilities | {"dense", "fusion"}

    @property
    def admin(self) -> QdrantAdmin:
        return self._admin

    @property
    def keys(self) -> Keys:
        return self._ledger.keys

    def ledger(self, scope: Scope) -> QdrantLedger:
        return QdrantLedger(self._ledger.ledger(scope))

    @asynccontextmanager
    async def reader(self, scope: Scope) -> AsyncIterator[QdrantReader]:
        async with self._ledger.reader(scope) as inner:
            info = await inner.info()
            remote = await self._seen(scope, info)
            warning = None if remote is None else await self._look(remote, scope, info)
            yield QdrantReader(inner, self._ledger, scope, info=info, remote=remote, warning=warning, whole=self._whole)

    @asynccontextmanager
    async def writer(self, scope: Scope) -> AsyncIterator[QdrantWriter]:
        parts = await self._parts(scope)
        remote, reconciler = parts or (None, None)
        if reconciler is not None:
            await reconciler.catch_up()
        async with self._ledger.writer(scope) as inner:
            yield QdrantWriter(inner, self._ledger, scope, remote=remote, reconciler=reconciler, now=self._now)

    async def close(self) -> None:
        """Close the line and the ledger. The store cannot be used after."""
        await self._client.close()
        await self._ledger.close()

    def _forget(self, scope: Scope) -> None:
        self._looked.pop(scope, None)
        self._whole.pop(scope, None)

    async def _parts(self, scope: Scope) -> tuple[Remote, Reconciler] | None:
        """The points of a collection and what looks after them; None while it has no embedding model."""
        async with self._ledger.reader(scope) as reader:
            info = await reader.info()
        remote = await self._remote(scope, info)
        return None if remote is None else (remote, self._reconciler(remote, scope))

    def _reconciler(self, remote: Remote, scope: Scope) -> Reconciler:
        return Reconciler(remote, self._ledger, scope, now=self._now)

    async def _remote(self, scope: Scope, info: Info) -> Remote | None:
        space = space_of(self._client.url, info)
        if space is None:
            return None
        if space not in self._ensured:
            self._ensured[space] = await ensure(self._client, space)
        return Remote(self._client, self._ensured[space], scope)

    async def _seen(self, scope: Scope, info: Info) -> Remote | None:
        """The points as a question asks for them: in haste, and without making anything of ours."""
        space = space_of(self._client.url, info)
        if space is None:
            return None
        if space.scheme.foreign and space not in self._ensured:  # its vectors may have other names
            self._ensured[space] = await ensure(self._client, space)
        return Remote(self._client, self._ensured.get(space, space), scope, hasty=True)

    async def _look(self, remote: Remote, scope: Scope, info: Info) -> str | None:
        """What the caller should know of the server. A date that has come, or a process that was killed, may have
        switched documents whose points are not: looked at now and then, where the ledger's state is another.

        Where the key may only read, or nothing answers, they wait for the next writer: questions see through it.
        """
        before, now = self._looked.get(scope), self._now().timestamp()
        if before is None or (before[0] != info.generation and abs(now - before[1]) > AGAIN):
            self._looked[scope] = info.generation, now
            with suppress(UsageError, StoreError):
                await self._reconciler(remote, scope).catch_up()
        with suppress(UsageError, StoreError):
            return await self._client.version_note()
        return None
