"""Candidate questions by a language model: each comes with words of the passage that answer it, and is checked."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ragstone import guard
from ragstone.answering.generative.context import ContextPassage
from ragstone.answering.generative.prompt import build_messages
from ragstone.answering.options import AnswerWriter
from ragstone.core.errors import RagstoneError
from ragstone.core.ports import Prompt
from ragstone.core.types import Chunk
from ragstone.evaluation.candidate_questions import Candidate
from ragstone.evaluation.rubrics import WRITE
from ragstone.evaluation.scored_answer import normalize_words

LONGEST_QUESTION = 300
MAX_UNREACHED = 2  # passages in a row that a model did not answer before it is left alone
POINTS_BACK = re.compile(r"\b(?:this|the|above|given) (?:passage|text|document|excerpt|context)\b", re.IGNORECASE)


class UselessReply(Exception):
    """A reply that gives no candidate, with the reason."""


@dataclass(slots=True)
class QuestionWriter:
    """Asks the model of `writing` for a question on each passage; `dropped` counts why replies were of no use."""

    writing: AnswerWriter
    dropped: Counter[str] = field(default_factory=Counter)

    async def write(self, passages: Sequence[tuple[Chunk, str]], wanted: int) -> list[Candidate]:
        """At most `wanted` questions, in the order of the passages; raises the error of a model that fails."""
        taken: dict[str, Candidate] = {}
        unreached = 0
        for chunk, record in passages:
            if len(taken) >= wanted:
                break
            try:
                text = await self._ask_model(chunk)
            except RagstoneError as error:
                unreached += 1
                if error.exit == 2 or unreached >= MAX_UNREACHED:
                    raise
                self.dropped[f"the model could not be asked: {error}"] += 1
                continue
            unreached = 0
            try:
                made = read_reply(text, chunk, record)
            except UselessReply as error:
                self.dropped[str(error)] += 1
            else:
                taken.setdefault(made.question, made)
        return list(taken.values())

    async def _ask_model(self, chunk: Chunk) -> str:
        shown = [ContextPassage((chunk,))]
        turns = build_messages(WRITE.template, "", shown, mask=guard.mask_secrets)
        prompt = Prompt(turns, self.writing.max_tokens, self.writing.temperature, WRITE.schema)
        return (await self.writing.model.complete(prompt)).text


def read_reply(text: str, chunk: Chunk, record: str) -> Candidate:
    """The candidate of a reply about a chunk; raises `UselessReply` for a reply that gives none."""
    try:
        data = json.loads(text[text.index("{") : text.rindex("}") + 1])["written"]
        question, quote, answer = (data[key].strip() for key in ("question", "quote", "answer"))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise UselessReply("it is not the JSON that was asked for") from error
    if not question.endswith("?") or len(question) > LONGEST_QUESTION or POINTS_BACK.search(question):
        raise UselessReply("its question cannot stand alone")
    place = find_quote(quote, chunk, record)
    if place is None:
        raise UselessReply("its quote does not stand in the passage")
    if not answer.split() or normalize_words(answer) not in normalize_words(quote):
        raise UselessReply("its answer does not stand in its quote")
    if guard.mask_secrets(question + answer) != question + answer:
        raise UselessReply("it holds a secret")
    start, end = place
    return Candidate("written", question, answer, record[start:end], chunk.document.path, start)


def find_quote(quote: str, chunk: Chunk, record: str) -> tuple[int, int] | None:
    """Where the words of a quote stand in one of the chunk's spans, with any white space between them; None for a
    quote that stands nowhere, or that touches a secret."""
    words = quote.split()
    if not words:
        return None
    pattern: Any = re.compile(r"\s+".join(map(re.escape, words)))
    for span in chunk.spans:
        if found := pattern.search(record, span.char_start, span.char_end):
            touched = any(one[0] < found.end() and found.start() < one[1] for one in chunk.secrets)
            return None if touched else (found.start(), found.end())
    return None
