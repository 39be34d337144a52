"""API keys: a table that applications may only ask for one row by its id; roles in ragstone_admin fill it."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, TypeVar

from ragstone.core.errors import UsageError
from ragstone.core.records import Key
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.error_mapping import sqlstate_of
from ragstone.stores.postgres.pool import Pool

T = TypeVar("T")
COLUMNS = "key_id, tenant_id, name, roles, created_at, digest, expires_at, revoked_at"
FIND = f"SELECT {COLUMNS} FROM find_key(%s)"  # noqa: S608  # our own words
LIST = f"SELECT {COLUMNS} FROM api_keys WHERE tenant_id = %s ORDER BY created_at, key_id"  # noqa: S608  # our own words
ADD = f"""INSERT INTO api_keys ({COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (key_id) DO NOTHING"""  # noqa: S608  # our own words
REVOKE = "UPDATE api_keys SET revoked_at = coalesce(revoked_at, %s) WHERE tenant_id = %s AND key_id = %s"
NO_TENANT = ""  # the tenant of a look at a key: row-level security then shows no other row
INSUFFICIENT_PRIVILEGE = "42501"


class PostgresKeys:
    """Keeps API keys in a table; implements `Keys`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(self, identity: str) -> Key | None:
        async def find_row(cursor: Cursor, _: int) -> Key | None:
            await cursor.execute(FIND.encode(), (identity,))
            row = await cursor.fetchone()
            return None if row is None else _decode_key(row)

        return await self._pool.run_transaction(NO_TENANT, find_row)

    async def add(self, key: Key) -> None:
        row = (key.id, key.tenant, key.name, list(key.roles), key.created, key.digest, key.expires, key.revoked)

        async def insert_row(cursor: Cursor, tries: int) -> bool:
            await cursor.execute(ADD.encode(), row)
            return cursor.rowcount > 0 or tries > 0

        if not await self._run_as_admin(key.tenant, insert_row):
            raise UsageError(f"duplicate key id {key.id}")

    async def of(self, tenant: str) -> list[Key]:
        async def list_rows(cursor: Cursor, _: int) -> list[Key]:
            await cursor.execute(LIST.encode(), (tenant,))
            return [_decode_key(row) for row in await cursor.fetchall()]

        return await self._run_as_admin(tenant, list_rows)

    async def revoke(self, tenant: str, identity: str, *, at: datetime) -> bool:
        async def revoke_row(cursor: Cursor, _: int) -> bool:
            await cursor.execute(REVOKE, (at, tenant, identity))
            return cursor.rowcount > 0

        return await self._run_as_admin(tenant, revoke_row)

    async def erase(self, tenant: str) -> int:
        async def delete_rows(cursor: Cursor, _: int) -> int:
            await cursor.execute("DELETE FROM api_keys WHERE tenant_id = %s", (tenant,))
            return cursor.rowcount

        return await self._run_as_admin(tenant, delete_rows)

    async def _run_as_admin(self, tenant: str, work: Callable[[Cursor, int], Awaitable[T]]) -> T:
        """Work that only roles in ragstone_admin may do."""
        try:
            return await self._pool.run_transaction(tenant, work)
        except UsageError as error:
            cause = error.__cause__
            if cause is None or sqlstate_of(cause) != INSUFFICIENT_PRIVILEGE:
                raise
            said = "keys are made, listed and revoked as a role in ragstone_admin, or as the tables' owner"
            raise UsageError(f"the role of {self._pool.url.shown} may not do this: {said}") from cause


def _decode_key(row: tuple[Any, ...]) -> Key:
    identity, tenant, name, roles, created, digest, expires, revoked = row
    return Key(identity, tenant, name, tuple(roles), created, bytes(digest), expires, revoked)
