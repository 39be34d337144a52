"""Ollama's own wire: chat as lines of JSON, embeddings of many texts at once."""

from __future__ import annotations

from math import ceil
from typing import Literal

from ragstone.providers.openai import said
from ragstone.providers.token_counting import TURN, WithMargin
from ragstone.providers.wire_format import Asked, Batch, Call, Ended, Heard, Json, text, whole

# Tokens that it is asked to make room for where no context is configured. Its own default is 4,096 on small machines,
# and what is longer loses its beginning without a word. The first holds what the default settings allow: 6,000 to tell
# and 800 to write.
ROOM, STEP = 8192, 4096
ENDS: dict[str, Ended] = {"stop": "stop", "length": "length"}


class Speech:
    """Written from the API reference; run against a shim over llama.cpp that the official client is run against too."""

    framing: Literal["sse", "lines"] = "lines"
    mend = "ollama pull MODEL"
    most = 256

    def __init__(self) -> None:
        self._room = ROOM
        self._estimate = WithMargin()

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def asked(self, request: Asked) -> Call:
        prompt = request.prompt
        options: Json = {
            "temperature": prompt.temperature,
            "num_predict": prompt.max_tokens,
            "num_ctx": request.context or self._room_for(request),
        }
        body: Json = {
            "model": request.model,
            "messages": [{"role": turn.role, "content": turn.text} for turn in prompt.messages],
            "stream": True,
            "options": options,
        }
        return Call("/api/chat", body if prompt.schema is None else {**body, "format": prompt.schema})

    def heard(self, event: Json) -> Heard:
        if event.get("error"):
            return Heard(failed=said(event))
        message = event.get("message") or {}
        done = event.get("done") is True
        return Heard(
            text(message.get("content")),
            ENDS.get(str(event.get("done_reason") or "stop"), "other") if done else None,
            whole(event.get("prompt_eval_count")),
            whole(event.get("eval_count")),
            alive=bool(message.get("thinking")),
            over=done,
        )

    def models(self) -> Call:
        return Call("/api/tags")

    def listed(self, reply: Json) -> list[str]:
        names = [str(one.get("model") or one.get("name") or "") for one in reply["models"]]
        return [*names, *(name.removesuffix(":latest") for name in names)]

    def embedded(self, batch: Batch) -> Call:
        body: Json = {"model": batch.model, "input": list(batch.texts), "truncate": True}
        return Call("/api/embed", body if batch.dimensions is None else {**body, "dimensions": batch.dimensions})

    def _room_for(self, request: Asked) -> int:
        """Tokens for the longest prompt so far with its answer: never fewer than before, for with another number the
        model is loaded anew."""
        counts = request.tokenizer or self._estimate
        told = sum(TURN + count for count in counts.count([turn.text for turn in request.prompt.messages]))
        needed = told + request.prompt.max_tokens
        self._room = max(self._room, ceil(needed / STEP) * STEP)
        return self._room

    def vectors(self, reply: Json) -> tuple[list[list[float]], int | None]:
        return reply["embeddings"], whole(reply.get("prompt_eval_count"))
