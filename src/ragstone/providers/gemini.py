"""Gemini's wire format: streamed content and batches of embeddings."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import quote

from ragstone.providers.openai import read_error_message
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

FINISH_REASONS: dict[str, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"), "refused"),
}
ROLES = {"user": "user", "assistant": "model"}
TASKS = {"document": "RETRIEVAL_DOCUMENT", "query": "RETRIEVAL_QUERY"}
# What of JSON schema its responseSchema knows; it refuses a schema with any other key.
SCHEMA_KEYS = frozenset(
    "type format title description nullable enum items minItems maxItems properties required minLength maxLength "
    "pattern minimum maximum anyOf".split()
)


class WireFormat:
    """Written from the API reference; not run against the service."""

    framing: Literal["sse", "lines"] = "sse"
    mend = "name a model that it serves"
    most = 100

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"x-goog-api-key": key}

    def build_completion_request(self, request: CompletionRequest) -> WireRequest:
        prompt = request.prompt
        options: Json = {"temperature": prompt.temperature, "maxOutputTokens": prompt.max_tokens}
        if prompt.schema is not None:
            options |= {"responseMimeType": "application/json", "responseSchema": reduce_schema(prompt.schema)}
        turns = [turn for turn in prompt.messages if turn.role != "system"]
        body: Json = {
            "contents": [{"role": ROLES[turn.role], "parts": [{"text": turn.text}]} for turn in turns],
            "generationConfig": options,
        }
        if system := [{"text": turn.text} for turn in prompt.messages if turn.role == "system"]:
            body["systemInstruction"] = {"parts": system}
        return WireRequest(f"{model_path(request.model)}:streamGenerateContent?alt=sse", body)

    def parse_event(self, event: Json) -> StreamEvent:
        if event.get("error"):
            return StreamEvent(failed=read_error_message(event))
        usage = event.get("usageMetadata") or {}
        candidate: Json = next(iter(event.get("candidates") or ()), {})
        parts = (candidate.get("content") or {}).get("parts") or []
        ended = candidate.get("finishReason")
        blocked = bool((event.get("promptFeedback") or {}).get("blockReason"))
        written = [parse_count(usage.get(name)) for name in ("candidatesTokenCount", "thoughtsTokenCount")]
        return StreamEvent(
            "".join(parse_text(part.get("text")) for part in parts if not part.get("thought")),
            "refused" if blocked else FINISH_REASONS.get(ended, "other") if ended else None,
            parse_count(usage.get("promptTokenCount")),
            None if written == [None, None] else sum(filter(None, written)),
            alive=any(part.get("thought") for part in parts),
        )

    def build_models_request(self) -> WireRequest:
        return WireRequest("/models?pageSize=1000")

    def parse_models(self, reply: Json) -> list[str]:
        return [str(one["name"]).removeprefix("models/") for one in reply["models"]]

    def build_embedding_request(self, batch: EmbeddingBatch) -> WireRequest:
        more: Json = {} if batch.dimensions is None else {"outputDimensionality": batch.dimensions}
        one: Json = {"model": f"models/{batch.model}", "taskType": TASKS[batch.kind], **more}
        requests = [{**one, "content": {"parts": [{"text": each}]}} for each in batch.texts]
        return WireRequest(f"{model_path(batch.model)}:batchEmbedContents", {"requests": requests})

    def parse_vectors(self, reply: Json) -> tuple[list[list[float]], int | None]:
        tokens = (reply.get("usageMetadata") or {}).get("promptTokenCount")
        return [one["values"] for one in reply["embeddings"]], parse_count(tokens)


def model_path(model: str) -> str:
    """Where a model is asked."""
    return f"/models/{quote(model.removeprefix('models/'), safe='')}"


def reduce_schema(schema: Any) -> Any:
    """A JSON schema with only the keys that are known here.

    >>> reduce_schema({"type": "object", "additionalProperties": False, "properties": {"default": {"type": "string"}}})
    {'type': 'object', 'properties': {'default': {'type': 'string'}}}
    """
    if isinstance(schema, list):
        return [reduce_schema(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: reduce_schema(one) for name, one in value.items()} if key == "properties" else reduce_schema(value)
        for key, value in schema.items()
        if key in SCHEMA_KEYS
    }
