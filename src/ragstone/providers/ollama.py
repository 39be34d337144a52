"""Ollama's own wire format: chat as lines of JSON, embeddings of many texts at once."""

from __future__ import annotations

from math import ceil
from typing import Literal

from ragstone.providers.openai import read_error_message
from ragstone.providers.token_counting import TURN_TOKENS, EstimatingTokenizer
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

# Tokens that it is asked to make room for where no context is configured. Its own default is 4,096 on small machines,
# and what is longer loses its beginning without a word. The first holds what the default settings allow: 6,000 to tell
# and 800 to write.
LEAST_CONTEXT, CONTEXT_STEP = 8192, 4096
FINISH_REASONS: dict[str, FinishReason] = {"stop": "stop", "length": "length"}


class WireFormat:
    """Written from the API reference; run against a shim over llama.cpp that the official client is run against too."""

    framing: Literal["sse", "lines"] = "lines"
    mend = "ollama pull MODEL"
    most = 256

    def __init__(self) -> None:
        self._room = LEAST_CONTEXT
        self._estimate = EstimatingTokenizer()

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def build_completion_request(self, request: CompletionRequest) -> WireRequest:
        prompt = request.prompt
        options: Json = {
            "temperature": prompt.temperature,
            "num_predict": prompt.max_tokens,
            "num_ctx": request.context or self._choose_context(request),
        }
        body: Json = {
            "model": request.model,
            "messages": [{"role": turn.role, "content": turn.text} for turn in prompt.messages],
            "stream": True,
            "options": options,
        }
        return WireRequest("/api/chat", body if prompt.schema is None else {**body, "format": prompt.schema})

    def parse_event(self, event: Json) -> StreamEvent:
        if event.get("error"):
            return StreamEvent(failed=read_error_message(event))
        message = event.get("message") or {}
        done = event.get("done") is True
        return StreamEvent(
            parse_text(message.get("content")),
            FINISH_REASONS.get(str(event.get("done_reason") or "stop"), "other") if done else None,
            parse_count(event.get("prompt_eval_count")),
            parse_count(event.get("eval_count")),
            alive=bool(message.get("thinking")),
            over=done,
        )

    def build_models_request(self) -> WireRequest:
        return WireRequest("/api/tags")

    def parse_models(self, reply: Json) -> list[str]:
        names = [str(one.get("model") or one.get("name") or "") for one in reply["models"]]
        return [*names, *(name.removesuffix(":latest") for name in names)]

    def build_embedding_request(self, batch: EmbeddingBatch) -> WireRequest:
        body: Json = {"model": batch.model, "input": list(batch.texts), "truncate": True}
        return WireRequest("/api/embed", body if batch.dimensions is None else {**body, "dimensions": batch.dimensions})

    def _choose_context(self, request: CompletionRequest) -> int:
        """Tokens for the longest prompt so far with its answer: never fewer than before, because Ollama reloads the
        model for another number."""
        counts = request.tokenizer or self._estimate
        told = sum(TURN_TOKENS + count for count in counts.count([turn.text for turn in request.prompt.messages]))
        needed = told + request.prompt.max_tokens
        self._room = max(self._room, ceil(needed / CONTEXT_STEP) * CONTEXT_STEP)
        return self._room

    def parse_vectors(self, reply: Json) -> tuple[list[list[float]], int | None]:
        return reply["embeddings"], parse_count(reply.get("prompt_eval_count"))
