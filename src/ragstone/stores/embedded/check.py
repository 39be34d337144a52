"""The checks and repairs of one collection."""

import contextlib
import sqlite3
from collections.abc import Iterator
from datetime import datetime

import numpy as np

from ragstone.core.errors import Corrupt, StoreError
from ragstone.stores.embedded import revision_checksums, revision_rows, sparse_rows, vector_files, written_rows
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.compaction import list_leftovers, remove_leftovers, rewrite_vectors
from ragstone.stores.embedded.database import truncate_log, write_transaction
from ragstone.stores.embedded.mirror import Mirror
from ragstone.stores.embedded.mirror_updates import read_index, read_state, rebuild_mirror
from ragstone.stores.embedded.paths import CollectionFiles
from ragstone.stores.embedded.safe_removal import remove_path
from ragstone.stores.embedded.vector_tables import ACTIVE, SECOND, VectorTables
from ragstone.stores.error_mapping import map_errors

# What must not be there: the sentence, the table with the condition, and how it is mended; in this order, because
# one may leave another.
REMOVE = "DELETE FROM {rows}"
ORPHANS = (
    ("{n} revisions have no document", "revisions WHERE document NOT IN (SELECT id FROM documents)", REMOVE),
    ("{n} revisions have no text of record", "revisions WHERE key NOT IN (SELECT rev FROM records)", REMOVE),
    ("{n} chunks have no revision", "chunks WHERE rev NOT IN (SELECT key FROM revisions)", REMOVE),
    ("{n} texts of record have no revision", "records WHERE rev NOT IN (SELECT key FROM revisions)", REMOVE),
    ("{n} documents have no revision", "documents WHERE id NOT IN (SELECT document FROM revisions)", REMOVE),
    (
        "{n} vectors have no row in the vector file",
        "vectors WHERE slot < 0 OR slot >= (SELECT value FROM meta WHERE key = 'next_slot')",
        REMOVE,
    ),
    (
        "{n} revisions are active beside a newer one of their document",
        "revisions WHERE status = 'active' AND key NOT IN "
        "(SELECT max(key) FROM revisions WHERE status = 'active' GROUP BY document)",
        "UPDATE revisions SET status = 'kept' WHERE key IN (SELECT key FROM {rows})",
    ),
)
INDEX_FAULTS = ("missing from index", "wrong # of entries in index", "non-unique entry in index", "not in index")


def find_problems(collection: Collection, connection: sqlite3.Connection) -> list[str]:
    """The problems, one sentence each, seen in one read transaction.

    Each look goes as far as it can: what makes one fail has mostly been named by the one before.
    """
    found: list[str] = []
    for look in CHECKS:
        try:
            with map_errors(collection.place.database):
                found.extend(look(collection, connection))
        except StoreError as error:
            if not found:
                found.append(str(error))
    return found


def _check_pages(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    for (said,) in connection.execute("PRAGMA integrity_check(20)").fetchall():
        if said != "ok":
            mend = "--repair makes its indexes anew" if _is_of_index(said) else "ingest anew with --recreate"
            yield f"{collection.place.database} is damaged ({said}); {mend}"


def _is_of_index(fault: str) -> bool:
    return any(words in fault for words in INDEX_FAULTS)


def _check_orphans(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    for sentence, rows, _ in ORPHANS:
        if n := connection.execute(f"SELECT count(*) FROM {rows}").fetchone()[0]:  # noqa: S608  # our own words
            yield (
                f"{sentence.format(n=n)} in {collection.place.database}; --repair takes them out, and the next ingest "
                "takes in again what its source has"
            )


def _check_texts(_: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    for damage in revision_checksums.find_damages(connection):
        yield (
            f"{damage.path!r} of source {damage.source!r} is stored damaged ({damage.what}); --repair takes it out, "
            "and the next ingest takes it in again from its file"
        )


def _check_vectors(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    for tables in (ACTIVE, SECOND):
        yield from check_vector_file(collection.place, connection, tables)


def _check_sparse(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    if damaged := sparse_rows.find_damaged_segments(connection):
        yield (
            f"the sparse vectors in {collection.place.database} are damaged ({len(damaged)} segments); --repair takes "
            "the damaged ones out, and the next ingest makes them anew"
        )


def _check_written(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    if damaged := written_rows.find_damaged(connection):
        yield (
            f"vectors of summaries and questions in {collection.place.database} are damaged ({len(damaged)} chunks' "
            "texts); --repair takes them out, and the next ingest makes them anew"
        )


def _check_leftovers(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    for path in list_leftovers(collection.place, connection):
        yield f"{path} is the remains of an interrupted write; --repair removes it"


def check_vector_file(place: CollectionFiles, connection: sqlite3.Connection, tables: VectorTables) -> Iterator[str]:
    """The problems of a model's vector file."""
    state = read_state(connection, tables)
    if state.dimension is None:
        return
    path = place.vector_file(state.vector_file)
    try:
        rows = vector_files.map_rows(path, dimension=state.dimension, rows=state.next_slot, key=place.key)
    except StoreError as error:
        yield str(error)
        return
    if bad := vector_files.find_bad_blocks(connection, rows, trusted={}, tables=tables):
        yield str(
            vector_files.damage_error(
                path, f"{len(bad)} blocks of {vector_files.BLOCK_ROWS} rows do not match their checksum"
            )
        )


def _check_indexes(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    state = read_state(connection)
    truth = rebuild_mirror(connection, state, verify=False)
    for generation, path in sorted(collection.place.find_numbered("index").items()):
        try:
            sealed = read_index(collection.place, generation, connection, state)
        except Corrupt as error:
            yield str(error)
            continue
        if sealed is not None and not is_equivalent(sealed, truth):
            yield f"{path} does not say what the collection says; --repair makes it anew"


CHECKS = (
    *(_check_pages, _check_orphans, _check_texts, _check_vectors),
    *(_check_sparse, _check_written, _check_indexes, _check_leftovers),
)


def is_equivalent(one: Mirror, other: Mirror) -> bool:
    """Whether two mirrors give the same results."""
    return _mirror_content(one) == _mirror_content(other)


def _mirror_content(mirror: Mirror) -> tuple[bytes, ...]:
    """A mirror's alive content by row, as bytes."""
    mirror = mirror.compact()
    chunks, base = mirror.chunks, mirror.base
    order = np.argsort(chunks.row, kind="stable")
    keys = mirror.revisions.key[chunks.rev]
    columns = (chunks.row, keys, chunks.ordinal, chunks.length, chunks.slot)
    terms, at, counts = base.flatten()
    rows = chunks.row[at] if len(at) else np.zeros(0, dtype=np.int64)
    by_term = np.lexsort((rows, terms))
    held = (terms[by_term], rows[by_term], counts[by_term])
    return tuple(np.ascontiguousarray(c[order]).astype(np.int64).tobytes() for c in columns) + tuple(
        np.ascontiguousarray(c).astype(np.int64).tobytes() for c in held
    )


def repair_collection(place: CollectionFiles, connection: sqlite3.Connection, *, now: datetime) -> list[str]:
    """Make damaged indexes anew, take out damaged documents, drop vectors of damaged blocks, remove index files and
    remains.

    Vectors come again with the next ingest, indexes by themselves. Returns a sentence for each document that was taken
    out: only its file can bring it back.
    """
    if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        _rebuild_tables(place, connection, now=now)
    lost = list(revision_checksums.find_damages(connection))
    if lost:
        with write_transaction(connection):
            revision_rows.remove_damaged(connection, lost)
            revision_rows.advance_generation(connection, now=now)
    _remove_orphans(connection, now=now)
    for tables in (ACTIVE, SECOND):
        if list(check_vector_file(place, connection, tables)):
            rewrite_vectors(place, connection, now=now, repair=True, tables=tables)
    sparse_rows.repair_segments(connection)
    written_rows.remove_damaged(connection)
    with write_transaction(connection):
        for path in place.find_numbered("index").values():
            remove_path(path)
        connection.execute(
            "UPDATE meta SET value = (SELECT value FROM meta WHERE key = 'generation') WHERE key = 'log_from'"
        )
        connection.execute("DELETE FROM changes")
        revision_rows.advance_generation(connection, now=now)
    remove_leftovers(place, connection)
    return [
        f"{damage.path!r} of source {damage.source!r} was damaged and is taken out; ingest it again" for damage in lost
    ]


def purge_remains(connection: sqlite3.Connection) -> None:
    """Remove the traces of replaced texts: their words, and their copies in gaps of the database."""
    with write_transaction(connection):
        left = rebuild_mirror(connection, read_state(connection), verify=False)
        revision_rows.forget_terms(connection, left.base.terms)
    sparse_rows.tidy_segments(connection, thorough=True)
    written_rows.forget_unused(connection)
    connection.execute("VACUUM")
    truncate_log(connection)


def _rebuild_tables(place: CollectionFiles, connection: sqlite3.Connection, *, now: datetime) -> None:
    """Write the database anew from its tables: indexes first, then what the others do not name."""
    with write_transaction(connection):
        connection.execute("REINDEX")
    for tables in (ACTIVE, SECOND):
        with contextlib.suppress(Corrupt):  # of the vector file: that comes later
            rewrite_vectors(place, connection, now=now, tables=tables)
    connection.execute("VACUUM")


def _remove_orphans(connection: sqlite3.Connection, *, now: datetime) -> None:
    with write_transaction(connection):
        changed = 0
        for _, rows, mend in ORPHANS:
            changed += connection.execute(mend.format(rows=rows)).rowcount
        if changed:
            revision_rows.advance_generation(connection, now=now)
