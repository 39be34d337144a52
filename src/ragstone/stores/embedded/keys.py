"""API keys: one small SQLite file at the root of the store, beside the tenants' directories."""

import contextlib
import os
import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from ragstone.core.errors import Corrupt, StoreTooNew, UsageError
from ragstone.core.types import Key
from ragstone.stores.durable import sync_directory
from ragstone.stores.embedded.database import Step, opened, ready, version, writing
from ragstone.stores.embedded.frozen import confirm
from ragstone.stores.embedded.paths import check_store, gate_of, make_store
from ragstone.stores.embedded.threads import Threads
from ragstone.stores.foreign import mapped
from ragstone.stores.locks import gate

T = TypeVar("T")
FILE = "keys.db"  # no tenant's directory has a dot in its name
BROKEN = (
    "{place} is damaged ({error}), and with it the API keys of all tenants: put it back from a backup, or move it "
    "away and make new keys (ragstone keys create); no key is accepted meanwhile"
)
COLUMNS = "id, tenant, name, roles, created, digest, expires, revoked"


def _first(connection: sqlite3.Connection) -> None:
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


STEPS: tuple[Step, ...] = (_first,)


class EmbeddedKeys:
    """See `ragstone.core.ports.Keys`."""

    def __init__(self, root: Path, threads: Threads) -> None:
        self._root = root
        self._file = root / FILE
        self._threads = threads

    async def find(self, identity: str) -> Key | None:
        found = await self._threads.run(lambda: self._read("id = ?", identity))
        return found[0] if found else None

    async def add(self, key: Key) -> None:
        await self._threads.run(lambda: self._add(key))

    async def of(self, tenant: str) -> list[Key]:
        return await self._threads.run(lambda: self._read("tenant = ?", tenant))

    async def revoke(self, tenant: str, identity: str, *, at: datetime) -> bool:
        return await self._threads.run(lambda: self._revoke(tenant, identity, at))

    async def erase(self, tenant: str) -> int:
        return await self._threads.run(lambda: self._erase(tenant))

    def _read(self, condition: str, value: str) -> list[Key]:
        statement = f"SELECT {COLUMNS} FROM keys WHERE {condition} ORDER BY created, id"  # noqa: S608  # our own words

        def read(connection: sqlite3.Connection) -> list[Key]:
            found = connection.execute(statement, (value,)).fetchall()
            confirm(connection)
            return [_key(row) for row in found]

        return self._on(read, [])

    def _add(self, key: Key) -> None:
        row = (
            key.id,
            key.tenant,
            key.name,
            ",".join(key.roles),
            key.created.isoformat(),
            key.digest,
            _text(key.expires),
            _text(key.revoked),
        )

        def add(connection: sqlite3.Connection) -> None:
            try:
                with writing(connection):
                    connection.execute(f"INSERT INTO keys ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608  # our own words
            except sqlite3.IntegrityError as error:
                raise UsageError(f"there is a key with the id {key.id} already") from error

        self._make()
        self._on(add, None)

    def _revoke(self, tenant: str, identity: str, at: datetime) -> bool:
        statement = "UPDATE keys SET revoked = coalesce(revoked, ?) WHERE tenant = ? AND id = ?"

        def revoke(connection: sqlite3.Connection) -> bool:
            with writing(connection):
                return connection.execute(statement, (at.isoformat(), tenant, identity)).rowcount > 0

        return self._on(revoke, False)

    def _erase(self, tenant: str) -> int:
        def erase(connection: sqlite3.Connection) -> int:
            with writing(connection):
                return connection.execute("DELETE FROM keys WHERE tenant = ?", (tenant,)).rowcount

        return self._on(erase, 0)

    def _make(self) -> None:
        """Make the file, readable by the owner alone; one that a crash left empty is made whole."""
        with mapped(self._root):
            make_store(self._root)
            with gate(gate_of(self._root)), mapped(self._file, BROKEN):
                with contextlib.suppress(FileExistsError):
                    os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
                    sync_directory(self._root)
                ready(self._file, STEPS)

    def _on(self, work: Callable[[sqlite3.Connection], T], none: T) -> T:
        """Work on the file; `none` where no key was ever made."""
        with mapped(self._file, BROKEN):
            if not check_store(self._root) or not self._file.exists():
                return none
            connection = opened(self._file)
            try:
                return work(connection) if self._made(connection) else none
            finally:
                connection.close()

    def _made(self, connection: sqlite3.Connection) -> bool:
        found = version(connection)
        if found > len(STEPS):
            raise StoreTooNew(
                f"{self._file} has format {found}, this program reads up to {len(STEPS)}: upgrade ragstone"
            )
        if found == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise Corrupt(BROKEN.format(place=self._file, error="it does not say its format"))
        return found > 0


def _key(row: tuple[Any, ...]) -> Key:
    identity, tenant, name, roles, created, digest, expires, revoked = row
    known = (_moment(expires), _moment(revoked))
    return Key(identity, tenant, name, tuple(roles.split(",")), datetime.fromisoformat(created), digest, *known)


def _text(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
