"""Vectors that another collection of the same tenant already has: copied instead of embedded again."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ragstone.errors import RagstoneError
from ragstone.ports import Vectors
from ragstone.stores.embedded import vectors
from ragstone.stores.embedded.database import connect
from ragstone.stores.embedded.paths import Place, collection_directories
from ragstone.stores.embedded.reflect import State, state_of


class Lenders:
    """The sibling collections that hold vectors of the same model, variant and dimension; looked up once."""

    def __init__(self, root: Path, tenant: str, own: Place) -> None:
        self._root = root
        self._tenant = tenant
        self._own = own
        self._places: list[Place] | None = None
        self._trusted: dict[Path, dict[int, int]] = {}

    def lend(self, keys: Sequence[str], state: State) -> dict[str, Vectors]:
        """Those of the vectors that a sibling has, copied and checked; a damaged sibling lends nothing."""
        if not keys or state.dimension is None:
            return {}
        found: dict[str, Vectors] = {}
        for place in self._siblings(state):
            missing = [key for key in keys if key not in found]
            found |= self._lent(place, missing, state.dimension) if missing else {}
        return found

    def _siblings(self, state: State) -> list[Place]:
        if self._places is None:
            others = (Place(d) for d in collection_directories(self._root, self._tenant))
            self._places = [place for place in others if place != self._own and _alike(place, state)]
        return self._places

    def _lent(self, place: Place, keys: Sequence[str], dimension: int) -> dict[str, Vectors]:
        try:
            connection = connect(place.database)
            if connection is None:
                return {}
            try:
                connection.execute("BEGIN")
                return self._copied(place, connection, keys, dimension)
            finally:
                connection.close()
        except (RagstoneError, sqlite3.Error, OSError, TypeError):
            return {}  # whatever is wrong with a sibling, its own readers will hear of it

    def _copied(
        self, place: Place, connection: sqlite3.Connection, keys: Sequence[str], dimension: int
    ) -> dict[str, Vectors]:
        sql = "SELECT key, slot FROM vectors WHERE key IN (SELECT value FROM json_each(?)) ORDER BY slot"
        slots = dict(connection.execute(sql, (msgspec.json.encode(list(keys)).decode(),)).fetchall())
        if not slots:
            return {}
        other = state_of(connection)
        path = place.vectors(other.vector_file)
        rows = vectors.mapped_rows(path, dimension=dimension, rows=other.next_slot)
        bad = set(vectors.bad_blocks(connection, rows, trusted=self._trusted.setdefault(path, {})))
        return {key: rows[slot].copy() for key, slot in slots.items() if slot // vectors.BLOCK not in bad}


def _alike(place: Place, state: State) -> bool:
    other = _state(place)
    return (
        other is not None
        and other.next_slot > 0
        and (other.model, other.variant, other.dimension) == (state.model, state.variant, state.dimension)
    )


def _state(place: Place) -> State | None:
    try:
        connection = connect(place.database)
        if connection is None:
            return None
        try:
            return state_of(connection)
        finally:
            connection.close()
    except (RagstoneError, sqlite3.Error, OSError, TypeError):
        return None
