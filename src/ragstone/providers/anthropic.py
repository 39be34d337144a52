"""Anthropic's wire: messages, streamed; it has no embeddings."""

from __future__ import annotations

from typing import Literal

from ragstone.providers.openai import said
from ragstone.providers.wire_format import Asked, Call, Ended, Heard, Json, text, whole

VERSION = "2026-10-21"  # of the API; the first that takes no temperature, which its newer models never took
ENDS: dict[str, Ended] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
CACHED = ("cache_read_input_tokens", "cache_creation_input_tokens")


class Speech:
    """Written from the API reference, run against llama.cpp's server."""

    framing: Literal["sse", "lines"] = "sse"
    mend = "name a model that it serves"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"anthropic-version": VERSION, **({} if key is None else {"x-api-key": key})}

    def asked(self, request: Asked) -> Call:
        prompt = request.prompt
        system = "\n\n".join(turn.text for turn in prompt.messages if turn.role == "system")
        body: Json = {
            "model": request.model,
            "messages": [
                {"role": turn.role, "content": turn.text} for turn in prompt.messages if turn.role != "system"
            ],
            "max_tokens": prompt.max_tokens,
            "stream": True,
        }
        if system:
            body["system"] = system
        if prompt.schema is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": prompt.schema}}
        return Call("/v1/messages", body)

    def heard(self, event: Json) -> Heard:
        kind = event.get("type")
        if kind == "error":
            return Heard(failed=said(event))
        if kind == "message_start":
            usage = event["message"].get("usage") or {}
            return Heard(prompt_tokens=whole(usage.get("input_tokens")), cached_tokens=cached(usage))
        if kind == "content_block_delta":
            delta = event["delta"]
            return Heard(text(delta.get("text")), alive=delta.get("type") == "thinking_delta")
        if kind == "message_delta":
            ended = event["delta"].get("stop_reason")
            usage = event.get("usage") or {}  # the counts so far; some servers know none of the prompt before
            return Heard(
                ended=ENDS.get(ended, "other") if ended else None,
                prompt_tokens=whole(usage.get("input_tokens")) or None,
                completion_tokens=whole(usage.get("output_tokens")),
                cached_tokens=cached(usage) or None,
            )
        return Heard(over=kind == "message_stop")

    def models(self) -> Call:
        return Call("/v1/models?limit=1000")

    def listed(self, reply: Json) -> list[str]:
        return [str(one["id"]) for one in reply["data"]]


def cached(usage: Json) -> int | None:
    """The tokens of a prompt that were read from a cache or written to one, None where that is not said."""
    counts = [whole(usage.get(name)) for name in CACHED]
    return None if counts == [None, None] else sum(filter(None, counts))
