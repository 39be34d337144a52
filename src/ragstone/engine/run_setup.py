"""What a run is given, and the one model that a tenant is held to."""

from ragstone.config.settings import Settings
from ragstone.engine import model_factory
from ragstone.engine.artifact_cleanup import artifact_uri_of
from ragstone.engine.components import Components
from ragstone.ingestion.build_revision import EmbedderInfo, RevisionBuilder
from ragstone.ingestion.run_context import RunContext


def build_run_context(
    parts: Components,
    *,
    refresh: bool = False,
    allow_removals: bool = False,
    version_label: str | None = None,
    effective_at: str | None = None,
) -> RunContext:
    """What a run over the collection works with: limits, model and cutting as configured, the rest as asked for."""
    limits = parts.settings.limits
    making = RevisionBuilder(
        parts.scope,
        parts.chunker_setup,
        EmbedderInfo.of(parts.embedders.own) if parts.embedders.own else None,
        prefix=parts.settings.embed.prefix,
        limits=parts.limits,
        passwords=tuple(parts.settings.passwords),
        chunks=limits.chunks,
        categories=parts.settings.categories,
        version_label=version_label,
        effective_at=effective_at,
        artifacts=artifact_uri_of(parts, parts.scope.collection),
    )
    return RunContext(
        parts.opened.store,
        making,
        parts.embedders.own,
        refresh=refresh,
        allow_removals=allow_removals,
        removals=limits.removals,
        model_missing=parts.embedders.missing,
        counts=model_factory.list_token_counters(parts.tenant_settings),
    )


async def pin_own_model(parts: Components, *, recreate: bool = False) -> None:
    """Hold the tenant to the model of this engine."""
    embedder = parts.embedders.own
    if embedder is not None and not parts.embedders.missing:
        await pin_tenant_model(parts, embedder.model, embedder.dimension, anew=recreate)


async def pin_tenant_model(parts: Components, model: str, dimension: int, *, anew: bool) -> None:
    """Hold the tenant to one model; `anew` says that this collection holds it, or will. Left out: a collection that is
    configured to have its own, a tenant that nobody named."""
    scope, whole = parts.scope, parts.tenant_settings
    unnamed = scope.tenant == Settings().tenant and scope.tenant not in whole.tenants
    if not unnamed and whole.own_embed(scope.collection) is None:
        without = scope.collection if anew else None
        await parts.opened.store.admin.pin(scope.tenant, model=model, dimension=dimension, without=without)
