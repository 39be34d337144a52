"""Collections of a tenant: made, listed, erased, looked after."""

import contextlib
import os
import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from ragstone.errors import Busy, Corrupt, RagstoneError, UsageError
from ragstone.stores.durable import make_directory, sync_directory
from ragstone.stores.embedded import vectors
from ragstone.stores.embedded.check import findings, mend
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.database import connect, make, reading, writing
from ragstone.stores.embedded.faults import reach
from ragstone.stores.embedded.frozen import confirm, writable
from ragstone.stores.embedded.paths import (
    GONE,
    Place,
    check_store,
    collection_directories,
    decoded,
    erase,
    gate_of,
    make_store,
    place,
    sweep,
)
from ragstone.stores.embedded.reflect import State, state_of
from ragstone.stores.embedded.threads import Threads
from ragstone.stores.foreign import mapped
from ragstone.stores.locks import gate, hold
from ragstone.types import Scope


class EmbeddedAdmin:
    """See `ragstone.ports.Admin`. `opened` gives a collection, `closed` forgets one that is erased."""

    def __init__(
        self,
        root: Path,
        threads: Threads,
        *,
        opened: Callable[[Scope], Collection],
        closed: Callable[[Scope], None],
        now: Callable[[], datetime],
    ) -> None:
        self._root = root
        self._threads = threads
        self._opened = opened
        self._closed = closed
        self._now = now

    async def create(self, scope: Scope, *, model: str | None, variant: str | None, dimension: int | None) -> None:
        await self._threads.run(lambda: self._create(scope, model, variant, dimension))

    async def exists(self, scope: Scope) -> bool:
        return await self._threads.run(lambda: self._exists(scope))

    async def drop(self, scope: Scope) -> bool:
        return await self._threads.run(lambda: self._drop(scope))

    async def collections(self, tenant: str) -> list[str]:
        return await self._threads.run(lambda: self._collections(tenant))

    async def check(self, scope: Scope, *, repair: bool = False) -> list[str]:
        return await self._threads.run(lambda: self._check(scope, repair))

    def _create(self, scope: Scope, model: str | None, variant: str | None, dimension: int | None) -> None:
        if dimension is not None and (dimension < 1 or model is None):
            raise UsageError(f"a collection needs a model and a dimension of at least 1; got {model!r} and {dimension}")
        with mapped(self._root):
            make_store(self._root)
            sweep(self._root)
        with mapped(self._root), gate(gate_of(self._root)):
            here = place(self._root, scope)
            make_directory(here.locks)
            make(here.database)
            connection = connect(here.database)
            if connection is None:
                raise Corrupt(f"{here.database} vanished while it was made; run again")
            try:
                self._name(connection, scope)
                _record_model(here, connection, scope, (model, variant, dimension))
            finally:
                connection.close()

    def _name(self, connection: sqlite3.Connection, scope: Scope) -> None:
        names = {"tenant": scope.tenant, "collection": scope.collection}
        known = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('tenant', 'collection')").fetchall())
        if known != names:
            with writing(connection):
                connection.executemany("REPLACE INTO meta VALUES (?, ?)", names.items())

    def _exists(self, scope: Scope) -> bool:
        with mapped(self._root):
            if not check_store(self._root):
                return False
            connection = connect(place(self._root, scope).database)
            if connection is not None:
                connection.close()
            return connection is not None

    def _drop(self, scope: Scope) -> bool:
        """Renamed aside first: from then on it is gone for everyone, a crash leaves only what the next open removes."""
        with mapped(self._root):
            here = place(self._root, scope)
            if not check_store(self._root):
                return False
            with gate(gate_of(self._root)), contextlib.ExitStack() as locks:
                if not here.directory.is_dir():
                    return False
                self._hold_all(here, scope, locks)
                self._closed(scope)
                gone = _free(here.directory)
                here.directory.rename(gone)
                sync_directory(gone.parent)
            reach("drop.renamed")
            erase(gone)
            return True

    def _hold_all(self, here: Place, scope: Scope, locks: contextlib.ExitStack) -> None:
        since = self._now().isoformat(timespec="seconds")
        for path in sorted(here.locks.glob("*.lock")):
            name = decoded(path.stem) or "?"
            try:
                locks.callback(os.close, hold(path, source=name, since=since))
            except Busy as error:
                raise Busy(f"collection {scope.collection!r} cannot be erased now: {error}") from error

    def _collections(self, tenant: str) -> list[str]:
        with mapped(self._root):
            if not check_store(self._root):
                return []
            sweep(self._root)
            return sorted(_name_of(directory) for directory in collection_directories(self._root, tenant))

    def _check(self, scope: Scope, repair: bool) -> list[str]:
        collection = self._opened(scope)
        connection = collection.connection()
        try:
            with mapped(collection.place.directory):
                found = _found(collection, connection)
                if repair and found and not writable(collection.place.database):
                    found.append(f"{collection.place.directory} may only be read here: nothing was mended")
                elif repair and found:
                    taken_out = mend(collection.place, connection, now=self._now())
                    found = [*taken_out, *_found(collection, connection)]
                confirm(connection)
                return found
        finally:
            collection.release(connection)


def _found(collection: Collection, connection: sqlite3.Connection) -> list[str]:
    with reading(connection):
        return findings(collection, connection)


def _free(directory: Path) -> Path:
    number = 0
    while (gone := directory.with_name(f"{GONE}{number}-{directory.name}")).exists():
        number += 1
    return gone


def _name_of(directory: Path) -> str:
    name = decoded(directory.name)
    if name is not None:
        return name
    try:
        connection = connect(Place(directory).database)
        if connection is not None:
            with contextlib.closing(connection):
                found = connection.execute("SELECT value FROM meta WHERE key = 'collection'").fetchone()
                return str(found[0]) if found else directory.name
    except (sqlite3.Error, RagstoneError):
        return directory.name  # its name stands in the damaged file alone
    return directory.name


def _record_model(
    here: Place, connection: sqlite3.Connection, scope: Scope, wanted: tuple[str | None, str | None, int | None]
) -> None:
    """Fill in what the vectors are of, once; a different wish later is the caller's mistake."""
    if wanted[2] is None or _agrees(state_of(connection), scope, wanted):
        return
    with writing(connection):
        if _agrees(state_of(connection), scope, wanted):
            return
        vectors.make(here.vectors(1), wanted[2])
        values = {"model": wanted[0], "variant": wanted[1], "dimension": wanted[2], "vector_file": 1}
        connection.executemany("REPLACE INTO meta VALUES (?, ?)", values.items())


def _agrees(state: State, scope: Scope, wanted: tuple[str | None, str | None, int | None]) -> bool:
    """Whether the collection holds such vectors already; raises `UsageError` when it holds others."""
    if state.dimension is None:
        return False
    held = (state.model, state.variant, state.dimension)
    if held != wanted:
        raise UsageError(
            f"collection {scope.collection!r} holds vectors of {_said(held)}; this run would write {_said(wanted)}: "
            "use another --collection, or --recreate"
        )
    return True


def _said(about: tuple[str | None, str | None, int | None]) -> str:
    model, variant, dimension = about
    return f"{model}{f' {variant}' if variant else ''} ({dimension})"
