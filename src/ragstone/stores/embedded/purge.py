"""Traces of removed chunks: their vectors, and copies of their texts in gaps of the database.

Vectors are forgotten in the database, then overwritten in the file. The two steps are apart because a reader may still
see an older state. The first makes the slots dead, which later readers see as zeros; the second comes when nobody looks
from before. The next run continues after an interruption between them. Copies of texts go in the second step.
"""

import contextlib
import logging
import sqlite3
import subprocess
import sys
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import Corrupt
from ragstone.stores.cosine import Rows
from ragstone.stores.embedded import page_gaps, revision_rows, vector_files
from ragstone.stores.embedded.compaction import IN_USE
from ragstone.stores.embedded.database import encode_list, open_database, read_transaction, write_transaction
from ragstone.stores.embedded.mirror_updates import CollectionState, read_state
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.embedded.vector_tables import ACTIVE, SECOND, VectorTables
from ragstone.stores.fault_points import reach_point

log = logging.getLogger("ragstone")

Slots = NDArray[np.int64]
DeadSlots = Mapping[VectorTables, tuple[int, Slots]]  # with the number of the vector file
UNUSED_SLOTS = f"SELECT slot FROM {{}} v WHERE NOT {IN_USE}"  # noqa: S608


def forget_dead_vectors(place: CollectionFiles, connection: sqlite3.Connection) -> None:
    """Forget the vectors that no kept chunk refers to. A block that is damaged stays so, for the doctor to find."""
    for tables in (ACTIVE, SECOND):
        if connection.execute(f"{UNUSED_SLOTS.format(tables.vectors)} LIMIT 1").fetchone() is None:
            continue
        with write_transaction(connection), contextlib.suppress(Corrupt):  # a file that is gone is the doctor's matter
            _forget_slots(place, connection, tables)
        reach_point("purge.forgotten")


def _forget_slots(place: CollectionFiles, connection: sqlite3.Connection, tables: VectorTables) -> None:
    state = read_state(connection, tables)
    slots = [slot for (slot,) in connection.execute(UNUSED_SLOTS.format(tables.vectors))]
    good = _find_good_blocks(place, connection, state, {slot // vector_files.BLOCK_ROWS for slot in slots}, tables)
    listed = encode_list(slots)
    sql = f"DELETE FROM {tables.vectors} WHERE slot IN (SELECT value FROM json_each(?))"  # noqa: S608
    connection.execute(sql, (listed,))
    _update_checksums(place, connection, state, good, tables)


def list_dead_slots(connection: sqlite3.Connection) -> DeadSlots:
    """The dead slots of each model now."""
    found = {}
    with read_transaction(connection):
        for tables in (ACTIVE, SECOND):
            state = read_state(connection, tables)
            if state.dimension is not None:
                found[tables] = state.vector_file, vector_files.find_dead_slots(connection, state.next_slot, tables)
    return found


def overwrite_dead_vectors(place: CollectionFiles, connection: sqlite3.Connection, dead: DeadSlots) -> None:
    """Put zeros in place of the rows of these slots; only when no reader uses a state in which they were alive.

    They are those of a moment before the log was cut, and no others: what another process forgot since then may stand
    in the view of a reader that was opened since then.
    """
    for tables, (number, slots) in dead.items():
        if len(slots):
            with write_transaction(connection), contextlib.suppress(Corrupt):
                _overwrite_slots(place, connection, tables, number, slots)


def _overwrite_slots(
    place: CollectionFiles, connection: sqlite3.Connection, tables: VectorTables, number: int, slots: Slots
) -> None:
    state = read_state(connection, tables)
    if state.dimension is None or state.vector_file != number:
        return
    path = place.vector_file(number)
    own = vector_files.read_row_format(path, state.dimension, place.key)
    still = np.intersect1d(slots, vector_files.find_dead_slots(connection, state.next_slot, tables)).tolist()
    if found := vector_files.find_nonzero(path, still, own):
        vector_files.zero_rows(path, found, own)


def wipe_gaps(place: CollectionFiles, connection: sqlite3.Connection, erased: int) -> None:
    """Remove the copies of erased texts that SQLite left when it moved rows between pages, and remember the number of
    the last erasure. With an open reader, the next run does it.

    A database under a key is written anew: nobody else can write its pages.
    """
    own = open_database(place.database, place.key)  # it holds no page in memory whose gaps it could write back
    if own is None:
        return
    try:
        with write_transaction(own):
            journal = place.database.with_name(f"{place.database.name}-wal")
            if journal.exists() and journal.stat().st_size:
                return  # somebody wrote after it was cut
            wiped = place.key is None and _run_wiping(place)
            if wiped:
                revision_rows.record_wipe(own, erased)
    finally:
        own.close()
    if not wiped:
        connection.execute("VACUUM")
        with write_transaction(connection):
            revision_rows.record_wipe(connection, erased)


def _run_wiping(place: CollectionFiles) -> bool:
    """Whether a program of its own could write the gaps."""
    if not sys.executable or getattr(sys, "frozen", False):
        return False
    program = [sys.executable, "-I", "-S", page_gaps.__file__, str(place.database)]
    try:
        done = subprocess.run(program, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        log.warning("the database is written anew, because its gaps could not be: %s", error)
        return False
    if done.returncode:
        said = done.stderr.strip().rpartition("\n")[2]
        log.warning("the database is written anew, because its gaps could not be: %s", said)
        return False
    reach_point("wipe.written")
    return True


def _find_good_blocks(
    place: CollectionFiles,
    connection: sqlite3.Connection,
    state: CollectionState,
    blocks: set[int],
    tables: VectorTables,
) -> list[tuple[int, int]]:
    """Those of the blocks that match their checksum now, with their number of rows."""
    rows = _map_rows(place, state)
    dead = vector_files.find_dead_slots(connection, state.next_slot, tables)
    held = connection.execute(f"SELECT block, rows, crc FROM {tables.blocks}").fetchall()  # noqa: S608
    return [
        (block, count)
        for block, count, value in held
        if block in blocks and vector_files.block_checksum(rows, block, count, dead=dead) == value
    ]


def _update_checksums(
    place: CollectionFiles,
    connection: sqlite3.Connection,
    state: CollectionState,
    blocks: list[tuple[int, int]],
    tables: VectorTables,
) -> None:
    """The checksums of blocks, with what is dead by now as zeros."""
    rows = _map_rows(place, state)
    dead = vector_files.find_dead_slots(connection, state.next_slot, tables)
    values = ((vector_files.block_checksum(rows, block, count, dead=dead), block) for block, count in blocks)
    connection.executemany(f"UPDATE {tables.blocks} SET crc = ? WHERE block = ?", values)  # noqa: S608


def _map_rows(place: CollectionFiles, state: CollectionState) -> Rows:
    path = place.vector_file(state.vector_file)
    return vector_files.map_rows(path, dimension=state.dimension or 0, rows=state.next_slot, key=place.key)
