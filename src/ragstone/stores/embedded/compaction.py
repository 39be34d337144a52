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
from ragstone.stores.embedded import revision_rows, vector_files
from ragstone.stores.embedded.database import write_transaction
from ragstone.stores.embedded.encrypted_rows import cipher_stride
from ragstone.stores.embedded.mirror_updates import CollectionState, read_state
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.embedded.read_checks import check_all_slots
from ragstone.stores.embedded.safe_removal import remove_path
from ragstone.stores.embedded.vector_tables import ACTIVE, SECOND, VectorTables
from ragstone.stores.encryption import SecretKey
from ragstone.stores.fault_points import reach_point

MIN_DEAD_ROWS = 1_024  # dead rows that are not worth a rewrite: 1.5 MB at 384 dimensions
IN_USE = "EXISTS (SELECT 1 FROM chunks c WHERE c.vector_key = v.key)"


def count_dead_slots(connection: sqlite3.Connection, state: CollectionState, tables: VectorTables = ACTIVE) -> int:
    """Slots of the vector file that no kept chunk refers to."""
    used: int = connection.execute(f"SELECT count(*) FROM {tables.vectors} v WHERE {IN_USE}").fetchone()[0]  # noqa: S608
    return state.next_slot - used


def compact_if_worth(
    place: CollectionFiles, connection: sqlite3.Connection, *, now: datetime, tables: VectorTables = ACTIVE
) -> bool:
    """Rewrite the vector file when more than half of it, and more than a few rows, are dead."""
    state = read_state(connection, tables)
    if count_dead_slots(connection, state, tables) <= max(MIN_DEAD_ROWS, state.next_slot // 2):
        return False
    rewrite_vectors(place, connection, now=now, tables=tables)
    return True


def rewrite_vectors(
    place: CollectionFiles,
    connection: sqlite3.Connection,
    *,
    now: datetime,
    repair: bool = False,
    tables: VectorTables = ACTIVE,
) -> None:
    """Copy the vectors in use to a new file and switch to it in one transaction; readers keep the old one.

    Raises `Corrupt` when a checksum fails or the index of the slots differs from their table; with `repair` the rows of
    such blocks are left out instead, so that their chunks want a vector again.
    """
    with write_transaction(connection):
        state = read_state(connection, tables)
        if state.dimension is None:
            return
        number = next_file_number(connection)
        old, new = place.vector_file(state.vector_file), place.vector_file(number)
        rows = (
            _read_whole_rows(old, state, place.key)
            if repair
            else vector_files.map_rows(old, dimension=state.dimension, rows=state.next_slot, key=place.key)
        )
        bad = vector_files.find_bad_blocks(connection, rows, trusted={}, tables=tables)
        if bad and not repair:
            raise vector_files.damage_error(old, "rows do not match their checksum")
        if not repair:
            check_all_slots(connection, tables)
        sql = f"SELECT key, slot FROM {tables.vectors} v WHERE {IN_USE} ORDER BY slot"  # noqa: S608
        kept = [
            (key, slot)
            for key, slot in connection.execute(sql)
            if slot // vector_files.BLOCK_ROWS not in bad and slot < len(rows)
        ]
        slots = np.array([slot for _, slot in kept], dtype=np.int64)
        vector_files.write_file(new, _iter_blocks(rows, slots), dimension=state.dimension, key=place.key)
        _switch_file(connection, [key for key, _ in kept], rows, slots, number, tables)
        revision_rows.advance_generation(connection, now=now)
        reach_point("compact.written")
    reach_point("compact.switched")
    remove_path(old)


def _read_whole_rows(path: Path, state: CollectionState, key: SecretKey | None) -> Rows:
    """As many whole rows as the file still has; those of an encrypted one are nothing without its header."""
    dimension = state.dimension or 1
    size = path.stat().st_size if path.is_file() else 0
    stride = vector_files.RowFormat(dimension).stride if key is None else cipher_stride(dimension)
    rows = max(0, min(state.next_slot, (size - vector_files.HEADER_BYTES) // stride))
    if rows and key is not None:
        with contextlib.suppress(Corrupt):
            return vector_files.map_rows(path, dimension=dimension, rows=rows, key=key)
        rows = 0
    if not rows:
        return np.zeros((0, dimension), dtype=np.float32)
    flat = np.fromfile(path, dtype="<f4", count=rows * dimension, offset=vector_files.HEADER_BYTES)
    return flat.reshape(rows, dimension)


def _iter_blocks(rows: Rows, slots: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Iterator[Vectors]:
    for start in range(0, len(slots), vector_files.BLOCK_ROWS):
        yield rows[slots[start : start + vector_files.BLOCK_ROWS]]


def _switch_file(
    connection: sqlite3.Connection,
    keys: list[str],
    rows: Rows,
    slots: np.ndarray[tuple[int], np.dtype[np.int64]],
    number: int,
    tables: VectorTables,
) -> None:
    connection.execute(f"DELETE FROM {tables.vectors}")  # noqa: S608
    numbered = ((key, slot) for slot, key in enumerate(keys))
    connection.executemany(f"INSERT INTO {tables.vectors} VALUES (?, ?)", numbered)  # noqa: S608
    connection.execute(f"DELETE FROM {tables.blocks}")  # noqa: S608
    for block, piece in enumerate(_iter_blocks(rows, slots)):
        values = (block, len(piece), vector_files.rows_checksum(piece))
        connection.execute(f"INSERT INTO {tables.blocks} VALUES (?, ?, ?)", values)  # noqa: S608
    counted = [(number, f"{tables.meta}vector_file"), (len(keys), f"{tables.meta}next_slot")]
    connection.executemany("UPDATE meta SET value = ? WHERE key = ?", counted)


def next_file_number(connection: sqlite3.Connection) -> int:
    """The number of the next vector file, higher than that of either model."""
    return 1 + max(read_state(connection, tables).vector_file for tables in (ACTIVE, SECOND))


def list_leftovers(place: CollectionFiles, connection: sqlite3.Connection) -> list[Path]:
    """Files that an interrupted write left and nothing refers to."""
    right = {read_state(connection, tables).vector_file for tables in (ACTIVE, SECOND)}
    wrong = [path for number, path in sorted(place.find_numbered("vectors").items()) if number not in right]
    return [*place.find_leftovers(), *wrong]


def remove_leftovers(place: CollectionFiles, connection: sqlite3.Connection) -> None:
    """Remove them, under the write lock: nobody else is making such files meanwhile."""
    if list_leftovers(place, connection):
        with write_transaction(connection):
            for path in list_leftovers(place, connection):
                remove_path(path)
