"""Vectors that another collection of the same tenant already has: copied instead of embedded again."""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from ragstone.core.errors import RagstoneError, StoreError
from ragstone.core.ports import Vectors
from ragstone.stores import driver
from ragstone.stores.cosine import checked
from ragstone.stores.embedded import vectors
from ragstone.stores.embedded.database import connect
from ragstone.stores.embedded.paths import Place
from ragstone.stores.embedded.reflect import State, state_of
from ragstone.stores.embedded.tenants import Tenants

# What a file with anything in it can make a reader raise: foreign types, numbers out of range, missing keys.
# Whatever is wrong with a sibling, its own readers will hear of it.
UNREADABLE = (RagstoneError, OSError, LookupError, TypeError, ValueError, ArithmeticError)


class Lenders:
    """The sibling collections that hold vectors of the same model, variant and dimension; looked up once."""

    def __init__(self, tenants: Tenants, tenant: str, own: Place) -> None:
        self._tenants = tenants
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
            others = self._tenants.places(self._tenant)
            self._places = [place for place in others if place != self._own and _alike(place, state)]
        return self._places

    def _lent(self, place: Place, keys: Sequence[str], dimension: int) -> dict[str, Vectors]:
        lent: dict[str, Vectors] = {}
        with contextlib.suppress(*driver.errors(*UNREADABLE)), _opened(place) as connection:
            connection.execute("BEGIN")
            lent = self._copied(place, connection, keys, dimension)
        return lent

    def _copied(
        self, place: Place, connection: sqlite3.Connection, keys: Sequence[str], dimension: int
    ) -> dict[str, Vectors]:
        sql = "SELECT key, slot FROM vectors WHERE key IN (SELECT value FROM json_each(?)) ORDER BY slot"
        slots = dict(connection.execute(sql, (msgspec.json.encode(list(keys)).decode(),)).fetchall())
        if not slots:
            return {}
        other = state_of(connection)
        path = place.vectors(other.vector_file)
        rows = vectors.mapped_rows(path, dimension=dimension, rows=other.next_slot, key=place.key)
        bad = set(vectors.bad_blocks(connection, rows, trusted=self._trusted.setdefault(path, {})))
        found: dict[str, Vectors] = {}
        for key, slot in slots.items():
            if 0 <= slot < len(rows) and slot // vectors.BLOCK not in bad:
                with contextlib.suppress(StoreError):
                    found[key] = checked(key, rows[np.array([slot])][0], dimension)
        return found


def _alike(place: Place, state: State) -> bool:
    alike = False
    with contextlib.suppress(*driver.errors(*UNREADABLE)), _opened(place) as connection:
        other = state_of(connection)
        held = (other.model, other.variant, other.dimension)
        alike = other.next_slot > 0 and held == (state.model, state.variant, state.dimension)
    return alike


@contextlib.contextmanager
def _opened(place: Place) -> Iterator[sqlite3.Connection]:
    connection = connect(place.database, place.key)
    if connection is None:
        raise FileNotFoundError(place.database)
    with contextlib.closing(connection):
        yield connection
