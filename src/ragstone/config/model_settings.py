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
        str, Option("The embedding model: minilm, VENDOR/MODEL, or none for words alone.", not_blank=True)
    ] = "minilm"
    precision: Annotated[
        Literal["fp32", "int8"], Option("Arithmetic of the built-in model: int8 is twice as fast, cosine .995 to fp32.")
    ] = "fp32"
    prefix: Annotated[
        Literal["title", "path", "none"], Option("The text that is embedded with a chunk: title, path or none.")
    ] = "title"
    base_url: Annotated[str | None, Option("The vendor's address, where it is not its own.")] = None
    api_key: Annotated[str | None, Option("The key of the vendor.")] = field(default=None, repr=False)
    api_key_file: Annotated[str | None, Option("A file that holds the key.")] = None
    headers: Annotated[Mapping[str, str], Option("Headers that go with every request.")] = field(
        default_factory=dict, repr=False
    )
    dimensions: Annotated[int | None, Option("The dimension that vectors have or shall have.", 1, 100_000)] = None
    reads: Annotated[int | None, Option("How many tokens the model reads.", 1, MANY)] = None
    batch: Annotated[int, Option("Texts in a request.", 1, 2048)] = 32
    folder: Annotated[str | None, Option("A folder with fastembed's files of the model.")] = None
    timeout: Annotated[float, Option("Seconds for an attempt until its next piece.", 0.01, 86_400)] = 30.0
    total: Annotated[float, Option("Seconds for all attempts together.", 0.01, 86_400)] = 120.0
    retries: Annotated[int, Option("How many more attempts a request has.", 0, 100)] = 3

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """A language model that writes or judges answers, and how it is reached."""

    model: Annotated[str, Option("The language model as VENDOR/MODEL, or none for quoted answers.", not_blank=True)] = (
        "none"
    )
    base_url: Annotated[str | None, Option("The vendor's address, where it is not its own.")] = None
    api_key: Annotated[str | None, Option("The key of the vendor.")] = field(default=None, repr=False)
    api_key_file: Annotated[str | None, Option("A file that holds the key.")] = None
    headers: Annotated[Mapping[str, str], Option("Headers that go with every request.")] = field(
        default_factory=dict, repr=False
    )
    timeout: Annotated[float, Option("Seconds for an attempt until its next piece.", 0.01, 86_400)] = 30.0
    total: Annotated[float, Option("Seconds for all attempts together.", 0.01, 86_400)] = 120.0
    retries: Annotated[int, Option("How many more attempts a request has.", 0, 100)] = 3
    max_tokens: Annotated[int, Option("How many tokens the model may write.", 1, MANY)] = 800
    temperature: Annotated[float, Option("How freely the model writes.", 0, 2)] = 0.0
    context: Annotated[
        int | None, Option("How many tokens the model reads and writes together, where known.", 1, 100 * MANY)
    ] = None
    tokenizer: Annotated[str | None, Option("The file of the model's tokenizer.")] = None

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How a language model is asked for an answer, and when Ragstone abstains."""

    prompt: Annotated[str, Option("The prompt, by name or file.", not_blank=True)] = "default"
    tokens: Annotated[int, Option("Tokens of all that the model reads.", 1, 100 * MANY)] = 6000
    overhead: Annotated[int, Option("Tokens of it that passages leave free.", 0, 100 * MANY)] = 1000
    chunks: Annotated[int, Option("Passages at most.", 1, 1000)] = 12
    strict: Annotated[bool, Option("Show only sentences that the documents support.")] = False
    abstain: Annotated[
        Literal["fitted", "thresholds", "never"],
        Option("The rule between answer and abstention: fitted, thresholds (on scores) or never."),
    ] = "fitted"
    calibration: Annotated[
        str | None, Option("The file of a decision fitted on own questions; none for the shipped one.")
    ] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "abstain", FORMER_RULES.get(self.abstain, self.abstain))
        check_bounds(self)
        if self.overhead >= self.tokens:
            raise ConfigError(f"answer.overhead {self.overhead} leaves nothing of answer.tokens {self.tokens}")


@dataclass(frozen=True, slots=True)
class ExternalSettings:
    """Which texts may leave this machine."""

    embedding: Annotated[bool, Option("Send texts of documents and questions to a vendor for embedding.")] = False
