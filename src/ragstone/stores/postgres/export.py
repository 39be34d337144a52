"""All that a view of a collection keeps, active or not, given out whole: what a copy of it is made from."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ragstone.core.errors import Corrupt
from ragstone.core.page_layout import Layout
from ragstone.core.ports import StoredRevision, Vectors
from ragstone.core.types import Document, Revision
from ragstone.stores.encoding import decode_document, decode_record
from ragstone.stores.postgres.check import describe_damage
from ragstone.stores.postgres.rows import CHUNK_COLUMNS, decode_chunk

OURS = "{0}.tenant_id = %(tenant)s AND {0}.collection_id = %(collection)s"
PAGE = f"""SELECT v.facts, v.status FROM document_versions v
    WHERE {OURS.format("v")} AND (v.doc_id, v.revision) > (%(document)s, %(revision)s)
    ORDER BY v.doc_id, v.revision LIMIT %(limit)s"""  # noqa: S608
VERSIONS = f"""SELECT v.doc_version_id, v.revision, v.facts, v.record, v.layout, v.checksum, v.doc_id, d.source, d.path
    FROM unnest(%(documents)s::text[], %(revisions)s::int4[]) AS wanted (doc_id, revision)
    JOIN document_versions v ON v.doc_id = wanted.doc_id AND v.revision = wanted.revision AND {OURS.format("v")}
    JOIN documents d ON d.collection_id = v.collection_id AND d.doc_id = v.doc_id"""  # noqa: S608
CHUNKS = f"""SELECT c.doc_version_id, {CHUNK_COLUMNS} FROM chunks c JOIN document_versions v USING (doc_version_id)
    WHERE {OURS.format("c")} AND c.doc_version_id = ANY(%(versions)s)
    ORDER BY c.doc_version_id, c.ordinal"""  # noqa: S608
VECTORS = f"""SELECT e.vector_key, vector_send(e.embedding) FROM chunk_embeddings e
    WHERE {OURS.format("e")} AND e.embedding_model = %(model)s AND e.vector_key = ANY(%(keys)s)"""  # noqa: S608
VECTOR_HEAD = 4  # bytes: the dimension and nothing, before pgvector's float32 in network order

Row = tuple[Any, ...]


def page_parameters(after: tuple[str, int] | None, limit: int) -> Mapping[str, object]:
    """The parameters of `PAGE`."""
    document, revision = after or ("", -1)
    return {"document": document, "revision": revision, "limit": max(limit, 0)}


def decode_kept(rows: Sequence[Row]) -> list[StoredRevision]:
    """Decode the rows of `PAGE`."""
    return [StoredRevision(decode_document(bytes(facts)), status) for facts, status in rows]


def revision_parameters(documents: Sequence[Document]) -> Mapping[str, object]:
    """The parameters of `VERSIONS`."""
    return {"documents": [one.id for one in documents], "revisions": [one.revision for one in documents]}


def decode_revisions(documents: Sequence[Document], versions: Sequence[Row], chunks: Sequence[Row]) -> list[Revision]:
    """Decode the rows of `VERSIONS` and `CHUNKS`, in the order asked."""
    by_version: dict[int, list[Row]] = {}
    for version, *row in chunks:
        by_version.setdefault(version, []).append(tuple(row))
    made = {(row[6], row[1]): _decode_revision(row, by_version.get(row[0], [])) for row in versions}
    keys = [(document.id, document.revision) for document in documents]
    return [made[key] for key in keys if key in made]


def _decode_revision(row: Row, chunks: list[Row]) -> Revision:
    facts, record, layout = bytes(row[2]), bytes(row[3]), None if row[4] is None else bytes(row[4])
    source, path = row[7:]
    if what := describe_damage((facts, record, layout), row[5], row[6:], chunks):
        raise Corrupt(f"{path!r} of source {source!r} is stored damaged ({what}); run: ragstone doctor --repair")
    document = decode_document(facts)
    known = {facts: document}
    pages = None if layout is None else Layout.unpack(layout)
    return Revision(document, tuple(decode_chunk(chunk, known) for chunk in chunks), decode_record(record), pages)


def decode_vectors(rows: Sequence[Row]) -> dict[str, Vectors]:
    """Decode the rows of `VECTORS`."""
    return {
        bytes(key).hex(): np.frombuffer(bytes(sent), ">f4", offset=VECTOR_HEAD).astype(np.float32) for key, sent in rows
    }


def encode_keys(keys: Sequence[str]) -> list[bytes]:
    """Addresses as they are kept; what is none has no vector."""
    found = []
    for key in dict.fromkeys(keys):
        try:
            found.append(bytes.fromhex(key))
        except ValueError:
            continue
    return found
