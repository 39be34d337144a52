"""The context of a run: its store, its models, its options."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ragstone.core.ports import Embedder, Store
from ragstone.extraction.sandbox import Sandbox
from ragstone.ingestion import chunker_compatibility
from ragstone.ingestion.build_revision import RevisionBuilder
from ragstone.ingestion.enricher import Enricher


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
    `partial`: the source lists only what is new, so that nothing counts as vanished.
    `flush`: the run ends with what brings derived files up to date; else `flush` does it later.
    `keep_going`: a source that does not answer is a failed run, not an error.
    `cluster`: the machines that read and embed documents, None for this one.
    `checksum`: files are read even if size and time say that they did not change.
    `stamps_folder`: where sizes and times of files are kept for a store that keeps none.
    `counts`: how other models count tokens, and how many they read, for collections that were chunked for one of them.
    `enricher`: the language model that writes summaries and questions for chunks.
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
    partial: bool = False
    flush: bool = True
    keep_going: bool = False
    cluster: Cluster | None = None
    counts: chunker_compatibility.TokenCounters = ()
    enricher: Enricher | None = None

    @property
    def enrichment(self) -> str | None:
        """The recipe of what a model writes about chunks, None for nothing."""
        return self.enricher.recipe if self.enricher is not None else None
