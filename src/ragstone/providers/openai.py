"""OpenAI's wire format, which OpenRouter, vLLM, LM Studio, llama.cpp and many others use too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ragstone.providers.wire_format import (
    CompletionRequest,
    EmbeddingBatch,
    FinishReason,
    Json,
    StreamEvent,
    WireRequest,
    parse_count,
    parse_text,
)

FINISH_REASONS: dict[str, FinishReason] = {"stop": "stop", "length": "length", "content_filter": "refused"}


class WireFormat:
    """Written from the API reference, run against llama.cpp's server."""

    framing: Literal["sse", "lines"] = "sse"
    mend = "name a model that it serves"
    most = 2048

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def build_completion_request(self, request: CompletionRequest) -> WireRequest:
        prompt = request.prompt
        body: Json = {
            "model": request.model,
            "messages": [{"role": turn.role, "content": turn.text} for turn in prompt.messages],
            "temperature": prompt.temperature,
            request.limit: prompt.max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if prompt.schema is not None:
            shape = {"name": "answer", "schema": prompt.schema, "strict": is_strict_schema(prompt.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return WireRequest("/chat/completions", body)

    def parse_event(self, event: Json) -> StreamEvent:
        if event.get("error"):
            return StreamEvent(failed=read_error_message(event))
        usage = event.get("usage") or {}
        choice: Json = next(iter(event.get("choices") or ()), {})
        delta = choice.get("delta") or {}
        refusal = parse_text(delta.get("refusal"))
        ended = choice.get("finish_reason")
        return StreamEvent(
            parse_text(delta.get("content")) or refusal,
            "refused" if refusal else FINISH_REASONS.get(ended, "other") if ended else None,
            parse_count(usage.get("prompt_tokens")),
            parse_count(usage.get("completion_tokens")),
            alive=bool(delta.get("reasoning_content") or delta.get("reasoning")),
        )

    def build_models_request(self) -> WireRequest:
        return WireRequest("/models")

    def parse_models(self, reply: Json) -> list[str]:
        return [str(one["id"]) for one in reply["data"]]

    def build_embedding_request(self, batch: EmbeddingBatch) -> WireRequest:
        body: Json = {"model": batch.model, "input": list(batch.texts), "encoding_format": "float"}
        return WireRequest(
            "/embeddings", body if batch.dimensions is None else {**body, "dimensions": batch.dimensions}
        )

    def parse_vectors(self, reply: Json) -> tuple[list[list[float]], int | None]:
        usage = reply.get("usage") or {}
        return sort_by_index(reply["data"]), parse_count(usage.get("prompt_tokens", usage.get("total_tokens")))


def sort_by_index(data: Sequence[Json]) -> list[list[float]]:
    """The vectors of numbered entries, each number from 0 once."""
    places = [one.get("index", place) for place, one in enumerate(data)]
    if sorted(places) != list(range(len(data))):
        raise ValueError("vectors are numbered wrongly")
    return [one["embedding"] for _, one in sorted(zip(places, data, strict=True), key=lambda pair: pair[0])]


def read_error_message(event: Json) -> str:
    """The message of an error, in the shapes that servers use."""
    error = event.get("error") or event.get("message") or event.get("detail") or ""
    if isinstance(error, dict):
        error = error.get("message") or error.get("type") or error.get("code") or ""
    return str(error)


def is_strict_schema(schema: Any) -> bool:
    """Whether a schema fits OpenAI's strict mode: every object closed, and all of its keys required.

    >>> is_strict_schema({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False})
    True
    >>> is_strict_schema({"type": "object", "properties": {"a": {}}})
    False
    """
    if isinstance(schema, list):
        return all(map(is_strict_schema, schema))
    if not isinstance(schema, dict):
        return True
    if "properties" in schema or schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(schema.get("properties", ())):
            return False
    return all(map(is_strict_schema, schema.values()))
