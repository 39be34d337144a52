"""Vectors that another collection of the same tenant already has: copied instead of embedded again."""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ragstone.core.errors import RagstoneError, StoreError
from ragstone.core.ports import Vectors
from ragstone.stores import sqlite_driver
from ragstone.stores.cosine import check_stored_vector
from ragstone.stores.embedded import vector_files
from ragstone.stores.embedded.database import encode_list, open_database
from ragstone.stores.embedded.mirror_updates import CollectionState, read_state
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.embedded.tenants import Tenants

# What a file with anything in it can make a reader raise: foreign types, numbers out of range, missing keys.
# Whatever is wrong with a sibling, its own readers will hear of it.
UNREADABLE_ERRORS = (RagstoneError, OSError, LookupError, TypeError, ValueError, ArithmeticError)


class SiblingVectors:
    """The sibling collections that hold vectors of the same model, variant and dimension; looked up once."""

    def __init__(self, tenants: Tenants, tenant: str, own: CollectionFiles) -> None:
        self._tenants = tenants
        self._tenant = tenant
        self._own = own
        self._places: list[CollectionFiles] | None = None
        self._trusted: dict[Path, dict[int, int]] = {}

    def copy_vectors(self, keys: Sequence[str], state: CollectionState) -> dict[str, Vectors]:
        """Those of the vectors that a sibling has, copied and checked; a damaged sibling lends nothing."""
        if not keys or state.dimension is None:
            return {}
        found: dict[str, Vectors] = {}
        for place in self._find_siblings(state):
            missing = [key for key in keys if key not in found]
            found |= self._copy_from(place, missing, state.dimension) if missing else {}
        return found

    def _find_siblings(self, state: CollectionState) -> list[CollectionFiles]:
        if self._places is None:
            others = self._tenants.list_files(self._tenant)
            self._places = [place for place in others if place != self._own and _has_same_model(place, state)]
        return self._places

    def _copy_from(self, place: CollectionFiles, keys: Sequence[str], dimension: int) -> dict[str, Vectors]:
        lent: dict[str, Vectors] = {}
        with contextlib.suppress(*sqlite_driver.errors(*UNREADABLE_ERRORS)), _open_sibling(place) as connection:
            connection.execute("BEGIN")
            lent = self._copy_checked(place, connection, keys, dimension)
        return lent

    def _copy_checked(
        self, place: CollectionFiles, connection: sqlite3.Connection, keys: Sequence[str], dimension: int
    ) -> dict[str, Vectors]:
        sql = "SELECT key, slot FROM vectors WHERE key IN (SELECT value FROM json_each(?)) ORDER BY slot"
        slots = dict(connection.execute(sql, (encode_list(list(keys)),)).fetchall())
        if not slots:
            return {}
        other = read_state(connection)
        path = place.vector_file(other.vector_file)
        rows = vector_files.map_rows(path, dimension=dimension, rows=other.next_slot, key=place.key)
        bad = set(vector_files.find_bad_blocks(connection, rows, trusted=self._trusted.setdefault(path, {})))
        found: dict[str, Vectors] = {}
        for key, slot in slots.items():
            if 0 <= slot < len(rows) and slot // vector_files.BLOCK_ROWS not in bad:
                with contextlib.suppress(StoreError):
                    found[key] = check_stored_vector(key, rows[np.array([slot])][0], dimension)
        return found


def _has_same_model(place: CollectionFiles, state: CollectionState) -> bool:
    alike = False
    with contextlib.suppress(*sqlite_driver.errors(*UNREADABLE_ERRORS)), _open_sibling(place) as connection:
        other = read_state(connection)
        held = (other.model, other.variant, other.dimension)
        alike = other.next_slot > 0 and held == (state.model, state.variant, state.dimension)
    return alike


@contextlib.contextmanager
def _open_sibling(place: CollectionFiles) -> Iterator[sqlite3.Connection]:
    connection = open_database(place.database, place.key)
    if connection is None:
        raise FileNotFoundError(place.database)
    with contextlib.closing(connection):
        yield connection
