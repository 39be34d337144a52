"""A collection keeps the arithmetic of its vectors when the setting for new collections changes."""

from collections.abc import Callable

from ragstone.core.ports import Embedder


def match_variant(embedder: Embedder, model: str | None, variant: str | None) -> Embedder:
    """The embedder as it made the vectors of a collection, which holds this model and variant (`fp32+title`).

    The embedder itself where it cannot do that, or where there are no vectors yet.
    """
    kind = (variant or "").partition("+")[0]
    if model != embedder.model or kind == embedder.variant:
        return embedder
    make: Callable[[str], Embedder | None] | None = getattr(embedder, "with_variant", None)
    return (make(kind) if make is not None else None) or embedder


def has_variants(embedder: Embedder) -> bool:
    """Whether this model can make vectors with another arithmetic too."""
    return hasattr(embedder, "with_variant")


def make_variant(make: Callable[[], Embedder], model: str | None, variant: str | None) -> Embedder:
    """An embedder, made on another machine, as it made the vectors of a collection."""
    return match_variant(make(), model, variant)
