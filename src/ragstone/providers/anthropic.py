"""Anthropic's wire format: messages, streamed; it has no embeddings."""

from __future__ import annotations

from typing import Literal

from ragstone.providers.openai import read_error_message
from ragstone.providers.wire_format import (
    CompletionRequest,
    FinishReason,
    Json,
    StreamEvent,
    WireRequest,
    parse_count,
    parse_text,
)

VERSION = "2026-10-21"  # of the API; the first that takes no temperature, which its newer models never took
FINISH_REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
CACHE_COUNTS = ("cache_read_input_tokens", "cache_creation_input_tokens")


class WireFormat:
    """Written from the API reference, run against llama.cpp's server."""

    framing: Literal["sse", "lines"] = "sse"
    mend = "name a model that it serves"

    def headers(self, key: str | None) -> dict[str, str]:
        return {"anthropic-version": VERSION, **({} if key is None else {"x-api-key": key})}

    def build_completion_request(self, request: CompletionRequest) -> WireRequest:
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
        return WireRequest("/v1/messages", body)

    def parse_event(self, event: Json) -> StreamEvent:
        kind = event.get("type")
        if kind == "error":
            return StreamEvent(failed=read_error_message(event))
        if kind == "message_start":
            usage = event["message"].get("usage") or {}
            return StreamEvent(
                prompt_tokens=parse_count(usage.get("input_tokens")), cached_tokens=count_cached_tokens(usage)
            )
        if kind == "content_block_delta":
            delta = event["delta"]
            return StreamEvent(parse_text(delta.get("text")), alive=delta.get("type") == "thinking_delta")
        if kind == "message_delta":
            ended = event["delta"].get("stop_reason")
            usage = event.get("usage") or {}  # the counts so far; some servers know none of the prompt before
            return StreamEvent(
                ended=FINISH_REASONS.get(ended, "other") if ended else None,
                prompt_tokens=parse_count(usage.get("input_tokens")) or None,
                completion_tokens=parse_count(usage.get("output_tokens")),
                cached_tokens=count_cached_tokens(usage) or None,
            )
        return StreamEvent(over=kind == "message_stop")

    def build_models_request(self) -> WireRequest:
        return WireRequest("/v1/models?limit=1000")

    def parse_models(self, reply: Json) -> list[str]:
        return [str(one["id"]) for one in reply["data"]]


def count_cached_tokens(usage: Json) -> int | None:
    """The tokens of a prompt that were read from a cache or written to one, None where that is not said."""
    counts = [parse_count(usage.get(name)) for name in CACHE_COUNTS]
    return None if counts == [None, None] else sum(filter(None, counts))
