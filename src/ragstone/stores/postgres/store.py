"""A store in PostgreSQL: one database for many tenants and processes. Opened without a connection."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from ragstone.errors import StoreError, UsageError
from ragstone.stores.absent import not_built
from ragstone.stores.effective import utc_now
from ragstone.stores.postgres import activate
from ragstone.stores.postgres.admin import PostgresAdmin
from ragstone.stores.postgres.catalogue import found, locked
from ragstone.stores.postgres.keys import PostgresKeys
from ragstone.stores.postgres.ledger import Held, PostgresLedger
from ragstone.stores.postgres.pool import Connection, Pool
from ragstone.stores.postgres.reader import PROVIDER, PostgresReader
from ragstone.stores.postgres.rows import COLLECTION_COLUMNS, CollectionRow, collection_of
from ragstone.stores.postgres.url import parsed
from ragstone.stores.postgres.writer import PostgresWriter
from ragstone.types import Scope

DUE = """SELECT DISTINCT doc_id FROM document_versions
    WHERE tenant_id = %s AND collection_id = %s AND status = 'pending' AND effective_at <= %s"""

OPEN = f"""SELECT {COLLECTION_COLUMNS}, EXISTS (SELECT FROM document_versions v
        WHERE v.tenant_id = c.tenant_id AND v.collection_id = c.collection_id AND v.status = 'pending'
        AND v.effective_at <= %s)
    FROM collections c WHERE tenant_id = %s AND name = %s"""  # noqa: S608
READ_ONLY = ("25006", "42501")  # a standby, a role that may not write


class PostgresStore:
    """See `ragstone.ports.Store`. `keep_versions` revisions of a document stay; `now` is the clock."""

    def __init__(self, url: str, *, keep_versions: int = 1, now: Callable[[], datetime] = utc_now) -> None:
        self._pool = Pool(parsed(url))
        self._keep = keep_versions
        self._now = now
        self._runs = Held()
        self._admin = PostgresAdmin(self._pool, now=now)

    @property
    def provider(self) -> str:
        return PROVIDER

    @property
    def capabilities(self) -> frozenset[str]:
        return frozenset({"dense", "keyword", "filter", "versions", "snapshot"})

    @property
    def admin(self) -> PostgresAdmin:
        return self._admin

    @property
    def keys(self) -> PostgresKeys:
        return PostgresKeys(self._pool)

    def ledger(self, scope: Scope) -> PostgresLedger:
        return PostgresLedger(self._pool, scope, self._runs)

    @asynccontextmanager
    async def reader(self, scope: Scope) -> AsyncIterator[PostgresReader]:
        url = self._pool.url
        async with self._pool.viewing(scope.tenant) as connection:
            row, due = await self._opened(connection, scope)
            if not due or not await self._activate_due(scope):
                yield PostgresReader(connection, row, scope, exact=url.exact, place=url.shown)
                return
        async with self._pool.viewing(scope.tenant) as connection:
            row, _ = await self._opened(connection, scope)
            yield PostgresReader(connection, row, scope, exact=url.exact, place=url.shown)

    @asynccontextmanager
    async def writer(self, scope: Scope) -> AsyncIterator[PostgresWriter]:
        await self._pool.done(scope.tenant, lambda cursor, _: found(cursor, scope))
        yield PostgresWriter(self._pool, scope, keep=self._keep, now=self._now)

    async def close(self) -> None:
        """Close connections and let the locks of unfinished runs go. The store cannot be used after."""
        await self._runs.close()
        await self._pool.close()

    async def _opened(self, connection: Connection, scope: Scope) -> tuple[CollectionRow, bool]:
        """The collection's row, and whether a version waits whose time has come."""
        cursor = await connection.execute(OPEN.encode(), (self._now(), scope.tenant, scope.collection), binary=True)
        found_row = await cursor.fetchone()
        if found_row is None:
            raise not_built(scope)
        *row, due = found_row
        return collection_of(row), due

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
