"""A folder, what a language model of the OpenAI format writes about it, and a question in the words of that."""

import json
from pathlib import Path
from typing import Any

import ragstone
from tests.providers.serving.between import Between, Reply, Seen

TEXTS = {
    "fault.md": "E-417: replace fuse F3 behind panel B.\n",
    "menu.md": "Coffee comes hot out of the machine in the kitchen.\n",
    "cold.md": "In the cold season the kitchen stays warm until eight.\n",
}
WRITTEN = {
    "fuse": ("What to do about error 417.", "Why does my coffee machine stay cold?"),
    "hot": ("Where hot drinks are.", "Which drinks are served?"),
    "season": ("Hours of heating.", "How long is the heating on?"),
}
QUESTION = "Why does my coffee maker stay so cold?"
BY_OTHERS = ["menu.md", "cold.md", "fault.md"]
SEMANTIC: Any = {"mode": "semantic"}


def reply(seen: Seen) -> Reply:
    """What a server of the OpenAI format says when it is asked for its models, or for texts about a passage."""
    if seen.method == "GET":
        return answer({"object": "list", "data": [{"id": "writer", "object": "model"}]})
    passage = seen.json["messages"][-1]["content"]
    summary, question = next((said for word, said in WRITTEN.items() if word in passage), ("Something.", "What?"))
    said = json.dumps({"summary": summary, "questions": [question, f"Is there more than: {summary}"]})
    about = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "writer"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    events = [
        {**about, "choices": [{"index": 0, "delta": {"role": "assistant", "content": said}, "finish_reason": None}]},
        {**about, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {**about, "choices": [], "usage": usage},
    ]
    lines = [*map(json.dumps, events), "[DONE]"]
    pieces = (f"data: {line}\n\n".encode() for line in lines)
    return Reply(pieces, headers={"content-type": "text/event-stream"})


def answer(body: Any) -> Reply:
    return Reply(iter([json.dumps(body).encode()]), headers={"content-type": "application/json"})


def count_asked(writer: Between) -> int:
    return sum(seen.method == "POST" for seen in writer.requests)


def write_folder(made: Path) -> Path:
    made.mkdir()
    for name, text in TEXTS.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


def open_with(store: Any, writer: Between, *, vectors: bool = True, **settings: Any) -> ragstone.Knowledge:
    """With the built-in embedding model unless another is given."""
    given: Any = {"llm__model": "openai/writer", "llm__base_url": f"{writer.url}/v1", "llm__api_key": "k"}
    given |= {"chunk__enrich": ["summary", "questions"], "chunk__enrich_vectors": vectors, "llm__retries": 0}
    return ragstone.open(store, **{**given, **settings})


def paths(found: Any) -> list[str]:
    return [hit.chunk.document.path for hit in found.hits]
