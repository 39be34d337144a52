"""How a mirror is made from SQLite, brought up to date, sealed to disk and read back."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import Corrupt
from ragstone.core.types import Document
from ragstone.stores.embedded.mirror import MISSING, NONE, Chunks, Mirror, Revisions
from ragstone.stores.embedded.paths import Place, discard
from ragstone.stores.embedded.postings import Postings
from ragstone.stores.embedded.seal import seal, unseal
from ragstone.stores.embedded.tables import ACTIVE, Tables
from ragstone.stores.packing import document_of


@dataclass(frozen=True, slots=True)
class State:
    """What a collection's `meta` says in one transaction."""

    generation: int
    log_from: int
    vector_file: int
    next_slot: int
    model: str | None = None
    variant: str | None = None
    dimension: int | None = None
    built_at: str | None = None

    @property
    def held(self) -> tuple[str | None, str | None, int | None]:
        """What the vectors are of."""
        return self.model, self.variant, self.dimension

    @property
    def key(self) -> tuple[int, int, int]:
        """What a mirror is of."""
        return self.generation, self.vector_file, self.next_slot


def state_of(connection: sqlite3.Connection, tables: Tables = ACTIVE) -> State:
    """The state; inside a transaction this also fixes what the connection sees. Of a second model it has no dimension
    where there is none."""
    found = dict(connection.execute("SELECT key, value FROM meta").fetchall())
    if tables != ACTIVE:
        none = {"vector_file": 0, "next_slot": 0, "model": None, "variant": None, "dimension": None}
        found |= {name: found.get(tables.meta + name, value) for name, value in none.items()}
    return State(**{field.name: found[field.name] for field in fields(State) if field.name in found})


def rebuilt(connection: sqlite3.Connection, state: State) -> Mirror:
    """From SQLite alone."""
    active = connection.execute("SELECT key FROM revisions WHERE status = 'active' ORDER BY key")
    keys = [key for (key,) in active]
    empty = Mirror.of(state.key, *_load(connection, [], 0, 0), Postings.from_blobs([]))
    return _grown(empty, connection, keys).compact()


def advanced(mirror: Mirror, connection: sqlite3.Connection, state: State) -> Mirror | None:
    """From an older mirror; None when the log no longer reaches back to it."""
    if mirror.generation > state.generation or mirror.generation < state.log_from:
        return None
    sql = "SELECT rev, active FROM changes WHERE generation > ? ORDER BY step"
    last = dict(connection.execute(sql, (mirror.generation,)).fetchall())
    mirror = _slots_known(mirror, connection, state)
    mirror = replace(mirror, generation=state.generation, vector_file=state.vector_file, next_slot=state.next_slot)
    if not last:
        return mirror
    gone = np.array([rev for rev, active in last.items() if not active], dtype=np.int64)
    return _grown(_without(mirror, gone), connection, [rev for rev, active in last.items() if active]).tidied()


def _without(mirror: Mirror, gone: NDArray[np.int64]) -> Mirror:
    held = mirror.revisions
    alive = held.alive & ~np.isin(held.key, gone)
    documents = tuple(d if a else None for d, a in zip(held.documents, alive.tolist(), strict=True))
    state = (mirror.generation, mirror.vector_file, mirror.next_slot)
    return Mirror.of(state, Revisions(held.key, alive, documents), mirror.chunks, mirror.base, mirror.tail)


def _grown(mirror: Mirror, connection: sqlite3.Connection, keys: Sequence[int]) -> Mirror:
    known = set(mirror.revisions.key[mirror.revisions.alive].tolist())
    fresh = sorted(key for key in keys if key not in known)
    revisions, chunks, postings = _load(connection, fresh, len(mirror.revisions.key), len(mirror.chunks))
    held = mirror.revisions
    both = Revisions(
        np.concatenate([held.key, revisions.key]),
        np.concatenate([held.alive, revisions.alive]),
        held.documents + revisions.documents,
    )
    state = (mirror.generation, mirror.vector_file, mirror.next_slot)
    return Mirror.of(state, both, mirror.chunks.joined(chunks), mirror.base, mirror.tail.joined(postings))


def _load(
    connection: sqlite3.Connection, keys: Sequence[int], first_rev: int, first: int
) -> tuple[Revisions, Chunks, Postings]:
    """The given revisions with their chunks, at positions from `first` and indexes from `first_rev`."""
    documents = _documents(connection, keys)
    sql = """SELECT c.row, c.rev, c.ordinal, c.length, coalesce(v.slot, iif(c.vector_key = '', ?, ?)), c.terms
        FROM chunks c LEFT JOIN vectors v ON v.key = c.vector_key
        WHERE c.rev IN (SELECT value FROM json_each(?)) ORDER BY c.row"""
    found = connection.execute(sql, (NONE, MISSING, _listed(keys))).fetchall()
    row, rev, ordinal, length, slot, blobs = zip(*found, strict=True) if found else ((),) * 6
    index = {key: first_rev + i for i, key in enumerate(keys)}
    chunks = Chunks(
        np.array(row, dtype=np.int64),
        np.array([index[key] for key in rev], dtype=np.int32),
        np.array(ordinal, dtype=np.int32),
        np.array(length, dtype=np.int32),
        np.array(slot, dtype=np.int64),
    )
    revisions = Revisions(np.array(keys, dtype=np.int64), np.ones(len(keys), dtype=np.bool_), documents)
    return revisions, chunks, Postings.from_blobs(blobs, first=first)


def _documents(connection: sqlite3.Connection, keys: Iterable[int]) -> tuple[Document, ...]:
    keys = list(keys)
    sql = "SELECT key, facts FROM revisions WHERE key IN (SELECT value FROM json_each(?))"
    found = dict(connection.execute(sql, (_listed(keys),)).fetchall())
    return tuple(document_of(found[key]) for key in keys)


def _listed(values: Sequence[int]) -> str:
    return msgspec.json.encode(values).decode()


def _slots_known(mirror: Mirror, connection: sqlite3.Connection, state: State) -> Mirror:
    """With the vectors that came since, or with all anew when the file was rewritten."""
    afresh = mirror.vector_file != state.vector_file
    since = 0 if afresh else mirror.next_slot
    if not afresh and since == state.next_slot:
        return mirror
    sql = "SELECT c.row, v.slot FROM vectors v JOIN chunks c ON c.vector_key = v.key WHERE v.slot >= ?"
    found = np.array(connection.execute(sql, (since,)).fetchall(), dtype=np.int64).reshape(-1, 2)
    return mirror.with_slots(found[:, 0], found[:, 1], afresh=afresh)


def beside(mirror: Mirror, connection: sqlite3.Connection, state: State, tables: Tables) -> Mirror:
    """The same chunks with the slots of a second model, of which `state` is."""
    sql = f"SELECT c.row, v.slot FROM {tables.vectors} v JOIN chunks c ON c.vector_key = v.key"  # noqa: S608
    found = np.array(connection.execute(sql).fetchall(), dtype=np.int64).reshape(-1, 2)
    mirror = mirror.with_slots(found[:, 0], found[:, 1], afresh=True)
    return replace(mirror, vector_file=state.vector_file, next_slot=state.next_slot)


def write_index(place: Place, mirror: Mirror) -> Mirror:
    """Seal a mirror as the collection's index file of its generation; what was sealed, without anything dead."""
    mirror = mirror.compact()
    chunks, base = mirror.chunks, mirror.base
    facts = {"generation": mirror.generation, "vector_file": mirror.vector_file, "next_slot": mirror.next_slot}
    arrays: dict[str, NDArray[np.generic]] = {
        "revisions": mirror.revisions.key,
        **{name: getattr(chunks, name) for name in Chunks.__dataclass_fields__},
        **{f"postings.{name}": getattr(base, name) for name in Postings.__dataclass_fields__},
    }
    path = place.index(mirror.generation)
    if path.is_dir():
        discard(path)
    seal(path, facts, arrays, place.key)
    return mirror


def read_index(place: Place, generation: int, connection: sqlite3.Connection, state: State) -> Mirror | None:
    """The mirror of `state` from a sealed index; None when too much has changed since.

    Raises `Corrupt` when the file is damaged.
    """
    facts, arrays = unseal(place.index(generation), place.key)
    try:
        key = (facts["generation"], facts["vector_file"], facts["next_slot"])
        chunks = Chunks(*(cast("NDArray[np.int64]", arrays[name]) for name in Chunks.__dataclass_fields__))  # type: ignore[arg-type]  # dtypes stand in the file
        base = Postings(*(arrays[f"postings.{name}"] for name in Postings.__dataclass_fields__))  # type: ignore[arg-type]  # dtypes stand in the file
        keys = cast("NDArray[np.int64]", arrays["revisions"])
    except (KeyError, TypeError) as error:
        raise Corrupt(f"{place.index(generation)} lacks a part ({error})") from error
    if facts["generation"] < state.log_from or facts["generation"] > state.generation:
        return None
    active = dict(connection.execute("SELECT key, facts FROM revisions WHERE status = 'active'").fetchall())
    held = [key_ in active for key_ in keys.tolist()]
    documents = tuple(document_of(active[k]) if h else None for k, h in zip(keys.tolist(), held, strict=True))
    revisions = Revisions(keys, np.array(held, dtype=np.bool_), documents)
    return advanced(Mirror.of(key, revisions, chunks, base, Postings.from_blobs([])), connection, state)
