"""A store in Qdrant with a ledger beside it: vectors there, the truth here. Opened without a connection."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from datetime import datetime

from qdrant_client import AsyncQdrantClient

from ragstone.core.errors import NotBuilt, StoreError, UsageError
from ragstone.core.ports import (
    CollectionModel,
    IdentifiedStore,
    JobQueue,
    Keys,
    Ledger,
    QueueingStore,
    Reader,
    ReembeddingStore,
    SearchCache,
    SearchCachingStore,
    SparseIndex,
    SparseIndexingStore,
    Store,
    WrittenIndex,
    WrittenIndexingStore,
)
from ragstone.core.records import Info
from ragstone.core.types import Scope
from ragstone.stores.collection_errors import no_second_model_error, not_built_error
from ragstone.stores.qdrant import second_model
from ragstone.stores.qdrant.admin import QdrantAdmin
from ragstone.stores.qdrant.client import QdrantConnection, make_client
from ragstone.stores.qdrant.foreign_ledger import ForeignLedger
from ragstone.stores.qdrant.foreign_reader import ForeignCollection, ForeignReader
from ragstone.stores.qdrant.reader import PROVIDER, QdrantReader
from ragstone.stores.qdrant.reconciliation import Reconciler
from ragstone.stores.qdrant.scope_points import ScopePoints
from ragstone.stores.qdrant.space import Space, ensure_space, resolve_space
from ragstone.stores.qdrant.url import QdrantUrl
from ragstone.stores.qdrant.writer import QdrantWriter
from ragstone.stores.revision_status import utc_now

CHECK_INTERVAL = 60.0  # seconds between two looks; writers look each time


class QdrantStore:
    """Keeps vectors in Qdrant and all else in a ledger; implements `Store` and `ReembeddingStore`. `ledger` is the
    store of everything but vectors; closing this store closes it. `now` is the clock, the same as the ledger's."""

    provider = PROVIDER

    def __init__(
        self,
        url: QdrantUrl,
        ledger: Store,
        *,
        now: Callable[[], datetime] = utc_now,
        connect: Callable[[QdrantUrl], AsyncQdrantClient] = make_client,
    ) -> None:
        self._client = QdrantConnection(url, connect)
        self._ledger = ledger
        self._now = now
        self._ensured: dict[Space, Space] = {}
        self._whole: dict[Scope, int] = {}
        self._looked: dict[Scope, tuple[int, float]] = {}
        self._foreign = ForeignCollection(self._client)
        self.admin = QdrantAdmin(
            ledger.admin, self._client, self._open_points, self._find_second_points, self._forget, self._foreign
        )

    @property
    def capabilities(self) -> frozenset[str]:
        return self._ledger.capabilities | {"dense", "fusion"}

    @property
    def keys(self) -> Keys:
        return self._ledger.keys

    @property
    def jobs(self) -> JobQueue:
        if not isinstance(self._ledger, QueueingStore):
            raise UsageError("the ledger of this store keeps no queue of jobs")
        return self._ledger.jobs

    def ledger(self, scope: Scope) -> Ledger:
        inner = self._ledger.ledger(scope)
        return ForeignLedger(inner, self._foreign) if self._foreign.is_named_by(scope) else inner

    def search_cache(self, scope: Scope) -> SearchCache:
        """The cached searches of the ledger; raises `UsageError` if it keeps none."""
        if not isinstance(self._ledger, SearchCachingStore):
            raise UsageError(f"a {self._ledger.provider} store keeps no earlier searches")
        return self._ledger.search_cache(scope)

    def sparse_index(self, scope: Scope) -> AbstractAsyncContextManager[SparseIndex]:
        """The sparse vectors of the ledger, which ranks by words too; raises `UsageError` if it keeps none."""
        if not isinstance(self._ledger, SparseIndexingStore):
            raise UsageError(f"a {self._ledger.provider} store keeps no sparse vectors")
        return self._ledger.sparse_index(scope)

    def written_index(self, scope: Scope) -> AbstractAsyncContextManager[WrittenIndex]:
        """The vectors of summaries and questions, which the ledger keeps; raises `UsageError` if it keeps none."""
        if not isinstance(self._ledger, WrittenIndexingStore):
            raise UsageError(f"a {self._ledger.provider} store keeps no vectors of summaries and questions")
        return self._ledger.written_index(scope)

    @asynccontextmanager
    async def reader(self, scope: Scope) -> AsyncIterator[QdrantReader | ForeignReader]:
        """Before the first ingestion what another program wrote is searched, where the URL names that."""
        async with AsyncExitStack() as stack:
            inner = await self._enter_ledger(scope, stack)
            if inner is None:
                yield await self._open_unknown(scope)
                return
            info = await inner.info()
            remote = await self._open_for_question(scope, info)
            warning = None if remote is None else await self._check_server(remote, scope, info)
            yield QdrantReader(inner, self._ledger, scope, info=info, remote=remote, warning=warning, whole=self._whole)

    async def _enter_ledger(self, scope: Scope, stack: AsyncExitStack) -> Reader | None:
        """The ledger's view, None where it has no such collection."""
        try:
            return await stack.enter_async_context(self._ledger.reader(scope))
        except NotBuilt:
            return None

    async def _open_unknown(self, scope: Scope) -> ForeignReader:
        """The view of a collection that the ledger does not know; raises `NotBuilt` where nobody wrote one."""
        await self._client.ping()  # an empty ledger must not hide that the server is away
        content = await self._foreign.read() if self._foreign.is_named_by(scope) else None
        if content is None:
            raise not_built_error(scope)
        return ForeignReader(scope, self._foreign, content, await self._foreign.find_vectors())

    @asynccontextmanager
    async def writer(self, scope: Scope) -> AsyncIterator[QdrantWriter]:
        parts = await self._open_points(scope)
        remote, reconciler = parts or (None, None)
        if reconciler is not None:
            await reconciler.catch_up()
        async with self._ledger.writer(scope) as inner:
            also = await self._find_second_points(scope)
            yield QdrantWriter(
                inner, self._ledger, scope, remote=remote, reconciler=reconciler, also=also, now=self._now
            )

    @asynccontextmanager
    async def second(self, scope: Scope) -> AsyncIterator[QdrantReader]:
        async with self._ledger.reader(scope) as inner:
            info = await second_model.read_second_info(self._ledger, scope, await inner.info())
            remote = await self._open_for_question(scope, info)
            yield QdrantReader(inner, self._ledger, scope, info=info, remote=remote, warning=None, whole={})

    @asynccontextmanager
    async def filler(self, scope: Scope) -> AsyncIterator[second_model.QdrantFiller]:
        remote, reconciler, held = await self._open_second(scope)
        await second_model.mend_points(reconciler)
        async with self._ledger.writer(scope) as inner:
            writer = QdrantWriter(
                inner, self._ledger, scope, remote=remote, reconciler=reconciler, also=None, now=self._now, active=False
            )
            yield second_model.QdrantFiller(writer, self._ledger, scope, held)

    async def models(self, scope: Scope) -> list[CollectionModel]:
        held = await second_model.require_reembedding(self._ledger).models(scope)
        found = []
        async with self.reader(scope) as reader:
            active = (await reader.info()).pending_vectors
        for one in held:
            if one.state == "active":
                found.append(second_model.replace_pending(one, active))
            else:
                remote, reconciler, _ = await self._open_second(scope)
                with suppress(UsageError, StoreError):  # a key that may only read
                    await second_model.mend_points(reconciler)
                found.append(second_model.replace_pending(one, await second_model.count_missing(remote, one.pending)))
        return found

    async def begin(self, scope: Scope, *, model: str, variant: str, dimension: int) -> None:
        """Raises `UsageError` too where the URL names the collection in Qdrant: both models would share it."""
        if self._client.url.collection is not None or self._client.url.scheme.is_foreign:
            raise UsageError("collection= in the URL leaves no room for a second model: leave it out, or ingest anew")
        fresh = len(await second_model.require_reembedding(self._ledger).models(scope)) < 2
        await second_model.require_reembedding(self._ledger).begin(
            scope, model=model, variant=variant, dimension=dimension
        )
        remote, _, _ = await self._open_second(scope)
        if fresh:
            await remote.erase()  # what was given up by a process that was killed

    async def switch(self, scope: Scope, *, to: CollectionModel | None = None, elsewhere: bool = False) -> None:
        remote, reconciler, held = await self._open_second(scope)
        await second_model.mend_points(reconciler)
        if missing := 0 if elsewhere else await second_model.count_missing(remote, held.pending):
            raise UsageError(f"{missing} chunks have no vector of the second model yet; run: ragstone reembed fill")
        await second_model.require_reembedding(self._ledger).switch(scope, to=to or held, elsewhere=True)
        self._forget(scope)

    async def forget(self, scope: Scope) -> None:
        remote, _, _ = await self._open_second(scope)
        await second_model.require_reembedding(self._ledger).forget(scope)
        await remote.erase()

    async def _open_second(self, scope: Scope) -> tuple[ScopePoints, Reconciler, CollectionModel]:
        """The points of the second model, what looks after them, and what the ledger says of it; raises `UsageError`
        where there is none."""
        async with self._ledger.reader(scope) as reader:
            info = await second_model.read_second_info(self._ledger, scope, await reader.info())
        remote = await self._ensure_points(scope, info)
        held = (await second_model.require_reembedding(self._ledger).models(scope))[1:]
        if remote is None or not held:
            raise no_second_model_error(scope)
        return remote, self._make_reconciler(remote, scope), held[0]

    async def _find_second_points(self, scope: Scope) -> ScopePoints | None:
        """The points of a second model, where there is one."""
        if not isinstance(self._ledger, ReembeddingStore) or len(await self._ledger.models(scope)) < 2:
            return None
        return (await self._open_second(scope))[0]

    async def identity(self) -> str | None:
        """The identity of the ledger, which decides what exists."""
        return await self._ledger.identity() if isinstance(self._ledger, IdentifiedStore) else None

    async def close(self) -> None:
        """Close the line and the ledger. The store cannot be used after."""
        await self._client.close()
        await self._ledger.close()

    def _forget(self, scope: Scope) -> None:
        self._looked.pop(scope, None)
        self._whole.pop(scope, None)

    async def _open_points(self, scope: Scope) -> tuple[ScopePoints, Reconciler] | None:
        """The points of a collection and what looks after them; None while it has no embedding model."""
        async with self._ledger.reader(scope) as reader:
            info = await reader.info()
        remote = await self._ensure_points(scope, info)
        return None if remote is None else (remote, self._make_reconciler(remote, scope))

    def _make_reconciler(self, remote: ScopePoints, scope: Scope) -> Reconciler:
        return Reconciler(remote, self._ledger, scope, now=self._now)

    async def _ensure_points(self, scope: Scope, info: Info) -> ScopePoints | None:
        space = resolve_space(self._client.url, info)
        if space is None:
            return None
        if space not in self._ensured:
            self._ensured[space] = await ensure_space(self._client, space)
        return ScopePoints(self._client, self._ensured[space], scope)

    async def _open_for_question(self, scope: Scope, info: Info) -> ScopePoints | None:
        """The points as a question asks for them: in haste, and without making anything of ours."""
        space = resolve_space(self._client.url, info)
        if space is None:
            return None
        if space.scheme.is_foreign and space not in self._ensured:  # its vectors may have other names
            self._ensured[space] = await ensure_space(self._client, space)
        return ScopePoints(self._client, self._ensured.get(space, space), scope, hasty=True)

    async def _check_server(self, remote: ScopePoints, scope: Scope, info: Info) -> str | None:
        """What the caller should know of the server. A date that has come, or a process that was killed, may have
        switched documents whose points are not: looked at now and then, where the ledger's state is another.

        Where the key may only read, or nothing answers, they wait for the next writer: questions see through it.
        """
        before, now = self._looked.get(scope), self._now().timestamp()
        if before is None or (before[0] != info.generation and abs(now - before[1]) > CHECK_INTERVAL):
            self._looked[scope] = info.generation, now
            with suppress(UsageError, StoreError):
                await self._make_reconciler(remote, scope).catch_up()
        with suppress(UsageError, StoreError):
            return await self._client.check_version()
        return None
