"""Giving back the space of vectors that no chunk refers to, and what crashes left."""

import contextlib
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import numpy as np

from ragstone.core.errors import Corrupt
from ragstone.core.ports import Vectors
from ragstone.stores.cosine import Rows
from ragstone.stores.crypt import Secret
from ragstone.stores.embedded import revisions, vectors
from ragstone.stores.embedded.database import writing
from ragstone.stores.embedded.faults import reach
from ragstone.stores.embedded.paths import Place, discard
from ragstone.stores.embedded.reflect import State, state_of
from ragstone.stores.embedded.sealedrows import stride as stride_of_sealed
from ragstone.stores.embedded.tables import ACTIVE, BESIDE, Tables

FEW = 1_024  # dead rows that are not worth a rewrite: 1.5 MB at 384 dimensions
USED = "EXISTS (SELECT 1 FROM chunks c WHERE c.vector_key = v.key)"


def dead_slots(connection: sqlite3.Connection, state: State, tables: Tables = ACTIVE) -> int:
    """Slots of the vector file that no kept chunk refers to."""
    used: int = connection.execute(f"SELECT count(*) FROM {tables.vectors} v WHERE {USED}").fetchone()[0]  # noqa: S608
    return state.next_slot - used


def compact_if_worth(place: Place, connection: sqlite3.Connection, *, now: datetime, tables: Tables = ACTIVE) -> bool:
    """Rewrite the vector file when more than half of it, and more than a few rows, are dead."""
    state = state_of(connection, tables)
    if dead_slots(connection, state, tables) <= max(FEW, state.next_slot // 2):
        return False
    rewrite(place, connection, now=now, tables=tables)
    return True


def rewrite(
    place: Place, connection: sqlite3.Connection, *, now: datetime, repair: bool = False, tables: Tables = ACTIVE
) -> None:
    """Copy the vectors in use to a new file and switch to it in one transaction; readers keep the old one.

    Raises `Corrupt` when a checksum fails; with `repair` the rows of such blocks are left out instead, so
    that their chunks want a vector again.
    """
    with writing(connection):
        state = state_of(connection, tables)
        if state.dimension is None:
            return
        number = next_file(connection)
        old, new = place.vectors(state.vector_file), place.vectors(number)
        rows = (
            _readable(old, state, place.key)
            if repair
            else vectors.mapped_rows(old, dimension=state.dimension, rows=state.next_slot, key=place.key)
        )
        bad = vectors.bad_blocks(connection, rows, trusted={}, tables=tables)
        if bad and not repair:
            raise vectors.damaged(old, "rows do not match their checksum")
        sql = f"SELECT key, slot FROM {tables.vectors} v WHERE {USED} ORDER BY slot"  # noqa: S608
        kept = [
            (key, slot)
            for key, slot in connection.execute(sql)
            if slot // vectors.BLOCK not in bad and slot < len(rows)
        ]
        slots = np.array([slot for _, slot in kept], dtype=np.int64)
        vectors.write_new(new, _pieces(rows, slots), dimension=state.dimension, key=place.key)
        _switch(connection, [key for key, _ in kept], rows, slots, number, tables)
        revisions.touch(connection, now=now)
        reach("compact.written")
    reach("compact.switched")
    discard(old)


def _readable(path: Path, state: State, key: Secret | None) -> Rows:
    """As many whole rows as the file still has; those of an encrypted one are nothing without its header."""
    dimension = state.dimension or 1
    size = path.stat().st_size if path.is_file() else 0
    stride = vectors.Form(dimension).stride if key is None else stride_of_sealed(dimension)
    rows = max(0, min(state.next_slot, (size - vectors.HEADER) // stride))
    if rows and key is not None:
        with contextlib.suppress(Corrupt):
            return vectors.mapped_rows(path, dimension=dimension, rows=rows, key=key)
        rows = 0
    if not rows:
        return np.zeros((0, dimension), dtype=np.float32)
    flat = np.fromfile(path, dtype="<f4", count=rows * dimension, offset=vectors.HEADER)
    return flat.reshape(rows, dimension)


def _pieces(rows: Rows, slots: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Iterator[Vectors]:
    for start in range(0, len(slots), vectors.BLOCK):
        yield rows[slots[start : start + vectors.BLOCK]]


def _switch(
    connection: sqlite3.Connection,
    keys: list[str],
    rows: Rows,
    slots: np.ndarray[tuple[int], np.dtype[np.int64]],
    number: int,
    tables: Tables,
) -> None:
    connection.execute(f"DELETE FROM {tables.vectors}")  # noqa: S608
    numbered = ((key, slot) for slot, key in enumerate(keys))
    connection.executemany(f"INSERT INTO {tables.vectors} VALUES (?, ?)", numbered)  # noqa: S608
    connection.execute(f"DELETE FROM {tables.blocks}")  # noqa: S608
    for block, piece in enumerate(_pieces(rows, slots)):
        values = (block, len(piece), vectors.crc(piece))
        connection.execute(f"INSERT INTO {tables.blocks} VALUES (?, ?, ?)", values)  # noqa: S608
    counted = [(number, f"{tables.meta}vector_file"), (len(keys), f"{tables.meta}next_slot")]
    connection.executemany("UPDATE meta SET value = ? WHERE key = ?", counted)


def next_file(connection: sqlite3.Connection) -> int:
    """The number of the next vector file, higher than that of either model."""
    return 1 + max(state_of(connection, tables).vector_file for tables in (ACTIVE, BESIDE))


def leftovers(place: Place, connection: sqlite3.Connection) -> list[Path]:
    """Files that an interrupted write left and nothing refers to."""
    right = {state_of(connection, tables).vector_file for tables in (ACTIVE, BESIDE)}
    wrong = [path for number, path in sorted(place.numbered("vectors").items()) if number not in right]
    return [*place.leftovers(), *wrong]


def remove_leftovers(place: Place, connection: sqlite3.Connection) -> None:
    """Remove them, under the write lock: nobody else is making such files meanwhile."""
    if leftovers(place, connection):
        with writing(connection):
            for path in leftovers(place, connection):
                discard(path)
