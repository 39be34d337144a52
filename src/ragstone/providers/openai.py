"""OpenAI's wire, which OpenRouter, vLLM, LM Studio, llama.cpp and many others speak too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ragstone.providers.wire_format import Asked, Batch, Call, Ended, Heard, Json, text, whole

ENDS: dict[str, Ended] = {"stop": "stop", "length": "length", "content_filter": "refused"}


class Speech:
    """Written from the API reference, run against llama.cpp's server."""

    framing: Literal["sse", "lines"] = "sse"
    mend = "name a model that it serves"
    most = 2048

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def asked(self, request: Asked) -> Call:
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
            shape = {"name": "answer", "schema": prompt.schema, "strict": strict(prompt.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        return Call("/chat/completions", body)

    def heard(self, event: Json) -> Heard:
        if event.get("error"):
            return Heard(failed=said(event))
        usage = event.get("usage") or {}
        choice: Json = next(iter(event.get("choices") or ()), {})
        delta = choice.get("delta") or {}
        refusal = text(delta.get("refusal"))
        ended = choice.get("finish_reason")
        return Heard(
            text(delta.get("content")) or refusal,
            "refused" if refusal else ENDS.get(ended, "other") if ended else None,
            whole(usage.get("prompt_tokens")),
            whole(usage.get("completion_tokens")),
            alive=bool(delta.get("reasoning_content") or delta.get("reasoning")),
        )

    def models(self) -> Call:
        return Call("/models")

    def listed(self, reply: Json) -> list[str]:
        return [str(one["id"]) for one in reply["data"]]

    def embedded(self, batch: Batch) -> Call:
        body: Json = {"model": batch.model, "input": list(batch.texts), "encoding_format": "float"}
        return Call("/embeddings", body if batch.dimensions is None else {**body, "dimensions": batch.dimensions})

    def vectors(self, reply: Json) -> tuple[list[list[float]], int | None]:
        usage = reply.get("usage") or {}
        return ordered(reply["data"]), whole(usage.get("prompt_tokens", usage.get("total_tokens")))


def ordered(data: Sequence[Json]) -> list[list[float]]:
    """The vectors of numbered entries, each number from 0 once."""
    places = [one.get("index", place) for place, one in enumerate(data)]
    if sorted(places) != list(range(len(data))):
        raise ValueError("vectors are numbered wrongly")
    return [one["embedding"] for _, one in sorted(zip(places, data, strict=True), key=lambda pair: pair[0])]


def said(event: Json) -> str:
    """What an error says, in the shapes that servers give it."""
    error = event.get("error") or event.get("message") or event.get("detail") or ""
    if isinstance(error, dict):
        error = error.get("message") or error.get("type") or error.get("code") or ""
    return str(error)


def strict(schema: Any) -> bool:
    """Whether a schema fits OpenAI's strict mode: every object closed, and all of its keys required.

    >>> strict({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False})
    True
    >>> strict({"type": "object", "properties": {"a": {}}})
    False
    """
    if isinstance(schema, list):
        return all(map(strict, schema))
    if not isinstance(schema, dict):
        return True
    if "properties" in schema or schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(schema.get("properties", ())):
            return False
    return all(map(strict, schema.values()))
