"""The checks and repairs of one collection."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragstone.core.analyzer import is_own_stem
from ragstone.core.errors import Corrupt
from ragstone.stores import bm25
from ragstone.stores.chunk_spans import find_misplaced_chunks
from ragstone.stores.encoding import decode_document, decode_record
from ragstone.stores.postgres import activation, segments, sparse_rows, vectors, written_rows
from ragstone.stores.postgres.connection import Cursor
from ragstone.stores.postgres.preparation import compute_checksum
from ragstone.stores.postgres.rows import CHUNK_COLUMNS, CollectionRow, decode_chunk
from ragstone.stores.postings import COUNT, LENGTH, NUMBER

OURS = "tenant_id = %(tenant)s AND collection_id = %(collection)s"
PAGE = 200  # versions or chunks that are in memory at once
SAMPLE = 2_000  # chunks whose words are counted anew: 5 s where counting all of 100,000 takes minutes
REPAIR_HINT = "--repair mends it"
SEARCHED = f"SELECT chunk_key FROM mv_active_chunks WHERE {OURS}"  # noqa: S608
ACTIVE_CHUNKS = """SELECT c.chunk_key FROM chunks c JOIN document_versions v USING (doc_version_id)
    WHERE v.status = 'active' AND c.tenant_id = %(tenant)s AND c.collection_id = %(collection)s
    AND v.tenant_id = %(tenant)s AND v.collection_id = %(collection)s"""

# What must not be there, as a count: the sentence and the query.
COUNTED_PROBLEMS = (
    (
        "{n} documents have no version; ingest anew with --recreate",
        f"""SELECT count(*) FROM documents d WHERE {OURS} AND NOT EXISTS (SELECT FROM document_versions v
            WHERE v.tenant_id = %(tenant)s AND v.collection_id = d.collection_id AND v.doc_id = d.doc_id)""",  # noqa: S608
    ),
    (
        "{n} documents have more than one active version; ingest anew with --recreate",
        f"""SELECT count(*) FROM (SELECT FROM document_versions WHERE {OURS} AND status = 'active'
            GROUP BY doc_id HAVING count(*) > 1) twice""",  # noqa: S608
    ),
    (
        f"{{n}} chunks are searched that are not of an active version; {REPAIR_HINT}",
        f"SELECT count(*) FROM ({SEARCHED} EXCEPT {ACTIVE_CHUNKS}) odd",  # noqa: S608
    ),
    (
        f"{{n}} chunks of active versions are not searched; {REPAIR_HINT}",
        f"SELECT count(*) FROM ({ACTIVE_CHUNKS} EXCEPT {SEARCHED}) odd",  # noqa: S608
    ),
    (
        f"{{n}} chunks have no row for websearch_to_tsquery; {REPAIR_HINT}",
        f"""SELECT count(*) FROM (SELECT chunk_key FROM chunks WHERE {OURS}
            EXCEPT SELECT chunk_key FROM chunk_fts
            WHERE {OURS} AND tsv @@ quote_literal(chr(1) || collection_id)::tsquery) odd""",  # noqa: S608
    ),
    (
        "{n} vectors are of another dimension than the collection; ingest anew with --recreate",
        f"""SELECT count(*) FROM chunk_embeddings WHERE {OURS} AND embedding_model = %(model)s
            AND embedding_dim IS DISTINCT FROM %(dimension)s""",  # noqa: S608
    ),
)
TRUE_COUNTERS = f"""SELECT count(*), coalesce(sum(length), 0)::bigint, count(*) FILTER (WHERE vector_key <> '' AND NOT
EXISTS ( SELECT FROM chunk_embeddings e WHERE e.tenant_id = %(tenant)s AND e.collection_id = m.collection_id
        AND e.vector_key = m.vector_key AND e.embedding_model = %(model)s)),
    (SELECT count(*) FROM document_versions WHERE {OURS} AND status = 'active'),
    coalesce(max(number) + 1, 0)
    FROM mv_active_chunks m WHERE {OURS}"""  # noqa: S608
VERSIONS = f"""SELECT v.doc_version_id, v.status, v.facts, v.record, v.layout, v.checksum, v.doc_id, d.source, d.path
    FROM document_versions v JOIN documents d ON d.collection_id = v.collection_id AND d.doc_id = v.doc_id
    WHERE v.tenant_id = %(tenant)s AND v.collection_id = %(collection)s AND v.doc_version_id > %(after)s
    ORDER BY v.doc_version_id LIMIT {PAGE}"""  # noqa: S608
CHUNKS = f"""SELECT c.doc_version_id, {CHUNK_COLUMNS} FROM chunks c JOIN document_versions v USING (doc_version_id)
    WHERE c.tenant_id = %(tenant)s AND c.collection_id = %(collection)s AND c.doc_version_id = ANY(%(versions)s)
    ORDER BY c.doc_version_id, c.ordinal"""  # noqa: S608
ACTIVE = f"""SELECT m.number, {CHUNK_COLUMNS} FROM mv_active_chunks m
    JOIN chunks c USING (chunk_key) JOIN document_versions v ON v.doc_version_id = m.doc_version_id
    WHERE m.tenant_id = %(tenant)s AND m.collection_id = %(collection)s AND m.number = ANY(%(numbers)s)"""  # noqa: S608
LENGTHS = f"SELECT number, length FROM mv_active_chunks WHERE {OURS}"  # noqa: S608
NEXT = f"SELECT next_number FROM collections WHERE {OURS}"  # noqa: S608


@dataclass(frozen=True, slots=True)
class DamagedVersion:
    """A damaged version."""

    version: int
    document: str
    source: str
    path: str
    status: str
    what: str


def _parameters(collection: CollectionRow, **more: object) -> dict[str, object]:
    return vectors.model_parameters(collection, **more)


async def find_problems(cursor: Cursor, collection: CollectionRow) -> list[str]:
    """The problems, one sentence each, seen in one transaction."""
    found: list[str] = []
    for sentence, query in COUNTED_PROBLEMS:
        [number] = await _fetch_numbers(cursor, query, _parameters(collection))
        if number:
            found.append(sentence.format(n=number))
    *truth, least = await _fetch_numbers(cursor, TRUE_COUNTERS, _parameters(collection))
    counted = [collection.chunks, collection.terms, collection.pending, collection.documents]
    names = ("chunks", "terms", "chunks without a vector", "documents")
    for name, says, is_ in zip(names, counted, truth, strict=True):
        if says != is_:
            found.append(f"the collection counts {says} {name}, there are {is_}; {REPAIR_HINT}")
    [following] = await _fetch_numbers(cursor, NEXT, _parameters(collection))
    if following < least:
        found.append(f"the next chunk would get a number that is taken; {REPAIR_HINT}")
    found += [
        f"{damage.path!r} of source {damage.source!r} is stored damaged ({damage.what}); --repair takes it out, "
        "and the next ingest takes it in again from its file"
        async for damage in find_damaged_versions(cursor, collection)
    ]
    if not found and (wrong := await _check_postings(cursor, collection)):
        found.append(f"{wrong}; {REPAIR_HINT}")
    if damaged := await sparse_rows.find_damaged_segments(cursor, collection):
        said = f"the sparse vectors of the collection are damaged ({len(damaged)} segments); --repair takes the damaged"
        found.append(f"{said} ones out, and the next ingest makes them anew")
    if lost := await written_rows.count_lost(cursor, collection):
        said = f"the vectors of summaries and questions of {lost} chunks are gone; --repair forgets what names them"
        found.append(f"{said}, and the next ingest makes them anew")
    return found


async def _fetch_numbers(cursor: Cursor, query: str, given: Mapping[str, object]) -> list[int]:
    await cursor.execute(query.encode(), given)
    row = await cursor.fetchone()
    return [int(value) for value in row or ()]


async def find_damaged_versions(cursor: Cursor, collection: CollectionRow) -> AsyncIterator[DamagedVersion]:
    """Every damaged version; a page of them at a time is in memory."""
    after = 0
    while True:
        await cursor.execute(VERSIONS.encode(), _parameters(collection, after=after))
        versions = await cursor.fetchall()
        if not versions:
            return
        after = versions[-1][0]
        await cursor.execute(CHUNKS.encode(), _parameters(collection, versions=[row[0] for row in versions]))
        chunks: dict[int, list[tuple[object, ...]]] = {}
        for version, *row in await cursor.fetchall():
            chunks.setdefault(version, []).append(tuple(row))
        for version, status, facts, record, layout, proof, *place in versions:
            own = (bytes(facts), bytes(record), None if layout is None else bytes(layout))
            if what := describe_damage(own, proof, tuple(place), chunks.get(version, [])):
                yield DamagedVersion(version, place[0], place[1], place[2], status, what)


def describe_damage(
    own: tuple[bytes, bytes, bytes | None], proof: int, place: tuple[str, ...], rows: list[tuple[Any, ...]]
) -> str | None:
    """The damage in a version (`own` is facts, record and layout, `place` is id, source and path, `rows` are
    `CHUNK_COLUMNS` by ordinal); None when it is as it was written."""
    facts, record, layout = own
    try:
        document = decode_document(facts)
        if (document.id, document.source, document.path) != place:
            return "it is another document's"
        columns = [(str(i), int(str(o)), _as_bytes(k), str(t), _as_bytes(b)) for i, o, k, t, b, _ in rows]
        if compute_checksum(document, facts, record, layout, columns) != proof:
            return "it does not match its checksum"
        known = {facts: document}
        if moved := find_misplaced_chunks([decode_chunk(row, known) for row in rows], decode_record(record)):
            return f"chunk {moved[0]} is not what the text of the document says there"
    except (Corrupt, TypeError, ValueError) as error:
        return f"it cannot be read: {error}".partition(";")[0]
    return None


def _as_bytes(value: object) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else b""


# Postings


async def _check_postings(cursor: Cursor, collection: CollectionRow) -> str | None:
    """What is wrong with the postings: each chunk's counts add up to its length, all are of active chunks, and those
    of a sample are what its words say."""
    await cursor.execute(LENGTHS.encode(), _parameters(collection))
    rows = await cursor.fetchall()
    numbers = np.array([row[0] for row in rows], dtype=np.int64)
    size = int(numbers.max()) + 1 if len(rows) else 0
    lengths, sums = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.int64)
    lengths[numbers] = [row[1] for row in rows]
    gone = await segments.read_dead_numbers(cursor, collection)
    if stray := int(np.isin(numbers, gone).sum()):
        return f"{stray} active chunks are marked as gone in the keyword index"
    wanted = await _sample_frequencies(cursor, collection, numbers)
    after = ""
    while page := await segments.read_posting_page(cursor, collection, after):
        after = page[-1][0]
        for term, packed, packed_counts, sizes in segments.join_live_rows(page, gone):
            at = np.frombuffer(packed, NUMBER)
            counts = np.frombuffer(packed_counts, COUNT)
            if int(at[-1]) >= size or not np.array_equal(lengths[at], np.frombuffer(sizes, LENGTH)):
                return f"the keyword index holds chunks that do not exist, or lacks their length ({term!r})"
            if not is_own_stem(term):  # which the length of a chunk leaves out
                np.add.at(sums, at, counts)
            if wrong := _find_difference(wanted, term, at.tolist(), counts.tolist()):
                return wrong
    if left := sorted(term for words in wanted.values() for term in words):
        return f"the keyword index lacks {left[0]!r} of some chunk"
    if off := int((sums[numbers] != lengths[numbers]).sum()):
        return f"the keyword index does not hold all words of {off} chunks"
    return None


def _find_difference(wanted: dict[int, dict[str, int]], term: str, numbers: list[int], counts: list[int]) -> str | None:
    """Takes what it meets out of `wanted`."""
    for number, count in zip(numbers, counts, strict=True):
        if number in wanted and wanted[number].pop(term, None) != count:
            return f"the keyword index does not say what the chunks say of {term!r}"
    return None


async def _sample_frequencies(
    cursor: Cursor, collection: CollectionRow, numbers: NDArray[np.int64]
) -> dict[int, dict[str, int]]:
    """The words of some chunks, by number: all of a small collection."""
    some = np.sort(numbers)[:: max(len(numbers) // SAMPLE, 1)].tolist()
    found: dict[int, dict[str, int]] = {}
    for start in range(0, len(some), PAGE):
        await cursor.execute(ACTIVE.encode(), _parameters(collection, numbers=some[start : start + PAGE]))
        for number, *row in await cursor.fetchall():
            found[number] = dict(bm25.term_frequencies(decode_chunk(row))[0])
    return found


# Mending


async def repair_collection(cursor: Cursor, collection: CollectionRow, *, now: datetime) -> list[str]:
    """Take damaged documents out; make active chunks, postings and counters anew from what is left.

    Returns a sentence for each document that was taken out: only its file can bring it back.
    """
    lost = [damage async for damage in find_damaged_versions(cursor, collection)]
    active = sorted({damage.document for damage in lost if damage.status == "active"})
    await _execute(cursor, f"DELETE FROM documents WHERE {OURS} AND doc_id = ANY(%(ids)s)", collection, ids=active)  # noqa: S608
    versions = [damage.version for damage in lost]
    statement = f"DELETE FROM document_versions WHERE {OURS} AND doc_version_id = ANY(%(ids)s)"  # noqa: S608
    await _execute(cursor, statement, collection, ids=versions)
    for table in ("mv_active_chunks", "chunk_fts", "postings", "postings_dead"):
        await _execute(cursor, f"DELETE FROM {table} WHERE {OURS}", collection)  # noqa: S608
    await _execute(cursor, activation.INSERT_FTS, collection)
    await activation.rebuild_active_chunks(cursor, collection, now=now)
    await sparse_rows.repair_segments(cursor, collection)
    await written_rows.forget_lost(cursor, collection)
    return [
        f"{damage.path!r} of source {damage.source!r} was damaged and is taken out; ingest it again" for damage in lost
    ]


async def _execute(cursor: Cursor, query: str, collection: CollectionRow, **more: object) -> None:
    await cursor.execute(query.encode(), _parameters(collection, **more))
