"""Whether a database can serve as a store: encoding, the vector extension, the schema's version; and whether a pooler
in transaction mode stands before it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from psycopg import AsyncConnection, sql

from ragstone.core.errors import StoreNotReady, StoreTooNew, UsageError
from ragstone.stores.postgres.migrations import VERSION

SCHEMA = "ragstone"
INSPECT = """SELECT current_setting('server_version_num')::int,
    current_setting('server_encoding'),
    (SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'),
    to_regclass('ragstone.schema_migrations') IS NOT NULL,
    (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user)"""
# The version, and since which one programs can read all that is newer than this one. The column is not named, because a
# database from before lacks it; a step that says nothing is read by those that know it.
READ_VERSIONS = f"""SELECT max(version),
    max(coalesce((to_jsonb(m) ->> 'readers')::int, version)) FILTER (WHERE version > {VERSION})
    FROM ragstone.schema_migrations m"""  # noqa: S608
LOOKS = 3  # at the session behind each of two connections
LOOK_TIME = 5.0  # seconds: a pooler that has one session alone gives none to the second connection
MIGRATE = "run: ragstone migrate --store URL, as a user who may create tables"


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """The server at the other end. `path` is the search path of every transaction; `bypasses` says that row-level
    security does not bind this role; `pooled`, that connections take turns with its sessions; `read_only` is why this
    program may only read, None where it may write."""

    number: int
    path: str
    schema: int
    bypasses: bool
    pooled: bool = False
    read_only: str | None = None


async def inspect_server(connection: AsyncConnection[tuple[Any, ...]], place: str) -> ServerInfo:
    """Look at a database; raises `UsageError` with the remedy, `StoreTooNew` for a later schema that cannot be read."""
    made = await (await connection.execute("SELECT to_regnamespace('ragstone') IS NOT NULL")).fetchone()
    there = made is not None and made[0]
    row = await (await connection.execute(INSPECT)).fetchone()
    assert row is not None  # a SELECT without FROM has one row
    number, encoding, home, tables, bypasses = row
    if encoding != "UTF8":
        raise UsageError(f"{place} has the encoding {encoding}; make the database anew with ENCODING 'UTF8'")
    if home is None and (there or tables):
        raise UsageError(f"{place} lacks the extension vector (pgvector); CREATE EXTENSION vector, as its owner")
    if not tables:
        raise StoreNotReady(f"{place} has no tables of Ragstone yet; {MIGRATE}")
    version, readers = await read_schema_versions(connection)
    newer = f"{place} has schema version {version}, this program knows {VERSION}"
    if version > VERSION and readers > VERSION:
        raise StoreTooNew(f"{newer}; install a newer one")
    if version < VERSION:
        raise StoreNotReady(f"{place} has schema version {version}, this program needs {VERSION}; {MIGRATE}")
    names = dict.fromkeys((SCHEMA, home, "public"))
    path = ", ".join(sql.Identifier(name).as_string(connection) for name in names)
    read_only = f"{newer} and only reads it; install a newer one to write" if version > VERSION else None
    return ServerInfo(number, path, version, bool(bypasses), read_only=read_only)


async def read_schema_versions(connection: AsyncConnection[tuple[Any, ...]]) -> tuple[int, int]:
    """The number of the last migration that was applied, and the version of programs that can read it."""
    found = await (await connection.execute(READ_VERSIONS.encode())).fetchone()
    version, readers = found or (None, None)
    return int(version or 0), int(readers or 0)


async def shares_sessions(
    first: AsyncConnection[tuple[Any, ...]], connect: Callable[[], Awaitable[AsyncConnection[tuple[Any, ...]]]]
) -> bool:
    """Whether a pooler gives a session of the server to several connections in turn, as PgBouncer does in transaction
    mode: nothing that belongs to a session, such as its locks and prepared statements, then outlasts a transaction."""
    if first.info.backend_pid == await _read_session(first):
        return False  # no pooler: those name sessions of their own
    second = await connect()
    own: tuple[set[int], set[int]] = (set(), set())
    try:
        async with asyncio.timeout(LOOK_TIME):
            for _ in range(LOOKS):
                for seen, connection in zip(own, (first, second), strict=True):
                    seen.add(await _read_session(connection))
    except TimeoutError:
        return False
    finally:
        await second.close()
    return any(len(seen) > 1 for seen in own) or not own[0].isdisjoint(own[1])


async def _read_session(connection: AsyncConnection[tuple[Any, ...]]) -> int:
    row = await (await connection.execute("SELECT pg_backend_pid()", prepare=False)).fetchone()
    return int(row[0]) if row else 0
