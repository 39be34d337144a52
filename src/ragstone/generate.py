"""An answer in a language model's words: what it is shown, what it writes, and what of that the documents support.

The view of the store is closed by then: all that checking needs was taken out of it.
"""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from ragstone import answer as answering
from ragstone import guard
from ragstone.answer import Shown, Template, Transcript
from ragstone.errors import RagstoneError, UsageError
from ragstone.pen import Draft, Pen
from ragstone.ports import Completed, Completion, Prompt, Tokenizer
from ragstone.trace import Trace
from ragstone.types import Answer, Event, Hit

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Writing:
    """What writes answers, and how. `counts` counts tokens where the model's own tokenizer is not known; `strict`
    shows a sentence only after its check, and only if something supports it."""

    model: Completion
    template: Template
    counts: Tokenizer
    budget: answering.Budget = field(default_factory=answering.Budget)
    max_tokens: int = 800
    temperature: float = 0.0
    strict: bool = False

    def context(self, hits: Sequence[Hit]) -> list[Shown]:
        """What the model is shown of the hits, best first, within the budget and what it reads."""
        tokens = self.budget.tokens
        if self.model.context is not None:
            tokens = min(tokens, self.model.context - self.max_tokens)
        budget = replace(self.budget, tokens=tokens)
        return answering.arranged(answering.fit(hits, self._count, budget=budget), join=not self.template.by_id)

    def _count(self, text: str) -> int:
        return (self.model.tokenizer or self.counts).count([text])[0]


async def written(writing: Writing, draft: Draft, trace: Trace) -> AsyncGenerator[Event | Answer]:
    """What the model writes, as events; the answer last.

    When the model fails the quoted answer is the answer, with a note that says why: `llm_unavailable`, or `llm_refused`
    where the request or its configuration is at fault.
    """
    if not draft.shown:
        trace.note("llm_refused", "no passage fits into what the model reads: allow it more tokens")
        yield draft.quoted
        return
    transcript = Transcript(answering.labels(writing.template, draft.shown))
    pen = Pen(draft, transcript, strict=writing.strict)
    done = Completed("", ended="other")
    try:
        async with aclosing(_pieces(writing, draft, trace)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completed):
                    done = piece
                    break
                for event in pen.shown(transcript.feed(piece)):
                    yield event
    except RagstoneError as error:
        code = "llm_refused" if isinstance(error, UsageError) else "llm_unavailable"
        trace.note(code, f"the answer is quoted, not written: {error}")
        log.warning("%s: %s", code, error)
        yield draft.quoted
        return
    for event in pen.shown(transcript.end(), last=True):
        yield event
    yield pen.answer(done, trace)


async def _pieces(writing: Writing, draft: Draft, trace: Trace) -> AsyncGenerator[str | Completed]:
    """The model's stream; what it takes is timed without what a slow reader of the events takes."""
    turns = answering.messages(writing.template, draft.question, draft.shown, mask=guard.shown)
    *before, last = turns
    prompt = Prompt((*before, *draft.history, last), writing.max_tokens, writing.temperature)
    async with aclosing(writing.model.stream(prompt)) as stream:
        while True:
            with trace.timed("model"):
                piece = await anext(stream, None)
            if piece is None:
                return
            yield piece
