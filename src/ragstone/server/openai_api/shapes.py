"""The shapes of answers for OpenAI's clients, for the description of the API."""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from ragstone.core.types import Json
from ragstone.server.answer_shapes import TokenCounts


class Model(TypedDict):
    """A pipeline or collection as a model of OpenAI's."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class Models(TypedDict):
    """Models of OpenAI's."""

    object: Literal["list"]
    data: list[Model]


class ChatCompletion(TypedDict):
    """A chat completion of OpenAI's."""

    id: str
    created: int
    model: str
    object: Literal["chat.completion"]
    choices: list[Json]
    usage: TokenCounts


class EmbeddingJson(TypedDict):
    """A vector of OpenAI's, as numbers or in base64."""

    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


class Embeddings(TypedDict):
    """Vectors of OpenAI's."""

    object: Literal["list"]
    data: list[EmbeddingJson]
    model: str
    usage: Mapping[str, int]


class StoreResult(TypedDict):
    """A passage as a result of a vector store of OpenAI's."""

    file_id: str
    filename: str
    score: float
    attributes: Mapping[str, str]
    content: list[Json]


class StoreResults(TypedDict):
    """A page of results of a vector store of OpenAI's."""

    object: str
    search_query: list[str]
    data: list[StoreResult]
    has_more: bool
    next_page: None


class ModelResponse(TypedDict):
    """A response of OpenAI's."""

    id: str
    object: Literal["response"]
    created_at: int
    status: str
    model: str
    output: list[Json]
    usage: Mapping[str, Any] | None
    error: None
    incomplete_details: None
    instructions: None
    metadata: Mapping[str, str]
    parallel_tool_calls: bool
    temperature: None
    tool_choice: str
    tools: list[Json]
    top_p: None
