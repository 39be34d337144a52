"""Vectors of what was removed: forgotten in the database, then overwritten in the file.

The two steps are apart because a reader may still see an older state. The first makes the slots dead, which counts
as zeros for whoever looks from then on; the second comes when nobody looks from before. What is killed between them
is gone on with by the next run.
"""

import contextlib
import sqlite3

import msgspec

from ragstone.core.errors import Corrupt
from ragstone.stores.cosine import Rows
from ragstone.stores.embedded import vectors
from ragstone.stores.embedded.compact import USED
from ragstone.stores.embedded.database import writing
from ragstone.stores.embedded.faults import reach
from ragstone.stores.embedded.paths import Place
from ragstone.stores.embedded.reflect import State, state_of
from ragstone.stores.embedded.tables import ACTIVE, BESIDE, Tables

UNUSED = f"SELECT slot FROM {{}} v WHERE NOT {USED}"  # noqa: S608


def forget_dead(place: Place, connection: sqlite3.Connection) -> None:
    """Forget the vectors that no kept chunk refers to. A block that is damaged stays so, for the doctor to find."""
    for tables in (ACTIVE, BESIDE):
        if connection.execute(f"{UNUSED.format(tables.vectors)} LIMIT 1").fetchone() is None:
            continue
        with writing(connection), contextlib.suppress(Corrupt):  # a file that is gone is the doctor's matter
            _forget(place, connection, tables)
        reach("purge.forgotten")


def _forget(place: Place, connection: sqlite3.Connection, tables: Tables) -> None:
    state = state_of(connection, tables)
    slots = [slot for (slot,) in connection.execute(UNUSED.format(tables.vectors))]
    good = _good_blocks(place, connection, state, {slot // vectors.BLOCK for slot in slots}, tables)
    listed = msgspec.json.encode(slots).decode()
    sql = f"DELETE FROM {tables.vectors} WHERE slot IN (SELECT value FROM json_each(?))"  # noqa: S608
    connection.execute(sql, (listed,))
    _check_anew(place, connection, state, good, tables)


def overwrite_dead(place: Place, connection: sqlite3.Connection) -> None:
    """Put zeros in place of the rows of dead slots; only when nobody reads a state in which they were not."""
    for tables in (ACTIVE, BESIDE):
        if _whole(connection, tables):
            continue
        with writing(connection), contextlib.suppress(Corrupt):
            _overwrite(place, connection, tables)


def _overwrite(place: Place, connection: sqlite3.Connection, tables: Tables) -> None:
    state = state_of(connection, tables)
    if state.dimension is None:
        return
    path = place.vectors(state.vector_file)
    own = vectors.form(path, state.dimension, place.key)
    dead = vectors.dead_slots(connection, state.next_slot, tables).tolist()
    if slots := vectors.standing(path, dead, own):
        vectors.overwrite(path, slots, own)


def _whole(connection: sqlite3.Connection, tables: Tables) -> bool:
    """Whether no slot is dead."""
    state = state_of(connection, tables)
    held: int = connection.execute(f"SELECT count(*) FROM {tables.vectors}").fetchone()[0]  # noqa: S608
    return state.dimension is None or held >= state.next_slot


def _good_blocks(
    place: Place, connection: sqlite3.Connection, state: State, blocks: set[int], tables: Tables
) -> list[tuple[int, int]]:
    """Those of the blocks that match their checksum now, with their number of rows."""
    rows = _rows(place, state)
    dead = vectors.dead_slots(connection, state.next_slot, tables)
    held = connection.execute(f"SELECT block, rows, crc FROM {tables.blocks}").fetchall()  # noqa: S608
    return [
        (block, count)
        for block, count, value in held
        if block in blocks and vectors.block_crc(rows, block, count, dead=dead) == value
    ]


def _check_anew(
    place: Place, connection: sqlite3.Connection, state: State, blocks: list[tuple[int, int]], tables: Tables
) -> None:
    """The checksums of blocks, with what is dead by now as zeros."""
    rows = _rows(place, state)
    dead = vectors.dead_slots(connection, state.next_slot, tables)
    values = ((vectors.block_crc(rows, block, count, dead=dead), block) for block, count in blocks)
    connection.executemany(f"UPDATE {tables.blocks} SET crc = ? WHERE block = ?", values)  # noqa: S608


def _rows(place: Place, state: State) -> Rows:
    path = place.vectors(state.vector_file)
    return vectors.mapped_rows(path, dimension=state.dimension or 0, rows=state.next_slot, key=place.key)
