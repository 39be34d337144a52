"""How one vendor speaks: what each file of a vendor gives, and nothing else differs between vendors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ragstone.config.vendors import LIMIT
from ragstone.core.ports import Prompt, Tokenizer
from ragstone.providers.score_scales import Scale

FinishReason = Literal["stop", "length", "refused", "other"]
Kind = Literal["document", "query"]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request: its path below the vendor's address, and its body; without one it is a GET."""

    path: str
    body: Json | None = None


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """The content of one event of a stream. `cached_tokens`: those of a prompt that are counted apart from
    `prompt_tokens`; `alive`: the model works though it shows no text yet; `failed` is an error in the middle of a
    stream; `over`: nothing comes after it."""

    text: str = ""
    ended: FinishReason | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    alive: bool = False
    failed: str | None = None
    over: bool = False


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A request to a model: `context` as configured, `limit` is the vendor's name for the most tokens to write,
    `tokenizer` is the model's own if available."""

    model: str
    prompt: Prompt
    context: int | None = None
    limit: str = LIMIT
    tokenizer: Tokenizer | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingBatch:
    """Texts that want vectors; `dimensions` only where other than the model's own are wanted."""

    model: str
    texts: Sequence[str]
    kind: Kind = "document"
    dimensions: int | None = None


class WireFormat(Protocol):
    """The language of a vendor. Parsing functions raise `AttributeError`, `KeyError`, `TypeError` or `ValueError`
    for an invalid reply."""

    framing: Literal["sse", "lines"]
    mend: str  # what mends that MODEL is not there

    def headers(self, key: str | None) -> dict[str, str]:
        """The headers that every request has."""
        ...

    def build_completion_request(self, request: CompletionRequest) -> WireRequest:
        """The request for a streamed answer."""
        ...

    def parse_event(self, event: Json) -> StreamEvent: ...

    def build_models_request(self) -> WireRequest:
        """The request for the list of models."""
        ...

    def parse_models(self, reply: Json) -> list[str]: ...


class EmbeddingFormat(Protocol):
    """The part of a vendor's language that is about vectors."""

    most: int  # texts that one request may hold

    def build_embedding_request(self, batch: EmbeddingBatch) -> WireRequest: ...

    def parse_vectors(self, reply: Json) -> tuple[list[list[float]], int | None]:
        """The vectors in the order of the texts, and how many tokens were read where that is said."""
        ...


@dataclass(frozen=True, slots=True)
class RerankBatch:
    """A question and the texts that want a score for it."""

    model: str
    question: str
    texts: Sequence[str]


IndexedScore = tuple[int, float]  # the place of a text in its batch, and its raw score


class RerankFormat(Protocol):
    """The language of a vendor's reranker. `parse_scores` raises as the parsing functions of `WireFormat` do."""

    mend: str
    most: int  # texts that one request may hold

    def headers(self, key: str | None) -> dict[str, str]: ...

    def build_rerank_request(self, batch: RerankBatch) -> WireRequest: ...

    def parse_scores(self, reply: Any) -> list[IndexedScore]: ...

    def scale_of(self, model: str) -> Scale:
        """The scale of a model's raw scores."""
        ...


WeightedTerm = tuple[int, float]  # the number of a term, and its weight


class SparseFormat(Protocol):
    """The language of a vendor's sparse vectors. `parse_sparse` raises as the parsing functions of `WireFormat` do."""

    mend: str
    most: int  # texts that one request may hold

    def headers(self, key: str | None) -> dict[str, str]: ...

    def build_sparse_request(self, texts: Sequence[str]) -> WireRequest: ...

    def parse_sparse(self, reply: Any) -> list[list[WeightedTerm]]:
        """The terms of each text, in the order of the texts."""
        ...


def parse_score(entry: Any, name: str) -> IndexedScore:
    """An entry such as `{"index": 0, "score": 0.9}`; raises `KeyError` or `TypeError` for any other."""
    index, score = entry["index"], entry[name]
    if not isinstance(index, int) or not isinstance(score, int | float) or isinstance(score, bool):
        raise TypeError(f"{type(score).__name__} instead of a score")
    return index, float(score)


def parse_count(value: Any) -> int | None:
    """A count of tokens, None where there is none.

    >>> parse_count(3), parse_count(None), parse_count("3"), parse_count(True)
    (3, None, None, None)
    """
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def parse_text(value: Any) -> str:
    """A text that may be missing; raises `TypeError` for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of a text")
    return value
