"""An answer in a language model's words: what it is shown, what it writes, and what of that the documents support.

The view of the store is closed by then: all that checking needs was taken out of it.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from ragstone import guard
from ragstone.answering.assembly import AnswerAssembler, Conversation, Draft
from ragstone.answering.generative.budget import Budget, fit_budget
from ragstone.answering.generative.context import ContextPassage, arrange_passages
from ragstone.answering.generative.prompt import Template, build_messages, passage_labels, render_frame
from ragstone.answering.generative.transcript import Transcript
from ragstone.core.answers import Answer, Event
from ragstone.core.errors import RagstoneError, Unavailable, UsageError
from ragstone.core.ports import Completion, CompletionResult, Prompt, Tokenizer
from ragstone.core.trace import Trace
from ragstone.core.types import Hit
from ragstone.providers.token_counting import TURN_TOKENS

log = logging.getLogger("ragstone")


@dataclass(frozen=True, slots=True)
class Writing:
    """What writes answers, and how. `counts` counts tokens where the model's own tokenizer is not known; `strict`
    shows a sentence only after its check, and only if something supports it; `seconds` are all that it may take, by
    `clock`, `group` is where its settings stand (`llm` or `judge`)."""

    model: Completion
    template: Template
    counts: Tokenizer
    budget: Budget = field(default_factory=Budget)
    max_tokens: int = 800
    temperature: float = 0.0
    strict: bool = False
    seconds: float = 120.0
    clock: Callable[[], float] = time.monotonic
    group: str = "llm"

    def context(self, hits: Sequence[Hit], conversation: Conversation) -> list[ContextPassage]:
        """What the model is shown of the hits, best first, within the budget and what it reads: [] where nothing
        fits."""
        room = Budget(max(0, self._count_room(conversation)), 0, self.budget.chunks)
        fitting = fit_budget(hits, self._count_tokens, budget=room, frame=self._count_frame)
        return arrange_passages(fitting, join=not self.template.cites_by_id)

    def prompt(self, conversation: Conversation, shown: Sequence[ContextPassage]) -> Prompt:
        """All that the model is told: the turns before stand in front of the last one."""
        *before, last = build_messages(self.template, conversation.question, shown, mask=guard.mask_secrets)
        return Prompt((*before, *conversation.history, last), self.max_tokens, self.temperature)

    def fit_history(self, conversation: Conversation) -> Conversation:
        """The talk with so many of its last turns as leave at least half of the room to passages."""
        if not conversation.history:
            return conversation
        least = self._count_room(Conversation(conversation.question)) // 2
        turns = conversation.history
        while turns and self._count_room(Conversation(conversation.question, turns)) < least:
            turns = turns[1:]
        while turns and turns[0].role == "assistant":  # an answer without its question
            turns = turns[1:]
        return Conversation(conversation.question, turns)

    def describe_lack_of_room(self, conversation: Conversation) -> str:
        """What to say where no passage fits."""
        other = self._count_other_tokens(conversation)
        if (
            self.model.context is not None
            and self._count_room(conversation) < self.budget.tokens - self.budget.overhead
        ):
            return (
                f"no passage fits into what the model reads: of {self.group}.context {self.model.context}, its "
                f"answer may take {self.max_tokens} ({self.group}.max_tokens) and the prompt takes about {other}; "
                "allow it more, or the answer less"
            )
        return (
            f"no passage fits into answer.tokens {self.budget.tokens} less answer.overhead {self.budget.overhead}, of "
            f"which the prompt takes about {other}: allow more"
        )

    def _count_room(self, conversation: Conversation) -> int:
        """Tokens for passages."""
        other = self._count_other_tokens(conversation)
        room = self.budget.tokens - max(self.budget.overhead, other)
        return room if self.model.context is None else min(room, self.model.context - self.max_tokens - other)

    def _count_other_tokens(self, conversation: Conversation) -> int:
        """Tokens of everything but passages."""
        return sum(TURN_TOKENS + self._count_tokens(turn.text) for turn in self.prompt(conversation, ()).messages)

    def _count_frame(self, hit: Hit) -> int:
        return self._count_tokens(render_frame(self.template, hit.chunk))

    def _count_tokens(self, text: str) -> int:
        return (self.model.tokenizer or self.counts).count([text])[0]


async def write_answer(writing: Writing, draft: Draft, trace: Trace) -> AsyncGenerator[Event | Answer]:
    """What the model writes, as events; the answer last.

    When the model fails the quoted answer is the answer, with a note that says why: `llm_unavailable`, or `llm_refused`
    where the request or its configuration is at fault.
    """
    if not draft.shown:
        trace.note(
            "llm_refused",
            f"the answer is quoted, not written: {writing.describe_lack_of_room(draft.conversation)}",
        )
        yield draft.quoted
        return
    transcript = Transcript(passage_labels(writing.template, draft.shown))
    assembler = AnswerAssembler(draft, transcript, trace, strict=writing.strict, similarity=draft.similarity)
    done = CompletionResult("", ended="other")
    try:
        async with aclosing(_stream_pieces(writing, draft, trace)) as pieces:
            async for piece in pieces:
                if isinstance(piece, CompletionResult):
                    done = piece
                    break
                async for event in assembler.show(transcript.feed(piece)):
                    yield event
    except RagstoneError as error:
        code = "llm_refused" if isinstance(error, UsageError) else "llm_unavailable"
        trace.note(code, f"the answer is quoted, not written: {error}")
        log.warning("%s: %s", code, error)
        yield draft.quoted
        return
    async for event in assembler.show(transcript.end(), last=True):
        yield event
    yield await assembler.finish(done)


async def _stream_pieces(writing: Writing, draft: Draft, trace: Trace) -> AsyncGenerator[str | CompletionResult]:
    """The model's stream; what it takes is timed, and bounded, without what a slow reader of the events takes.

    Raises `Unavailable` when it takes longer than it may: one that is handed in has no limits of its own.
    """
    prompt = writing.prompt(draft.conversation, draft.shown)
    spent, clock = 0.0, writing.clock
    async with aclosing(writing.model.stream(prompt)) as stream:
        while True:
            if spent >= writing.seconds:  # one that never waits for anything is never interrupted
                raise Unavailable(_describe_timeout(writing))
            start = clock()
            with trace.time_stage("model"):
                try:
                    async with asyncio.timeout(writing.seconds - spent) as patience:
                        piece = await anext(stream, None)
                except TimeoutError as error:
                    if not patience.expired():
                        raise
                    raise Unavailable(_describe_timeout(writing)) from error
            spent += clock() - start
            if piece is None:
                return
            yield piece


def _describe_timeout(writing: Writing) -> str:
    model = writing.model
    return f"{model.vendor}/{model.model} did not end its answer within {writing.seconds:g} s ({writing.group}.total)"
