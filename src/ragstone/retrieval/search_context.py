"""Who answers questions over a collection: its store, what embeds, how long all may take, what may help."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ragstone.answering import Policy
from ragstone.config.deadlines import USUAL, Deadlines
from ragstone.core.ports import Completion, Embedder, Store
from ragstone.core.types import Scope
from ragstone.providers.custom_embedder import Handed

REFUSED = "embedding_refused"
Helper = Callable[[], Completion | None]


def nobody() -> None:
    """No language model is configured."""


def refusal(embedder: Embedder) -> str | None:
    """The code of a note about what an embedder refuses, such as a wrong key: that is mended with its vendor or in the
    settings, and words find without it. None for one that was handed in: that is the caller's own mistake."""
    return None if isinstance(embedder, Handed) else REFUSED


@dataclass(frozen=True, slots=True)
class Desk:
    """The parts that answer questions over one collection; `model_missing` says why there is no embedder. `model`
    gives the language model that helps to search, `reader` names whoever reads: what one has found is not shown to
    another by a cache. `policy` decides between an answer and an abstention."""

    store: Store
    scope: Scope
    embedder: Embedder | None
    model_missing: str | None = None
    deadlines: Deadlines = USUAL
    model: Helper = nobody
    reader: str = ""
    policy: Policy | None = None


class Asking(Protocol):
    """Whose question it is: what may embed it, and how long it may take."""

    @property
    def embedder(self) -> Embedder | None: ...

    @property
    def model_missing(self) -> str | None: ...

    @property
    def deadlines(self) -> Deadlines: ...
