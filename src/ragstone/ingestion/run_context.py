"""The context of a run: its store, its models, its options."""

from dataclasses import dataclass, replace
from typing import Self

from ragstone.core.ports import Embedder, Store
from ragstone.core.records import Info
from ragstone.extraction.sandbox import Sandbox
from ragstone.ingestion import chunker_compatibility
from ragstone.ingestion.build_revision import EmbedderInfo, RevisionBuilder
from ragstone.providers.vector_variant import match_variant


@dataclass(frozen=True, slots=True)
class RunContext:
    """Where a run writes, what makes and embeds its documents, and how it behaves.

    `removals` is the share of a source's documents that may vanish unasked; `model_missing` says why there is no
    embedder though one was wanted; `root` tells two roots of one name apart, `place` is where the source's files stand;
    `processes` read foreign formats, else the run has its own. `named`: the source is one file, which is read even if
    rules exclude it; pictures that lie in a folder are passed over where they are small or nothing can read them.
    `partial`: the source lists only what is new, so that nothing counts as vanished.
    `checksum`: files are read even if size and time say that they did not change.
    `counts`: how other models count tokens, and how many they read, for collections that were chunked for one of them.
    """

    store: Store
    builder: RevisionBuilder
    embedder: Embedder | None = None
    refresh: bool = False
    checksum: bool = False
    allow_removals: bool = False
    removals: float = 0.5
    model_missing: str | None = None
    root: str | None = None
    place: str | None = None
    processes: Sandbox | None = None
    named: bool = False
    partial: bool = False
    counts: chunker_compatibility.TokenCounters = ()

    def for_vectors_of(self, info: Info) -> Self:
        """The context for a collection: with the embedder as it made the vectors there."""
        if self.embedder is None:
            return self
        embedder = match_variant(self.embedder, info.model, info.variant)
        return replace(self, embedder=embedder, builder=replace(self.builder, model=EmbedderInfo.of(embedder)))

    def describe_kept_variant(self, info: Info) -> list[str]:
        """A warning where the collection goes on with another arithmetic than new collections get."""
        own, kept = self.builder.model, self.for_vectors_of(info).builder.model
        if own is None or kept is None or own.variant == kept.variant:
            return []
        said = f"the collection keeps its {kept.variant} vectors, though embed.precision is {own.variant}"
        return [f"{said}: `ragstone reembed start` makes the others"]
