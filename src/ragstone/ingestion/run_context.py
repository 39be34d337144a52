"""The context of a run: its store, its models, its options."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Self

from ragstone import guard
from ragstone.core.errors import UsageError
from ragstone.core.ports import Embedder, ReembeddingStore, SparseEncoder, Store
from ragstone.core.records import Info
from ragstone.extraction.sandbox import Sandbox
from ragstone.ingestion import chunker_compatibility
from ragstone.ingestion.build_revision import EmbedderInfo, RevisionBuilder
from ragstone.ingestion.enricher import Enricher
from ragstone.providers.vector_variant import make_variant, match_variant

# How to come to vectors of the configured arithmetic, by the state of a second model that has them.
TO_OTHER_VECTORS: Mapping[str, str] = {
    "none": "`ragstone reembed start` makes the others",
    "filling": "`ragstone reembed fill` completes the others",
    "ready": "the others are ready, `ragstone reembed switch` changes to them",
    "kept": "the others are kept, `ragstone reembed back` changes to them",
}


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster: its address (`local` starts one here), and what makes the embedder on its machines, if any."""

    address: str
    make_embedder: Callable[[], Embedder] | None = None


@dataclass(frozen=True, slots=True)
class RunContext:
    """Where a run writes, what makes and embeds its documents, and how it behaves.

    `removals` is the share of a source's documents that may vanish unasked; `model_missing` says why there is no
    embedder though one was wanted; `root` tells two roots of one name apart, `place` is where the source's files stand;
    `processes` read foreign formats, else the run has its own. `named`: the source is one file, which is read even if
    rules exclude it; pictures that lie in a folder are passed over where they are small or nothing can read them.
    `chosen`: the source lists only these files, so that nothing counts as vanished but what was in them; `members`:
    there may be files in them.
    `uniform`: all documents of the collection are chunked as this run would chunk them, or so by an earlier edition
    of the chunker; `current`: all are of the present edition. A run of chosen files need not look at the others then.
    `flush`: the run ends with what brings derived files up to date; else `flush` does it later.
    `keep_going`: a source that does not answer is a failed run, not an error.
    `cluster`: the machines that read and embed documents, None for this one.
    `checksum`: files are read even if size and time say that they did not change.
    `stamps_folder`: where sizes and times of files are kept for a store that keeps none.
    `counts`: how other models count tokens, and how many they read, for collections that were chunked for one of them.
    `enricher`: the language model that writes summaries and questions for chunks.
    `sparse`: the model whose sparse vectors the collection keeps, None for none.
    `written_vectors`: the collection keeps vectors of summaries and questions.
    """

    store: Store
    builder: RevisionBuilder
    embedder: Embedder | None = None
    refresh: bool = False
    checksum: bool = False
    stamps_folder: Path | None = None
    allow_removals: bool = False
    removals: float = 0.5
    model_missing: str | None = None
    root: str | None = None
    place: str | None = None
    processes: Sandbox | None = None
    named: bool = False
    chosen: frozenset[str] | None = None
    members: bool = True
    uniform: bool = False
    current: bool = False
    flush: bool = True
    keep_going: bool = False
    cluster: Cluster | None = None
    counts: chunker_compatibility.TokenCounters = ()
    enricher: Enricher | None = None
    sparse: SparseEncoder | None = None
    written_vectors: bool = False

    def may_vanish(self, path: str) -> bool:
        """Whether a document that the source does not list is gone."""
        if self.chosen is None:
            return True
        return self.members and any(path[:at] in self.chosen for at, sign in enumerate(path) if sign == "/")

    @property
    def enrichment(self) -> str | None:
        """The recipe of what a model writes about chunks, None for nothing."""
        return self.enricher.recipe if self.enricher is not None else None

    def fit_collection(self, info: Info) -> Self:
        """The context for a collection: with embedder and chunking as its documents have them."""
        fitting = self.for_vectors_of(info)
        if not self.refresh:
            builder = chunker_compatibility.match_stored_chunking(fitting.builder, info, self.counts)
            fitting = replace(fitting, builder=builder)
        alike = info.chunkings <= {fitting.builder.chunking_recipe, *fitting.builder.former_recipes}
        return replace(fitting, uniform=alike, current={*info.editions} <= {guard.current_edition()})

    def for_vectors_of(self, info: Info) -> Self:
        """The context for a collection: with the embedder as it made the vectors there."""
        if self.embedder is None:
            return self
        embedder, cluster = match_variant(self.embedder, info.model, info.variant), self.cluster
        if embedder is self.embedder:
            return self
        if cluster is not None and cluster.make_embedder is not None:
            make = partial(make_variant, cluster.make_embedder, info.model, info.variant)
            cluster = replace(cluster, make_embedder=make)
        builder = replace(self.builder, model=EmbedderInfo.of(embedder))
        return replace(self, embedder=embedder, builder=builder, cluster=cluster)

    async def describe_kept_variant(self, info: Info) -> list[str]:
        """A warning where the collection goes on with another arithmetic than new collections get."""
        own, kept = self.builder.model, self.for_vectors_of(info).builder.model
        if own is None or kept is None or own.variant == kept.variant:
            return []
        said = f"the collection keeps its {kept.variant} vectors, though embed.precision is {own.variant}"
        states: dict[object, str] = {}
        if isinstance(self.store, ReembeddingStore):
            with suppress(UsageError):  # of one whose ledger keeps no second model
                states = {(o.model, o.variant): o.state for o in (await self.store.models(self.builder.scope))[1:]}
        return [f"{said}: {TO_OTHER_VECTORS[states.get((own.name, self.builder.variant), 'none')]}"]
