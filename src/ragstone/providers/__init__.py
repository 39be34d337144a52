"""The door to models: names to makers, what is known of their dimensions, and whether they would work."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ragstone.errors import ConfigError, UsageError
from ragstone.providers.local import MiniLM, problems
from ragstone.providers.local import missing as minilm_missing
from ragstone.providers.wordpiece import WordPiece

if TYPE_CHECKING:  # ports imports numpy, and this door must open at once
    from ragstone.ports import Embedder

__all__ = [
    "EMBEDDERS",
    "KNOWN_DIMENSIONS",
    "MiniLM",
    "WordPiece",
    "begun",
    "called",
    "check_dimension",
    "health",
    "make_embedder",
    "missing",
    "probe",
]

EMBEDDERS: Mapping[str, Callable[..., Embedder]] = {"minilm": MiniLM}
HEALTH: Mapping[str, Callable[[], list[str]]] = {"minilm": problems}
MISSING: Mapping[str, Callable[[], list[str]]] = {"minilm": minilm_missing}

# What of its settings decides the variant of a model.
PRECISIONS: Mapping[str, tuple[str, ...]] = {"minilm": ("fp32", "int8")}

# From the models' cards. A model that is not here is asked for one vector.
KNOWN_DIMENSIONS: Mapping[str, int] = {
    "all-minilm": 384,
    "all-minilm-l6-v2": 384,
    "bge-base-en-v1.5": 768,
    "mxbai-embed-large": 1024,
    "mxbai-embed-large-v1": 1024,
    "nomic-embed-text": 768,
    "nomic-embed-text-v1.5": 768,
}


def make_embedder(name: str, **options: Any) -> Embedder:
    """The embedder of this name. Raises `ConfigError` for an unknown name or option."""
    maker = EMBEDDERS.get(name)
    if maker is None:
        raise ConfigError(_unknown(name))
    try:
        return maker(**options)
    except TypeError as error:
        raise ConfigError(f"embedder {name!r}: {error}") from error


def called(model: str, variant: str) -> tuple[str, str] | None:
    """The name and precision that make the embedder of this model and variant; None for one that is unknown here."""
    for name in EMBEDDERS:
        for precision in PRECISIONS.get(name, ()):
            made = make_embedder(name, precision=precision)
            if (made.model, made.variant) == (model, variant):
                return name, precision
    return None


def begun(name: str, **options: Any) -> Embedder | None:
    """The embedder of this name, its model already loading where that takes a while; None when it would not work."""
    if name not in EMBEDDERS or missing(name):
        return None
    embedder = make_embedder(name, **options)
    if isinstance(embedder, MiniLM):
        embedder.start_loading()
    return embedder


def known_dimension(model: str) -> int | None:
    """The dimension of a model by its name, without owner and tag (`owner/nomic-embed-text:v1.5`)."""
    return KNOWN_DIMENSIONS.get(model.lower().rsplit("/", 1)[-1].split(":", 1)[0])


def check_dimension(model: str, seen: int, declared: int | None = None) -> int:
    """The dimension to build with: what a vector of the model was seen to have.

    Raises `UsageError` when it is not what the configuration declares, or not what the model is
    known to give, so that nothing of a wrong length is ever written.
    """
    expected = known_dimension(model) if declared is None else declared
    if seen < 1 or (expected is not None and seen != expected):
        source = "declared for it" if declared is not None else "known of it"
        raise UsageError(
            f"{model} gives vectors of {seen} numbers, but {expected} are {source}: nothing was written; "
            "set the right dimension, or name the model that the collection was built with"
        )
    return seen


async def probe(embedder: Embedder, declared: int | None = None) -> int:
    """Embed one word and check the dimension that comes back, as `check_dimension` does."""
    vectors = await embedder.embed(["word"])
    return check_dimension(embedder.model, int(vectors.shape[1]), declared)


def health(name: str) -> list[str]:
    """What keeps an embedder from working, each with the command that mends it; [] when all is well."""
    return HEALTH[name]() if name in HEALTH else [_unknown(name)]


def missing(name: str) -> list[str]:
    """The part of `health` that costs no time: what is not installed."""
    return MISSING[name]() if name in MISSING else []


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, EMBEDDERS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there is {', '.join(sorted(EMBEDDERS))}"
    return f"no embedder is called {name!r}: {hint}"
