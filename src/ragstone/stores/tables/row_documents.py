"""A row as a document of one passage: how it is called, and what it holds."""

import hashlib
import json
import uuid
from dataclasses import dataclass

from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Chunk, Document, Span
from ragstone.stores.column_pair import ColumnPair
from ragstone.stores.tables.relations import Relation

PROVIDER = "table"
NAMESPACE = uuid.UUID("6d5c4c6e-2f0b-5d7a-9a43-0f6f4e1c8a52")


@dataclass(frozen=True, slots=True)
class RowDocuments:
    """The rows of a pair by their ids, which are texts; `server` is a place without its password."""

    pair: ColumnPair
    relation: Relation
    server: str

    def row_place(self, identity: str) -> tuple[str, str, int]:
        """The place that breaks ties: the row's path (`schema.table/id`), its table, the pair's number."""
        return (f"{self.relation.label}/{identity}", self.relation.label, self.pair.ordinal)

    def document_id(self, identity: str) -> str:
        """The id of a row's document, equal for all pairs of a table: a row that two pairs find counts as one."""
        parts = (self.server, self.relation.database, self.relation.label, identity)
        return str(uuid.uuid5(NAMESPACE, json.dumps(parts)))

    def chunk_id(self, identity: str) -> str:
        """The id of a row's passage, different for each pair."""
        return str(uuid.uuid5(uuid.UUID(self.document_id(identity)), f"{self.pair.text}/{self.pair.ordinal}"))

    def make_chunk(self, identity: str, text: str) -> Chunk:
        """The passage: all of the text, which is its own text of record."""
        path, source, ordinal = self.row_place(identity)
        data = text.encode()
        version = hashlib.sha256(data).hexdigest()
        document = Document(self.document_id(identity), source, path, 1, version, PROVIDER, bytes=len(data))
        span = Span(0, len(text), 1, 1 + unify_newlines(text).count("\n"))
        meta = {"table": source, "id": identity, "column": self.pair.text}
        return Chunk(self.chunk_id(identity), document, ordinal, text, (span,), metadata=meta)
