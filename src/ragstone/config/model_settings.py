"""Settings of embedding models, language models and answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ragstone.config.validation import (
    ANSWER,
    EMBED,
    LLM,
    Bounds,
    find_violation,
)
from ragstone.core.errors import ConfigError


def check_bounds(settings: object, bounds: Bounds) -> None:
    """Raises `ConfigError` for the first field that is out of its bounds."""
    if wrong := find_violation(settings, bounds):
        raise ConfigError(wrong)


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """The embedding model (`none` for keyword search alone), its precision (`int8` is twice as fast, cosine
    .995 to `fp32`; built-in model only), and the prefix that is embedded with a chunk.

    The rest is for a vendor's model, `VENDOR/MODEL`: how it is reached (see `LlmSettings`), the dimension that its
    vectors have or shall have, the tokens that it reads, texts a request, and fastembed's folder with its files.
    """

    model: str = "minilm"
    precision: Literal["fp32", "int8"] = "fp32"
    prefix: Literal["title", "path", "none"] = "title"
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    api_key_file: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    dimensions: int | None = None
    reads: int | None = None
    batch: int = 32
    folder: str | None = None
    timeout: float = 30.0
    total: float = 120.0
    retries: int = 3

    def __post_init__(self) -> None:
        check_bounds(self, EMBED)


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """The language model that writes answers, or the one that judges them: as `VENDOR/MODEL`, `none` for answers that
    quote; its address, where that is not the vendor's own; its key, the file that holds it (else it is looked for in
    the vendor's environment variable) and headers.

    Seconds for an attempt until its next piece, for all together, and how many more attempts there are; how much it may
    write, how free, how many tokens it reads and writes together, where that is known, and the file of its tokenizer.
    """

    model: str = "none"
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    api_key_file: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 30.0
    total: float = 120.0
    retries: int = 3
    max_tokens: int = 800
    temperature: float = 0.0
    context: int | None = None
    tokenizer: str | None = None

    def __post_init__(self) -> None:
        check_bounds(self, LLM)


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How a language model is asked for an answer: its prompt by name or file, tokens for all that it is told, those of
    them that passages leave free, passages at most, and whether only what is supported is shown.

    What decides between an answer and an abstention: the fitted model, company's thresholds on rerank and RRF scores,
    or nothing; and the file of a decision fitted on own questions (null: the one beside the configuration, none:
    the shipped decision).
    """

    prompt: str = "default"
    tokens: int = 6000
    overhead: int = 1000
    chunks: int = 12
    strict: bool = False
    abstain: Literal["fitted", "company", "never"] = "fitted"
    calibration: str | None = None

    def __post_init__(self) -> None:
        check_bounds(self, ANSWER)
        if self.overhead >= self.tokens:
            raise ConfigError(f"answer.overhead {self.overhead} leaves nothing of answer.tokens {self.tokens}")


@dataclass(frozen=True, slots=True)
class ExternalSettings:
    """What may leave this machine: the texts of documents and questions, to have them embedded."""

    embedding: bool = False
