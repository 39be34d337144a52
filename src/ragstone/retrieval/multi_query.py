"""Paraphrases of the question by a model: each is searched for, beside the question itself."""

import re
from collections.abc import Iterator

from ragstone.core.ports import CompletionResult, Message, Prompt
from ragstone.retrieval.llm_assistant import Assistant
from ragstone.retrieval.prompts import fill_fields, read_parts

TOKENS_EACH = 60
LONGEST = 2_000  # characters; what is longer is no question
LEAD = re.compile(r"^(?:\s*(?:[-*•]|\(?\d{1,2}[.):]))?\s*")


async def write_paraphrases(question: str, count: int, assistant: Assistant) -> tuple[str, ...]:
    """At most `count` paraphrases, without duplicates and the question itself; () if the model fails."""
    system = fill_fields(read_parts("paraphrase")["system"], {"count": str(count)})
    prompt = Prompt((Message("system", system), Message("user", question)), TOKENS_EACH * count)
    made = await assistant.ask_all("multi_query", [prompt])
    if made is None or made[0] is None:
        return ()
    texts = _distinct_lines(question, made[0])[:count]
    assistant.record_step("multi_query", made, texts)
    if not texts:
        said = "multi_query failed and was left out: the model wrote no other question"
        assistant.trace.note("multi_query_failed", said)
    return tuple(texts)


def _distinct_lines(question: str, done: CompletionResult) -> list[str]:
    seen, out = {_normalize(question)}, []
    for line in _read_lines(done):
        if _normalize(line) and _normalize(line) not in seen:
            seen.add(_normalize(line))
            out.append(line)
    return out


def _read_lines(done: CompletionResult) -> Iterator[str]:
    """What the model wrote, a question a line; the last one is left out where it ends in the middle."""
    lines = done.text.splitlines()
    for line in lines[:-1] if done.ended == "length" else lines:
        text = LEAD.sub("", line).strip().strip("\"'“”").strip()
        if text and len(text) <= LONGEST and not text.endswith(":"):
            yield text


def _normalize(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
