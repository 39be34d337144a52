"""Settings of embedding models, language models and answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from ragstone.config.validation import MANY, Option, find_violation
from ragstone.core.errors import ConfigError

FORMER_RULES = {"company": "thresholds"}


def check_bounds(settings: object) -> None:
    """Raises `ConfigError` for the first field that is out of its bounds."""
    if wrong := find_violation(settings):
        raise ConfigError(wrong)


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """The embedding model, how it is reached, and the text that it embeds."""

    model: Annotated[
        str, Option("Embedding model: minilm, VENDOR/MODEL, or none for keyword search only.", not_blank=True)
    ] = "minilm"
    precision: Annotated[
        Literal["fp32", "int8"],
        Option("Arithmetic of the built-in model in new collections: int8 is twice as fast, cosine .995 to fp32."),
    ] = "int8"
    prefix: Annotated[
        Literal["title", "path", "none"], Option("The text that is embedded with a chunk: title, path or none.")
    ] = "title"
    base_url: Annotated[str | None, Option("Base URL of the API [default: the vendor's].")] = None
    api_key: Annotated[str | None, Option("API key of the vendor.")] = field(default=None, repr=False)
    api_key_file: Annotated[str | None, Option("File that holds the API key.")] = None
    headers: Annotated[Mapping[str, str], Option("Headers of every request.")] = field(default_factory=dict, repr=False)
    dimensions: Annotated[int | None, Option("Dimension of the vectors [default: the model's].", 1, 100_000)] = None
    reads: Annotated[int | None, Option("Longest text that the model reads, in tokens.", 1, MANY)] = None
    batch: Annotated[int, Option("Texts per request.", 1, 2048)] = 32
    folder: Annotated[str | None, Option("Folder with fastembed's model files.")] = None
    timeout: Annotated[
        float, Option("Timeout of an attempt: seconds until the next piece of the response.", 0.01, 86_400)
    ] = 30.0
    total: Annotated[float, Option("Timeout of all attempts together, in seconds.", 0.01, 86_400)] = 120.0
    retries: Annotated[int, Option("Retries of a failed request.", 0, 100)] = 3

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """The reranker, how it is reached, and how many passages it scores."""

    model: Annotated[str, Option("Reranker: VENDOR/MODEL, llm for the language model, or none.", not_blank=True)] = (
        "none"
    )
    base_url: Annotated[str | None, Option("Base URL of the API [default: the vendor's].")] = None
    api_key: Annotated[str | None, Option("API key of the vendor.")] = field(default=None, repr=False)
    api_key_file: Annotated[str | None, Option("File that holds the API key.")] = None
    headers: Annotated[Mapping[str, str], Option("Headers of every request.")] = field(default_factory=dict, repr=False)
    folder: Annotated[str | None, Option("Folder with the model's files, for onnx and fastembed.")] = None
    reads: Annotated[
        int, Option("Longest question with passage that a model of onnx reads, in tokens.", 16, 100_000)
    ] = 512
    scores: Annotated[
        Literal["unit", "logit", "cosine"] | None,
        Option("Scale of the model's raw scores: unit, logit or cosine [default: the vendor's]."),
    ] = None
    documents: Annotated[int, Option("Maximum number of passages to rerank.", 1, 1000)] = 50
    oversample: Annotated[int, Option("Passages to rerank, times top_k.", 1, 100)] = 2
    timeout: Annotated[
        float, Option("Timeout of an attempt: seconds until the next piece of the response.", 0.01, 86_400)
    ] = 30.0
    retries: Annotated[int, Option("Retries of a failed request.", 0, 100)] = 3

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class SparseSettings:
    """The model of sparse vectors, such as SPLADE, and how it is reached."""

    model: Annotated[str, Option("Model of sparse vectors: VENDOR/MODEL, or none.", not_blank=True)] = "none"
    index: Annotated[bool, Option("Store the sparse vector of every chunk, and retrieve by them.")] = False
    base_url: Annotated[str | None, Option("Base URL of the API [default: the vendor's].")] = None
    api_key: Annotated[str | None, Option("API key of the vendor.")] = field(default=None, repr=False)
    api_key_file: Annotated[str | None, Option("File that holds the API key.")] = None
    headers: Annotated[Mapping[str, str], Option("Headers of every request.")] = field(default_factory=dict, repr=False)
    folder: Annotated[str | None, Option("Folder with fastembed's model files.")] = None
    timeout: Annotated[
        float, Option("Timeout of an attempt: seconds until the next piece of the response.", 0.01, 86_400)
    ] = 30.0
    total: Annotated[float, Option("Timeout of all attempts together, in seconds.", 0.01, 86_400)] = 120.0
    retries: Annotated[int, Option("Retries of a failed request.", 0, 100)] = 3

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """A language model that writes or judges answers, and how it is reached."""

    model: Annotated[str, Option("Language model as VENDOR/MODEL, or none for quoted answers.", not_blank=True)] = (
        "none"
    )
    base_url: Annotated[str | None, Option("Base URL of the API [default: the vendor's].")] = None
    api_key: Annotated[str | None, Option("API key of the vendor.")] = field(default=None, repr=False)
    api_key_file: Annotated[str | None, Option("File that holds the API key.")] = None
    headers: Annotated[Mapping[str, str], Option("Headers of every request.")] = field(default_factory=dict, repr=False)
    timeout: Annotated[
        float, Option("Timeout of an attempt: seconds until the next piece of the response.", 0.01, 86_400)
    ] = 30.0
    total: Annotated[float, Option("Timeout of all attempts together, in seconds.", 0.01, 86_400)] = 120.0
    retries: Annotated[int, Option("Retries of a failed request.", 0, 100)] = 3
    max_tokens: Annotated[int, Option("Longest output of the model, in tokens.", 1, MANY)] = 800
    temperature: Annotated[float, Option("Sampling temperature.", 0, 2)] = 0.0
    context: Annotated[int | None, Option("Context window of the model, in tokens, if known.", 1, 100 * MANY)] = None
    tokenizer: Annotated[str | None, Option("File of the model's tokenizer.")] = None

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How a language model is asked for an answer, and when Ragstone abstains."""

    prompt: Annotated[str, Option("Prompt template: a built-in name or a file.", not_blank=True)] = "default"
    tokens: Annotated[int, Option("Token budget of the whole prompt.", 1, 100 * MANY)] = 6000
    overhead: Annotated[int, Option("Tokens of the budget that passages leave free.", 0, 100 * MANY)] = 1000
    chunks: Annotated[int, Option("Maximum number of passages in the prompt.", 1, 1000)] = 12
    strict: Annotated[bool, Option("Show only sentences that the documents support.")] = False
    abstain: Annotated[
        Literal["fitted", "thresholds", "never"],
        Option("Rule that decides when to abstain: fitted, thresholds (on scores) or never."),
    ] = "fitted"
    rerank_threshold: Annotated[
        float, Option("Rule thresholds: the reranker's score that the best passage needs.", 0, 1)
    ] = 0.15
    rrf_threshold: Annotated[
        float, Option("Rule thresholds: the RRF score that the best passage needs where two retrievers answered.", 0, 1)
    ] = 0.03
    calibration: Annotated[
        str | None, Option("File of a calibration fitted on your questions; none for the built-in one.")
    ] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "abstain", FORMER_RULES.get(self.abstain, self.abstain))
        check_bounds(self)
        if self.overhead >= self.tokens:
            raise ConfigError(f"answer.overhead {self.overhead} leaves nothing of answer.tokens {self.tokens}")


@dataclass(frozen=True, slots=True)
class ExternalSettings:
    """Texts that may leave this machine."""

    embedding: Annotated[bool, Option("Allow sending texts of documents and questions to a vendor for embedding.")] = (
        False
    )
    rerank: Annotated[bool, Option("Allow sending questions and found passages to a vendor for reranking.")] = False
    enrich: Annotated[bool, Option("Allow sending every chunk to a vendor's language model at ingestion.")] = False
