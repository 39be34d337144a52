"""How one vendor speaks: what each file of a vendor gives, and nothing else differs between vendors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ragstone.config.vendors import LIMIT
from ragstone.core.ports import Prompt, Tokenizer

Ended = Literal["stop", "length", "refused", "other"]
Kind = Literal["document", "query"]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A request: its path below the vendor's address, and its body; without one it is a GET."""

    path: str
    body: Json | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What one event of a stream says. `cached_tokens`: those of a prompt that are counted apart from `prompt_tokens`;
    `alive`: the model works though it shows no text yet; `failed` is an error in the middle of a stream; `over`:
    nothing comes after it."""

    text: str = ""
    ended: Ended | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    alive: bool = False
    failed: str | None = None
    over: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model is asked: `context` as configured, `limit` as the vendor calls how much may be written, `tokenizer`
    the model's own where it is at hand."""

    model: str
    prompt: Prompt
    context: int | None = None
    limit: str = LIMIT
    tokenizer: Tokenizer | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts that want vectors; `dimensions` only where other than the model's own are wanted."""

    model: str
    texts: Sequence[str]
    kind: Kind = "document"
    dimensions: int | None = None


class Speech(Protocol):
    """The language of a vendor. What reads raises `AttributeError`, `KeyError`, `TypeError` or `ValueError` where a
    reply makes no sense."""

    framing: Literal["sse", "lines"]
    mend: str  # what mends that MODEL is not there

    def headers(self, key: str | None) -> dict[str, str]:
        """The headers that every request has."""
        ...

    def asked(self, request: Asked) -> Call:
        """The request for a streamed answer."""
        ...

    def heard(self, event: Json) -> Heard: ...

    def models(self) -> Call:
        """The request for the list of models."""
        ...

    def listed(self, reply: Json) -> list[str]: ...


class Embedding(Protocol):
    """The part of a vendor's language that is about vectors."""

    most: int  # texts that one request may hold

    def embedded(self, batch: Batch) -> Call: ...

    def vectors(self, reply: Json) -> tuple[list[list[float]], int | None]:
        """The vectors in the order of the texts, and how many tokens were read where that is said."""
        ...


def whole(value: Any) -> int | None:
    """A count of tokens, None where there is none.

    >>> whole(3), whole(None), whole("3"), whole(True)
    (3, None, None, None)
    """
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def text(value: Any) -> str:
    """A text that may be missing; raises `TypeError` for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} where a text was due")
    return value
