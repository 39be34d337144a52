"""The shapes of errors, and of events in streams, for the description of the API."""

from typing import Literal, NotRequired, TypedDict

from ragstone.answering.shapes import AnswerJson, DocumentJson, HitJson
from ragstone.core.records import Run


class ErrorDetail(TypedDict):
    """A stable code and one sentence."""

    code: str
    message: str


class ErrorJson(TypedDict):
    """An error."""

    schema: int
    error: ErrorDetail


class PipelineErrorJson(TypedDict):
    """An error of a pipeline."""

    error: ErrorDetail


class QueryErrorJson(TypedDict):
    """An error of `/v1/query`."""

    error: str
    message: str


class OpenAIErrorDetail(TypedDict):
    """An error of OpenAI's."""

    message: str
    type: str
    param: None
    code: str


class OpenAIErrorJson(TypedDict):
    """An error of an endpoint for OpenAI's clients."""

    error: OpenAIErrorDetail


class FoundHits(TypedDict):
    """The passages that an answer is made from."""

    hits: list[HitJson]


class Message(TypedDict):
    """A piece of an answer's text (`delta`), or a sentence with the numbers of its citations."""

    text: str
    citations: list[int]
    delta: bool


class Cited(TypedDict):
    """A citation that was given a number."""

    n: int
    chunk: str
    document: DocumentJson


class Nothing(TypedDict):
    """No data."""


class SearchResultsEvent(TypedDict):
    """The first event of an answer."""

    event: Literal["search_results"]
    data: FoundHits


class MessageEvent(TypedDict):
    """Text of an answer as it comes."""

    event: Literal["message"]
    data: Message


class CitationEvent(TypedDict):
    """A citation as it comes."""

    event: Literal["citation"]
    data: Cited


class FinalAnswerEvent(TypedDict):
    """The checked answer, which replaces the text before it."""

    event: Literal["final_answer"]
    data: AnswerJson


class AnswerDoneEvent(TypedDict):
    """The end of an answer."""

    event: Literal["done"]
    data: Nothing


class ErrorEvent(TypedDict):
    """An error that ends a stream."""

    event: Literal["error"]
    data: ErrorDetail


class ProgressEvent(TypedDict):
    """The counts of a run that goes on."""

    event: Literal["progress"]
    data: Run


class RunDoneEvent(TypedDict):
    """A run that has ended."""

    event: Literal["done"]
    data: Run


class PipelineEvent(TypedDict):
    """A piece of an answer of a pipeline, its end, or an error; the events have no names."""

    type: Literal["chunk", "done", "error"]
    content: NotRequired[str]
    error: NotRequired[str]


ANSWER_EVENTS = (SearchResultsEvent, MessageEvent, CitationEvent, FinalAnswerEvent, AnswerDoneEvent, ErrorEvent)
RUN_EVENTS = (ProgressEvent, RunDoneEvent, ErrorEvent)
