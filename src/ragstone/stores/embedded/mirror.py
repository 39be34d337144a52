"""The searchable form of a collection at one generation, in memory: an immutable value that grows by new ones.

A chunk has a position; its revision decides whether it is alive. Replaced chunks stay until a share of the positions is
dead; what is new goes to a small second index (`tail`) until that is a share of the first. Statistics are always taken
over the alive, so both are invisible in results.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import Corrupt
from ragstone.core.types import Document
from ragstone.stores.embedded.postings import Int32s, Postings

MISSING_SLOT = -1  # the slot of a chunk whose vector is wanted
NO_SLOT = -2  # the slot of a chunk that wants no vector
TAIL_SHARE = 4  # the tail is merged when it is over a quarter of the base …
TAIL_MIN = 50_000  # … and this large: looking up a term twice costs microseconds, merging milliseconds

Int64s = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ChunkColumns:
    """Parallel columns, a value for each position: the row in SQLite, the index of the revision, and facts."""

    row: Int64s
    rev: Int32s
    ordinal: Int32s
    length: Int32s
    slot: Int64s

    def __len__(self) -> int:
        return len(self.row)

    def concatenate(self, other: "ChunkColumns") -> "ChunkColumns":
        """Both as one."""
        return ChunkColumns(
            np.concatenate([self.row, other.row]),
            np.concatenate([self.rev, other.rev]),
            np.concatenate([self.ordinal, other.ordinal]),
            np.concatenate([self.length, other.length]),
            np.concatenate([self.slot, other.slot]),
        )

    def select(self, keep: Flags) -> "ChunkColumns":
        """The positions where `keep` holds."""
        return ChunkColumns(self.row[keep], self.rev[keep], self.ordinal[keep], self.length[keep], self.slot[keep])


@dataclass(frozen=True)
class RevisionColumns:
    """The revisions that chunks belong to: keys in SQLite, whether active, and their documents (while active)."""

    key: Int64s
    alive: Flags
    documents: tuple[Document | None, ...]

    @cached_property
    def active_count(self) -> int:
        """The number of active documents."""
        return sum(document is not None for document in self.documents)

    @cached_property
    def recipes(self) -> tuple[str, ...]:
        """The recipes of the active documents, each once, sorted."""
        return tuple(sorted({document.recipe for document in self.documents if document is not None}))

    @cached_property
    def editions(self) -> tuple[str, ...]:
        """The editions of the active documents, each once, sorted."""
        return tuple(sorted({document.edition for document in self.documents if document is not None}))


@dataclass(frozen=True, slots=True)
class Mirror:
    """A collection at `generation`, with vectors below `next_slot` of vector file number `vector_file`."""

    generation: int
    vector_file: int
    next_slot: int
    revisions: RevisionColumns
    chunks: ChunkColumns
    base: Postings
    tail: Postings
    alive: Flags
    total: int
    average: float
    order: Int64s

    @staticmethod
    def build(
        state: tuple[int, int, int], revisions: RevisionColumns, chunks: ChunkColumns, base: Postings, tail: Postings
    ) -> "Mirror":
        """A mirror with its statistics: `state` is generation, vector file, next slot."""
        alive = revisions.alive[chunks.rev]
        total = int(alive.sum())
        average = int(chunks.length[alive].sum(dtype=np.int64)) / total if total else 0.0
        order = np.argsort(chunks.row, kind="stable")
        return Mirror(*state, revisions, chunks, base, tail, alive, total, max(average, 1e-9), order)

    @property
    def key(self) -> tuple[int, int, int]:
        """The state of the collection that it mirrors: generation, vector file, next slot."""
        return self.generation, self.vector_file, self.next_slot

    def document_at(self, position: int) -> Document:
        """The document of an alive position."""
        document = self.revisions.documents[int(self.chunks.rev[position])]
        if document is None:
            raise Corrupt(f"position {position} of the index belongs to no document; run: ragstone doctor --repair")
        return document

    def place_of(self, position: int) -> tuple[str, str, int]:
        """Path, source and ordinal of an alive position: what breaks ties."""
        document = self.document_at(position)
        return document.path, document.source, int(self.chunks.ordinal[position])

    def find_positions(self, rows: Int64s) -> Int64s:
        """Where the chunks with these rows are, -1 for unknown ones."""
        if not len(self.order) or not len(rows):
            return np.full(len(rows), -1, dtype=np.int64)
        found = np.searchsorted(self.chunks.row, rows, sorter=self.order).clip(max=len(self.order) - 1)
        at = self.order[found]
        return np.where(self.chunks.row[at] == rows, at, -1)

    def with_slots(self, rows: Int64s, slots: Int64s, *, afresh: bool) -> "Mirror":
        """With the slots of these rows set; `afresh` forgets the ones known before."""
        slot = self.chunks.slot.copy()
        if afresh:
            slot[slot >= 0] = MISSING_SLOT
        at = self.find_positions(rows)
        slot[at[at >= 0]] = slots[at >= 0]
        return replace(self, chunks=replace(self.chunks, slot=slot))

    def tidy(self) -> "Mirror":
        """The mirror, compacted if its tail or its dead positions grew too large."""
        if len(self.tail.at) > max(TAIL_MIN, len(self.base.at) // TAIL_SHARE) or len(self.chunks) > 2 * self.total + 64:
            return self.compact()
        return self

    def compact(self) -> "Mirror":
        """The mirror without dead positions and with an empty tail."""
        places = np.where(self.alive, np.cumsum(self.alive) - 1, -1).astype(np.int32)
        kept = self.revisions.alive
        moved = (np.cumsum(kept) - 1).astype(np.int32)
        chunks = self.chunks.select(self.alive)
        documents = tuple(d for d, stays in zip(self.revisions.documents, kept, strict=True) if stays)
        revisions = RevisionColumns(self.revisions.key[kept], kept[kept], documents)
        base = self.base.concatenate(self.tail).move_positions(places)
        state = (self.generation, self.vector_file, self.next_slot)
        return Mirror.build(state, revisions, replace(chunks, rev=moved[chunks.rev]), base, Postings.from_blobs([]))
