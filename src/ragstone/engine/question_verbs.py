"""The verbs that take a question and answer it, alike for a collection and for a pipeline."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence

from ragstone.answering import events
from ragstone.config.search_options import SearchOptions
from ragstone.core.filters import Where
from ragstone.core.ports import Message
from ragstone.core.types import Answer, Event
from ragstone.retrieval.question import Question, question_of
from ragstone.retrieval.standalone_question import History, checked


class Answering(ABC):
    """`question`, `ask` and `events`; a heir says how a question is searched for, and how its answer comes about."""

    @property
    @abstractmethod
    def _defaults(self) -> SearchOptions: ...

    @abstractmethod
    def _told(self, question: Question, history: Sequence[Message], strict: bool | None) -> AsyncGenerator[Event]: ...

    def question(self, /, text: str, *, where: Where | None = None, **options: object) -> Question:
        """A question with the settings' defaults; `options` are fields of `SearchOptions`, None means default."""
        return question_of(text, self._defaults, where, options)

    async def ask(
        self,
        /,
        text: str,
        *,
        where: Where | None = None,
        history: History = (),
        strict: bool | None = None,
        **options: object,
    ) -> Answer:
        """An answer whose sentences are cited and checked, or an abstention with a reason.

        With a language model in the settings it writes, else sentences are quoted. `history` are the turns before, as
        `Message` or with `role` and `content`; `strict` shows only what the documents support.
        """
        return await events.waited(self._told(self.question(text, where=where, **options), checked(history), strict))

    def events(
        self,
        /,
        text: str,
        *,
        where: Where | None = None,
        history: History = (),
        strict: bool | None = None,
        **options: object,
    ) -> AsyncGenerator[Event]:
        """The same as it comes about; see `ragstone.answering.events.events`."""
        return self._told(self.question(text, where=where, **options), checked(history), strict)
