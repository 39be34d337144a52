"""Ollama's own wire: chat as lines of JSON, embeddings of many texts at once."""

from __future__ import annotations

from typing import Literal

from ragstone.providers.openai import said
from ragstone.providers.speech import Asked, Batch, Call, Ended, Heard, Json, text, whole

ENDS: dict[str, Ended] = {"stop": "stop", "length": "length"}


class Speech:
    """Written from the API reference; run against a shim over llama.cpp that the official client is run against too."""

    framing: Literal["sse", "lines"] = "lines"
    mend = "ollama pull MODEL"
    most = 256

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def asked(self, request: Asked) -> Call:
        prompt = request.prompt
        options: Json = {"temperature": prompt.temperature, "num_predict": prompt.max_tokens}
        if (
            request.context is not None
        ):  # its own default is small, and what is longer loses its beginning without a word
            options["num_ctx"] = request.context
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
        )

    def models(self) -> Call:
        return Call("/api/tags")

    def listed(self, reply: Json) -> list[str]:
        names = [str(one.get("model") or one.get("name") or "") for one in reply["models"]]
        return [*names, *(name.removesuffix(":latest") for name in names)]

    def embedded(self, batch: Batch) -> Call:
        body: Json = {"model": batch.model, "input": list(batch.texts), "truncate": True}
        return Call("/api/embed", body if batch.dimensions is None else {**body, "dimensions": batch.dimensions})

    def vectors(self, reply: Json) -> tuple[list[list[float]], int | None]:
        return reply["embeddings"], whole(reply.get("prompt_eval_count"))
