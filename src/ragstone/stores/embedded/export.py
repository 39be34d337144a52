"""All that a view of a collection keeps, active or not, given out whole: what a copy of it is made from."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ragstone.core.errors import Corrupt
from ragstone.core.page_layout import Layout
from ragstone.core.ports import StoredRevision, Vectors
from ragstone.core.types import Document, Revision
from ragstone.stores.cosine import Rows
from ragstone.stores.embedded.chunk_rows import decode_chunk
from ragstone.stores.embedded.database import encode_list
from ragstone.stores.embedded.revision_checksums import CHUNKS_OF_REVISION, NO_PROOFS, describe_damage
from ragstone.stores.embedded.vector_tables import VectorTables
from ragstone.stores.encoding import decode_document, decode_layout, decode_record

# What runs one statement in the view's transaction.
RunQuery = Callable[..., list[tuple[Any, ...]]]

REVISION_PAGE = """SELECT facts, status FROM revisions WHERE (document, revision) > (?, ?)
    ORDER BY document, revision LIMIT ?"""
ONE_REVISION = """SELECT r.key, p.checksum, r.facts, c.record, d.id, d.source, d.path, r.revision
    FROM revisions r JOIN documents d ON d.id = r.document JOIN records c ON c.rev = r.key
    LEFT JOIN {proofs} p ON p.rev = r.key WHERE r.document = ? AND r.revision = ?"""
FIRST_PAGE = ("", -1)


def read_next_revisions(ask: RunQuery, after: tuple[str, int] | None, limit: int) -> list[StoredRevision]:
    """List the stored revisions after a given one, for a copy; implements `Exporter.list_revisions_after`."""
    return [
        StoredRevision(decode_document(facts), status)
        for facts, status in ask(REVISION_PAGE, *(after or FIRST_PAGE), max(limit, 0))
    ]


def load_revisions(ask: RunQuery, documents: Sequence[Document]) -> list[Revision]:
    """Read stored revisions in full, for a copy; implements `Exporter.revisions`."""
    tables = {name for (name,) in ask("SELECT name FROM sqlite_master WHERE name IN ('proofs', 'layouts')")}
    found = (_load_revision(ask, document, tables) for document in documents)
    return [revision for revision in found if revision is not None]


def _load_revision(ask: RunQuery, asked: Document, tables: set[str]) -> Revision | None:
    """`tables` are those that not every format has."""
    sql = ONE_REVISION.format(proofs="proofs" if "proofs" in tables else NO_PROOFS)
    found = ask(sql, asked.id, asked.revision)
    if not found:
        return None
    key, proof, facts, record, *place = found[0]
    columns = ask(CHUNKS_OF_REVISION, key)
    identity, source, path, number = place
    if what := describe_damage((identity, source, path, number), proof, facts, record, columns):
        raise Corrupt(f"{path!r} of source {source!r} is stored damaged ({what}); run: ragstone doctor --repair")
    document = decode_document(facts)
    known = {facts: document}
    chunks = tuple(
        decode_chunk((id_, n, vector, own, body, facts), known) for n, id_, vector, _, _, own, body in columns
    )
    return Revision(
        document, chunks, decode_record(record), _load_layout(ask, key, path) if "layouts" in tables else None
    )


def _load_layout(ask: RunQuery, key: int, path: str) -> Layout | None:
    found = ask("SELECT layout, checksum FROM layouts WHERE rev = ?", key)
    return decode_layout(*found[0], place=path) if found else None


def load_vectors(
    ask: RunQuery, held: Callable[[], Rows], keys: Sequence[str], tables: VectorTables
) -> dict[str, Vectors]:
    """Read stored vectors, for a copy; implements `Exporter.vectors`. `held` gives the checked rows of the vector
    file."""
    sql = f"SELECT key, slot FROM {tables.vectors} WHERE key IN (SELECT value FROM json_each(?))"  # noqa: S608
    listed = encode_list(list(dict.fromkeys(keys)))
    slots: dict[str, int] = dict(ask(sql, listed))
    if not slots:
        return {}
    found = np.array(held()[np.array(list(slots.values()), dtype=np.int64)])
    return dict(zip(slots, found, strict=True))


def load_records(ask: RunQuery, documents: Sequence[Document]) -> dict[str, str]:
    """Read texts of record; implements `Reader.records`."""
    sql = "SELECT record FROM records JOIN revisions ON key = rev WHERE document = ? AND revision = ?"
    found = ((one.id, row) for one in documents for row in ask(sql, one.id, one.revision))
    return {identity: decode_record(row[0]) for identity, row in found}


def load_layouts(ask: RunQuery, documents: Sequence[Document]) -> dict[str, Layout]:
    """Read page layouts; implements `Reader.layouts`."""
    if not ask("SELECT 1 FROM sqlite_master WHERE name = 'layouts'"):
        return {}  # an earlier format that may only be read
    sql = "SELECT layout, checksum FROM layouts JOIN revisions ON key = rev WHERE document = ? AND revision = ?"
    found = ((one, row) for one in documents for row in ask(sql, one.id, one.revision))
    return {one.id: decode_layout(*row, place=one.path) for one, row in found}
