"""What a run is given, and the one model that a tenant is held to."""

from ragstone.config import Settings
from ragstone.engine.kept import artifacts_of
from ragstone.engine.parts import Parts
from ragstone.ingest import Intake
from ragstone.revise import Making, Model


def intake_of(
    parts: Parts,
    *,
    refresh: bool = False,
    allow_removals: bool = False,
    version_label: str | None = None,
    effective_at: str | None = None,
) -> Intake:
    """What a run over the collection works with: limits, model and cutting as configured, the rest as asked for."""
    limits = parts.settings.limits
    making = Making(
        parts.scope,
        parts.cutter,
        Model.of(parts.embedders.own) if parts.embedders.own else None,
        prefix=parts.settings.embed.prefix,
        limits=parts.limits,
        passwords=tuple(parts.settings.passwords),
        chunks=limits.chunks,
        categories=parts.settings.categories,
        version_label=version_label,
        effective_at=effective_at,
        artifacts=artifacts_of(parts, parts.scope.collection),
    )
    return Intake(
        parts.opened.store,
        making,
        parts.embedders.own,
        refresh=refresh,
        allow_removals=allow_removals,
        removals=limits.removals,
        model_missing=parts.embedders.missing,
    )


async def pin(parts: Parts, *, recreate: bool = False) -> None:
    """Hold the tenant to one model. Left out: a collection that is configured to have its own, a tenant that nobody
    named."""
    if parts.scope.tenant == Settings().tenant and parts.scope.tenant not in parts.whole.tenants:
        return
    embedder = None if parts.whole.own_embed(parts.scope.collection) is not None else parts.embedders.own
    if embedder is not None and not parts.embedders.missing:
        without = parts.scope.collection if recreate else None
        await parts.opened.store.admin.pin(
            parts.scope.tenant, model=embedder.model, dimension=embedder.dimension, without=without
        )
