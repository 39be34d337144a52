"""Checks of the models of vectors, and their error messages."""

from collections.abc import Mapping

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.ports import CollectionModel, Vectors
from ragstone.core.types import Scope
from ragstone.stores.cosine import check_stored_vector

ModelIdentity = tuple[str | None, str | None, int | None]  # model, variant, dimension; None where there are no vectors
PinnedModel = tuple[str, int]  # its name, and how many dimensions its vectors have


def has_same_model(held: ModelIdentity, wanted: ModelIdentity, scope: Scope) -> bool:
    """Whether a collection holds such vectors already; raises `UsageError` when it holds others."""
    if held[2] is None:
        return False
    if held != wanted:
        raise UsageError(
            f"collection {scope.collection!r} holds vectors of {describe_model(held)}; "
            f"this run would write {describe_model(wanted)}: "
            "use another --collection, or --recreate"
        )
    return True


def has_second_model(active: ModelIdentity, second: ModelIdentity, wanted: ModelIdentity, scope: Scope) -> bool:
    """Whether a collection has the wanted model beside its own already; raises `UsageError` where it can have none, or
    has another one."""
    if active[2] is None:
        raise UsageError(f"collection {scope.collection!r} has no vectors yet: name its model and ingest")
    if active == wanted:
        raise UsageError(
            f"collection {scope.collection!r} holds vectors of {describe_model(wanted)} already: nothing to do"
        )
    if second[2] is not None and second != wanted:
        raise UsageError(
            f"collection {scope.collection!r} has {describe_model(second)} beside its model; give it up first: "
            "ragstone reembed drop"
        )
    return second[2] is not None


def check_second_model(second: ModelIdentity, to: CollectionModel | None) -> None:
    """Raises `UsageError` when the second model is not the one that was to become active."""
    if to is not None and second != (to.model, to.variant, to.dimension):
        raise UsageError(f"{to.model} is no longer the second model: see ragstone reembed status")


def check_sparse_model(held: str | None, wanted: str, scope: Scope) -> None:
    """Raises `UsageError` when a collection keeps sparse vectors of another model."""
    if held is not None and held != wanted:
        raise UsageError(
            f"collection {scope.collection!r} keeps sparse vectors of {held}; this run would write {wanted}: set "
            "sparse.model back, or ingest with --refresh, which makes all of them anew"
        )


def check_written_model(held: ModelIdentity | None, wanted: ModelIdentity) -> None:
    """Raises `StoreError` when a collection keeps vectors of summaries and questions of another model."""
    if held is not None and held != wanted:
        raise StoreError(
            f"the collection keeps vectors of summaries and questions of {describe_model(held)} by now; those of "
            f"{describe_model(wanted)} were not begun: run: ragstone ingest"
        )


def check_written_vectors(vectors: Mapping[str, Vectors], dimension: int) -> None:
    """Raises `StoreError` for vectors that cannot be stored, with their key."""
    for key, own in vectors.items():
        if not key or not len(own):
            raise StoreError(f"no vectors of summaries and questions were given for key {key!r}")
        for row in own:
            check_stored_vector(key, row, dimension)


def model_pin_error(tenant: str, held: PinnedModel, wanted: PinnedModel) -> UsageError:
    """The error for a tenant pinned to another model, with both models and the remedy."""
    return UsageError(
        f"tenant {tenant!r} is pinned to vectors of {held[0]} ({held[1]}); this would write {wanted[0]} ({wanted[1]}): "
        f"name {held[0]} as `embed` of the tenant, or re-embed all its collections (ragstone reembed); `embed` under "
        "`collections` gives one collection a model of its own"
    )


def describe_model(about: ModelIdentity) -> str:
    """The model of vectors, for people."""
    model, variant, dimension = about
    return f"{model}{f' {variant}' if variant else ''} ({dimension})" if model else "no model"
