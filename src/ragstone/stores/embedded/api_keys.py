"""API keys: one small SQLite file at the root of the store, beside the tenants' directories."""

import contextlib
import os
import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from ragstone.core.errors import Corrupt, StoreTooNew, UsageError
from ragstone.core.records import Key
from ragstone.stores.durable_files import sync_directory
from ragstone.stores.embedded.database import MigrationStep, open_file, read_format, upgrade_file, write_transaction
from ragstone.stores.embedded.frozen_files import check_unchanged
from ragstone.stores.embedded.paths import check_store, make_store, store_lock_path
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.error_mapping import map_errors
from ragstone.stores.file_locks import brief_lock

T = TypeVar("T")
KEYS_DATABASE = "keys.db"  # no tenant's directory has a dot in its name
DAMAGE_MESSAGE = (
    "{place} is damaged ({error}), and with it the API keys of all tenants: put it back from a backup, or move it "
    "away and make new keys (ragstone keys create); no key is accepted meanwhile"
)
KEY_COLUMNS = "id, tenant, name, roles, created, digest, expires, revoked"


def _create_keys_table(connection: sqlite3.Connection) -> None:
    connection.execute(
        """CREATE TABLE keys (
        id TEXT PRIMARY KEY,
        tenant TEXT NOT NULL,
        name TEXT NOT NULL,
        roles TEXT NOT NULL,    -- joined by commas
        created TEXT NOT NULL,  -- times in ISO 8601, UTC
        digest BLOB NOT NULL,   -- SHA-256 of the secret, which itself is nowhere
        expires TEXT,
        revoked TEXT
        ) WITHOUT ROWID"""
    )
    connection.execute("CREATE INDEX keys_of ON keys (tenant)")


KEY_STEPS: tuple[MigrationStep, ...] = (_create_keys_table,)


class EmbeddedKeys:
    """Keeps API keys of all tenants in one database of the store; implements `Keys`."""

    def __init__(self, root: Path, threads: ThreadPool) -> None:
        self._root = root
        self._file = root / KEYS_DATABASE
        self._threads = threads

    async def find(self, identity: str) -> Key | None:
        found = await self._threads.run(lambda: self._find_keys("id = ?", identity))
        return found[0] if found else None

    async def add(self, key: Key) -> None:
        await self._threads.run(lambda: self._add(key))

    async def of(self, tenant: str) -> list[Key]:
        return await self._threads.run(lambda: self._find_keys("tenant = ?", tenant))

    async def revoke(self, tenant: str, identity: str, *, at: datetime) -> bool:
        return await self._threads.run(lambda: self._revoke(tenant, identity, at))

    async def erase(self, tenant: str) -> int:
        return await self._threads.run(lambda: self._erase(tenant))

    def _find_keys(self, condition: str, value: str) -> list[Key]:
        statement = f"SELECT {KEY_COLUMNS} FROM keys WHERE {condition} ORDER BY created, id"  # noqa: S608  # our own words

        def read_rows(connection: sqlite3.Connection) -> list[Key]:
            found = connection.execute(statement, (value,)).fetchall()
            check_unchanged(connection)
            return [_decode_key(row) for row in found]

        return self._run_on_file(read_rows, [])

    def _add(self, key: Key) -> None:
        row = (
            key.id,
            key.tenant,
            key.name,
            ",".join(key.roles),
            key.created.isoformat(),
            key.digest,
            _format_moment(key.expires),
            _format_moment(key.revoked),
        )

        def insert_key(connection: sqlite3.Connection) -> None:
            try:
                with write_transaction(connection):
                    connection.execute(f"INSERT INTO keys ({KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608  # our own words
            except sqlite3.IntegrityError as error:
                raise UsageError(f"duplicate key id {key.id}") from error

        self._create_file()
        self._run_on_file(insert_key, None)

    def _revoke(self, tenant: str, identity: str, at: datetime) -> bool:
        statement = "UPDATE keys SET revoked = coalesce(revoked, ?) WHERE tenant = ? AND id = ?"

        def revoke_key(connection: sqlite3.Connection) -> bool:
            with write_transaction(connection):
                return connection.execute(statement, (at.isoformat(), tenant, identity)).rowcount > 0

        return self._run_on_file(revoke_key, False)

    def _erase(self, tenant: str) -> int:
        def delete_keys(connection: sqlite3.Connection) -> int:
            with write_transaction(connection):
                return connection.execute("DELETE FROM keys WHERE tenant = ?", (tenant,)).rowcount

        return self._run_on_file(delete_keys, 0)

    def _create_file(self) -> None:
        """Make the file, readable by the owner alone; one that a crash left empty is made whole."""
        with map_errors(self._root):
            make_store(self._root)
            with brief_lock(store_lock_path(self._root)), map_errors(self._file, DAMAGE_MESSAGE):
                with contextlib.suppress(FileExistsError):
                    os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
                    sync_directory(self._root)
                upgrade_file(self._file, KEY_STEPS)

    def _run_on_file(self, work: Callable[[sqlite3.Connection], T], none: T) -> T:
        """Work on the file; `none` where no key was ever made."""
        with map_errors(self._file, DAMAGE_MESSAGE):
            if not check_store(self._root) or not self._file.exists():
                return none
            connection = open_file(self._file)
            try:
                return work(connection) if self._has_keys_table(connection) else none
            finally:
                connection.close()

    def _has_keys_table(self, connection: sqlite3.Connection) -> bool:
        found = read_format(connection)
        if found > len(KEY_STEPS):
            raise StoreTooNew(
                f"{self._file} has format {found}, this program reads up to {len(KEY_STEPS)}: upgrade ragstone"
            )
        if found == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise Corrupt(DAMAGE_MESSAGE.format(place=self._file, error="it does not say its format"))
        return found > 0


def _decode_key(row: tuple[Any, ...]) -> Key:
    identity, tenant, name, roles, created, digest, expires, revoked = row
    known = (_parse_moment(expires), _parse_moment(revoked))
    return Key(identity, tenant, name, tuple(roles.split(",")), datetime.fromisoformat(created), digest, *known)


def _format_moment(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat()


def _parse_moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
