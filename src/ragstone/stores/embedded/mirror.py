"""The searchable form of a collection at one generation, in memory: an immutable value that grows by new ones.

A chunk has a position; its revision decides whether it is alive. Replaced chunks stay until a share of the positions is
dead; what is new goes to a small second index (`tail`) until that is a share of the first. Statistics are always taken
over the alive, so both are invisible in results.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ragstone.stores import bm25
from ragstone.stores.embedded.document_cache import DocumentCache
from ragstone.stores.embedded.postings import Int32s, Postings

MISSING_SLOT = -1  # the slot of a chunk whose vector is wanted
NO_SLOT = -2  # the slot of a chunk that wants no vector
TAIL_SHARE = 4  # the tail is merged when it is over a quarter of the base …
TAIL_MIN = 50_000  # … and this large: looking up a term twice costs microseconds, merging milliseconds

Int64s = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


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

    @staticmethod
    def join(parts: Sequence["ChunkColumns"]) -> "ChunkColumns":
        """All as one."""
        names = ChunkColumns.__dataclass_fields__
        return ChunkColumns(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def concatenate(self, other: "ChunkColumns") -> "ChunkColumns":
        """Both as one."""
        return ChunkColumns.join([self, other])

    def select(self, keep: "Flags | Int64s") -> "ChunkColumns":
        """The positions where `keep` holds, or those that it names in their order."""
        return ChunkColumns(self.row[keep], self.rev[keep], self.ordinal[keep], self.length[keep], self.slot[keep])


Origin = tuple[str, str]  # recipe and edition of a document


@dataclass(frozen=True)
class RevisionColumns:
    """The revisions that chunks belong to: keys in SQLite, whether active, and where in `origins` theirs is. Their
    documents are read at the first search: those of a large collection take more memory than its index."""

    key: Int64s
    alive: Flags
    origin: Int32s
    origins: tuple[Origin, ...] = ()
    documents: DocumentCache = field(default_factory=DocumentCache)

    @cached_property
    def active_count(self) -> int:
        """The number of active documents."""
        return int(self.alive.sum())

    @cached_property
    def recipes(self) -> tuple[str, ...]:
        """The recipes of the active documents, each once, sorted."""
        return tuple(sorted({recipe for recipe, _ in self._active_origins()}))

    @cached_property
    def editions(self) -> tuple[str, ...]:
        """The editions of the active documents, each once, sorted."""
        return tuple(sorted({edition for _, edition in self._active_origins()}))

    def _active_origins(self) -> list[Origin]:
        return [self.origins[place] for place in set(self.origin[self.alive].tolist())]

    @staticmethod
    def join(parts: Sequence["RevisionColumns"]) -> "RevisionColumns":
        """All as one, with the documents that the first has read."""
        origins = tuple(dict.fromkeys(chain.from_iterable(part.origins for part in parts)))
        places = {origin: place for place, origin in enumerate(origins)}
        # Where no revision is active there may be dead ones without an origin.
        moved = [
            np.array([places[one] for one in part.origins], dtype=np.int32)[part.origin]
            if part.origins
            else part.origin
            for part in parts
        ]
        return RevisionColumns(
            np.concatenate([part.key for part in parts]),
            np.concatenate([part.alive for part in parts]),
            np.concatenate(moved),
            origins,
            parts[0].documents,
        )

    def concatenate(self, other: "RevisionColumns") -> "RevisionColumns":
        """Both as one."""
        return RevisionColumns.join([self, other])

    def select(self, keep: Flags) -> "RevisionColumns":
        """The revisions where `keep` holds."""
        key = self.key[keep]
        return RevisionColumns(key, self.alive[keep], self.origin[keep], self.origins, self.documents.select(key))


@dataclass(frozen=True, slots=True)
class Mirror:
    """A collection at `generation`, with vectors below `next_slot` of vector file number `vector_file`. `norms` are
    what the lengths of the chunks add in BM25."""

    generation: int
    vector_file: int
    next_slot: int
    revisions: RevisionColumns
    chunks: ChunkColumns
    base: Postings
    tail: Postings
    alive: Flags
    total: int
    norms: Floats
    order: Int64s

    @staticmethod
    def build(
        state: tuple[int, int, int], revisions: RevisionColumns, chunks: ChunkColumns, base: Postings, tail: Postings
    ) -> "Mirror":
        """A mirror with its statistics: `state` is generation, vector file, next slot."""
        alive = revisions.alive[chunks.rev]
        total = int(alive.sum())
        average = int(chunks.length[alive].sum(dtype=np.int64)) / total if total else 0.0
        norms = bm25.length_norms(chunks.length, max(average, 1e-9))
        order = np.argsort(chunks.row, kind="stable")
        return Mirror(*state, revisions, chunks, base, tail, alive, total, norms, order)

    @property
    def key(self) -> tuple[int, int, int]:
        """The state of the collection that it mirrors: generation, vector file, next slot."""
        return self.generation, self.vector_file, self.next_slot

    def count_alive(self, positions: Int32s) -> int:
        """How many of these positions are alive."""
        return len(positions) if self.total == len(self.alive) else int(np.count_nonzero(self.alive[positions]))

    def keys_at(self, positions: Int64s) -> Int64s:
        """The keys in SQLite of the revisions that these positions belong to."""
        return self.revisions.key[self.chunks.rev[positions]]

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
        if self.alive.all() and self.revisions.alive.all():
            return replace(self, base=self.base.concatenate(self.tail), tail=Postings.from_blobs([]))
        places = np.where(self.alive, np.cumsum(self.alive) - 1, -1).astype(np.int32)
        kept = self.revisions.alive
        moved = (np.cumsum(kept) - 1).astype(np.int32)
        chunks = self.chunks.select(self.alive)
        revisions = self.revisions.select(kept)
        base = self.base.concatenate(self.tail).move_positions(places)
        state = (self.generation, self.vector_file, self.next_slot)
        return Mirror.build(state, revisions, replace(chunks, rev=moved[chunks.rev]), base, Postings.from_blobs([]))
