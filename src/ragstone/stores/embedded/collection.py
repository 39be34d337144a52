"""An open collection: its connections, its mirror and its vectors, shared by all who read it in this process."""

import contextlib
import logging
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ragstone.core.errors import Corrupt
from ragstone.core.types import Scope
from ragstone.stores import driver
from ragstone.stores.absent import no_second, not_built
from ragstone.stores.cosine import Rows
from ragstone.stores.embedded import vectors
from ragstone.stores.embedded.database import connect
from ragstone.stores.embedded.frozen import confirm, unchanged
from ragstone.stores.embedded.mirror import Flags, Mirror
from ragstone.stores.embedded.paths import Place
from ragstone.stores.embedded.reflect import State, advanced, beside, read_index, rebuilt, state_of
from ragstone.stores.embedded.sealedrows import Pages
from ragstone.stores.embedded.tables import ACTIVE, Tables
from ragstone.stores.foreign import mapped

IDLE = 4  # connections kept open for the next reader
MASKS = 32  # filters whose verdicts are remembered

log = logging.getLogger("ragstone")


@dataclass(frozen=True, slots=True)
class View:
    """What one read transaction sees. `rows` raises `Corrupt` when the vector file cannot be trusted."""

    connection: sqlite3.Connection
    state: State
    mirror: Mirror
    rows: Callable[[], Rows]
    tables: Tables = ACTIVE


class Collection:
    """One directory. Its files may be used by other processes at the same time."""

    def __init__(self, scope: Scope, place: Place) -> None:
        self.scope = scope
        self.place = place
        self._lock = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._identity = self._file()
        self._mirror: Mirror | None = None
        self._second: Mirror | None = None
        self._second_of: Mirror | None = None
        self._masks: OrderedDict[tuple[int, str], Flags] = OrderedDict()
        self._trusted: dict[int, dict[int, int]] = {}
        self._pages: dict[int, Pages] = {}

    def connection(self) -> sqlite3.Connection:
        """A connection of one's own; give it back with `release`. Raises `NotBuilt`."""
        with self._lock, mapped(self.place.database):
            return self._taken()

    def release(self, connection: sqlite3.Connection) -> None:
        """Take a connection back, whatever state it is in."""
        with self._lock, contextlib.suppress(*driver.errors()):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if len(self._idle) < IDLE and self._file() == self._identity:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close what is idle; connections still in use close when they are released."""
        with self._lock:
            idle, self._idle, self._identity = self._idle, [], (-1, -1)
        for connection in idle:
            connection.close()

    @property
    def current(self) -> bool:
        """Whether the directory is still the one that was opened: it may have been erased and made anew."""
        return self._file() == self._identity

    def view(self, tables: Tables = ACTIVE) -> View:
        """Begin a read transaction and bring the mirror to it. Release the view's connection at the end.

        Raises `NotBuilt` for a second model where there is none.
        """
        with self._lock, mapped(self.place.database):
            connection = self._taken()
            try:
                connection.execute("BEGIN")
                state = state_of(connection, tables)
                rows, error = self._rows(state, connection, tables)
                while error is not None and self._moved(state, tables):
                    # a compaction took the vector file away after our transaction began: look again
                    connection.execute("ROLLBACK")
                    connection.execute("BEGIN")
                    state = state_of(connection, tables)
                    rows, error = self._rows(state, connection, tables)
                mirror = self._mirrored(connection, state_of(connection))
                confirm(connection)
                self._mirror = mirror
                if tables != ACTIVE:
                    mirror = self._beside(connection, state, tables)
                return View(connection, state, mirror, rows, tables)
            except BaseException:
                connection.close()
                raise

    def mask(self, generation: int, key: str, make: Callable[[], Flags]) -> Flags:
        """The remembered verdicts of a filter at a generation, or `make()`."""
        with self._lock:
            found = self._masks.get((generation, key))
            if found is not None:
                self._masks.move_to_end((generation, key))
                return found
        made = make()
        with self._lock:
            self._masks[(generation, key)] = made
            while len(self._masks) > MASKS:
                self._masks.popitem(last=False)
        return made

    def _taken(self) -> sqlite3.Connection:
        while self._idle:
            connection = self._idle.pop()
            if unchanged(connection):
                return connection
            connection.close()
        opened = connect(self.place.database, self.place.key)
        if opened is None:
            raise not_built(self.scope)
        return opened

    def _file(self) -> tuple[int, int]:
        try:
            stat = self.place.database.stat()
        except OSError:
            return (0, 0)
        return stat.st_dev, stat.st_ino

    def _mirrored(self, connection: sqlite3.Connection, state: State) -> Mirror:
        if self._mirror is not None:
            if self._mirror.generation == state.generation:
                return self._mirror
            found = advanced(self._mirror, connection, state)
            if found is not None:
                return found
        return self._sealed(connection, state) or rebuilt(connection, state)

    def _sealed(self, connection: sqlite3.Connection, state: State) -> Mirror | None:
        for generation in sorted(self.place.numbered("index"), reverse=True):
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

    def _beside(self, connection: sqlite3.Connection, state: State, tables: Tables) -> Mirror:
        """The mirror of a second model, kept for the next question to it."""
        if state.dimension is None:
            raise no_second(self.scope)
        if self._second is None or self._second.key != state.key or self._mirror is not self._second_of:
            assert self._mirror is not None  # it was just made
            self._second = beside(self._mirror, connection, state, tables)
            self._second_of = self._mirror
        return self._second

    def _moved(self, state: State, tables: Tables) -> bool:
        """Whether a later transaction names another vector file than this one."""
        other = connect(self.place.database, self.place.key)
        if other is None:
            return False
        try:
            return state_of(other, tables).vector_file != state.vector_file
        finally:
            other.close()

    def _rows(
        self, state: State, connection: sqlite3.Connection, tables: Tables
    ) -> tuple[Callable[[], Rows], Corrupt | None]:
        """The vectors of this view: mapped now (the file may be removed later), checked when first used."""
        dimension = state.dimension
        if dimension is None or state.next_slot == 0:
            return (lambda: np.zeros((0, dimension or 0), dtype=np.float32)), None
        path = self.place.vectors(state.vector_file)
        try:
            held = self._pages.setdefault(state.vector_file, Pages())
            rows = vectors.mapped_rows(path, dimension=dimension, rows=state.next_slot, key=self.place.key, pages=held)
        except Corrupt as error:
            return _raising(error), error
        trusted = self._trusted.setdefault(state.vector_file, {})

        def checked() -> Rows:
            if vectors.bad_blocks(connection, rows, trusted=trusted, tables=tables):
                raise vectors.damaged(path, "rows do not match their checksum")
            return rows

        return checked, None


def _raising(error: Corrupt) -> Callable[[], Rows]:
    def rows() -> Rows:
        raise error

    return rows
