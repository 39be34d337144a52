"""The setup of a run, and the one model that a tenant is pinned to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ragstone.config.environment import find_cache_folder
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.ports import Embedder, SparseEncoder, SparseIndexingStore, Store
from ragstone.engine import model_factory
from ragstone.engine.artifact_cleanup import artifact_uri_of
from ragstone.engine.components import Components
from ragstone.engine.sparse_encoders import NONE

if TYPE_CHECKING:
    from ragstone.ingestion.enricher import Enricher
    from ragstone.ingestion.run_context import Cluster, RunContext


def build_run_context(
    components: Components,
    *,
    refresh: bool = False,
    checksum: bool = False,
    allow_removals: bool = False,
    version_label: str | None = None,
    effective_at: str | None = None,
) -> RunContext:
    """The context of a run over the collection: limits, model and chunking as configured, the rest as given."""
    from ragstone.ingestion.build_revision import EmbedderInfo, RevisionBuilder
    from ragstone.ingestion.run_context import RunContext

    limits = components.settings.limits
    builder = RevisionBuilder(
        components.scope,
        components.chunker_setup,
        EmbedderInfo.of(components.embedders.own) if components.embedders.own else None,
        prefix=components.settings.embed.prefix,
        limits=components.limits,
        passwords=tuple(components.settings.passwords),
        chunks=limits.chunks,
        categories=components.settings.categories,
        version_label=version_label,
        effective_at=effective_at,
        artifacts=artifact_uri_of(components, components.scope.collection),
    )
    return RunContext(
        components.stores.store,
        builder,
        components.embedders.own,
        refresh=refresh,
        checksum=checksum,
        stamps_folder=find_cache_folder("stamps"),
        allow_removals=allow_removals,
        removals=limits.removals,
        model_missing=components.embedders.missing,
        enricher=_make_enricher(components),
        counts=model_factory.list_token_counters(components.tenant_settings),
        sparse=_find_indexing_encoder(components),
        written_vectors=_wants_written_vectors(components),
    )


def _find_indexing_encoder(components: Components) -> SparseEncoder | None:
    """The model whose sparse vectors are stored, None where the settings want none.

    Raises `ConfigError` where none is configured, `UsageError` for a store that keeps none.
    """
    if not components.settings.sparse.index:
        return None
    if components.settings.sparse.model == NONE:
        raise ConfigError("sparse.index needs a model of sparse vectors: set sparse.model, or leave sparse.index out")
    if refusal := find_sparse_refusal(components.stores.store):
        raise UsageError(refusal)
    return components.sparse_encoders.encoder()


def find_sparse_refusal(store: Store) -> str | None:
    """Why `sparse.index` cannot be had with this store; None where it can."""
    if isinstance(store, SparseIndexingStore) and "sparse" in store.capabilities:
        return None
    return (
        f"sparse.index: a store of kind {store.provider!r} keeps no sparse vectors; leave it out, or use the "
        "embedded store, PostgreSQL or Qdrant"
    )


def _wants_written_vectors(components: Components) -> bool:
    """Whether the settings want vectors of summaries and questions.

    Raises `ConfigError` where nothing writes these texts or embeds them, `UsageError` for a store that keeps none.
    """
    settings = components.settings
    if not settings.chunk.enrich_vectors:
        return False
    if not settings.chunk.enrich:
        raise ConfigError("chunk.enrich_vectors embeds what chunk.enrich writes: set chunk.enrich, or leave it out")
    if components.embedders.own is None and not components.embedders.missing:
        raise ConfigError("chunk.enrich_vectors needs an embedding model: set embed.model, or leave it out")
    if refusal := find_written_refusal(components.stores.store):
        raise UsageError(refusal)
    return True


def find_written_refusal(store: Store) -> str | None:
    """Why `chunk.enrich_vectors` cannot be had with this store; None where it can."""
    from ragstone.ingestion.written_vectors import keeps_written

    if keeps_written(store):
        return None
    return (
        f"chunk.enrich_vectors: a store of kind {store.provider!r} keeps no vectors of summaries and questions; leave "
        "it out, or use the embedded store, PostgreSQL or Qdrant"
    )


def make_cluster(components: Components, address: str | None) -> Cluster | None:
    """The Ray cluster of a run; an embedder that was handed in must be one that can be pickled. Raises `UsageError` for
    an address of Ray Client, through which Ray Data gives no results."""
    from ragstone.ingestion.run_context import Cluster

    if address is None:
        return None
    if address.startswith("ray://"):
        raise UsageError(
            f"Ray Data does not work through {address!r:.80}: start the ingestion on a machine of the cluster, with "
            "--ray auto or --ray HOST:PORT of its head"
        )
    own = components.embedders.own
    if own is None or components.embedders.missing:
        return Cluster(address)
    if components.embedders.is_handed:
        return Cluster(address, partial(_give, own))
    return Cluster(address, partial(model_factory.make_embedder, components.settings.embed, components.settings))


def _give(embedder: Embedder) -> Embedder:
    return embedder


def _make_enricher(components: Components) -> Enricher | None:
    """The enricher of the settings, None where they want none.

    Raises `ConfigError` where no language model is configured, or chunks may not be sent to it, and for words of texts
    that nothing writes.
    """
    from ragstone.ingestion.enricher import Enricher

    settings = components.settings
    wanted = settings.chunk
    if not wanted.enrich:
        if wanted.enrich_words:
            raise ConfigError("chunk.enrich_words reads what chunk.enrich writes: set chunk.enrich, or leave it out")
        return None
    model = components.completions.completion_for(settings.llm)
    if model is None:
        raise ConfigError("chunk.enrich needs a language model: set llm.model, or leave chunk.enrich out")
    host = components.completions.find_remote_host(settings.llm)
    if host is not None and not settings.external.enrich:
        raise ConfigError(
            f"chunk.enrich would send every chunk to {host}: set external.enrich to true to allow it, or use a model "
            "on this machine"
        )
    return Enricher(model, tuple(dict.fromkeys(wanted.enrich)), wanted.enrich_words)


async def pin_own_model(components: Components, *, recreate: bool = False) -> None:
    """Hold the tenant to the model of this engine."""
    embedder = components.embedders.own
    if embedder is not None and not components.embedders.missing:
        await pin_tenant_model(components, embedder.model, embedder.dimension, anew=recreate)


async def pin_tenant_model(components: Components, model: str, dimension: int, *, anew: bool) -> None:
    """Hold the tenant to one model; `anew` says that this collection holds it, or will. Left out: a collection that
    is configured to have its own, a tenant without settings."""
    scope, whole = components.scope, components.tenant_settings
    unnamed = scope.tenant == Settings().tenant and scope.tenant not in whole.tenants
    if not unnamed and whole.own_embed(scope.collection) is None:
        without = scope.collection if anew else None
        await components.stores.store.admin.pin(scope.tenant, model=model, dimension=dimension, without=without)
