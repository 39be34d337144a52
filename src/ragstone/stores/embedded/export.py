"""All that a view of a collection keeps, active or not, given out whole: what a copy of it is made from."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ragstone.errors import Corrupt
from ragstone.layout import Layout
from ragstone.ports import Kept, Vectors
from ragstone.stores.embedded.proof import CHUNKS, NO_PROOFS, wrong
from ragstone.stores.embedded.rows import chunk_of
from ragstone.stores.embedded.tables import Tables
from ragstone.stores.packing import document_of, layout_of, record_of
from ragstone.types import Document, Revision

# What runs one statement in the view's transaction.
Rows = Callable[..., list[tuple[Any, ...]]]

PAGE = """SELECT facts, status FROM revisions WHERE (document, revision) > (?, ?)
    ORDER BY document, revision LIMIT ?"""
ONE = """SELECT r.key, p.checksum, r.facts, c.record, d.id, d.source, d.path, r.revision
    FROM revisions r JOIN documents d ON d.id = r.document JOIN records c ON c.rev = r.key
    LEFT JOIN {proofs} p ON p.rev = r.key WHERE r.document = ? AND r.revision = ?"""
BEFORE_ALL = ("", -1)


def kept(rows: Rows, after: tuple[str, int] | None, limit: int) -> list[Kept]:
    """See `ragstone.ports.Exporter.kept`."""
    return [Kept(document_of(facts), status) for facts, status in rows(PAGE, *(after or BEFORE_ALL), max(limit, 0))]


def revisions(rows: Rows, documents: Sequence[Document]) -> list[Revision]:
    """See `ragstone.ports.Exporter.revisions`."""
    tables = {name for (name,) in rows("SELECT name FROM sqlite_master WHERE name IN ('proofs', 'layouts')")}
    found = (_revision(rows, document, tables) for document in documents)
    return [revision for revision in found if revision is not None]


def _revision(rows: Rows, asked: Document, tables: set[str]) -> Revision | None:
    """`tables` are those that not every format has."""
    sql = ONE.format(proofs="proofs" if "proofs" in tables else NO_PROOFS)
    found = rows(sql, asked.id, asked.revision)
    if not found:
        return None
    key, proof, facts, record, *place = found[0]
    columns = rows(CHUNKS, key)
    identity, source, path, number = place
    if what := wrong((identity, source, path, number), proof, facts, record, columns):
        raise Corrupt(f"{path!r} of source {source!r} is stored damaged ({what}); run: ragstone doctor --repair")
    document = document_of(facts)
    known = {facts: document}
    chunks = tuple(chunk_of((id_, n, vector, own, body, facts), known) for n, id_, vector, _, _, own, body in columns)
    return Revision(document, chunks, record_of(record), _layout(rows, key, path) if "layouts" in tables else None)


def _layout(rows: Rows, key: int, path: str) -> Layout | None:
    found = rows("SELECT layout, checksum FROM layouts WHERE rev = ?", key)
    return layout_of(*found[0], place=path) if found else None


def vectors(rows: Rows, held: Callable[[], Vectors], keys: Sequence[str], tables: Tables) -> dict[str, Vectors]:
    """See `ragstone.ports.Exporter.vectors`; `held` gives the rows of the vector file, checked."""
    sql = f"SELECT key, slot FROM {tables.vectors} WHERE key IN (SELECT value FROM json_each(?))"  # noqa: S608
    listed = msgspec.json.encode(list(dict.fromkeys(keys))).decode()
    slots: dict[str, int] = dict(rows(sql, listed))
    if not slots:
        return {}
    file = held()
    return {key: file[slot].copy() for key, slot in slots.items()}
