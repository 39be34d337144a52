"""A second model beside the active one: begun, filled, switched to, given up."""

import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TypeVar

import numpy as np

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import HeldModel, Vectors
from ragstone.core.types import Chunk, Document, Scope
from ragstone.stores.absent import no_second
from ragstone.stores.cosine import checked
from ragstone.stores.embedded import revisions, vectors
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.compact import compact_if_worth, next_file, remove_leftovers
from ragstone.stores.embedded.database import cut_log, writing
from ragstone.stores.embedded.missing import Missing
from ragstone.stores.embedded.paths import Place
from ragstone.stores.embedded.reflect import state_of
from ragstone.stores.embedded.rows import ACTIVE_CHUNKS, chunk_of
from ragstone.stores.embedded.serial import Serial
from ragstone.stores.embedded.tables import ACTIVE, BESIDE, Tables
from ragstone.stores.embedded.threads import Threads
from ragstone.stores.held import check_wanted, has_second

T = TypeVar("T")
ABOUT = ("model", "variant", "dimension", "vector_file", "next_slot")
WAS_ACTIVE = "beside_was_active"
PENDING = f"""SELECT count(*) FROM {ACTIVE_CHUNKS} WHERE c.vector_key != ''
    AND NOT EXISTS (SELECT 1 FROM {{vectors}} v WHERE v.key = c.vector_key)"""  # noqa: S608
SWAP = "swapped"  # a name that no table has


def models(connection: sqlite3.Connection) -> list[HeldModel]:
    """See `ragstone.core.ports.Reembedding.models`."""
    found = []
    for tables in (ACTIVE, BESIDE):
        state = state_of(connection, tables)
        if state.model is None or state.dimension is None:
            continue
        pending = pending_of(connection, tables)
        was_active = connection.execute("SELECT value FROM meta WHERE key = ?", (WAS_ACTIVE,)).fetchone()
        standing = "kept" if was_active and was_active[0] else "filling" if pending else "ready"
        name = "active" if tables == ACTIVE else standing
        found.append(HeldModel(state.model, state.variant, state.dimension, name, pending))  # type: ignore[arg-type]  # literals all
    return found


def pending_of(connection: sqlite3.Connection, tables: Tables) -> int:
    """How many active chunks lack a vector."""
    return int(connection.execute(PENDING.format(vectors=tables.vectors)).fetchone()[0])


def begin(
    place: Place, connection: sqlite3.Connection, wanted: tuple[str, str, int], scope: Scope, *, now: datetime
) -> None:
    """Make room for a second model, unless it is there; raises `UsageError` where another one is."""
    with writing(connection):
        active, second = (state_of(connection, tables) for tables in (ACTIVE, BESIDE))
        if has_second(active.held, second.held, wanted, scope):
            return
        number = next_file(connection)
        vectors.make(place.vectors(number), wanted[2], place.key)
        about = dict(zip(ABOUT, (*wanted, number, 0), strict=True))
        rows = [(BESIDE.meta + name, value) for name, value in about.items()]
        connection.executemany("REPLACE INTO meta VALUES (?, ?)", [*rows, (WAS_ACTIVE, 0)])
        revisions.touch(connection, now=now)


def switch(
    connection: sqlite3.Connection, scope: Scope, *, to: HeldModel | None, now: datetime, elsewhere: bool
) -> None:
    """Swap the tables and what is said of them in one transaction; raises `UsageError` while vectors are missing."""
    with writing(connection):
        if state_of(connection, BESIDE).dimension is None:
            raise no_second(scope)
        check_wanted(state_of(connection, BESIDE).held, to)
        if lacking := 0 if elsewhere else pending_of(connection, BESIDE):
            raise UsageError(f"{lacking} chunks have no vector of the second model yet; run: ragstone reembed fill")
        for one, other in ((ACTIVE.vectors, BESIDE.vectors), (ACTIVE.blocks, BESIDE.blocks)):
            for old, new in ((one, SWAP), (other, one), (SWAP, other)):
                connection.execute(f"ALTER TABLE {old} RENAME TO {new}")
        for name in ABOUT:
            keys = (name, BESIDE.meta + name)
            values = [connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()[0] for key in keys]
            connection.executemany("REPLACE INTO meta VALUES (?, ?)", zip(keys, reversed(values), strict=True))
        connection.execute("REPLACE INTO meta VALUES (?, 1)", (WAS_ACTIVE,))
        revisions.touch(connection, now=now)


def forget(place: Place, connection: sqlite3.Connection, scope: Scope, *, now: datetime) -> None:
    """Give up the second model: what a kill leaves of its file, the next writer removes."""
    with writing(connection):
        if state_of(connection, BESIDE).dimension is None:
            raise no_second(scope)
        connection.execute(f"DELETE FROM {BESIDE.vectors}")  # noqa: S608
        connection.execute(f"DELETE FROM {BESIDE.blocks}")  # noqa: S608
        connection.executemany("DELETE FROM meta WHERE key = ?", [(BESIDE.meta + name,) for name in ABOUT])
        connection.execute("DELETE FROM meta WHERE key = ?", (WAS_ACTIVE,))
        revisions.touch(connection, now=now)
    remove_leftovers(place, connection)


class EmbeddedFiller(Serial):
    """See `ragstone.core.ports.Filler`."""

    def __init__(
        self, collection: Collection, connection: sqlite3.Connection, threads: Threads, *, now: Callable[[], datetime]
    ) -> None:
        super().__init__(collection, connection, threads)
        self._now = now
        self._missing = Missing(connection, BESIDE)
        self._held = state_of(connection, BESIDE).held
        if self._held[2] is None:
            raise no_second(collection.scope)

    async def wanted(self, limit: int) -> list[Chunk]:
        return await self._call(lambda: self._wanted(limit))

    async def put(self, vectors: Mapping[str, Vectors]) -> None:
        await self._call(lambda: self._put(vectors))

    async def settle(self) -> None:
        await self._call(self._settle)

    def _wanted(self, limit: int) -> list[Chunk]:
        shared: dict[bytes, Document] = {}
        return [chunk_of(row, shared) for row in self._missing.find(limit)]

    def _put(self, given: Mapping[str, Vectors]) -> None:
        """The second model may have been switched to, or given up, meanwhile: looked at under the write lock."""
        with writing(self._connection):
            state = state_of(self._connection, BESIDE)
            if state.dimension is None or state.held != self._held:
                raise StoreError("the second model is another one by now; nothing was written")
            rows_of = {key: checked(key, vector, state.dimension) for key, vector in given.items()}
            fresh = [key for key in rows_of if not self._has(key)]
            if not fresh:
                return
            rows = np.stack([rows_of[key] for key in fresh])
            path = self._place.vectors(state.vector_file)
            vectors.append(path, rows, first=state.next_slot, key=self._place.key)
            vectors.extend_blocks(self._connection, rows, first=state.next_slot, tables=BESIDE)
            slots = ((key, state.next_slot + i) for i, key in enumerate(fresh))
            self._connection.executemany(f"INSERT INTO {BESIDE.vectors} VALUES (?, ?)", slots)  # noqa: S608
            named = (state.next_slot + len(fresh), f"{BESIDE.meta}next_slot")
            self._connection.execute("UPDATE meta SET value = ? WHERE key = ?", named)

    def _has(self, key: str) -> bool:
        sql = f"SELECT 1 FROM {BESIDE.vectors} WHERE key = ?"  # noqa: S608
        return self._connection.execute(sql, (key,)).fetchone() is not None

    def _settle(self) -> None:
        remove_leftovers(self._place, self._connection)
        compact_if_worth(self._place, self._connection, now=self._now(), tables=BESIDE)
        cut_log(self._connection)
