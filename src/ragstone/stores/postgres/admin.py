"""Collections of a tenant: made, listed, erased, looked after."""

from collections.abc import Callable
from datetime import datetime

from ragstone.core.errors import Busy, UsageError
from ragstone.core.records import Tenant
from ragstone.core.types import Scope
from ragstone.stores.collection_errors import erasure_notice
from ragstone.stores.model_checks import PinnedModel, has_same_model, model_pin_error
from ragstone.stores.postgres import check, settling
from ragstone.stores.postgres.catalogue import check_not_erasing, lock_collection, read_collection
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.ledger import run_lock_number
from ragstone.stores.postgres.pool import Pool

MAX_DIMENSION = 16_000  # dimensions that pgvector holds
LARGE_TABLES = (
    *("mv_active_chunks", "chunk_fts", "postings", "postings_dead", "chunk_embeddings"),
    *("sparse_vectors", "sparse_postings", "sparse_segments", "written_links", "written_vectors", "chunks"),
)
SMALL_TABLES = ("document_versions", "documents", "ingestion_runs", "collections")
INSERT_COLLECTION = (
    """INSERT INTO collections (tenant_id, name) VALUES (%s, %s) ON CONFLICT (tenant_id, name) DO NOTHING"""
)
SET_MODEL = """UPDATE collections SET embedding_model = %s, embedding_variant = %s, embedding_dim = %s
    WHERE tenant_id = %s AND collection_id = %s"""
INSERT_TENANT = "INSERT INTO tenants (tenant_id, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
LOCK_TENANT = "SELECT embedding_model, embedding_dim FROM tenants WHERE tenant_id = %s FOR UPDATE"
PIN_MODEL = "UPDATE tenants SET embedding_model = %s, embedding_dim = %s WHERE tenant_id = %s"
OTHERS = """SELECT 1 FROM collections WHERE tenant_id = %s AND name <> %s
    AND embedding_model = %s AND embedding_dim = %s LIMIT 1"""
LIST = """SELECT t.tenant_id, t.embedding_model, t.embedding_dim,
    (SELECT count(*) FROM collections c WHERE c.tenant_id = t.tenant_id), t.erasing
    FROM tenants t ORDER BY t.tenant_id"""


class PostgresAdmin:
    """Creates, lists, checks and erases collections in PostgreSQL; implements `Admin`."""

    def __init__(self, pool: Pool, *, now: Callable[[], datetime]) -> None:
        self._pool = pool
        self._now = now

    async def create(self, scope: Scope, *, model: str | None, variant: str | None, dimension: int | None) -> None:
        if dimension is not None and (dimension < 1 or model is None):
            raise UsageError(f"a collection needs a model and a dimension of at least 1; got {model!r} and {dimension}")
        if dimension is not None:
            check_width(dimension)
        await self._pool.run_transaction(
            scope.tenant, lambda cursor, _: _create_collection(cursor, scope, (model, variant, dimension))
        )

    async def exists(self, scope: Scope) -> bool:
        return await self._pool.run_transaction(scope.tenant, lambda cursor, _: _collection_exists(cursor, scope))

    async def drop(self, scope: Scope) -> bool:
        async def drop(cursor: Cursor, tries: int) -> bool:
            return await _drop_collection(cursor, scope) or tries > 0

        return await self._pool.run_transaction(scope.tenant, drop)

    async def collections(self, tenant: str) -> list[str]:
        async def list_names(cursor: Cursor, _: int) -> list[str]:
            await cursor.execute("SELECT name FROM collections WHERE tenant_id = %s", (tenant,))
            return sorted(name for (name,) in await cursor.fetchall())

        return await self._pool.run_transaction(tenant, list_names)

    async def pin(self, tenant: str, *, model: str, dimension: int, without: str | None = None) -> None:
        await self._pool.run_transaction(
            tenant, lambda cursor, _: _pin_model(cursor, tenant, (model, dimension), without)
        )

    async def tenants(self, own: str) -> list[Tenant]:
        """Row-level security shows one's own alone, but to who is beyond it."""

        async def list_rows(cursor: Cursor, _: int) -> list[Tenant]:
            await cursor.execute(LIST)
            return [
                Tenant(name, count, model=model, dimension=dim, problem=erasure_notice(name) if erasing else None)
                for name, model, dim, count, erasing in await cursor.fetchall()
            ]

        return await self._pool.run_transaction(own, list_rows)

    async def begin_erasing(self, tenant: str) -> bool:
        server = self._pool.url.shown
        return await self._pool.run_transaction(tenant, lambda cursor, _: _mark_erasing(cursor, tenant, server))

    async def erase(self, tenant: str) -> bool:
        """In one transaction: all of it, or nothing."""

        async def erase_tenant(cursor: Cursor, tries: int) -> bool:
            return await _erase_tenant(cursor, tenant) or tries > 0

        return await self._pool.run_transaction(tenant, erase_tenant)

    async def check(self, scope: Scope, *, repair: bool = False) -> list[str]:
        server = await self._pool.get_server()
        async with self._pool.open_transaction(scope.tenant) as cursor:
            await read_collection(cursor, scope)
            problems = await check.find_problems(cursor, await read_collection(cursor, scope))
        if repair and problems:
            async with self._pool.open_transaction(scope.tenant) as cursor:
                lost = await check.repair_collection(cursor, await lock_collection(cursor, scope), now=self._now())
                problems = [*lost, *await check.find_problems(cursor, await read_collection(cursor, scope))]
        if repair:
            await settling.settle_collection(self._pool, scope, thorough=True)
        if server.bypasses:
            problems.append(
                f"the role of {self._pool.url.shown} is beyond row-level security (a superuser, or BYPASSRLS): "
                "let applications log in as a role that is only in ragstone_write"
            )
        return problems


def check_width(dimension: int) -> None:
    """Raises `UsageError` for vectors that PostgreSQL cannot hold."""
    if dimension > MAX_DIMENSION:
        raise UsageError(f"PostgreSQL holds vectors of up to {MAX_DIMENSION} dimensions, not {dimension}")


async def _pin_model(cursor: Cursor, tenant: str, wanted: PinnedModel, without: str | None) -> None:
    await cursor.execute(INSERT_TENANT, (tenant, tenant))
    await cursor.execute(LOCK_TENANT, (tenant,))
    row = await cursor.fetchone()
    held: PinnedModel | None = (row[0], row[1]) if row and row[0] is not None else None
    if held == wanted:
        return
    if held is not None:
        await cursor.execute(OTHERS, (tenant, without or "", *held))
        if await cursor.fetchone() is not None:
            raise model_pin_error(tenant, held, wanted)
    await cursor.execute(PIN_MODEL, (*wanted, tenant))


async def _mark_erasing(cursor: Cursor, tenant: str, server: str) -> bool:
    """The tenant's row is locked first, so that no run begins meanwhile."""
    await cursor.execute("SELECT has_table_privilege('ragstone.api_keys', 'DELETE')")
    if await cursor.fetchone() != (True,):
        raise UsageError(
            f"the role of {server} may not erase a tenant: its API keys go with it, so do this as a role that is in "
            "ragstone_admin as well as in ragstone_write, or as the tables' owner; nothing was erased"
        )
    await cursor.execute(LOCK_TENANT, (tenant,))
    if await cursor.fetchone() is None:
        return False
    await cursor.execute("SELECT name, collection_id FROM collections WHERE tenant_id = %s ORDER BY name", (tenant,))
    for name, number in await cursor.fetchall():
        await _check_idle(cursor, Scope(tenant, name), number)
    await cursor.execute("UPDATE tenants SET erasing = coalesce(erasing, now()) WHERE tenant_id = %s", (tenant,))
    return True


async def _erase_tenant(cursor: Cursor, tenant: str) -> bool:
    """The tenant's row is locked first, so that no collection is made meanwhile."""
    await cursor.execute(LOCK_TENANT, (tenant,))
    if await cursor.fetchone() is None:
        return False
    await cursor.execute("SELECT name FROM collections WHERE tenant_id = %s ORDER BY name", (tenant,))
    for (name,) in await cursor.fetchall():
        await _drop_collection(cursor, Scope(tenant, name))
    await cursor.execute("DELETE FROM tenants WHERE tenant_id = %s", (tenant,))
    return True


async def _collection_exists(cursor: Cursor, scope: Scope) -> bool:
    await cursor.execute(
        "SELECT 1 FROM collections WHERE tenant_id = %s AND name = %s", (scope.tenant, scope.collection)
    )
    return await cursor.fetchone() is not None


async def _create_collection(cursor: Cursor, scope: Scope, wanted: tuple[str | None, str | None, int | None]) -> None:
    await check_not_erasing(cursor, scope.tenant)
    if not await _collection_exists(cursor, scope):
        await cursor.execute(INSERT_TENANT, (scope.tenant, scope.tenant))
        await cursor.execute(INSERT_COLLECTION, (scope.tenant, scope.collection))
    if wanted[2] is None or has_same_model((await read_collection(cursor, scope)).model_identity, wanted, scope):
        return
    collection = await lock_collection(cursor, scope)
    if not has_same_model(collection.model_identity, wanted, scope):
        await cursor.execute(SET_MODEL, (*wanted, scope.tenant, collection.collection_id))


async def _drop_collection(cursor: Cursor, scope: Scope) -> bool:
    """Locked whole first, so that no run begins meanwhile; all of it goes in one transaction."""
    statement = "SELECT collection_id FROM collections WHERE tenant_id = %s AND name = %s FOR UPDATE"
    await cursor.execute(statement, (scope.tenant, scope.collection))
    row = await cursor.fetchone()
    if row is None:
        return False
    here = (scope.tenant, row[0])
    await _check_idle(cursor, scope, row[0])
    for table in (*LARGE_TABLES, *SMALL_TABLES):
        statement = f"DELETE FROM {table} WHERE tenant_id = %s AND collection_id = %s"  # noqa: S608  # our own names
        await cursor.execute(statement.encode(), here)
    return True


async def _check_idle(cursor: Cursor, scope: Scope, number: int) -> None:
    """Take the locks of all sources till the end of the transaction; raises `Busy` when one is being ingested."""
    statement = """SELECT DISTINCT source FROM ingestion_runs
        WHERE tenant_id = %s AND collection_id = %s AND status = 'running' ORDER BY source"""
    await cursor.execute(statement, (scope.tenant, number))
    for (source,) in await cursor.fetchall():
        await cursor.execute("SELECT pg_try_advisory_xact_lock(%s::bigint)", (run_lock_number(number, source),))
        if (await cursor.fetchone()) != (True,):
            raise Busy(f"collection {scope.collection!r} cannot be erased now: source {source!r} is being ingested")
