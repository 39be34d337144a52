"""An open collection: its connections, its mirror and its vectors, shared by all who read it in this process."""

import contextlib
import logging
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np

from ragstone.core.errors import Corrupt
from ragstone.core.ports import SparseState
from ragstone.core.records import WrittenState
from ragstone.core.types import Scope
from ragstone.stores import sqlite_driver
from ragstone.stores.collection_errors import no_second_model_error, not_built_error
from ragstone.stores.cosine import Rows
from ragstone.stores.embedded import vector_files
from ragstone.stores.embedded.collection_names import check_bound
from ragstone.stores.embedded.database import open_database, prepare_writing
from ragstone.stores.embedded.encrypted_rows import PageCache
from ragstone.stores.embedded.frozen_files import check_unchanged, is_unchanged, lacks_room
from ragstone.stores.embedded.mirror import Flags, Mirror
from ragstone.stores.embedded.mirror_updates import (
    CollectionState,
    advance_mirror,
    read_index,
    read_state,
    rebuild_mirror,
    with_second_model,
)
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.embedded.vector_tables import ACTIVE, SECOND, VectorTables
from ragstone.stores.error_mapping import map_errors

T = TypeVar("T")
MAX_IDLE = 4  # connections kept open for the next reader
NO_FILE = (0, 0)  # the identity of a database that is not there
MAX_MASKS = 32  # filters whose verdicts are remembered

log = logging.getLogger("ragstone")


@dataclass(frozen=True, slots=True)
class CollectionView:
    """The collection as one read transaction sees it. `rows` raises `Corrupt` when the vector file cannot be
    trusted."""

    connection: sqlite3.Connection
    state: CollectionState
    mirror: Mirror
    rows: Callable[[], Rows]
    tables: VectorTables = ACTIVE


class Collection:
    """One directory. Its files may be used by other processes at the same time."""

    def __init__(self, scope: Scope, place: CollectionFiles) -> None:
        self.scope = scope
        self.place = place
        self._lock = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._identity = self._identify_file()
        self._mirror: Mirror | None = None
        self._second: Mirror | None = None
        self._second_of: Mirror | None = None
        self._masks: OrderedDict[tuple[int, str], Flags] = OrderedDict()
        self._trusted: dict[int, dict[int, int]] = {}  # by vector file, as the pages
        self._pages: dict[int, PageCache] = {}
        self._mappings: dict[int, vector_files.FileMapping] = {}
        self.sparse_state: tuple[int, SparseState | None] | None = None  # at a generation: it counts every chunk
        self.written_state: tuple[int, WrittenState | None] | None = None  # so does this

    def take_connection(self, *, writing: bool = False) -> sqlite3.Connection:
        """A connection of one's own; give it back with `release`. Only `writing` brings an older format up to date.
        Raises `NotBuilt`."""
        with self._lock, map_errors(self.place.database):
            connection = self._take_idle()
            try:
                if writing:
                    prepare_writing(self.place.database, connection)
            except BaseException:
                connection.close()
                raise
            return connection

    def release(self, connection: sqlite3.Connection) -> None:
        """Take a connection back, in any state."""
        with self._lock, contextlib.suppress(*sqlite_driver.errors()):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if len(self._idle) < MAX_IDLE and self.is_current and not lacks_room(connection):
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close what is idle; connections still in use close when they are released."""
        with self._lock:
            idle, self._idle, self._identity = self._idle, [], (-1, -1)
            self._mappings.clear()
        for connection in idle:
            connection.close()

    @property
    def is_current(self) -> bool:
        """Whether the directory is still the one that was opened: it may have been erased, before it was opened too,
        and created again."""
        return self._identity != NO_FILE and self._identify_file() == self._identity

    def open_view(self, tables: VectorTables = ACTIVE) -> CollectionView:
        """Begin a read transaction and bring the mirror to it. Release the view's connection at the end.

        Raises `NotBuilt` for a second model where there is none.
        """
        with self._lock, map_errors(self.place.database):
            connection = self._take_idle()
            try:
                connection.execute("BEGIN")
                state = read_state(connection, tables)
                rows, error = self._map_rows(state, connection, tables)
                while error is not None and self._has_moved(state, tables):
                    # a compaction took the vector file away after our transaction began: look again
                    connection.execute("ROLLBACK")
                    connection.execute("BEGIN")
                    state = read_state(connection, tables)
                    rows, error = self._map_rows(state, connection, tables)
                mirror = self._update_mirror(connection, read_state(connection))
                check_unchanged(connection)
                self._mirror = mirror
                self._forget_other_files(connection)
                if tables != ACTIVE:
                    mirror = self._update_second(connection, state, tables)
                return CollectionView(connection, state, mirror, rows, tables)
            except BaseException:
                connection.close()
                raise

    def get_mask(self, generation: int, key: str, make: Callable[[], Flags]) -> Flags:
        """The remembered verdicts of a filter at a generation, or `make()`."""
        with self._lock:
            found = self._masks.get((generation, key))
            if found is not None:
                self._masks.move_to_end((generation, key))
                return found
        made = make()
        with self._lock:
            self._masks[(generation, key)] = made
            while len(self._masks) > MAX_MASKS:
                self._masks.popitem(last=False)
        return made

    def _take_idle(self) -> sqlite3.Connection:
        while self._idle:
            connection = self._idle.pop()
            if is_unchanged(connection):
                return connection
            connection.close()
        opened = open_database(self.place.database, self.place.key)
        if opened is None:
            raise not_built_error(self.scope)
        try:
            check_bound(opened, self.scope, self.place)
        except BaseException:
            opened.close()
            raise
        return opened

    def _identify_file(self) -> tuple[int, int]:
        try:
            stat = self.place.database.stat()
        except OSError:
            return NO_FILE
        return stat.st_dev, stat.st_ino

    def _update_mirror(self, connection: sqlite3.Connection, state: CollectionState) -> Mirror:
        if self._mirror is not None:
            if self._mirror.generation == state.generation:
                return self._mirror
            found = advance_mirror(self._mirror, connection, state)
            if found is not None:
                return found
        return self._load_index(connection, state) or rebuild_mirror(connection, state)

    def _load_index(self, connection: sqlite3.Connection, state: CollectionState) -> Mirror | None:
        for generation in sorted(self.place.find_numbered("index"), reverse=True):
            try:
                found = read_index(self.place, generation, connection, state)
            except FileNotFoundError:  # another process has just put a newer one there
                continue
            except (Corrupt, OSError) as error:
                log.warning("an index file is left aside and the index rebuilt: %s", error)
                continue
            if found is not None:
                return found
        return None

    def _update_second(self, connection: sqlite3.Connection, state: CollectionState, tables: VectorTables) -> Mirror:
        """The mirror of a second model, kept for the next question to it."""
        if state.dimension is None:
            raise no_second_model_error(self.scope)
        if self._second is None or self._second.key != state.mirror_key or self._mirror is not self._second_of:
            assert self._mirror is not None  # it was just made
            self._second = with_second_model(self._mirror, connection, state, tables)
            self._second_of = self._mirror
        return self._second

    def _has_moved(self, state: CollectionState, tables: VectorTables) -> bool:
        """Whether a later transaction names another vector file than this one."""
        other = open_database(self.place.database, self.place.key)
        if other is None:
            return False
        try:
            return read_state(other, tables).vector_file != state.vector_file
        finally:
            other.close()

    def _forget_other_files(self, connection: sqlite3.Connection) -> None:
        """Forget what was read of vector files that were rewritten; a view that still reads one keeps its own."""
        if len(self._trusted) > 1:
            states = [read_state(connection, tables) for tables in (ACTIVE, SECOND)]
            named = {state.vector_file for state in states if state.dimension is not None}
            for number in self._trusted.keys() - named:
                del self._trusted[number]
                self._pages.pop(number, None)
                self._mappings.pop(number, None)

    def _map_rows(
        self, state: CollectionState, connection: sqlite3.Connection, tables: VectorTables
    ) -> tuple[Callable[[], Rows], Corrupt | None]:
        """The vectors of this view: mapped now (the file may be removed later), checked when first used."""
        dimension = state.dimension
        if dimension is None or state.next_slot == 0:
            return (lambda: np.zeros((0, dimension or 0), dtype=np.float32)), None
        path = self.place.vector_file(state.vector_file)
        try:
            held = self._pages.setdefault(state.vector_file, PageCache())
            mapping = self._mappings.setdefault(state.vector_file, vector_files.FileMapping())
            rows = vector_files.map_rows(
                path, dimension=dimension, rows=state.next_slot, key=self.place.key, pages=held, mapping=mapping
            )
        except Corrupt as error:
            return _make_failing_rows(error), error
        trusted = self._trusted.setdefault(state.vector_file, {})

        @cache  # a view reads one state
        def check_rows() -> Rows:
            if vector_files.find_bad_blocks(connection, rows, trusted=trusted, tables=tables):
                raise vector_files.damage_error(path, "rows do not match their checksum")
            return rows

        return check_rows, None


def _make_failing_rows(error: Corrupt) -> Callable[[], Rows]:
    def raise_error() -> Rows:
        raise error

    return raise_error


class SerialConnection:
    """The connection that writers share: calls wait for one another, and SQLite's errors are mapped."""

    def __init__(self, collection: Collection, connection: sqlite3.Connection, threads: ThreadPool) -> None:
        self._collection = collection
        self._place = collection.place
        self._connection = connection
        self._threads = threads
        self._lock = threading.Lock()

    async def _run(self, work: Callable[[], T]) -> T:
        return await self._threads.run(lambda: self._run_alone(work))

    def _run_alone(self, work: Callable[[], T]) -> T:
        with self._lock, map_errors(self._place.directory):
            return work()

    def close(self) -> None:
        """Give the connection back; waits for a call that is still running."""
        with self._lock:
            self._collection.release(self._connection)
