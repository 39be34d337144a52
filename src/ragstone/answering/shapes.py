"""The shapes of hits and answers as plain data: what `formats` makes, and what the API says that it answers."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from ragstone.core.json_shapes import SpanJson
from ragstone.core.types import Verdict


class DocumentJson(TypedDict):
    """A document as it is named in hits and citations."""

    id: str
    version: str
    version_label: str | None
    source: str
    path: str
    title: str | None


class NoteJson(TypedDict):
    """A note."""

    code: str
    message: str


class CitationJson(TypedDict):
    """A citation."""

    n: int
    chunk: str
    document: DocumentJson
    quote: str
    masked: bool
    status: Verdict
    spans: list[SpanJson]


class SentenceJson(TypedDict):
    """A sentence of an answer, with the numbers of its citations."""

    text: str
    citations: list[int]
    status: Verdict


class ClosestJson(TypedDict):
    """A passage that is shown beside a refusal."""

    document: DocumentJson
    text: str
    spans: list[SpanJson]
    signals: Mapping[str, float]


class StepJson(TypedDict):
    """The calls of a language model during a search."""

    name: str
    calls: int
    texts: list[str]
    scores: list[float]
    usage: Mapping[str, int]


class StepsJson(TypedDict):
    """The steps of a search; nothing where no language model was asked."""

    steps: NotRequired[list[StepJson]]


class DuplicateJson(TypedDict):
    """The place of a passage that says the same as another."""

    source: str
    path: str
    ordinal: int


class LocationJson(TypedDict):
    """The place of a chunk with known bytes, and its text with white space collapsed."""

    chunk_loc: NotRequired[Mapping[str, Any]]
    normalized_text: NotRequired[str]


class HitJson(LocationJson):
    """A found chunk."""

    id: str
    document: DocumentJson
    ordinal: int
    heading_path: list[str]
    text: str
    score: float
    signals: Mapping[str, float]
    spans: list[SpanJson]
    flags: list[str]
    risk_score: float
    duplicates: list[DuplicateJson]


class FoundJson(StepsJson):
    """The results of a search."""

    schema: int
    hits: list[HitJson]
    notes: list[NoteJson]
    timings: Mapping[str, float]


class AnswerJson(StepsJson):
    """An answer or an abstention."""

    schema: int
    answer: str
    abstained: bool
    reason: str | None
    answerability: float | None
    sentences: list[SentenceJson]
    citations: list[CitationJson]
    groundedness: float
    notes: list[NoteJson]
    usage: Mapping[str, int]
    timings: Mapping[str, float]
    mode: str
    closest: list[ClosestJson]
