"""A store in PostgreSQL: one database for many tenants and processes. Opened without a connection."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from ragstone.core.errors import StoreError, StoreTooNew, UsageError
from ragstone.core.ports import CollectionModel
from ragstone.core.types import Scope
from ragstone.stores.collection_errors import not_built_error
from ragstone.stores.postgres import activation, second_model, sparse_rows
from ragstone.stores.postgres.admin import PostgresAdmin, check_width
from ragstone.stores.postgres.catalogue import lock_collection, read_collection
from ragstone.stores.postgres.connection import Connection, Cursor, Row
from ragstone.stores.postgres.jobs import PostgresJobs
from ragstone.stores.postgres.keys import PostgresKeys
from ragstone.stores.postgres.ledger import PostgresLedger, RunLocks
from ragstone.stores.postgres.pool import Pool
from ragstone.stores.postgres.reader import PROVIDER, PostgresReader
from ragstone.stores.postgres.recipe_cache import RecipeCache
from ragstone.stores.postgres.rows import COLLECTION_COLUMNS, CollectionRow, decode_collection
from ragstone.stores.postgres.search_cache import PostgresSearchCache
from ragstone.stores.postgres.sparse_index import PostgresSparseIndex
from ragstone.stores.postgres.ts_rank import TsRankReader
from ragstone.stores.postgres.url import KEYWORDS, parse_postgres_url
from ragstone.stores.postgres.view import CollectionView
from ragstone.stores.postgres.writer import PostgresWriter
from ragstone.stores.postgres.written_index import PostgresWrittenIndex
from ragstone.stores.revision_status import utc_now

# A server is known by what it was initialised as, which a standby shares, or, where a role may not ask for that, by the
# moment when it started.
ABOUT = """SELECT (SELECT oid FROM pg_database WHERE datname = current_database()), pg_postmaster_start_time()::text,
    has_function_privilege('pg_control_system()', 'EXECUTE')"""
SYSTEM = "SELECT system_identifier::text FROM pg_control_system()"
DUE = """SELECT DISTINCT doc_id FROM document_versions
    WHERE tenant_id = %s AND collection_id = %s AND status = 'pending' AND effective_at <= %s"""

OPEN = f"""SELECT {COLLECTION_COLUMNS}, EXISTS (SELECT FROM document_versions v
        WHERE v.tenant_id = c.tenant_id AND v.collection_id = c.collection_id AND v.status = 'pending'
        AND v.effective_at <= %s)
    FROM collections c WHERE tenant_id = %s AND name = %s"""  # noqa: S608
READ_ONLY = ("25006", "42501")  # a standby, a role that may not write


class PostgresStore:
    """Keeps collections in PostgreSQL; implements `Store` and `ReembeddingStore`. It keeps `keep_versions` revisions
    per document; `now` is the clock."""

    provider = PROVIDER
    capabilities = frozenset("dense keyword filter versions snapshot export models sparse written".split())

    def __init__(self, url: str, *, keep_versions: int = 1, now: Callable[[], datetime] = utc_now) -> None:
        self._pool = Pool(parse_postgres_url(url))
        self._keep = keep_versions
        self._now = now
        self._runs = RunLocks()
        self.admin = PostgresAdmin(self._pool, now=now)
        self.keys = PostgresKeys(self._pool)
        self.jobs = PostgresJobs(self._pool)
        self._recipes = RecipeCache()

    def ledger(self, scope: Scope) -> PostgresLedger:
        return PostgresLedger(self._pool, scope, self._runs)

    def search_cache(self, scope: Scope) -> PostgresSearchCache:
        """The cached searches of a collection; implements `SearchCachingStore`."""
        return PostgresSearchCache(self._pool, scope)

    @asynccontextmanager
    async def reader(self, scope: Scope) -> AsyncIterator[PostgresReader]:
        asked = (self._now(), scope.tenant, scope.collection)
        async with self._pool.open_view(scope.tenant, OPEN, asked) as (connection, found_row):
            row, due = _decode_view_row(found_row, scope)
            if not due or not await self._activate_due(scope):
                yield self._reader(connection, row, scope)
                return
        async with self._pool.open_view(scope.tenant, OPEN, asked) as (connection, found_row):
            row, _ = _decode_view_row(found_row, scope)
            yield self._reader(connection, row, scope)

    @asynccontextmanager
    async def writer(self, scope: Scope) -> AsyncIterator[PostgresWriter]:
        row = await self._pool.run_transaction(scope.tenant, lambda cursor, _: read_collection(cursor, scope))
        yield PostgresWriter(self._pool, scope, row, keep=self._keep, now=self._now)

    @asynccontextmanager
    async def second(self, scope: Scope) -> AsyncIterator[PostgresReader]:
        asked = (self._now(), scope.tenant, scope.collection)
        async with self._pool.open_view(scope.tenant, OPEN, asked) as (connection, found_row):
            row, _ = _decode_view_row(found_row, scope)
            held = second_model.second_model_row(row, scope)
            async with connection.cursor(binary=True) as cursor:
                held = second_model.second_model_row(row, scope, pending=await second_model.count_pending(cursor, held))
            yield self._reader(connection, held, scope)

    @asynccontextmanager
    async def filler(self, scope: Scope) -> AsyncIterator[second_model.PostgresFiller]:
        row = await self._pool.run_transaction(scope.tenant, lambda cursor, _: read_collection(cursor, scope))
        yield second_model.PostgresFiller(self._pool, scope, second_model.second_model_row(row, scope))

    @asynccontextmanager
    async def sparse_index(self, scope: Scope) -> AsyncIterator[PostgresSparseIndex]:
        """The sparse vectors of a collection; implements `SparseIndexingStore`."""

        async def read_model(cursor: Cursor, _: int) -> str | None:
            return await sparse_rows.read_model(cursor, await read_collection(cursor, scope))

        model = await self._pool.run_transaction(scope.tenant, read_model)
        yield PostgresSparseIndex(self._pool, scope, model, now=self._now)

    @asynccontextmanager
    async def written_index(self, scope: Scope) -> AsyncIterator[PostgresWrittenIndex]:
        """The vectors of a collection's summaries and questions; implements `WrittenIndexingStore`."""
        row = await self._pool.run_transaction(scope.tenant, lambda cursor, _: read_collection(cursor, scope))
        yield PostgresWrittenIndex(self._pool, scope, row, now=self._now)

    async def models(self, scope: Scope) -> list[CollectionModel]:
        return await self._pool.run_transaction(scope.tenant, lambda cursor, _: second_model.list_models(cursor, scope))

    async def begin(self, scope: Scope, *, model: str, variant: str, dimension: int) -> None:
        check_width(dimension)
        await self._pool.run_transaction(
            scope.tenant, lambda cursor, _: second_model.begin(cursor, scope, (model, variant, dimension))
        )

    async def switch(self, scope: Scope, *, to: CollectionModel | None = None, elsewhere: bool = False) -> None:
        """Once, also when the connection is lost after it: tried again only while the models are as they were."""
        before = (
            await self._pool.run_transaction(scope.tenant, lambda cursor, _: read_collection(cursor, scope))
        ).model_identity

        async def once(cursor: Cursor, tries: int) -> None:
            if not tries or (await read_collection(cursor, scope)).model_identity == before:
                await second_model.switch(cursor, scope, to=to, now=self._now(), elsewhere=elsewhere)

        await self._pool.run_transaction(scope.tenant, once)

    async def forget(self, scope: Scope) -> None:
        async def once(cursor: Cursor, tries: int) -> None:
            if not tries or (await read_collection(cursor, scope)).second[2] is not None:
                await second_model.forget(cursor, scope)

        await self._pool.run_transaction(scope.tenant, once)

    async def identity(self) -> str | None:
        """Its server, by what it was initialised as, and database; a standby is its primary."""
        return await self._pool.run_transaction("", lambda cursor, _: read_database_identity(cursor))

    async def explain_read_only(self) -> str | None:
        return (await self._pool.get_server()).read_only

    async def close(self) -> None:
        """Close connections and let the locks of unfinished runs go. The store cannot be used after."""
        await self._runs.close()
        await self._pool.close()

    def _reader(self, connection: Connection, row: CollectionRow, scope: Scope) -> PostgresReader:
        url = self._pool.url
        kind = PostgresReader if url.keywords == KEYWORDS[0] else TsRankReader
        return kind(CollectionView(connection, row, place=url.shown), scope, recipes=self._recipes, exact=url.exact)

    async def _activate_due(self, scope: Scope) -> bool:
        """Make revisions active whose time has come: looked at when a view is opened, written only then.

        Where this role, server or program may only read, they wait for somebody who may write.
        """
        try:
            async with self._pool.open_transaction(scope.tenant) as cursor:
                collection = await lock_collection(cursor, scope)
                now = self._now()
                await cursor.execute(DUE, (collection.tenant, collection.collection_id, now))
                documents = [document for (document,) in await cursor.fetchall()]
                if documents:
                    await activation.activate_newest(cursor, collection, documents, ready={}, now=now, keep=self._keep)
        except (StoreError, UsageError) as error:
            if getattr(error.__cause__, "sqlstate", None) not in READ_ONLY and not isinstance(error, StoreTooNew):
                raise
            return False
        return True


def _decode_view_row(row: Row | None, scope: Scope) -> tuple[CollectionRow, bool]:
    """The collection's row, and whether a version waits whose time has come."""
    if row is None:
        raise not_built_error(scope)
    *collection, due = row
    return decode_collection(collection), due


async def read_database_identity(cursor: Cursor) -> str:
    """The server and the database in it; the schema has one name everywhere."""
    await cursor.execute(ABOUT)
    row = await cursor.fetchone()
    assert row is not None  # a SELECT without FROM has one row
    database, started, may = row
    if may:
        await cursor.execute(SYSTEM)
        started = (await cursor.fetchone() or (started,))[0]
    return f"postgresql {started}/{database}"
