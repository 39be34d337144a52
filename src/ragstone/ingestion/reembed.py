"""From one embedding model to another: the new one fills in beside the old, then both change places at once.

Until the switch, questions are answered and documents taken in with the old model; after it the old one is kept, so
that there is a way back.
"""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from ragstone.core.errors import UsageError
from ragstone.core.ports import Embedder, Reader, ReembeddingStore, Store
from ragstone.core.records import Run
from ragstone.core.types import Scope
from ragstone.ingestion.build_revision import RevisionBuilder
from ragstone.ingestion.progress import EventCallback, Progress, Tally
from ragstone.ingestion.vectors import fill_vectors

RUN_SOURCE = "re-embedding"  # what such a run is called


@dataclass(frozen=True, slots=True)
class ReembedJob:
    """One collection and its new model; `builder` gives the text of a chunk to embed."""

    store: Store
    builder: RevisionBuilder
    embedder: Embedder

    @property
    def scope(self) -> Scope:
        return self.builder.scope

    @property
    def model(self) -> tuple[str, str, int]:
        """The model, variant and dimension of the new vectors."""
        return self.embedder.model, self.builder.variant or "", self.embedder.dimension


def require_reembedding(store: Store) -> ReembeddingStore:
    """The store as a `ReembeddingStore`; raises `UsageError` if its collections hold vectors of one model only."""
    if not isinstance(store, ReembeddingStore):
        raise UsageError(
            f"a store of kind {store.provider!r} holds vectors of one model: ingest into another --collection with the "
            "new model, or --recreate this one"
        )
    return store


async def fill_second_model(renewal: ReembedJob, *, tell: EventCallback = lambda _event: None) -> Run:
    """Begin the second model unless it exists, and compute its missing vectors.

    Raises `UsageError` when it is the active model already or another second one is there, `Busy` when another process
    fills it.
    """
    store, scope = require_reembedding(renewal.store), renewal.scope
    await _check_prefix(store, renewal)
    model, variant, dimension = renewal.model
    await store.begin(scope, model=model, variant=variant, dimension=dimension)
    total = (await store.models(scope))[-1].pending
    tally = Tally()
    config = {"model": model, "variant": variant}
    progress = Progress(renewal.store.ledger(scope), RUN_SOURCE, config=config, tally=tally, tell=tell)
    async with progress.record_run(), store.filler(scope) as filler:
        builder = renewal.builder
        await fill_vectors(filler, renewal.embedder, builder, total=total, tally=tally, progress=progress)
        await filler.settle()
    return await progress.end("succeeded")


class SecondModelStore:
    """A store whose readers compare with the second model's vectors, so that questions can be tried on it; the rest is
    the store's own."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def reader(self, scope: Scope) -> AbstractAsyncContextManager[Reader]:
        """A view of the second model."""
        return require_reembedding(self._store).second(scope)


async def _check_prefix(store: ReembeddingStore, renewal: ReembedJob) -> None:
    """Chunks that share a vector share the text that was embedded: with another prefix they would not."""
    held = await store.models(renewal.scope)
    wanted = renewal.builder.prefix
    had = (held[0].variant or "").partition("+")[2] if held else wanted
    if had != wanted:
        raise UsageError(
            f"collection {renewal.scope.collection!r} embeds with prefix {had!r}, the new model would "
            f"embed with {wanted!r}: leave `prefix` as it is, or ingest with --recreate"
        )
