"""What stands behind: a relay to a real server, Ollama's shapes over it, and scripts of vendors that are not here."""

import http.client
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from tests.patience import HANG
from tests.providers.serving.between import Backend, Reply, Seen
from tests.providers.serving.llama import KEY, MODEL

Vectors = Callable[[Sequence[str]], list[list[float]]]
PASSED_ON = ("authorization", "x-api-key", "anthropic-version", "content-type", "accept")


def relay(upstream: str) -> Backend:
    """Everything as the server at `upstream` answers it, event by event."""

    def answer(seen: Seen) -> Reply:
        return fetched(upstream, seen)

    return answer


def fetched(upstream: str, seen: Seen) -> Reply:
    """A request passed on; the connection to the server closes with the pieces."""
    place = urlsplit(upstream)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=HANG)
    headers = {name: value for name, value in seen.headers.items() if name in PASSED_ON}
    connection.request(seen.method, seen.path, seen.body or None, headers)
    response = connection.getresponse()

    def pieces() -> Iterator[bytes]:
        event = b""
        while line := response.readline():
            event += line
            if not line.strip():  # the end of an event
                yield event
                event = b""
        if event:
            yield event

    def close() -> None:
        response.close()
        connection.close()

    kind = {"Content-Type": response.headers.get("content-type", "")}
    return Reply(pieces(), response.status, kind, close=close)


def read(reply: Reply) -> Any:
    """The JSON of a whole reply, which is then given back."""
    try:
        return json.loads(b"".join(reply.pieces))
    finally:
        reply.close()


def ollama(upstream: str, vectors: Vectors | None = None) -> Backend:
    """Ollama's wire over a server that speaks OpenAI's, or for embeddings over `vectors`."""

    def answer(seen: Seen) -> Reply:
        if seen.path == "/api/tags":
            return line({"models": [{"name": f"{MODEL}:latest", "model": f"{MODEL}:latest", "size": 1, "digest": "0"}]})
        wanted = seen.json
        if wanted["model"].removesuffix(":latest") != MODEL:
            return line({"error": f"model '{wanted['model']}' not found"}, status=404)
        if seen.path == "/api/embed":
            return embedded(wanted)
        return chat(wanted)

    def asked(path: str, body: dict[str, Any], seen_key: str = KEY) -> Reply:
        headers = {"authorization": f"Bearer {seen_key}", "content-type": "application/json"}
        return fetched(upstream, Seen("POST", path, headers, json.dumps(body).encode()))

    def embedded(wanted: dict[str, Any]) -> Reply:
        if vectors is not None:
            tokens = sum(len(text.split()) for text in wanted["input"])
            return line({"model": MODEL, "embeddings": vectors(wanted["input"]), "prompt_eval_count": tokens})
        data = read(asked("/v1/embeddings", {"model": MODEL, "input": wanted["input"]}))
        rows = [one["embedding"] for one in data["data"]]
        return line({"model": wanted["model"], "embeddings": rows, "prompt_eval_count": data["usage"]["prompt_tokens"]})

    def chat(wanted: dict[str, Any]) -> Reply:
        options = wanted.get("options") or {}
        body = {
            "model": MODEL,
            "messages": wanted["messages"],
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": options.get("temperature", 0.8),
            "max_tokens": options.get("num_predict", 128),
        }
        if wanted.get("format"):
            shape = {"name": "answer", "schema": wanted["format"]}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        reply = asked("/v1/chat/completions", body)
        if reply.status != 200:
            return line({"error": read(reply)["error"]["message"]}, status=reply.status)
        kind = {"Content-Type": "application/x-ndjson"}
        return Reply(_lines(reply.pieces, wanted["model"]), 200, kind, close=reply.close)

    return answer


def _lines(events: Iterator[bytes], model: str) -> Iterator[bytes]:
    """Ollama's lines for OpenAI's events."""
    ended: dict[str, Any] = {}
    for event in events:
        text = event.decode().removeprefix("data: ").strip()
        if not text or text == "[DONE]":
            continue
        data = json.loads(text)
        if usage := data.get("usage"):
            ended |= {"prompt_eval_count": usage["prompt_tokens"], "eval_count": usage["completion_tokens"]}
        for choice in data["choices"]:
            if content := choice["delta"].get("content"):
                yield _line({**_stamp(model), "message": {"role": "assistant", "content": content}, "done": False})
            if choice.get("finish_reason"):
                ended["done_reason"] = choice["finish_reason"]
    yield _line({**_stamp(model), "message": {"role": "assistant", "content": ""}, "done": True, **ended})


def _stamp(model: str) -> dict[str, Any]:
    return {"model": model, "created_at": datetime.now(UTC).isoformat()}


def _line(data: Any) -> bytes:
    return json.dumps(data).encode() + b"\n"


def line(data: Any, status: int = 200) -> Reply:
    """One object of JSON."""
    return Reply(iter([_line(data)]), status)


def openai(vectors: Vectors) -> Backend:
    """OpenAI's embeddings over `vectors`, numbered, not in order."""

    def answer(seen: Seen) -> Reply:
        texts = seen.json["input"]
        data = [{"object": "embedding", "embedding": row, "index": n} for n, row in enumerate(vectors(texts))]
        return line({"object": "list", "data": data[::-1], "usage": {"prompt_tokens": len(texts)}})

    return answer


# --- Gemini and Voyage as their references describe them --------------------------------------------------------------

WORDS = ("Once", " upon", " a", " time", " there", " was", " a", " store.")
DIMENSION = 24


def gemini(seen: Seen) -> Reply:
    """A model that tells the same whatever it is asked, in Gemini's shapes."""
    if seen.headers.get("x-goog-api-key") != KEY:
        message = "API key not valid. Please pass a valid API key."
        return line({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}, status=400)
    path = seen.path.partition("?")[0]
    if path == "/models":
        return line({"models": [{"name": f"models/{MODEL}", "supportedGenerationMethods": ["generateContent"]}]})
    model, _, verb = path.removeprefix("/models/").partition(":")
    if model != MODEL:
        error = {"code": 404, "message": f"models/{model} is not found for API version v1beta", "status": "NOT_FOUND"}
        return line({"error": error}, status=404)
    if verb == "batchEmbedContents":
        texts = [one["content"]["parts"][0]["text"] for one in seen.json["requests"]]
        return line({"embeddings": [{"values": counted(text)} for text in texts]})
    return Reply(_candidates(seen.json), 200, {"Content-Type": "text/event-stream"})


def _candidates(wanted: dict[str, Any]) -> Iterator[bytes]:
    options = wanted["generationConfig"]
    words = ['{"scores": ', "[1, 2]", "}"] if "responseSchema" in options else list(WORDS)
    words = words[: options["maxOutputTokens"]]
    whole = len(words) < options["maxOutputTokens"]
    prompt = sum(len(part["text"].split()) for turn in wanted["contents"] for part in turn["parts"])
    for place, word in enumerate(words):
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": word}]}, "index": 0}
        if place == len(words) - 1:
            candidate["finishReason"] = "STOP" if whole else "MAX_TOKENS"
        usage = {"promptTokenCount": prompt, "candidatesTokenCount": place + 1}
        yield b"data: " + json.dumps({"candidates": [candidate], "usageMetadata": usage}).encode() + b"\r\n\r\n"


def voyage(seen: Seen) -> Reply:
    """Vectors in Voyage's shapes, numbered, not in order."""
    if seen.headers.get("authorization") != f"Bearer {KEY}":
        return line({"detail": "Provided API key is invalid."}, status=401)
    texts = seen.json["input"]
    data = [{"object": "embedding", "embedding": counted(text), "index": n} for n, text in enumerate(texts)]
    return line({"object": "list", "data": data[::-1], "usage": {"total_tokens": sum(len(t.split()) for t in texts)}})


def counted(text: str) -> list[float]:
    """A vector that is not of length 1: how often each of some letters stands in a text."""
    return [1.0 + text.lower().count(chr(97 + place)) for place in range(DIMENSION)]


# --- Rerankers as their references describe them ----------------------------------------------------------------------


def relevance(question: str, text: str) -> float:
    """The share of a question's longer words that a text holds."""
    words = {word.strip(".,?").lower() for word in question.split() if len(word) > 3}
    held = {word.strip(".,?").lower() for word in text.split()}
    return len(words & held) / max(1, len(words))


def _rank(seen: Seen, texts: str) -> list[tuple[int, float]]:
    """Places and scores, the best first, as servers give them."""
    scores = [(place, relevance(seen.json["query"], text)) for place, text in enumerate(seen.json[texts])]
    return sorted(scores, key=lambda one: (-one[1], one[0]))


def cohere(seen: Seen) -> Reply:
    """Cohere's `/v2/rerank`."""
    if seen.headers.get("authorization") != f"Bearer {KEY}":
        return line({"message": "invalid api token"}, status=401)
    if seen.json["model"] != MODEL:
        return line({"message": f"model '{seen.json['model']}' not found"}, status=404)
    results = [{"index": place, "relevance_score": score} for place, score in _rank(seen, "documents")]
    units = {"billed_units": {"search_units": 1}}
    return line({"id": "1", "results": results, "meta": {"api_version": {"version": "2"}, **units}})


def voyage_rerank(seen: Seen) -> Reply:
    """Voyage's `/rerank`."""
    if seen.headers.get("authorization") != f"Bearer {KEY}":
        return line({"detail": "Provided API key is invalid."}, status=401)
    data = [{"index": place, "relevance_score": score} for place, score in _rank(seen, "documents")]
    return line({"object": "list", "data": data, "model": seen.json["model"], "usage": {"total_tokens": 26}})


def jina(seen: Seen) -> Reply:
    """Jina's `/rerank`."""
    results = [{"index": place, "relevance_score": score} for place, score in _rank(seen, "documents")]
    assert seen.json["return_documents"] is False
    return line({"model": seen.json["model"], "usage": {"total_tokens": 815}, "results": results})


def llamacpp_rerank(seen: Seen) -> Reply:
    """The `/v1/rerank` of llama.cpp's server, whose scores are logits."""
    results = [{"index": place, "relevance_score": 8 * score - 4} for place, score in _rank(seen, "documents")]
    return line({"model": seen.json["model"], "object": "list", "results": results})


def tei(seen: Seen) -> Reply:
    """The `/rerank` of Text Embeddings Inference, which takes 32 texts and gives a list."""
    count = len(seen.json["texts"])
    if count > 32:
        message = f"batch size {count} > maximum allowed batch size 32"
        return line({"error": message, "error_type": "Validation"}, status=422)
    assert seen.json["raw_scores"] is False
    return line([{"index": place, "score": score} for place, score in _rank(seen, "texts")])


def tei_sparse(seen: Seen) -> Reply:
    """The `/embed_sparse` of Text Embeddings Inference: a term for each longer word, numbered by its letters."""
    inputs = seen.json["inputs"]
    if len(inputs) > 32:
        message = f"batch size {len(inputs)} > maximum allowed batch size 32"
        return line({"error": message, "error_type": "Validation"}, status=422)
    assert seen.path == "/embed_sparse"
    words = [{word.strip(".,?#").lower() for word in text.split()} for text in inputs]
    terms = [sorted({zlib.crc32(word.encode()) % 30_522 for word in own if len(word) > 3}) for own in words]
    return line([[{"index": term, "value": 1.5} for term in reversed(own)] for own in terms])
