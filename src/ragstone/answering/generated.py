"""An answer in a language model's words: what it is shown, what it writes, and what of that the documents support.

The view of the store is closed by then: all that checking needs was taken out of it.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from ragstone import answering as answering
from ragstone import guard
from ragstone.answering import Shown, Template, Transcript
from ragstone.answering.assembly import Draft, Pen, Talk
from ragstone.core.errors import RagstoneError, Unavailable, UsageError
from ragstone.core.ports import Completed, Completion, Prompt, Tokenizer
from ragstone.core.trace import Trace
from ragstone.core.types import Answer, Event, Hit
from ragstone.providers.token_counting import TURN

log = logging.getLogger("ragstone")


@dataclass(frozen=True, slots=True)
class Writing:
    """What writes answers, and how. `counts` counts tokens where the model's own tokenizer is not known; `strict`
    shows a sentence only after its check, and only if something supports it; `seconds` are all that it may take, by
    `clock`, `group` is where its settings stand (`llm` or `judge`)."""

    model: Completion
    template: Template
    counts: Tokenizer
    budget: answering.Budget = field(default_factory=answering.Budget)
    max_tokens: int = 800
    temperature: float = 0.0
    strict: bool = False
    seconds: float = 120.0
    clock: Callable[[], float] = time.monotonic
    group: str = "llm"

    def context(self, hits: Sequence[Hit], talk: Talk) -> list[Shown]:
        """What the model is shown of the hits, best first, within the budget and what it reads: [] where nothing
        fits."""
        room = answering.Budget(max(0, self._room(talk)), 0, self.budget.chunks)
        fitting = answering.fit(hits, self._count, budget=room, frame=self._frame)
        return answering.arranged(fitting, join=not self.template.by_id)

    def prompt(self, talk: Talk, shown: Sequence[Shown]) -> Prompt:
        """All that the model is told: the turns before stand in front of the last one."""
        *before, last = answering.messages(self.template, talk.question, shown, mask=guard.shown)
        return Prompt((*before, *talk.history, last), self.max_tokens, self.temperature)

    def recalled(self, talk: Talk) -> Talk:
        """The talk with so many of its last turns as leave at least half of the room to passages."""
        if not talk.history:
            return talk
        least = self._room(Talk(talk.question)) // 2
        turns = talk.history
        while turns and self._room(Talk(talk.question, turns)) < least:
            turns = turns[1:]
        while turns and turns[0].role == "assistant":  # an answer without its question
            turns = turns[1:]
        return Talk(talk.question, turns)

    def cramped(self, talk: Talk) -> str:
        """What to say where no passage fits."""
        told = self._told(talk)
        if self.model.context is not None and self._room(talk) < self.budget.tokens - self.budget.overhead:
            return (
                f"no passage fits into what the model reads: of {self.group}.context {self.model.context}, its "
                f"answer may take {self.max_tokens} ({self.group}.max_tokens) and the prompt takes about {told}; allow "
                "it more, or the answer less"
            )
        return (
            f"no passage fits into answer.tokens {self.budget.tokens} less answer.overhead {self.budget.overhead}, of "
            f"which the prompt takes about {told}: allow more"
        )

    def _room(self, talk: Talk) -> int:
        """Tokens for passages."""
        told = self._told(talk)
        room = self.budget.tokens - max(self.budget.overhead, told)
        return room if self.model.context is None else min(room, self.model.context - self.max_tokens - told)

    def _told(self, talk: Talk) -> int:
        """Tokens of everything but passages."""
        return sum(TURN + self._count(turn.text) for turn in self.prompt(talk, ()).messages)

    def _frame(self, hit: Hit) -> int:
        return self._count(answering.frame(self.template, hit.chunk))

    def _count(self, text: str) -> int:
        return (self.model.tokenizer or self.counts).count([text])[0]


async def written(writing: Writing, draft: Draft, trace: Trace) -> AsyncGenerator[Event | Answer]:
    """What the model writes, as events; the answer last.

    When the model fails the quoted answer is the answer, with a note that says why: `llm_unavailable`, or `llm_refused`
    where the request or its configuration is at fault.
    """
    if not draft.shown:
        trace.note("llm_refused", f"the answer is quoted, not written: {writing.cramped(draft.talk)}")
        yield draft.quoted
        return
    transcript = Transcript(answering.labels(writing.template, draft.shown))
    pen = Pen(draft, transcript, trace, strict=writing.strict, alike=draft.alike)
    done = Completed("", ended="other")
    try:
        async with aclosing(_pieces(writing, draft, trace)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completed):
                    done = piece
                    break
                async for event in pen.shown(transcript.feed(piece)):
                    yield event
    except RagstoneError as error:
        code = "llm_refused" if isinstance(error, UsageError) else "llm_unavailable"
        trace.note(code, f"the answer is quoted, not written: {error}")
        log.warning("%s: %s", code, error)
        yield draft.quoted
        return
    async for event in pen.shown(transcript.end(), last=True):
        yield event
    yield await pen.answer(done)


async def _pieces(writing: Writing, draft: Draft, trace: Trace) -> AsyncGenerator[str | Completed]:
    """The model's stream; what it takes is timed, and bounded, without what a slow reader of the events takes.

    Raises `Unavailable` when it takes longer than it may: one that is handed in has no limits of its own.
    """
    prompt = writing.prompt(draft.talk, draft.shown)
    spent, clock = 0.0, writing.clock
    async with aclosing(writing.model.stream(prompt)) as stream:
        while True:
            if spent >= writing.seconds:  # one that never waits for anything is never interrupted
                raise Unavailable(_slow(writing))
            start = clock()
            with trace.timed("model"):
                try:
                    async with asyncio.timeout(writing.seconds - spent) as patience:
                        piece = await anext(stream, None)
                except TimeoutError as error:
                    if not patience.expired():
                        raise
                    raise Unavailable(_slow(writing)) from error
            spent += clock() - start
            if piece is None:
                return
            yield piece


def _slow(writing: Writing) -> str:
    model = writing.model
    return f"{model.vendor}/{model.model} did not end its answer within {writing.seconds:g} s ({writing.group}.total)"
