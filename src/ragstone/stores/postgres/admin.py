"""Collections of a tenant: made, listed, erased, looked after."""

from collections.abc import Callable
from datetime import datetime

from ragstone.core.errors import Busy, UsageError
from ragstone.core.types import Scope, Tenant
from ragstone.stores.absent import unfinished
from ragstone.stores.held import Model, agrees, pinned
from ragstone.stores.postgres import check
from ragstone.stores.postgres.catalogue import check_staying, found, locked
from ragstone.stores.postgres.ledger import lock_number
from ragstone.stores.postgres.pool import Cursor, Pool

WIDEST = 16_000  # dimensions that pgvector holds
LARGEST = ("mv_active_chunks", "chunk_fts", "postings", "postings_dead", "chunk_embeddings", "chunks")
REST = ("document_versions", "documents", "ingestion_runs", "collections")
MAKE = """INSERT INTO collections (tenant_id, name) VALUES (%s, %s) ON CONFLICT (tenant_id, name) DO NOTHING"""
MODEL = """UPDATE collections SET embedding_model = %s, embedding_variant = %s, embedding_dim = %s
    WHERE tenant_id = %s AND collection_id = %s"""
NAME = "INSERT INTO tenants (tenant_id, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
HELD = "SELECT embedding_model, embedding_dim FROM tenants WHERE tenant_id = %s FOR UPDATE"
PIN = "UPDATE tenants SET embedding_model = %s, embedding_dim = %s WHERE tenant_id = %s"
OTHERS = """SELECT 1 FROM collections WHERE tenant_id = %s AND name <> %s
    AND embedding_model = %s AND embedding_dim = %s LIMIT 1"""
LIST = """SELECT t.tenant_id, t.embedding_model, t.embedding_dim,
    (SELECT count(*) FROM collections c WHERE c.tenant_id = t.tenant_id), t.erasing
    FROM tenants t ORDER BY t.tenant_id"""


class PostgresAdmin:
    """See `ragstone.core.ports.Admin`."""

    def __init__(self, pool: Pool, *, now: Callable[[], datetime]) -> None:
        self._pool = pool
        self._now = now

    async def create(self, scope: Scope, *, model: str | None, variant: str | None, dimension: int | None) -> None:
        if dimension is not None and (dimension < 1 or model is None):
            raise UsageError(f"a collection needs a model and a dimension of at least 1; got {model!r} and {dimension}")
        if dimension is not None:
            check_width(dimension)
        await self._pool.done(scope.tenant, lambda cursor, _: _made(cursor, scope, (model, variant, dimension)))

    async def exists(self, scope: Scope) -> bool:
        return await self._pool.done(scope.tenant, lambda cursor, _: _is_there(cursor, scope))

    async def drop(self, scope: Scope) -> bool:
        async def drop(cursor: Cursor, tries: int) -> bool:
            return await _dropped(cursor, scope) or tries > 0

        return await self._pool.done(scope.tenant, drop)

    async def collections(self, tenant: str) -> list[str]:
        async def names(cursor: Cursor, _: int) -> list[str]:
            await cursor.execute("SELECT name FROM collections WHERE tenant_id = %s", (tenant,))
            return sorted(name for (name,) in await cursor.fetchall())

        return await self._pool.done(tenant, names)

    async def pin(self, tenant: str, *, model: str, dimension: int, without: str | None = None) -> None:
        await self._pool.done(tenant, lambda cursor, _: _pinned(cursor, tenant, (model, dimension), without))

    async def tenants(self, own: str) -> list[Tenant]:
        """Row-level security shows one's own alone, but to who is beyond it."""

        async def rows(cursor: Cursor, _: int) -> list[Tenant]:
            await cursor.execute(LIST)
            return [
                Tenant(name, count, model=model, dimension=dim, problem=unfinished(name) if erasing else None)
                for name, model, dim, count, erasing in await cursor.fetchall()
            ]

        return await self._pool.done(own, rows)

    async def begin_erasing(self, tenant: str) -> bool:
        server = self._pool.url.shown
        return await self._pool.done(tenant, lambda cursor, _: _doomed(cursor, tenant, server))

    async def erase(self, tenant: str) -> bool:
        """In one transaction: all of it, or nothing."""

        async def work(cursor: Cursor, tries: int) -> bool:
            return await _erased(cursor, tenant) or tries > 0

        return await self._pool.done(tenant, work)

    async def check(self, scope: Scope, *, repair: bool = False) -> list[str]:
        server = await self._pool.server()
        async with self._pool.writing(scope.tenant) as cursor:
            await found(cursor, scope)
            problems = await check.findings(cursor, await found(cursor, scope))
        if repair and problems:
            async with self._pool.writing(scope.tenant) as cursor:
                lost = await check.mend(cursor, await locked(cursor, scope), now=self._now())
                problems = [*lost, *await check.findings(cursor, await found(cursor, scope))]
        if server.bypasses:
            problems.append(
                f"the role of {self._pool.url.shown} is beyond row-level security (a superuser, or BYPASSRLS): "
                "let applications log in as a role that is only in ragstone_write"
            )
        return problems


def check_width(dimension: int) -> None:
    """Raises `UsageError` for vectors that PostgreSQL cannot hold."""
    if dimension > WIDEST:
        raise UsageError(f"PostgreSQL holds vectors of up to {WIDEST} dimensions, not {dimension}")


async def _pinned(cursor: Cursor, tenant: str, wanted: Model, without: str | None) -> None:
    await cursor.execute(NAME, (tenant, tenant))
    await cursor.execute(HELD, (tenant,))
    row = await cursor.fetchone()
    held: Model | None = (row[0], row[1]) if row and row[0] is not None else None
    if held == wanted:
        return
    if held is not None:
        await cursor.execute(OTHERS, (tenant, without or "", *held))
        if await cursor.fetchone() is not None:
            raise pinned(tenant, held, wanted)
    await cursor.execute(PIN, (*wanted, tenant))


async def _doomed(cursor: Cursor, tenant: str, server: str) -> bool:
    """The tenant's row is locked first, so that no run begins meanwhile."""
    await cursor.execute("SELECT has_table_privilege('ragstone.api_keys', 'DELETE')")
    if await cursor.fetchone() != (True,):
        raise UsageError(
            f"the role of {server} may not erase a tenant: its API keys go with it, so do this as a role that is in "
            "ragstone_admin as well as in ragstone_write, or as the tables' owner; nothing was erased"
        )
    await cursor.execute(HELD, (tenant,))
    if await cursor.fetchone() is None:
        return False
    await cursor.execute("SELECT name, collection_id FROM collections WHERE tenant_id = %s ORDER BY name", (tenant,))
    for name, number in await cursor.fetchall():
        await _check_idle(cursor, Scope(tenant, name), number)
    await cursor.execute("UPDATE tenants SET erasing = coalesce(erasing, now()) WHERE tenant_id = %s", (tenant,))
    return True


async def _erased(cursor: Cursor, tenant: str) -> bool:
    """The tenant's row is locked first, so that no collection is made meanwhile."""
    await cursor.execute(HELD, (tenant,))
    if await cursor.fetchone() is None:
        return False
    await cursor.execute("SELECT name FROM collections WHERE tenant_id = %s ORDER BY name", (tenant,))
    for (name,) in await cursor.fetchall():
        await _dropped(cursor, Scope(tenant, name))
    await cursor.execute("DELETE FROM tenants WHERE tenant_id = %s", (tenant,))
    return True


async def _is_there(cursor: Cursor, scope: Scope) -> bool:
    await cursor.execute(
        "SELECT 1 FROM collections WHERE tenant_id = %s AND name = %s", (scope.tenant, scope.collection)
    )
    return await cursor.fetchone() is not None


async def _made(cursor: Cursor, scope: Scope, wanted: tuple[str | None, str | None, int | None]) -> None:
    await check_staying(cursor, scope.tenant)
    if not await _is_there(cursor, scope):
        await cursor.execute(NAME, (scope.tenant, scope.tenant))
        await cursor.execute(MAKE, (scope.tenant, scope.collection))
    if wanted[2] is None or agrees((await found(cursor, scope)).held, wanted, scope):
        return
    collection = await locked(cursor, scope)
    if not agrees(collection.held, wanted, scope):
        await cursor.execute(MODEL, (*wanted, scope.tenant, collection.collection_id))


async def _dropped(cursor: Cursor, scope: Scope) -> bool:
    """Locked whole first, so that no run begins meanwhile; all of it goes in one transaction."""
    statement = "SELECT collection_id FROM collections WHERE tenant_id = %s AND name = %s FOR UPDATE"
    await cursor.execute(statement, (scope.tenant, scope.collection))
    row = await cursor.fetchone()
    if row is None:
        return False
    here = (scope.tenant, row[0])
    await _check_idle(cursor, scope, row[0])
    for table in (*LARGEST, *REST):
        statement = f"DELETE FROM {table} WHERE tenant_id = %s AND collection_id = %s"  # noqa: S608  # our own names
        await cursor.execute(statement.encode(), here)
    return True


async def _check_idle(cursor: Cursor, scope: Scope, number: int) -> None:
    """Take the locks of all sources till the end of the transaction; raises `Busy` when one is being ingested."""
    statement = """SELECT DISTINCT source FROM ingestion_runs
        WHERE tenant_id = %s AND collection_id = %s AND status = 'running' ORDER BY source"""
    await cursor.execute(statement, (scope.tenant, number))
    for (source,) in await cursor.fetchall():
        await cursor.execute("SELECT pg_try_advisory_xact_lock(%s::bigint)", (lock_number(number, source),))
        if (await cursor.fetchone()) != (True,):
            raise Busy(f"collection {scope.collection!r} cannot be erased now: source {source!r} is being ingested")
