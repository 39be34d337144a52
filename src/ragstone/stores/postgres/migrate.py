"""Bring a database's schema up to date: every migration once, in order, each in a transaction of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import AsyncConnection

from ragstone.core.errors import StoreError, StoreTooNew, UsageError
from ragstone.stores.postgres import error_mapping
from ragstone.stores.postgres.migrations import MIGRATIONS, VERSION, Migration
from ragstone.stores.postgres.pool import Pool
from ragstone.stores.postgres.server_check import shares_sessions
from ragstone.stores.postgres.url import parse_postgres_url

ROLES = ("ragstone_read", "ragstone_write", "ragstone_admin")  # as the migrations make them
LOCK = 0x7261_6773_746F_6E65  # "ragstone": one migration of a database at a time
RECORD = """CREATE TABLE IF NOT EXISTS ragstone.schema_migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    readers integer
)"""
# Of a database from before. Looked for first: adding it waits for everybody who reads the table.
HAS_READERS = """SELECT EXISTS (SELECT FROM pg_attribute
    WHERE attrelid = 'ragstone.schema_migrations'::regclass AND attname = 'readers')"""


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """The result of a migration: the new version of the schema, the names of the steps taken, notes."""

    version: int
    applied: tuple[str, ...]
    notes: tuple[str, ...]


async def migrate(url: str, *, migrations: Sequence[Migration] = MIGRATIONS) -> MigrationResult:
    """Apply what is missing; run twice, or by two at once, it does so once.

    Raises `UsageError` for a database or role that cannot take it, or one whose steps were others; `StoreTooNew` for a
    schema that is newer than this program. A failure leaves the earlier steps done.
    """
    pool = Pool(parse_postgres_url(url))
    place = pool.url.shown
    connection = await pool.open_dedicated()
    try:
        with error_mapping.map_errors(place):
            if await shares_sessions(connection, pool.open_dedicated):
                raise UsageError(
                    f"{place} leads to a pooler in transaction mode, where no session keeps the lock of a migration; "
                    "migrate over a direct connection"
                )
            return await _apply_missing(connection, migrations, place)
    finally:
        await connection.close()


async def _apply_missing(
    connection: AsyncConnection[Any], migrations: Sequence[Migration], place: str
) -> MigrationResult:
    notes: list[str] = []
    connection.add_notice_handler(lambda notice: notes.append(notice.message_primary or ""))
    await connection.execute("SET client_min_messages = warning")
    await connection.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
    await _prepare_schema(connection, place)
    known = await _check_applied(connection, migrations, place)
    has_roles = len(known) > 1
    notes += await _restore_roles(connection) if has_roles else ()
    done = []
    for migration in migrations:
        if migration.version not in known:
            await _apply_migration(connection, migration)
            done.append(f"{migration.version:04d}_{migration.name}")
    if has_roles:
        await connection.execute("SELECT ragstone.grant_roles()")
    version = max((m.version for m in migrations), default=0)
    return MigrationResult(version, tuple(done), tuple(dict.fromkeys(filter(None, notes))))


async def _restore_roles(connection: AsyncConnection[Any]) -> list[str]:
    """Make the roles that a server lacks: a dump of a database brings none to another server. Gives notes."""
    notes = []
    for name in ROLES:
        if await _fetch_value(connection, f"SELECT to_regrole('{name}') IS NULL"):
            try:
                await connection.execute(f"CREATE ROLE {name} NOLOGIN".encode())
            except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
                continue  # a migration of another database of this server was quicker
            except psycopg.errors.InsufficientPrivilege:
                notes.append(
                    f"role {name} could not be made here; make it with CREATEROLE, then run ragstone migrate again"
                )
    return notes


async def _prepare_schema(connection: AsyncConnection[Any], place: str) -> None:
    """The schema, the extension and the record of what was applied."""
    try:
        async with connection.transaction():
            encoding = await (await connection.execute("SHOW server_encoding")).fetchone()
            if encoding != ("UTF8",):
                raise UsageError(f"{place} is not encoded in UTF8; make the database anew with ENCODING 'UTF8'")
            home = "to_regnamespace('ragstone') IS NOT NULL"
            if not (await _fetch_value(connection, f"SELECT {home}")):
                await connection.execute("CREATE SCHEMA ragstone")
            if not await _fetch_value(connection, "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector')"):
                await _create_extension(connection, place)
            await connection.execute(RECORD)
            if not await _fetch_value(connection, HAS_READERS):
                await connection.execute("ALTER TABLE ragstone.schema_migrations ADD COLUMN readers integer")
    except psycopg.errors.InsufficientPrivilege as error:
        said = error_mapping.first_error_line(error)
        raise UsageError(
            f"{place}: this role may not make tables here ({said}); migrate as the database's owner"
        ) from error


async def _create_extension(connection: AsyncConnection[Any], place: str) -> None:
    try:
        await connection.execute("CREATE EXTENSION vector SCHEMA public")
    except psycopg.Error as error:
        said = error_mapping.first_error_line(error)
        raise UsageError(
            f"{place} lacks the extension vector and it cannot be made ({said}); install pgvector on the server, and "
            "run as a superuser: CREATE EXTENSION vector"
        ) from error


async def _check_applied(connection: AsyncConnection[Any], migrations: Sequence[Migration], place: str) -> set[int]:
    """The versions that are there already, held against the program's own."""
    rows = await (await connection.execute("SELECT version, checksum FROM ragstone.schema_migrations")).fetchall()
    known = {migration.version: migration for migration in (*MIGRATIONS, *migrations)}
    for version, checksum in sorted(rows):
        if version not in known:
            raise StoreTooNew(
                f"{place} has schema version {version}, this program knows {VERSION}; install a newer one"
            )
        if known[version].checksum != checksum:
            raise StoreError(
                f"{place}: migration {version:04d} was applied with another text than this program has; "
                "use the release that made this database, or make it anew"
            )
    return {version for version, _ in rows}


async def _apply_migration(connection: AsyncConnection[Any], migration: Migration) -> None:
    async with connection.transaction():
        home = await _fetch_value(
            connection,
            "SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'",
        )
        await connection.execute(
            "SELECT set_config('search_path', format('ragstone, %%I', %s::text), true), "
            "set_config('client_min_messages', 'notice', true)",
            (home,),
        )
        await connection.execute(migration.sql.encode())
        await connection.execute(
            "INSERT INTO ragstone.schema_migrations (version, name, checksum, readers) VALUES (%s, %s, %s, %s)",
            (migration.version, migration.name, migration.checksum, migration.readers),
        )


async def _fetch_value(connection: AsyncConnection[Any], query: str) -> Any:
    row = await (await connection.execute(query.encode())).fetchone()
    return row[0] if row else None
