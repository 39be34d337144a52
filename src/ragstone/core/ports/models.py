"""The protocols of models that embed, rerank and write, local or of vendors."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ragstone.core.arrays import Vectors
from ragstone.core.types import Json


class Tokenizer(Protocol):
    """Counts tokens as the embedding model sees them, special tokens left out."""

    @property
    def name(self) -> str: ...

    def count(self, texts: Sequence[str]) -> list[int]: ...


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def model(self) -> str: ...

    @property
    def variant(self) -> str:
        """A variant of the model that changes its vectors, such as a quantisation: part of each vector's address."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def reads(self) -> int:
        """How many tokens of a text the model reads, special tokens left out."""
        ...

    @property
    def tokenizer(self) -> Tokenizer: ...

    async def embed(self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document") -> Vectors:
        """float32 of shape (len(texts), dimension), rows of length 1, in the order of the texts."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class TokenMatches:
    """Texts beside the words of a question. `vectors` are the texts', as `Embedder.embed` gives them. `near`, float32
    (texts, words): the largest cosine between a token of the text, headings included, and the word, the mean over the
    word's tokens; `own`: the same among the tokens below the headings."""

    vectors: Vectors
    near: Vectors
    own: Vectors


class TokenMatcher(Protocol):
    """A second protocol that an `Embedder` may implement: it compares the vectors of single tokens, each in its context
    (late interaction, Khattab and Zaharia 2020)."""

    async def match_tokens(
        self, question: str, words: Sequence[tuple[int, int]], texts: Sequence[tuple[str, str]]
    ) -> TokenMatches:
        """`words` are ranges of characters of the question; each text is the headings above it, or nothing, and what
        it says below them."""
        ...


class ScriptReader(Protocol):
    """A second protocol that an `Embedder` may implement: it knows which texts it cannot read."""

    def can_read(self, text: str) -> bool:
        """False for a text in a script whose words the model never learned; its vector says next to nothing."""
        ...


class Reranker(Protocol):
    """Scores how well each text answers a question. Verbs raise `Unavailable` when the model cannot be reached, is too
    slow or fails, and `UsageError` when its settings are wrong: key, model, folder."""

    @property
    def model(self) -> str:
        """The vendor and the name, as settings write them."""
        ...

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """A number from 0 (of no use) to 1 (answers it) for each text, in the order of the texts."""
        ...

    async def check(self) -> list[str]:
        """The problems that keep it from working, each with its remedy; asks for one score."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Numbers of terms of a model's vocabulary, ascending, and the weight of each, above 0."""

    terms: tuple[int, ...]
    weights: tuple[float, ...]


class SparseEncoder(Protocol):
    """Texts to sparse vectors whose dot product says how well a passage fits a question, such as SPLADE's. Verbs raise
    `Unavailable` when the model cannot be reached, is too slow or fails, and `UsageError` when its settings are
    wrong."""

    @property
    def model(self) -> str:
        """The vendor and the name, as settings write them."""
        ...

    async def encode(
        self, texts: Sequence[str], *, kind: Literal["document", "query"] = "document"
    ) -> list[SparseVector]:
        """A vector for each text, in the order of the texts."""
        ...

    async def check(self) -> list[str]:
        """The problems that keep it from working, each with its remedy; asks for one vector."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Message:
    """A turn of a conversation with a language model."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request to a language model: the turns, the most tokens to write, and the JSON schema of the answer, if any.

    `mark` are the digits around foreign text in the turns, which no answer should repeat.
    """

    messages: tuple[Message, ...]
    max_tokens: int = 800
    temperature: float = 0.0
    schema: Json | None = None
    mark: str = ""


@dataclass(frozen=True, slots=True)
class CompletionResult:
    """The whole text of a language model, why it ended, and the tokens read and written, None if the vendor does not
    report them."""

    text: str
    ended: Literal["stop", "length", "refused", "other"] = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Completion(Protocol):
    """A language model of a vendor or a local server. Every verb raises `Unavailable` when the vendor cannot be
    reached, is too slow or fails, and `UsageError` when it refuses the request: key, model, or a prompt that is too
    long."""

    @property
    def vendor(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def context(self) -> int | None:
        """How many tokens it reads and writes together, None where that is not known."""
        ...

    @property
    def tokenizer(self) -> Tokenizer | None:
        """Counts as the model does, None where its tokenizer is not at hand."""
        ...

    async def complete(self, prompt: Prompt) -> CompletionResult: ...

    def stream(self, prompt: Prompt) -> AsyncGenerator[str | CompletionResult]:
        """The pieces of its text as they come, never empty, then once `CompletionResult`. Closing it ends the
        request."""
        ...

    async def check(self) -> list[str]:
        """The problems that keep it from working, each with its remedy; [] when the vendor answers and has the
        model."""
        ...

    async def close(self) -> None: ...
