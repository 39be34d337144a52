"""Results of searches and answers: hits with notes, sentences with citations, events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ragstone.core.types import Document, Hit, Span, Verdict

CLOSEST = 3  # passages that are shown beside a refusal


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the caller should know: a stable code and one sentence."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a statement stands. For a verified one, record[char_start:char_end] of each span joined
    by newlines is the quote (before masking)."""

    n: int
    chunk: str
    document: Document
    quote: str
    spans: tuple[Span, ...]
    status: Verdict = "unverified"
    masked: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer with the numbers of the citations that stand behind it."""

    text: str
    citations: tuple[int, ...] = ()
    status: Verdict = "unverified"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a search by a language model: its calls, the tokens that it read and wrote if the vendor reports
    them, and its texts (a question, documents, paraphrases) or the references that it scored, from 0 to 1, in order."""

    name: Literal["standalone", "hyde", "multi_query", "filter"]
    calls: int
    texts: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: hits in order, notes about skipped or degraded steps, seconds per stage, steps of a
    model."""

    hits: tuple[Hit, ...]
    notes: tuple[Note, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer whose every sentence can be checked, or an abstention with its reason.

    `answerability` is the probability, 0 to 1, that the passages answer the question; the abstention rule uses it.
    `mode` says whose words the text has: those of the documents (`quoted`) or a language model's (`written`).
    """

    text: str
    abstained: bool = False
    reason: str | None = None
    answerability: float | None = None
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    groundedness: float = 0.0
    hits: tuple[Hit, ...] = ()
    notes: tuple[Note, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    mode: Literal["quoted", "written"] = "quoted"

    @property
    def closest(self) -> tuple[Hit, ...]:
        """The best passages, which are shown beside a refusal; none beside an answer."""
        return self.hits[:CLOSEST] if self.abstained else ()


@dataclass(frozen=True, slots=True)
class Event:
    """A step of an answer or a run as it happens: its name and its data."""

    name: str
    data: Mapping[str, Any] = field(default_factory=dict)
