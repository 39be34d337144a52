"""Whether a database can serve as a store: encoding, the vector extension, the schema's version."""

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
MIGRATE = "run: ragstone migrate --store URL, as a user who may create tables"


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """The server at the other end. `path` is the search path of every transaction; `bypasses` says that row-level
    security does not bind this role."""

    number: int
    path: str
    schema: int
    bypasses: bool


async def inspect_server(connection: AsyncConnection[tuple[Any, ...]], place: str) -> ServerInfo:
    """Look at a database; raises `UsageError` with the remedy, `StoreTooNew` for a later schema."""
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
    version = await read_schema_version(connection)
    if version > VERSION:
        raise StoreTooNew(f"{place} has schema version {version}, this program knows {VERSION}; install a newer one")
    if version < VERSION:
        raise StoreNotReady(f"{place} has schema version {version}, this program needs {VERSION}; {MIGRATE}")
    names = dict.fromkeys((SCHEMA, home, "public"))
    path = ", ".join(sql.Identifier(name).as_string(connection) for name in names)
    return ServerInfo(number, path, version, bool(bypasses))


async def read_schema_version(connection: AsyncConnection[tuple[Any, ...]]) -> int:
    """The number of the last migration that was applied."""
    found = await (await connection.execute("SELECT max(version) FROM ragstone.schema_migrations")).fetchone()
    return int(found[0] or 0) if found else 0
