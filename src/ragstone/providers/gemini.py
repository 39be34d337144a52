"""Gemini's wire: streamed content and batches of embeddings."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import quote

from ragstone.providers.openai import said
from ragstone.providers.wire_format import Asked, Batch, Call, Ended, Heard, Json, text, whole

ENDS: dict[str, Ended] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"), "refused"),
}
ROLES = {"user": "user", "assistant": "model"}
TASKS = {"document": "RETRIEVAL_DOCUMENT", "query": "RETRIEVAL_QUERY"}
# What of JSON schema its responseSchema knows; it refuses a schema with any other key.
KNOWN = frozenset(
    "type format title description nullable enum items minItems maxItems properties required minLength maxLength "
    "pattern minimum maximum anyOf".split()
)


class Speech:
    """Written from the API reference; not run against the service."""

    framing: Literal["sse", "lines"] = "sse"
    mend = "name a model that it serves"
    most = 100

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"x-goog-api-key": key}

    def asked(self, request: Asked) -> Call:
        prompt = request.prompt
        options: Json = {"temperature": prompt.temperature, "maxOutputTokens": prompt.max_tokens}
        if prompt.schema is not None:
            options |= {"responseMimeType": "application/json", "responseSchema": subset(prompt.schema)}
        turns = [turn for turn in prompt.messages if turn.role != "system"]
        body: Json = {
            "contents": [{"role": ROLES[turn.role], "parts": [{"text": turn.text}]} for turn in turns],
            "generationConfig": options,
        }
        if system := [{"text": turn.text} for turn in prompt.messages if turn.role == "system"]:
            body["systemInstruction"] = {"parts": system}
        return Call(f"{path(request.model)}:streamGenerateContent?alt=sse", body)

    def heard(self, event: Json) -> Heard:
        if event.get("error"):
            return Heard(failed=said(event))
        usage = event.get("usageMetadata") or {}
        candidate: Json = next(iter(event.get("candidates") or ()), {})
        parts = (candidate.get("content") or {}).get("parts") or []
        ended = candidate.get("finishReason")
        blocked = bool((event.get("promptFeedback") or {}).get("blockReason"))
        written = [whole(usage.get(name)) for name in ("candidatesTokenCount", "thoughtsTokenCount")]
        return Heard(
            "".join(text(part.get("text")) for part in parts if not part.get("thought")),
            "refused" if blocked else ENDS.get(ended, "other") if ended else None,
            whole(usage.get("promptTokenCount")),
            None if written == [None, None] else sum(filter(None, written)),
            alive=any(part.get("thought") for part in parts),
        )

    def models(self) -> Call:
        return Call("/models?pageSize=1000")

    def listed(self, reply: Json) -> list[str]:
        return [str(one["name"]).removeprefix("models/") for one in reply["models"]]

    def embedded(self, batch: Batch) -> Call:
        more: Json = {} if batch.dimensions is None else {"outputDimensionality": batch.dimensions}
        one: Json = {"model": f"models/{batch.model}", "taskType": TASKS[batch.kind], **more}
        requests = [{**one, "content": {"parts": [{"text": each}]}} for each in batch.texts]
        return Call(f"{path(batch.model)}:batchEmbedContents", {"requests": requests})

    def vectors(self, reply: Json) -> tuple[list[list[float]], int | None]:
        tokens = (reply.get("usageMetadata") or {}).get("promptTokenCount")
        return [one["values"] for one in reply["embeddings"]], whole(tokens)


def path(model: str) -> str:
    """Where a model is asked."""
    return f"/models/{quote(model.removeprefix('models/'), safe='')}"


def subset(schema: Any) -> Any:
    """A JSON schema with only the keys that are known here.

    >>> subset({"type": "object", "additionalProperties": False, "properties": {"default": {"type": "string"}}})
    {'type': 'object', 'properties': {'default': {'type': 'string'}}}
    """
    if isinstance(schema, list):
        return [subset(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: subset(one) for name, one in value.items()} if key == "properties" else subset(value)
        for key, value in schema.items()
        if key in KNOWN
    }
