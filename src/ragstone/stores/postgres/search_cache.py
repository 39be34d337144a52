"""Earlier searches of a collection: rows that go with it."""

from datetime import UTC, datetime

from ragstone.core.ports import CachedSearch
from ragstone.core.types import Scope
from ragstone.stores.postgres.catalogue import read_collection
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.pool import Pool

FIND_SEARCHES = """SELECT search_id, key, generation, at, vector, content FROM searches
    WHERE tenant_id = %s AND collection_id = %s AND key = %s ORDER BY at DESC, search_id"""
PUT_SEARCH = """INSERT INTO searches (tenant_id, collection_id, search_id, key, generation, at, used_at, vector,
content) VALUES (%(tenant)s, %(collection)s, %(id)s, %(key)s, %(generation)s, %(at)s, %(at)s, %(vector)s, %(content)s)
    ON CONFLICT (tenant_id, collection_id, search_id) DO UPDATE SET key = EXCLUDED.key,
        generation = EXCLUDED.generation, at = EXCLUDED.at, used_at = EXCLUDED.used_at, vector = EXCLUDED.vector,
        content = EXCLUDED.content"""
MARK_USED = "UPDATE searches SET used_at = %s WHERE tenant_id = %s AND collection_id = %s AND search_id = %s"
DELETE_OLD = "DELETE FROM searches WHERE tenant_id = %s AND collection_id = %s AND generation < %s"
DELETE_UNUSED = """DELETE FROM searches WHERE (tenant_id, collection_id, search_id) IN (
    SELECT tenant_id, collection_id, search_id FROM searches WHERE tenant_id = %s AND collection_id = %s
    ORDER BY used_at DESC, search_id OFFSET %s)"""


class PostgresSearchCache:
    """Caches searches in a table; implements `SearchCache`."""

    def __init__(self, pool: Pool, scope: Scope) -> None:
        self._pool = pool
        self._scope = scope

    async def find_by_key(self, key: str) -> list[CachedSearch]:
        async def find_rows(cursor: Cursor, _: int) -> list[CachedSearch]:
            await cursor.execute(FIND_SEARCHES, (*await self._collection_key(cursor), key))
            return [
                CachedSearch(one, own, generation, at.astimezone(UTC), bytes(vector), bytes(content))
                for one, own, generation, at, vector, content in await cursor.fetchall()
            ]

        return await self._pool.run_transaction(self._scope.tenant, find_rows)

    async def put_search(self, one: CachedSearch, *, most: int) -> None:
        async def put_row(cursor: Cursor, _: int) -> None:
            here = await self._collection_key(cursor)
            row = {
                "tenant": here[0],
                "collection": here[1],
                "id": one.id,
                "key": one.key,
                "generation": one.generation,
                "at": one.at,
                "vector": one.vector,
                "content": one.content,
            }
            await cursor.execute(DELETE_OLD, (*here, one.generation))
            await cursor.execute(PUT_SEARCH, row)
            await cursor.execute(DELETE_UNUSED, (*here, most))

        await self._pool.run_transaction(self._scope.tenant, put_row)

    async def mark_used(self, identity: str, *, at: datetime) -> None:
        async def mark_row(cursor: Cursor, _: int) -> None:
            await cursor.execute(MARK_USED, (at, *await self._collection_key(cursor), identity))

        await self._pool.run_transaction(self._scope.tenant, mark_row)

    async def remove_before(self, *, before: int) -> None:
        async def delete_rows(cursor: Cursor, _: int) -> None:
            await cursor.execute(DELETE_OLD, (*await self._collection_key(cursor), before))

        await self._pool.run_transaction(self._scope.tenant, delete_rows)

    async def _collection_key(self, cursor: Cursor) -> tuple[str, int]:
        """Tenant and number of the collection; raises `NotBuilt`."""
        return self._scope.tenant, (await read_collection(cursor, self._scope)).collection_id
