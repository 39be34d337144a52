"""All that a view of a collection keeps, active or not, given out whole: what a copy of it is made from."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from ragstone.core.errors import Corrupt
from ragstone.core.page_layout import Layout
from ragstone.core.ports import Kept, Vectors
from ragstone.core.types import Document, Revision
from ragstone.stores.cosine import Rows
from ragstone.stores.embedded.proof import CHUNKS, NO_PROOFS, wrong
from ragstone.stores.embedded.rows import chunk_of
from ragstone.stores.embedded.tables import Tables
from ragstone.stores.packing import document_of, layout_of, record_of

# What runs one statement in the view's transaction.
Ask = Callable[..., list[tuple[Any, ...]]]

PAGE = """SELECT facts, status FROM revisions WHERE (document, revision) > (?, ?)
    ORDER BY document, revision LIMIT ?"""
ONE = """SELECT r.key, p.checksum, r.facts, c.record, d.id, d.source, d.path, r.revision
    FROM revisions r JOIN documents d ON d.id = r.document JOIN records c ON c.rev = r.key
    LEFT JOIN {proofs} p ON p.rev = r.key WHERE r.document = ? AND r.revision = ?"""
BEFORE_ALL = ("", -1)


def kept(ask: Ask, after: tuple[str, int] | None, limit: int) -> list[Kept]:
    """See `ragstone.core.ports.Exporter.kept`."""
    return [Kept(document_of(facts), status) for facts, status in ask(PAGE, *(after or BEFORE_ALL), max(limit, 0))]


def revisions(ask: Ask, documents: Sequence[Document]) -> list[Revision]:
    """See `ragstone.core.ports.Exporter.revisions`."""
    tables = {name for (name,) in ask("SELECT name FROM sqlite_master WHERE name IN ('proofs', 'layouts')")}
    found = (_revision(ask, document, tables) for document in documents)
    return [revision for revision in found if revision is not None]


def _revision(ask: Ask, asked: Document, tables: set[str]) -> Revision | None:
    """`tables` are those that not every format has."""
    sql = ONE.format(proofs="proofs" if "proofs" in tables else NO_PROOFS)
    found = ask(sql, asked.id, asked.revision)
    if not found:
        return None
    key, proof, facts, record, *place = found[0]
    columns = ask(CHUNKS, key)
    identity, source, path, number = place
    if what := wrong((identity, source, path, number), proof, facts, record, columns):
        raise Corrupt(f"{path!r} of source {source!r} is stored damaged ({what}); run: ragstone doctor --repair")
    document = document_of(facts)
    known = {facts: document}
    chunks = tuple(chunk_of((id_, n, vector, own, body, facts), known) for n, id_, vector, _, _, own, body in columns)
    return Revision(document, chunks, record_of(record), _layout(ask, key, path) if "layouts" in tables else None)


def _layout(ask: Ask, key: int, path: str) -> Layout | None:
    found = ask("SELECT layout, checksum FROM layouts WHERE rev = ?", key)
    return layout_of(*found[0], place=path) if found else None


def vectors(ask: Ask, held: Callable[[], Rows], keys: Sequence[str], tables: Tables) -> dict[str, Vectors]:
    """See `ragstone.core.ports.Exporter.vectors`; `held` gives the rows of the vector file, checked."""
    sql = f"SELECT key, slot FROM {tables.vectors} WHERE key IN (SELECT value FROM json_each(?))"  # noqa: S608
    listed = msgspec.json.encode(list(dict.fromkeys(keys))).decode()
    slots: dict[str, int] = dict(ask(sql, listed))
    if not slots:
        return {}
    found = np.array(held()[np.array(list(slots.values()), dtype=np.int64)])
    return dict(zip(slots, found, strict=True))
