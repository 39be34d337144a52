"""Passages that a model holds to be of no use are left out: one call for all (ChunkRAG, arXiv 2410.19572)."""

import json
import re
from collections.abc import Sequence

from ragstone.core.ports import Completion, CompletionResult, Message, Prompt
from ragstone.core.trace import Trace
from ragstone.core.types import Hit
from ragstone.guard import spotlighting
from ragstone.retrieval.llm_assistant import Assistant
from ragstone.retrieval.passage_text import describe_passage
from ragstone.retrieval.prompts import fill_fields, read_parts
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import SearchContext

TOKENS_EACH = 12
LONGEST = 3_000  # characters of a passage that are shown
LETTERS = 3  # characters of a token, at least, for a model that reads little
LIST = re.compile(r"\[[^\[\]]*\]")
SCHEMA = {
    "type": "object",
    "properties": {"scores": {"type": "array", "items": {"type": "number"}}},
    "required": ["scores"],
    "additionalProperties": False,
}


async def filter_by_model(context: SearchContext, question: Question, hits: Sequence[Hit], trace: Trace) -> list[Hit]:
    """The hits that a language model holds to be of use; see `filter_hits`."""
    texts = [describe_passage(hit.chunk) for hit in hits]
    assistant = Assistant(context.model, context.deadlines.rewrite, trace)
    return await filter_hits(question.text, hits, texts, assistant, below=question.filter_below)


async def filter_hits(
    question: str, hits: Sequence[Hit], texts: Sequence[str], assistant: Assistant, *, below: float
) -> list[Hit]:
    """The hits in their order without those that score below; all of them when the model fails, when it does not
    score each one from 0 to 1, and when none would be left. `texts` are what the model is shown of each."""
    if not hits:
        return []
    prompt = build_scoring_prompt(question, texts, divide_context(len(hits), assistant.ready()))
    made = await assistant.ask_all("filter", [prompt])
    if made is None or made[0] is None:
        return list(hits)
    scores = read_scores(made[0], len(hits))
    assistant.record_step("filter", made, [hit.chunk.id for hit in hits], scores or ())
    if scores is None:
        said = f"the model did not give {len(hits)} numbers from 0 to 1"
        assistant.trace.note("filter_failed", f"filter failed and was left out: {said}")
        return list(hits)
    kept = [hit for hit, score in zip(hits, scores, strict=True) if score >= below]
    if not kept:
        assistant.trace.note("filter", f"filter: every passage scored below {below:g}, so all are kept")
        return list(hits)
    if len(kept) < len(hits):
        assistant.trace.note("filter", f"filter: {len(hits) - len(kept)} of {len(hits)} passages left out")
    return kept


def divide_context(count: int, model: Completion | None) -> int:
    """Characters of each passage: the model's context shared among them, where it is known."""
    if model is None or model.context is None:
        return LONGEST
    free = model.context - TOKENS_EACH * count - 300  # tokens of the rest of the prompt
    return max(100, min(LONGEST, free * LETTERS // count))


def build_scoring_prompt(question: str, texts: Sequence[str], room: int) -> Prompt:
    """The request for one score for each text, of which the model is shown at most `room` characters."""
    prompt = read_parts("filter")
    mark = spotlighting.make_mark(texts)
    passage = prompt["passage"]
    shown = [fill_fields(passage, {"mark": mark, "n": str(n), "text": text[:room]}) for n, text in enumerate(texts, 1)]
    fields = {"passages": "\n\n".join(shown), "question": question, "count": str(len(texts)), "mark": mark}
    turns = (
        Message("system", fill_fields(prompt["system"], fields)),
        Message("user", fill_fields(prompt["user"], fields)),
    )
    return Prompt(turns, max_tokens=50 + TOKENS_EACH * len(texts), schema=SCHEMA)


def read_scores(done: CompletionResult, count: int) -> list[float] | None:
    """The numbers of the list that the model wrote; None unless there is one for each passage."""
    found = LIST.search(done.text)
    try:
        scores = json.loads(found[0]) if found else None
    except ValueError:
        return None
    if not isinstance(scores, list) or len(scores) != count:
        return None
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one <= 1 for one in scores):
        return None
    return [float(one) for one in scores]
