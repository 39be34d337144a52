"""How answers are made: what writes them, what decides between an answer and an abstention.

Options alone, which load in a few milliseconds; what acts on them is loaded with the first answer.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ragstone import guard
from ragstone.answering.abstention.calibration import AbstentionPolicy
from ragstone.answering.generative.budget import Budget, fit_budget
from ragstone.answering.generative.context import ContextPassage, arrange_passages
from ragstone.answering.generative.prompt import Template, build_messages, mark_texts, render_frame
from ragstone.core.ports import Completion, Message, Prompt, Tokenizer
from ragstone.core.types import Hit
from ragstone.providers.token_counting import TURN_TOKENS


@dataclass(frozen=True, slots=True)
class Conversation:
    """The input of a model: the question as asked, and the turns before."""

    question: str
    history: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerWriter:
    """The model that writes answers, and its options. `counts` counts tokens where the model's own tokenizer is not
    known; `strict` shows a sentence only after its check, and only if something supports it; `seconds` are all that
    it may take, by `clock`, `group` is where its settings stand (`llm` or `judge`)."""

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
        """The passages for the prompt, best first, within the budget and the model's context: [] if none fits."""
        room = Budget(max(0, self._count_room(conversation)), 0, self.budget.chunks)
        fitting = fit_budget(hits, self._count_tokens, budget=room, frame=self._count_frame)
        return arrange_passages(fitting, join=not self.template.cites_by_id)

    def prompt(self, conversation: Conversation, shown: Sequence[ContextPassage]) -> Prompt:
        """The whole prompt: the turns before stand in front of the last one."""
        mask, question = guard.mask_secrets, conversation.question
        marked = mark_texts(shown, mask)
        *before, last = build_messages(self.template, question, shown, mask=mask, marked=marked)
        return Prompt((*before, *conversation.history, last), self.max_tokens, self.temperature, mark=marked[1])

    def fit_history(self, conversation: Conversation) -> Conversation:
        """The conversation with as many of its last turns as leave at least half of the room to passages."""
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
        """The message for a prompt in which no passage fits."""
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


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """How an answer is made of hits: what writes it (None: sentences are quoted), what decides between an answer and
    an abstention, how many tokens the passages may have together (None: no bound)."""

    writing: AnswerWriter | None = None
    policy: AbstentionPolicy = field(default_factory=AbstentionPolicy)
    tokens: int | None = None
