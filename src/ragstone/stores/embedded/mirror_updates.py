"""How a mirror is made from SQLite, brought up to date, sealed to disk and read back."""

import hashlib
import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import Corrupt
from ragstone.stores.embedded.array_files import read_arrays, write_arrays
from ragstone.stores.embedded.database import encode_list
from ragstone.stores.embedded.mirror import MISSING_SLOT, NO_SLOT, ChunkColumns, Int64s, Mirror, Origin, RevisionColumns
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.embedded.postings import ChunkTermCounts, Postings
from ragstone.stores.embedded.read_checks import (
    check_active,
    check_all_slots,
    check_changed,
    check_revisions,
    check_slots,
)
from ragstone.stores.embedded.safe_removal import remove_path
from ragstone.stores.embedded.vector_tables import ACTIVE, VectorTables
from ragstone.stores.encoding import decode_document

# An index file is written anew when more than a sixteenth of the chunks changed: what is beside it, each process reads
# from the database when it opens the collection.
INDEX_SHARE = 16
PAGE = 512  # revisions whose rows are in memory at once


@dataclass(frozen=True, slots=True)
class CollectionState:
    """The collection's `meta` in one transaction."""

    generation: int
    log_from: int
    vector_file: int
    next_slot: int
    model: str | None = None
    variant: str | None = None
    dimension: int | None = None
    built_at: str | None = None

    @property
    def model_identity(self) -> tuple[str | None, str | None, int | None]:
        """The model and variant of the vectors."""
        return self.model, self.variant, self.dimension

    @property
    def mirror_key(self) -> tuple[int, int, int]:
        """The key of a mirror's state."""
        return self.generation, self.vector_file, self.next_slot


def read_state(connection: sqlite3.Connection, tables: VectorTables = ACTIVE) -> CollectionState:
    """The state; inside a transaction this also fixes what the connection sees. Of a second model it has no dimension
    where there is none."""
    found = dict(connection.execute("SELECT key, value FROM meta").fetchall())
    if tables != ACTIVE:
        none = {"vector_file": 0, "next_slot": 0, "model": None, "variant": None, "dimension": None}
        found |= {name: found.get(tables.meta + name, value) for name, value in none.items()}
    return CollectionState(
        **{field.name: found[field.name] for field in fields(CollectionState) if field.name in found}
    )


def rebuild_mirror(connection: sqlite3.Connection, state: CollectionState, *, verify: bool = True) -> Mirror:
    """From SQLite alone; the doctor does not `verify` it, for it names each damage by itself."""
    active = connection.execute("SELECT key FROM revisions WHERE status = 'active' ORDER BY key")
    keys = np.array(array("q", chain.from_iterable(active)), dtype=np.int64)
    empty = Mirror.build(state.mirror_key, *_load_revisions(connection, keys[:0], 0, 0), Postings.from_blobs([]))
    mirror = _add_revisions(empty, connection, keys, verify=verify).compact()
    return _check_whole(mirror, connection) if verify else mirror


def _check_whole(mirror: Mirror, connection: sqlite3.Connection) -> Mirror:
    check_active(connection, mirror.revisions.key[mirror.revisions.alive])
    return mirror


def advance_mirror(mirror: Mirror, connection: sqlite3.Connection, state: CollectionState) -> Mirror | None:
    """From an older mirror; None when the log no longer reaches back to it."""
    if mirror.generation > state.generation or mirror.generation < state.log_from:
        return None
    gone, fresh = _read_changes(connection, mirror.generation)
    mirror = _update_slots(mirror, connection, state)
    mirror = replace(mirror, generation=state.generation, vector_file=state.vector_file, next_slot=state.next_slot)
    if len(gone) or len(fresh):
        mirror = _add_revisions(_drop_revisions(mirror, gone), connection, fresh).tidy()
    check_changed(connection, mirror.revisions.key[mirror.revisions.alive], gone=gone, fresh=fresh)
    return mirror


def _read_changes(connection: sqlite3.Connection, since: int) -> tuple[Int64s, Int64s]:
    """The revisions that are no longer active since a generation, and those that have become so."""
    sql = "SELECT rev, active FROM changes WHERE generation > ? ORDER BY step DESC"
    rows = array("q", chain.from_iterable(connection.execute(sql, (since,))))
    changes = np.array(rows, dtype=np.int64).reshape(-1, 2)
    revs, last = np.unique(changes[:, 0], return_index=True)
    active = changes[last, 1] != 0
    return revs[~active], revs[active]


def _drop_revisions(mirror: Mirror, gone: NDArray[np.int64]) -> Mirror:
    held = mirror.revisions
    alive = held.alive & ~np.isin(held.key, gone)
    state = (mirror.generation, mirror.vector_file, mirror.next_slot)
    return Mirror.build(state, replace(held, alive=alive), mirror.chunks, mirror.base, mirror.tail)


def _add_revisions(mirror: Mirror, connection: sqlite3.Connection, keys: Int64s, *, verify: bool = True) -> Mirror:
    alive = mirror.revisions.key[mirror.revisions.alive]
    fresh = np.setdiff1d(keys, alive[np.isin(alive, keys)])  # without the second half it sorts all of a collection
    first_rev, first = len(mirror.revisions.key), len(mirror.chunks)
    revisions, chunks, postings = _load_revisions(connection, fresh, first_rev, first, verify=verify)
    both = mirror.revisions.concatenate(revisions)
    state = (mirror.generation, mirror.vector_file, mirror.next_slot)
    return Mirror.build(state, both, mirror.chunks.concatenate(chunks), mirror.base, mirror.tail.concatenate(postings))


def _load_revisions(
    connection: sqlite3.Connection, keys: Int64s, first_rev: int, first: int, *, verify: bool = True
) -> tuple[RevisionColumns, ChunkColumns, Postings]:
    """The given revisions with their chunks, at positions from `first` and indexes from `first_rev`; of a few at a
    time are the rows in memory."""
    loaded = [
        _load_some(connection, keys[start : start + PAGE].tolist(), first_rev + start, verify=verify)
        for start in range(0, max(len(keys), 1), PAGE)
    ]
    revisions = RevisionColumns.join([revisions for revisions, _, _ in loaded])
    chunks, counts = ChunkColumns.join([chunks for _, chunks, _ in loaded]), [counts for _, _, counts in loaded]
    del loaded
    order = np.argsort(chunks.row, kind="stable")
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(first, first + len(order), dtype=np.int32)
    return revisions, chunks.select(order), Postings.from_counts(counts, places)


def _load_some(
    connection: sqlite3.Connection, keys: Sequence[int], first_rev: int, *, verify: bool
) -> tuple[RevisionColumns, ChunkColumns, ChunkTermCounts]:
    if verify:
        check_revisions(connection, keys)
    sql = "SELECT key, facts FROM revisions WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key"
    revisions = _read_revisions(connection.execute(sql, (encode_list(keys),)))
    sql = """SELECT c.row, c.rev, c.ordinal, c.length, coalesce(v.slot, iif(c.vector_key = '', ?, ?)), c.terms,
        c.vector_key
        FROM chunks c LEFT JOIN vectors v ON v.key = c.vector_key
        WHERE c.rev IN (SELECT value FROM json_each(?)) ORDER BY c.row"""
    found = connection.execute(sql, (NO_SLOT, MISSING_SLOT, encode_list(keys))).fetchall()
    row, rev, ordinal, length, slot, blobs, names = zip(*found, strict=True) if found else ((),) * 7
    if verify:
        named = list(zip(names, slot, strict=True))
        wanting = [name for name, at in named if at == MISSING_SLOT]
        check_slots(connection, [(name, at) for name, at in named if at >= 0], wanting)
    index = {key: first_rev + i for i, key in enumerate(keys)}
    chunks = ChunkColumns(
        np.array(row, dtype=np.int64),
        np.array([index[key] for key in rev], dtype=np.int32),
        np.array(ordinal, dtype=np.int32),
        np.array(length, dtype=np.int32),
        np.array(slot, dtype=np.int64),
    )
    return revisions, chunks, ChunkTermCounts.from_blobs(blobs)


def _read_revisions(rows: Iterable[tuple[int, bytes]]) -> RevisionColumns:
    """Active revisions from their keys and facts, which are checked and not kept."""
    keys, places = array("q"), array("i")
    origins: dict[Origin, int] = {}
    for key, facts in rows:
        document = decode_document(facts)
        keys.append(key)
        places.append(origins.setdefault((document.recipe, document.edition), len(origins)))
    alive = np.ones(len(keys), dtype=np.bool_)
    return RevisionColumns(np.array(keys, dtype=np.int64), alive, np.array(places, dtype=np.int32), tuple(origins))


def _update_slots(mirror: Mirror, connection: sqlite3.Connection, state: CollectionState) -> Mirror:
    """With the vectors that came since, or with all anew when the file was rewritten."""
    afresh = mirror.vector_file != state.vector_file
    since = 0 if afresh else mirror.next_slot
    if not afresh and since == state.next_slot:
        return mirror
    sql = "SELECT key, slot FROM vectors NOT INDEXED WHERE slot >= ?"
    check_slots(connection, connection.execute(sql, (since,)).fetchall())
    sql = "SELECT c.row, v.slot FROM vectors v JOIN chunks c ON c.vector_key = v.key WHERE v.slot >= ?"
    found = np.array(connection.execute(sql, (since,)).fetchall(), dtype=np.int64).reshape(-1, 2)
    return mirror.with_slots(found[:, 0], found[:, 1], afresh=afresh)


def with_second_model(
    mirror: Mirror, connection: sqlite3.Connection, state: CollectionState, tables: VectorTables
) -> Mirror:
    """The mirror with the vector slots of a second model; `state` belongs to that model."""
    check_all_slots(connection, tables)
    sql = f"SELECT c.row, v.slot FROM {tables.vectors} v JOIN chunks c ON c.vector_key = v.key"  # noqa: S608
    found = np.array(connection.execute(sql).fetchall(), dtype=np.int64).reshape(-1, 2)
    mirror = mirror.with_slots(found[:, 0], found[:, 1], afresh=True)
    return replace(mirror, vector_file=state.vector_file, next_slot=state.next_slot)


def write_index(place: CollectionFiles, mirror: Mirror) -> Mirror:
    """Seal a mirror as the collection's index file of its generation; the sealed mirror, without dead positions."""
    mirror = mirror.compact()
    chunks, base = mirror.chunks, mirror.base
    facts = {"generation": mirror.generation, "vector_file": mirror.vector_file, "next_slot": mirror.next_slot}
    arrays: dict[str, NDArray[np.generic]] = {
        "revisions": mirror.revisions.key,
        **{name: getattr(chunks, name) for name in ChunkColumns.__dataclass_fields__},
        **{f"postings.{name}": getattr(base, name) for name in Postings.__dataclass_fields__},
    }
    if place.key is not None:
        facts["owner"] = _digest_owner(place)
    path = place.index_file(mirror.generation)
    if path.is_dir():
        remove_path(path)
    write_arrays(path, facts, arrays, place.key)
    return mirror


def _digest_owner(place: CollectionFiles) -> int:
    return int.from_bytes(hashlib.sha256(place.directory.name.encode()).digest()[:6], "big")


def is_short_way(connection: sqlite3.Connection, state: CollectionState, generation: int) -> bool:
    """Whether so little changed since the index file of a generation that a reader takes the rest from the database:
    an edited line should not write an index of the whole collection."""
    sql = "SELECT count(*) FROM changes WHERE generation > ?"
    revisions = connection.execute(sql, (generation,)).fetchone()[0]
    sql = "SELECT count(*) FROM chunks WHERE rev IN (SELECT rev FROM changes WHERE generation > ?)"
    chunks = connection.execute(sql, (generation,)).fetchone()[0]
    covered = connection.execute("SELECT value FROM meta WHERE key = 'index_slots'").fetchone()
    vectors = abs(state.next_slot - covered[0]) if covered is not None else state.next_slot
    total = connection.execute("SELECT count(*) FROM chunks").fetchone()[0]
    return bool(INDEX_SHARE * max(revisions, chunks, vectors) < total)


def record_index(connection: sqlite3.Connection, state: CollectionState) -> None:
    """Forget the changes that the index file of this state covers."""
    connection.execute("DELETE FROM changes WHERE generation <= ?", (state.generation,))
    connection.execute("UPDATE meta SET value = ? WHERE key = 'log_from'", (state.generation,))
    connection.execute("REPLACE INTO meta VALUES ('index_slots', ?)", (state.next_slot,))


def read_index(
    place: CollectionFiles, generation: int, connection: sqlite3.Connection, state: CollectionState
) -> Mirror | None:
    """The mirror of `state` from a sealed index; None when too much has changed since.

    Raises `Corrupt` when the file is damaged.
    """
    facts, arrays = read_arrays(place.index_file(generation), place.key)
    try:
        key = (facts["generation"], facts["vector_file"], facts["next_slot"])
        chunks = ChunkColumns(*(cast("NDArray[np.int64]", arrays[name]) for name in ChunkColumns.__dataclass_fields__))  # type: ignore[arg-type]  # dtypes stand in the file
        base = Postings(*(arrays[f"postings.{name}"] for name in Postings.__dataclass_fields__))  # type: ignore[arg-type]  # dtypes stand in the file
        keys = cast("NDArray[np.int64]", arrays["revisions"])
    except (KeyError, TypeError) as error:
        raise Corrupt(f"{place.index_file(generation)} lacks a part ({error})") from error
    if place.key is not None and facts.get("owner", _digest_owner(place)) != _digest_owner(place):
        return None  # another collection's, under the same key
    if facts["generation"] < state.log_from or facts["generation"] > state.generation:
        return None
    active = _read_revisions(
        connection.execute("SELECT key, facts FROM revisions WHERE status = 'active' ORDER BY key")
    )
    held = np.isin(keys, active.key)
    origin = np.zeros(len(keys), dtype=np.int32)
    origin[held] = active.origin[np.searchsorted(active.key, keys[held])]
    revisions = RevisionColumns(keys, held, origin, active.origins)
    mirror = advance_mirror(Mirror.build(key, revisions, chunks, base, Postings.from_blobs([])), connection, state)
    return _check_whole(mirror, connection) if mirror is not None else None
