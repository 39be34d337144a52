"""Rows that are read are held against a second copy: revisions against their checksum, tables against their indexes.

SQLite trusts its pages. A flipped bit in the words, the length or the vector of a chunk would change the hits in
silence, so each row is verified when it is read from the database; the index file has a checksum of its own.
"""

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import Corrupt
from ragstone.stores.embedded.database import encode_list
from ragstone.stores.embedded.revision_checksums import CHUNKS_OF_REVISION, NO_PROOFS, compute_checksum
from ragstone.stores.embedded.vector_tables import ACTIVE, VectorTables

REPAIR = "run: ragstone doctor --repair"
REVISIONS_BY_KEY = """SELECT r.key, p.checksum, r.facts, c.record, d.id, d.source, d.path, r.revision
    FROM json_each(?) j JOIN revisions r ON r.key = j.value JOIN documents d ON d.id = r.document
    JOIN records c ON c.rev = r.key LEFT JOIN {proofs} p ON p.rev = r.key"""
COUNT_ACTIVE = "SELECT count(*), total(key) FROM revisions {how} WHERE status = 'active'"
CHANGED_ACTIVE = """SELECT count(*), total(key) FROM revisions NOT INDEXED
    WHERE status = 'active' AND key IN (SELECT value FROM json_each(?))"""
# Each entry of the index with that of the table. Where an entry was changed, it still stands in its old place: beside a
# text that is missing.
TERMS = """SELECT term, id, (SELECT u.term FROM terms u WHERE u.id = t.id) FROM terms t
    WHERE term IN (SELECT value FROM json_each(?))"""
TERMS_BESIDE = """SELECT (SELECT term FROM terms WHERE term >= value ORDER BY term LIMIT 1),
    (SELECT term FROM terms WHERE id = (SELECT id FROM terms WHERE term >= value ORDER BY term LIMIT 1))
    FROM json_each(:missing) UNION ALL SELECT (SELECT term FROM terms WHERE term < value ORDER BY term DESC LIMIT 1),
    (SELECT term FROM terms WHERE id = (SELECT id FROM terms WHERE term < value ORDER BY term DESC LIMIT 1))
    FROM json_each(:missing)"""
KEYS_BESIDE = """SELECT key, slot FROM (SELECT key, slot FROM {vectors} WHERE key >= :it ORDER BY key LIMIT 1)
    UNION ALL SELECT key, slot FROM (SELECT key, slot FROM {vectors} WHERE key < :it ORDER BY key DESC LIMIT 1)"""
KEYS_OF_SLOTS = "SELECT key, slot FROM {vectors} WHERE slot IN (SELECT value FROM json_each(?))"


def _damaged(what: str) -> Corrupt:
    return Corrupt(f"the database of a collection is damaged: {what}; {REPAIR}")


def check_revisions(connection: sqlite3.Connection, keys: Sequence[int]) -> None:
    """Raises `Corrupt` for a revision whose rows are not those that were written."""
    known = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'proofs'").fetchone()[0]
    sql = REVISIONS_BY_KEY.format(proofs="proofs" if known else NO_PROOFS)
    left = set(keys)
    for key, value, facts, record, *place in connection.execute(sql, (encode_list(keys),)):
        left.discard(key)
        document, source, path, revision = place
        if value is None:  # an earlier format
            continue
        chunks = connection.execute(CHUNKS_OF_REVISION, (key,))
        if value != compute_checksum((document, source, path, revision), facts, record, chunks):
            raise _damaged(f"{path!r} of source {source!r} does not match its checksum")
    if left:
        raise _damaged(f"revision {min(left)} has lost its document or its text")


def check_active(connection: sqlite3.Connection, keys: NDArray[np.int64]) -> None:
    """Raises `Corrupt` unless table, index and the revisions that are searched agree on which are active."""
    _agree(_count_keys(keys), *(_count(connection, how) for how in ("NOT INDEXED", "INDEXED BY one_active")))


def check_changed(
    connection: sqlite3.Connection, keys: NDArray[np.int64], *, gone: NDArray[np.int64], fresh: NDArray[np.int64]
) -> None:
    """As `check_active` for revisions of which all but these were checked before. The table is not gone through: that
    would read every page of it after each small change."""
    _agree(_count_keys(keys), _count(connection, "INDEXED BY one_active"))
    changed = encode_list([*gone.tolist(), *fresh.tolist()])
    _agree(_count_keys(fresh), connection.execute(CHANGED_ACTIVE, (changed,)).fetchone())


def _count(connection: sqlite3.Connection, how: str) -> tuple[int, float]:
    count, total = connection.execute(COUNT_ACTIVE.format(how=how)).fetchone()
    return count, total


def _count_keys(keys: NDArray[np.int64]) -> tuple[int, float]:
    return len(keys), float(keys.sum())


def _agree(*counts: tuple[int, float]) -> None:
    if len(set(counts)) > 1:
        raise _damaged("its tables do not agree on which documents are active")


def find_terms(connection: sqlite3.Connection, terms: Sequence[str]) -> dict[str, int]:
    """The ids of the terms that the collection has; raises `Corrupt` where their index differs from their table."""
    found = connection.execute(TERMS, (encode_list(terms),)).fetchall()
    ids = {term: number for term, number, _ in found}
    pairs = [(term, held) for term, _, held in found]
    if missing := [term for term in terms if term not in ids]:
        pairs += connection.execute(TERMS_BESIDE, {"missing": encode_list(missing)})
    if any(term != held for term, held in pairs):
        raise _damaged("the index of its terms differs from their table")
    return ids


def check_slots(
    connection: sqlite3.Connection,
    slots: Iterable[tuple[str, int]],
    missing: Iterable[str] = (),
    *,
    tables: VectorTables = ACTIVE,
) -> None:
    """Raises `Corrupt` where the index of a model's vectors differs from their table, for those of the given keys and
    for those beside a missing one."""
    pairs = dict(slots)
    for key in missing:
        pairs |= dict(connection.execute(KEYS_BESIDE.format(vectors=tables.vectors), {"it": key}))
    sql = KEYS_OF_SLOTS.format(vectors=tables.vectors)
    if dict(connection.execute(sql, (encode_list(list(pairs.values())),)).fetchall()) != pairs:
        raise _damaged("the index of its vectors differs from their table")


def check_all_slots(connection: sqlite3.Connection, tables: VectorTables) -> None:
    """Raises `Corrupt` where the index of a model's vectors differs anywhere from their table."""
    found = connection.execute(f"SELECT key, slot FROM {tables.vectors} NOT INDEXED").fetchall()  # noqa: S608
    check_slots(connection, found, tables=tables)
