"""A store in PostgreSQL: one database for many tenants and processes. Opened without a connection."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import HeldModel
from ragstone.core.types import Scope
from ragstone.stores.absent import not_built
from ragstone.stores.effective import utc_now
from ragstone.stores.postgres import activate, beside
from ragstone.stores.postgres.admin import PostgresAdmin, check_width
from ragstone.stores.postgres.catalogue import found, locked
from ragstone.stores.postgres.identity import identity
from ragstone.stores.postgres.keys import PostgresKeys
from ragstone.stores.postgres.ledger import Held, PostgresLedger
from ragstone.stores.postgres.memory import PostgresMemory
from ragstone.stores.postgres.pool import Connection, Cursor, Pool, Row
from ragstone.stores.postgres.ranked import RankedReader
from ragstone.stores.postgres.reader import PROVIDER, PostgresReader, Recipes
from ragstone.stores.postgres.rows import COLLECTION_COLUMNS, CollectionRow, collection_of
from ragstone.stores.postgres.url import KEYWORDS, parsed
from ragstone.stores.postgres.view import View
from ragstone.stores.postgres.writer import PostgresWriter

DUE = """SELECT DISTINCT doc_id FROM document_versions
    WHERE tenant_id = %s AND collection_id = %s AND status = 'pending' AND effective_at <= %s"""

OPEN = f"""SELECT {COLLECTION_COLUMNS}, EXISTS (SELECT FROM document_versions v
        WHERE v.tenant_id = c.tenant_id AND v.collection_id = c.collection_id AND v.status = 'pending'
        AND v.effective_at <= %s)
    FROM collections c WHERE tenant_id = %s AND name = %s"""  # noqa: S608
READ_ONLY = ("25006", "42501")  # a standby, a role that may not write


class PostgresStore:
    """See `ragstone.core.ports.Store`, `Reembedding`. `keep_versions` revisions of a document stay; `now` is the
    clock."""

    def __init__(self, url: str, *, keep_versions: int = 1, now: Callable[[], datetime] = utc_now) -> None:
        self._pool = Pool(parsed(url))
        self._keep = keep_versions
        self._now = now
        self._runs = Held()
        self._admin = PostgresAdmin(self._pool, now=now)
        self._recipes = Recipes()

    @property
    def provider(self) -> str:
        return PROVIDER

    @property
    def capabilities(self) -> frozenset[str]:
        return frozenset({"dense", "keyword", "filter", "versions", "snapshot", "export", "models"})

    @property
    def admin(self) -> PostgresAdmin:
        return self._admin

    @property
    def keys(self) -> PostgresKeys:
        return PostgresKeys(self._pool)

    def ledger(self, scope: Scope) -> PostgresLedger:
        return PostgresLedger(self._pool, scope, self._runs)

    def memory(self, scope: Scope) -> PostgresMemory:
        """See `ragstone.core.ports.Remembering`."""
        return PostgresMemory(self._pool, scope)

    @asynccontextmanager
    async def reader(self, scope: Scope) -> AsyncIterator[PostgresReader]:
        asked = (self._now(), scope.tenant, scope.collection)
        async with self._pool.viewing(scope.tenant, OPEN, asked) as (connection, found_row):
            row, due = _opened(found_row, scope)
            if not due or not await self._activate_due(scope):
                yield self._reader(connection, row, scope)
                return
        async with self._pool.viewing(scope.tenant, OPEN, asked) as (connection, found_row):
            row, _ = _opened(found_row, scope)
            yield self._reader(connection, row, scope)

    @asynccontextmanager
    async def writer(self, scope: Scope) -> AsyncIterator[PostgresWriter]:
        row = await self._pool.done(scope.tenant, lambda cursor, _: found(cursor, scope))
        yield PostgresWriter(self._pool, scope, row, keep=self._keep, now=self._now)

    @asynccontextmanager
    async def second(self, scope: Scope) -> AsyncIterator[PostgresReader]:
        asked = (self._now(), scope.tenant, scope.collection)
        async with self._pool.viewing(scope.tenant, OPEN, asked) as (connection, found_row):
            row, _ = _opened(found_row, scope)
            held = beside.second_of(row, scope)
            async with connection.cursor(binary=True) as cursor:
                held = beside.second_of(row, scope, pending=await beside.pending_of(cursor, held))
            yield self._reader(connection, held, scope)

    @asynccontextmanager
    async def filler(self, scope: Scope) -> AsyncIterator[beside.PostgresFiller]:
        row = await self._pool.done(scope.tenant, lambda cursor, _: found(cursor, scope))
        yield beside.PostgresFiller(self._pool, scope, beside.second_of(row, scope))

    async def models(self, scope: Scope) -> list[HeldModel]:
        return await self._pool.done(scope.tenant, lambda cursor, _: beside.models(cursor, scope))

    async def begin(self, scope: Scope, *, model: str, variant: str, dimension: int) -> None:
        check_width(dimension)
        await self._pool.done(scope.tenant, lambda cursor, _: beside.begin(cursor, scope, (model, variant, dimension)))

    async def switch(self, scope: Scope, *, to: HeldModel | None = None, elsewhere: bool = False) -> None:
        """Once, also when the connection is lost after it: tried again only while the models are as they were."""
        before = (await self._pool.done(scope.tenant, lambda cursor, _: found(cursor, scope))).held

        async def once(cursor: Cursor, tries: int) -> None:
            if not tries or (await found(cursor, scope)).held == before:
                await beside.switch(cursor, scope, to=to, now=self._now(), elsewhere=elsewhere)

        await self._pool.done(scope.tenant, once)

    async def forget(self, scope: Scope) -> None:
        async def once(cursor: Cursor, tries: int) -> None:
            if not tries or (await found(cursor, scope)).second[2] is not None:
                await beside.forget(cursor, scope)

        await self._pool.done(scope.tenant, once)

    async def identity(self) -> str | None:
        """Its server, by what it was initialised as, and database; a standby is its primary."""
        return await self._pool.done("", lambda cursor, _: identity(cursor))

    async def close(self) -> None:
        """Close connections and let the locks of unfinished runs go. The store cannot be used after."""
        await self._runs.close()
        await self._pool.close()

    def _reader(self, connection: Connection, row: CollectionRow, scope: Scope) -> PostgresReader:
        url = self._pool.url
        kind = PostgresReader if url.keywords == KEYWORDS[0] else RankedReader
        return kind(View(connection, row, place=url.shown), scope, recipes=self._recipes, exact=url.exact)

    async def _activate_due(self, scope: Scope) -> bool:
        """Make revisions active whose time has come: looked at when a view is opened, written only then.

        Where this role or server may only read, they wait for somebody who may write.
        """
        try:
            async with self._pool.writing(scope.tenant) as cursor:
                collection = await locked(cursor, scope)
                now = self._now()
                await cursor.execute(DUE, (collection.tenant, collection.collection_id, now))
                documents = [document for (document,) in await cursor.fetchall()]
                if documents:
                    await activate.settle(cursor, collection, documents, ready={}, now=now, keep=self._keep)
        except (StoreError, UsageError) as error:
            if getattr(error.__cause__, "sqlstate", None) not in READ_ONLY:
                raise
            return False
        return True


def _opened(row: Row | None, scope: Scope) -> tuple[CollectionRow, bool]:
    """The collection's row, and whether a version waits whose time has come."""
    if row is None:
        raise not_built(scope)
    *collection, due = row
    return collection_of(collection), due
