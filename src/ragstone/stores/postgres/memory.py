"""Earlier searches of a collection: rows that go with it."""

from datetime import UTC, datetime

from ragstone.core.ports import Remembered
from ragstone.core.types import Scope
from ragstone.stores.postgres.catalogue import found
from ragstone.stores.postgres.pool import Cursor, Pool

OF = """SELECT search_id, key, generation, at, vector, content FROM searches
    WHERE tenant_id = %s AND collection_id = %s AND key = %s ORDER BY at DESC, search_id"""
KEEP = """INSERT INTO searches (tenant_id, collection_id, search_id, key, generation, at, used_at, vector, content)
    VALUES (%(tenant)s, %(collection)s, %(id)s, %(key)s, %(generation)s, %(at)s, %(at)s, %(vector)s, %(content)s)
    ON CONFLICT (tenant_id, collection_id, search_id) DO UPDATE SET key = EXCLUDED.key,
        generation = EXCLUDED.generation, at = EXCLUDED.at, used_at = EXCLUDED.used_at, vector = EXCLUDED.vector,
        content = EXCLUDED.content"""
USED = "UPDATE searches SET used_at = %s WHERE tenant_id = %s AND collection_id = %s AND search_id = %s"
OLD = "DELETE FROM searches WHERE tenant_id = %s AND collection_id = %s AND generation < %s"
UNUSED = """DELETE FROM searches WHERE (tenant_id, collection_id, search_id) IN (
    SELECT tenant_id, collection_id, search_id FROM searches WHERE tenant_id = %s AND collection_id = %s
    ORDER BY used_at DESC, search_id OFFSET %s)"""


class PostgresMemory:
    """See `ragstone.core.ports.Memory`."""

    def __init__(self, pool: Pool, scope: Scope) -> None:
        self._pool = pool
        self._scope = scope

    async def of(self, key: str) -> list[Remembered]:
        async def look(cursor: Cursor, _: int) -> list[Remembered]:
            await cursor.execute(OF, (*await self._here(cursor), key))
            return [
                Remembered(one, own, generation, at.astimezone(UTC), bytes(vector), bytes(content))
                for one, own, generation, at, vector, content in await cursor.fetchall()
            ]

        return await self._pool.done(self._scope.tenant, look)

    async def keep(self, one: Remembered, *, most: int) -> None:
        async def put(cursor: Cursor, _: int) -> None:
            here = await self._here(cursor)
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
            await cursor.execute(OLD, (*here, one.generation))
            await cursor.execute(KEEP, row)
            await cursor.execute(UNUSED, (*here, most))

        await self._pool.done(self._scope.tenant, put)

    async def used(self, identity: str, *, at: datetime) -> None:
        async def note(cursor: Cursor, _: int) -> None:
            await cursor.execute(USED, (at, *await self._here(cursor), identity))

        await self._pool.done(self._scope.tenant, note)

    async def forget(self, *, before: int) -> None:
        async def erase(cursor: Cursor, _: int) -> None:
            await cursor.execute(OLD, (*await self._here(cursor), before))

        await self._pool.done(self._scope.tenant, erase)

    async def _here(self, cursor: Cursor) -> tuple[str, int]:
        """Tenant and number of the collection; raises `NotBuilt`."""
        return self._scope.tenant, (await found(cursor, self._scope)).collection_id
