"""Requests in OpenAI's shapes. Fields that mean nothing here are ignored, as clients send many of them."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ragstone.core.errors import UsageError
from ragstone.core.filters import Where, parse_where
from ragstone.core.types import LONGEST_QUESTION, Json
from ragstone.server.bodies import LONGEST_TURN, MOST_TURNS, Name, Scalar

MOST_INPUTS = 2048  # texts of one request for vectors
MOST_RESULTS = 50
TEXT_TYPES = ("text", "input_text", "output_text", "refusal")
COMPARISONS = {"eq": "=", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "in": "IN", "nin": "NOT IN"}


class OpenBody(BaseModel):
    """A body whose unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore")


class Part(OpenBody):
    """A part of a message."""

    type: str
    text: Annotated[str | None, Field(max_length=LONGEST_TURN)] = None


class ChatMessage(OpenBody):
    """A message; those of `system` and `developer` are left out: Ragstone's own prompt decides."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str, Field(max_length=LONGEST_TURN)] | list[Part] | None = None

    def read_text(self) -> str:
        """The text of a message; raises `UsageError` for pictures, sound and files."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        if other := next((part.type for part in self.content if part.type not in TEXT_TYPES), None):
            raise UsageError(f"messages with parts of type {other!r:.40} cannot be answered: send text alone")
        return "\n".join(part.text or "" for part in self.content)


class StreamOptions(OpenBody):
    """Options of a stream."""

    include_usage: bool = False


class ChatBody(OpenBody):
    """A request for a chat completion."""

    model: Name
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=MOST_TURNS)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: Annotated[int | None, Field(ge=1, le=1)] = 1
    temperature: Annotated[float | None, Field(ge=0, le=2)] = None
    max_tokens: Annotated[int | None, Field(ge=1)] = None
    max_completion_tokens: Annotated[int | None, Field(ge=1)] = None


class ResponseBody(OpenBody):
    """A request for a response."""

    model: Name
    input: (
        Annotated[str, Field(max_length=LONGEST_TURN)]
        | Annotated[list[ChatMessage], Field(min_length=1, max_length=MOST_TURNS)]
    )
    stream: bool | None = False
    previous_response_id: str | None = None
    temperature: Annotated[float | None, Field(ge=0, le=2)] = None

    def list_messages(self) -> list[ChatMessage]:
        """The conversation; raises `UsageError` where it goes on from a stored one."""
        if self.previous_response_id:
            raise UsageError("previous_response_id: responses are not stored; send the whole conversation as `input`")
        return [ChatMessage(role="user", content=self.input)] if isinstance(self.input, str) else self.input


class EmbeddingBody(OpenBody):
    """A request for vectors."""

    model: Name
    input: (
        Annotated[str, Field(min_length=1, max_length=LONGEST_TURN)]
        | Annotated[
            list[Annotated[str, Field(min_length=1, max_length=LONGEST_TURN)]],
            Field(min_length=1, max_length=MOST_INPUTS),
        ]
    )
    encoding_format: Literal["float", "base64"] | None = "float"
    dimensions: int | None = None

    def list_texts(self) -> list[str]:
        """The texts to embed."""
        return [self.input] if isinstance(self.input, str) else self.input


class AttributeFilter(OpenBody):
    """A comparison of a document's fact, or several comparisons."""

    type: Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "and", "or"]
    key: Name | None = None
    value: Scalar | list[Scalar] | None = None
    filters: list["AttributeFilter"] | None = None

    def to_where(self) -> Where:
        """The filter; raises `UsageError` for groups of groups."""
        several = self.type in ("and", "or")
        conditions = [one.to_condition() for one in (self.filters or [])] if several else [self.to_condition()]
        return parse_where({"conditions": conditions, "logic": self.type.upper() if several else "AND"})

    def to_condition(self) -> Json:
        """One comparison as a condition."""
        if self.type not in COMPARISONS or self.key is None:
            raise UsageError("invalid filters: expected comparisons with a key, or one group of them (and, or)")
        return {"column": self.key, "operator": COMPARISONS[self.type], "value": self.value}


class RankingOptions(OpenBody):
    """The least score of a result."""

    score_threshold: float | None = None


class VectorStoreSearchBody(OpenBody):
    """A search in a collection."""

    query: Annotated[str, Field(max_length=LONGEST_QUESTION)] | list[Annotated[str, Field(max_length=LONGEST_QUESTION)]]
    max_num_results: Annotated[int, Field(ge=1, le=MOST_RESULTS)] = 10
    filters: AttributeFilter | None = None
    ranking_options: RankingOptions | None = None

    def read_query(self) -> str:
        """The query as one text."""
        return self.query if isinstance(self.query, str) else " ".join(self.query)


def split_conversation(messages: Sequence[ChatMessage]) -> tuple[str, list[dict[str, Any]]]:
    """The question, which is the last message, and the turns before; raises `UsageError` where no user asks last."""
    last = messages[-1]
    question = last.read_text().strip()
    if last.role != "user" or not question:
        raise UsageError("the last message must be a user's, with text: it is the question")
    if len(question) > LONGEST_QUESTION:
        raise UsageError(f"the question has {len(question):,} characters, more than {LONGEST_QUESTION:,}: shorten it")
    turns = [
        {"role": one.role, "content": one.read_text()} for one in messages[:-1] if one.role in ("user", "assistant")
    ]
    return question, [turn for turn in turns if turn["content"].strip()]
