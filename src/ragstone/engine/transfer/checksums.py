"""Counts and checksums of a collection that do not depend on the store.

Each revision becomes one piece of bytes a kind: JSON with sorted keys for the document and its chunks, UTF-8 for its
text, the packed layout, the keys and little-endian float32 rows of its vectors. A checksum is the sha256 over the
pieces of a kind, each after its length (u64), in the order of document ids and revisions.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec
import numpy as np

from ragstone import guard
from ragstone.core.ports import StoredRevision, Vectors
from ragstone.core.types import Chunk, Document, Revision
from ragstone.stores.revision_status import due_at

KINDS = ("documents", "chunks", "texts", "layouts", "vectors")
NO_DOCUMENT = Document("", "", "", 0, "", "")
VECTOR_TOLERANCE = (
    2e-6  # of one number of a unit vector: what a store may change that brings vectors to length 1 in float32
)


@dataclass(frozen=True, slots=True)
class Sums:
    """Counts by name, checksums by kind. `vectors` counts the chunks of active and waiting revisions that have one."""

    counts: Mapping[str, int]
    checksums: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Pieces:
    """One revision as bytes; `vectors` has a row for each chunk that has one."""

    documents: bytes
    chunks: bytes
    texts: bytes
    layouts: bytes | None
    vectors: tuple[tuple[str, Vectors], ...]
    number: int


def encode_document(document: Document) -> bytes:
    """Encode a document for comparison; an edition other than the present one counts as unknown: a copy has terms of
    the present one and flags of the other."""
    return msgspec.json.encode(with_known_edition(document), order="deterministic")


def with_known_edition(document: Document) -> Document:
    """The document without its edition, unless that is the present one."""
    return document if document.edition in ("", guard.current_edition()) else replace(document, edition="")


def make_pieces(one: StoredRevision, revision: Revision, vectors: Mapping[str, Vectors]) -> Pieces:
    """A revision as it is compared."""
    chunks = [_without_document(chunk) for chunk in sorted(revision.chunks, key=lambda chunk: chunk.ordinal)]
    return Pieces(
        encode_document(revision.document) + one.status.encode(),
        msgspec.json.encode(chunks, order="deterministic"),
        revision.record.encode("utf-8", "surrogatepass"),
        None if revision.layout is None else revision.layout.pack(),
        tuple((chunk.vector_key, vectors[chunk.vector_key]) for chunk in chunks if chunk.vector_key in vectors),
        len(chunks),
    )


def _without_document(chunk: Chunk) -> Chunk:
    """Without its document, which is compared once."""
    return replace(chunk, document=NO_DOCUMENT)


class SumBuilder:
    """Counts and checksums as they grow."""

    def __init__(self) -> None:
        self._hashes = {kind: hashlib.sha256() for kind in KINDS}
        self._counts = dict.fromkeys(("documents", "revisions", *KINDS[1:]), 0)
        self._last: str | None = None

    def add(self, one: StoredRevision, pieces: Pieces) -> None:
        """The next revision in order."""
        rows = b"".join(key.encode() + np.asarray(row, dtype="<f4").tobytes() for key, row in pieces.vectors)
        kinds = (pieces.documents, pieces.chunks, pieces.texts, pieces.layouts or b"", rows)
        for kind, piece in zip(KINDS, kinds, strict=True):
            self._hashes[kind].update(len(piece).to_bytes(8, "little") + piece)
        grown = (self._last != one.document.id, 1, pieces.number, 1, pieces.layouts is not None, len(pieces.vectors))
        for name, more in zip(self._counts, grown, strict=True):
            self._counts[name] += more
        self._last = one.document.id

    def finish_sums(self) -> Sums:
        """All of it."""
        return Sums(self._counts, {kind: made.hexdigest() for kind, made in self._hashes.items()})


def find_differences(
    ours: tuple[StoredRevision, Pieces], theirs: tuple[StoredRevision, Pieces], *, now: datetime, dense: bool
) -> list[str]:
    """The kinds in which two states of one revision differ; vectors count only where the store keeps them."""
    (one, first), (other, second) = ours, theirs
    found = []
    if encode_document(one.document) != encode_document(other.document) or not _is_same_status(one, other, now):
        found.append("documents")
    found += [kind for kind in ("chunks", "texts", "layouts") if getattr(first, kind) != getattr(second, kind)]
    if dense and not _are_vectors_near(first, second):
        found.append("vectors")
    return found


def _is_same_status(one: StoredRevision, other: StoredRevision, now: datetime) -> bool:
    """A revision whose day came meanwhile waits here and not there."""
    due = due_at(one.document) if one.status == "pending" else None
    return one.status == other.status or (due is not None and due <= now.timestamp())


def _are_vectors_near(first: Pieces, second: Pieces) -> bool:
    if [key for key, _ in first.vectors] != [key for key, _ in second.vectors]:
        return False
    return all(
        np.allclose(a, b, rtol=0, atol=VECTOR_TOLERANCE)
        for (_, a), (_, b) in zip(first.vectors, second.vectors, strict=True)
    )
