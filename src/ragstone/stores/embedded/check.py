"""What a doctor looks at in one collection, and what can be mended."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime

import numpy as np

from ragstone.core.errors import Corrupt, StoreError
from ragstone.stores.embedded import proof, revisions, vectors
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.compact import leftovers, remove_leftovers, rewrite
from ragstone.stores.embedded.database import writing
from ragstone.stores.embedded.mirror import Mirror
from ragstone.stores.embedded.paths import Place, discard
from ragstone.stores.embedded.reflect import read_index, rebuilt, state_of
from ragstone.stores.embedded.tables import ACTIVE, BESIDE, Tables
from ragstone.stores.foreign import mapped

# What must not be there, as a count: the sentence and the query.
ORPHANS = (
    (
        "{n} documents have no revision",
        "SELECT count(*) FROM documents WHERE id NOT IN (SELECT document FROM revisions)",
    ),
    (
        "{n} revisions have no document",
        "SELECT count(*) FROM revisions WHERE document NOT IN (SELECT id FROM documents)",
    ),
    ("{n} chunks have no revision", "SELECT count(*) FROM chunks WHERE rev NOT IN (SELECT key FROM revisions)"),
    (
        "{n} texts of record have no revision",
        "SELECT count(*) FROM records WHERE rev NOT IN (SELECT key FROM revisions)",
    ),
    (
        "{n} revisions have no text of record",
        "SELECT count(*) FROM revisions WHERE key NOT IN (SELECT rev FROM records)",
    ),
    (
        "{n} vectors have no row in the vector file",
        "SELECT count(*) FROM vectors WHERE slot < 0 OR slot >= (SELECT value FROM meta WHERE key = 'next_slot')",
    ),
    (
        "{n} documents have two active revisions",
        "SELECT count(*) FROM (SELECT 1 FROM revisions WHERE status = 'active' GROUP BY document HAVING count(*) > 1)",
    ),
)


def findings(collection: Collection, connection: sqlite3.Connection) -> list[str]:
    """What is wrong, a sentence each, seen in one read transaction.

    Each look goes as far as it can: what makes one fail has mostly been named by the one before.
    """
    found: list[str] = []
    for look in LOOKS:
        try:
            with mapped(collection.place.database):
                found.extend(look(collection, connection))
        except StoreError as error:
            if not found:
                found.append(str(error))
    return found


def _pages(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    for (said,) in connection.execute("PRAGMA integrity_check(20)").fetchall():
        if said != "ok":
            yield f"{collection.place.database} is damaged ({said}); ingest anew with --recreate"


def _orphans(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    for sentence, sql in ORPHANS:
        if n := connection.execute(sql).fetchone()[0]:
            yield f"{sentence.format(n=n)} in {collection.place.database}; ingest anew with --recreate"


def _texts(_: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    for damage in proof.damages(connection):
        yield (
            f"{damage.path!r} of source {damage.source!r} is stored damaged ({damage.what}); --repair takes it out, "
            "and the next ingest takes it in again from its file"
        )


def _vectors(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    for tables in (ACTIVE, BESIDE):
        yield from vector_findings(collection.place, connection, tables)


def _remains(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    for path in leftovers(collection.place, connection):
        yield f"{path} is the remains of an interrupted write; --repair removes it"


def vector_findings(place: Place, connection: sqlite3.Connection, tables: Tables) -> Iterator[str]:
    """What is wrong with the vector file of a model."""
    state = state_of(connection, tables)
    if state.dimension is None:
        return
    path = place.vectors(state.vector_file)
    try:
        rows = vectors.mapped_rows(path, dimension=state.dimension, rows=state.next_slot, key=place.key)
    except StoreError as error:
        yield str(error)
        return
    if bad := vectors.bad_blocks(connection, rows, trusted={}, tables=tables):
        yield str(vectors.damaged(path, f"{len(bad)} blocks of {vectors.BLOCK} rows do not match their checksum"))


def _indexes(collection: Collection, connection: sqlite3.Connection) -> Iterator[str]:
    state = state_of(connection)
    truth = rebuilt(connection, state)
    for generation, path in sorted(collection.place.numbered("index").items()):
        try:
            sealed = read_index(collection.place, generation, connection, state)
        except Corrupt as error:
            yield str(error)
            continue
        if sealed is not None and not same(sealed, truth):
            yield f"{path} does not say what the collection says; --repair makes it anew"


LOOKS = (_pages, _orphans, _texts, _vectors, _indexes, _remains)


def same(one: Mirror, other: Mirror) -> bool:
    """Whether two mirrors give the same results."""
    return _content(one) == _content(other)


def _content(mirror: Mirror) -> tuple[bytes, ...]:
    """A mirror's alive content by row, as bytes."""
    mirror = mirror.compact()
    chunks, base = mirror.chunks, mirror.base
    order = np.argsort(chunks.row, kind="stable")
    keys = mirror.revisions.key[chunks.rev]
    columns = (chunks.row, keys, chunks.ordinal, chunks.length, chunks.slot)
    terms, at, counts = base.flat()
    rows = chunks.row[at] if len(at) else np.zeros(0, dtype=np.int64)
    by_term = np.lexsort((rows, terms))
    held = (terms[by_term], rows[by_term], counts[by_term])
    return tuple(np.ascontiguousarray(c[order]).astype(np.int64).tobytes() for c in columns) + tuple(
        np.ascontiguousarray(c).astype(np.int64).tobytes() for c in held
    )


def mend(place: Place, connection: sqlite3.Connection, *, now: datetime) -> list[str]:
    """Take out damaged documents, drop vectors of damaged blocks, remove index files and remains.

    Vectors come again with the next ingest, indexes by themselves. Returns a sentence for each document that was taken
    out: only its file can bring it back.
    """
    lost = list(proof.damages(connection))
    if lost:
        with writing(connection):
            revisions.take_out(connection, lost)
            revisions.touch(connection, now=now)
    for tables in (ACTIVE, BESIDE):
        if list(vector_findings(place, connection, tables)):
            rewrite(place, connection, now=now, repair=True, tables=tables)
    with writing(connection):
        for path in place.numbered("index").values():
            discard(path)
        connection.execute(
            "UPDATE meta SET value = (SELECT value FROM meta WHERE key = 'generation') WHERE key = 'log_from'"
        )
        connection.execute("DELETE FROM changes")
        revisions.touch(connection, now=now)
    remove_leftovers(place, connection)
    return [
        f"{damage.path!r} of source {damage.source!r} was damaged and is taken out; ingest it again" for damage in lost
    ]
