"""The verbs that take a question, alike for a collection and for a pipeline over several sources."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import fields
from typing import Any, TypeVar, Unpack, get_type_hints

from ragstone import guard
from ragstone.access import Permission
from ragstone.answering.options import AnswerOptions
from ragstone.config.search_keywords import SearchKeywords
from ragstone.config.search_options import SearchOptions
from ragstone.core.answers import Answer, Event, Found
from ragstone.core.filters import Where
from ragstone.engine.permission_checks import verb
from ragstone.engine.query_observer import QueryObserver
from ragstone.retrieval import semantic_cache
from ragstone.retrieval.explain import Explanation, explain
from ragstone.retrieval.kept_variants import match_models
from ragstone.retrieval.question import Question, QuestionDefaults, build_question
from ragstone.retrieval.search_context import SearchContext
from ragstone.retrieval.standalone_question import History, check_history

V = TypeVar("V", bound=Callable[..., Any])


def show_options(verb: V) -> V:
    """Give a method that takes `SearchKeywords` a signature that shows them, with the defaults of the settings."""
    signature, kinds = inspect.signature(verb), get_type_hints(SearchOptions)
    shown = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=kinds[one.name])
        for one in fields(SearchOptions)
    ]
    own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    verb.__signature__ = signature.replace(parameters=[*own, *shown])  # type: ignore[attr-defined]  # what help() reads
    return verb


class QuestionVerbs(ABC):
    """`search`, `ask`, `events`, `context`, `explain`; a subclass says over which sources, and how answers are made."""

    _tokens: int | None = None
    """How many tokens the passages of an answer or a context may have together; None: no bound of their own."""

    @property
    @abstractmethod
    def _defaults(self) -> QuestionDefaults: ...

    @property
    @abstractmethod
    def _context(self) -> SearchContext: ...

    @property
    @abstractmethod
    def _observer(self) -> QueryObserver: ...

    @abstractmethod
    def _answer_options(self, strict: bool | None) -> AnswerOptions: ...

    @verb(None)
    def question(self, /, text: str, *, where: Where | None = None, **options: Unpack[SearchKeywords]) -> Question:
        """A question with the settings' defaults; `options` are those of `SearchKeywords`, None means default."""
        return build_question(text, self._defaults, where, options)

    @show_options
    @verb(Permission.SEARCH)
    async def search(self, /, text: str, *, where: Where | None = None, **options: Unpack[SearchKeywords]) -> Found:
        """The best passages for a text, best first; see `question` for the options.

        A source that cannot be searched is a note; raises the error of the only one, or of all.
        """
        asked = self.question(text, where=where, **options)
        with self._observer.observe("search", asked) as seen, seen.span.activate():
            seen.result = found = await semantic_cache.search_with_cache(await self._match_models(asked), asked)
        return found

    @show_options
    @verb(Permission.SEARCH)
    async def context(self, /, text: str, *, where: Where | None = None, **options: Unpack[SearchKeywords]) -> str:
        """Passages as XML, ready to stand in a prompt: escaped, secrets masked; see `question` for the options."""
        from ragstone.answering.answer_stream import cut_to_tokens
        from ragstone.answering.formats import context_xml

        asked = self.question(text, where=where, **options)
        with self._observer.observe("context", asked) as seen, seen.span.activate():
            context = await self._match_models(asked)
            seen.result = found = await semantic_cache.search_with_cache(context, asked, whole=True)
        return context_xml(cut_to_tokens(found.hits, self._tokens), mask=guard.mask_secrets)

    @show_options
    @verb(Permission.SEARCH)
    async def ask(
        self,
        /,
        text: str,
        *,
        where: Where | None = None,
        history: History = (),
        strict: bool | None = None,
        **options: Unpack[SearchKeywords],
    ) -> Answer:
        """An answer whose sentences are cited and checked, or an abstention with a reason.

        With a language model in the settings it writes, else sentences are quoted. `history` are the turns before, as
        `Message` or with `role` and `content`; `strict` shows only what the documents support.
        """
        from ragstone.answering.answer_stream import wait_for_answer

        return await wait_for_answer(self._stream(self.question(text, where=where, **options), history, strict))

    @show_options
    @verb(Permission.SEARCH)
    def events(
        self,
        /,
        text: str,
        *,
        where: Where | None = None,
        history: History = (),
        strict: bool | None = None,
        **options: Unpack[SearchKeywords],
    ) -> AsyncGenerator[Event]:
        """An answer as it comes about, with the arguments of `ask`; the events are those of `stream_answer` in
        `ragstone.answering.answer_stream`."""
        return self._stream(self.question(text, where=where, **options), history, strict)

    def _stream(self, question: Question, history: History, strict: bool | None) -> AsyncGenerator[Event]:
        from ragstone.answering.answer_stream import stream_answer

        turns, options = check_history(history), self._answer_options(strict)

        async def answer() -> AsyncGenerator[Event]:
            context = await self._match_models(question)
            async with aclosing(stream_answer(context, question, options, history=turns)) as stream:
                async for event in stream:
                    yield event

        return _watch_stream(answer(), self._observer, question)

    @show_options
    @verb(Permission.EXPLAIN)
    async def explain(
        self,
        /,
        text: str,
        *,
        path: str,
        source: str | None = None,
        where: Where | None = None,
        **options: Unpack[SearchKeywords],
    ) -> Explanation:
        """Why a document was or was not found: the stage where it was lost, its rank and signals by each retriever."""
        asked = self.question(text, where=where, **options)
        return await explain(await self._match_models(asked), asked, path=path, source=source)

    async def _match_models(self, question: Question) -> SearchContext:
        """The context with the embedder of each collection as it made the vectors there."""
        return self._context if question.mode == "keyword" else await match_models(self._context)


async def _watch_stream(
    stream: AsyncGenerator[Event], observer: QueryObserver, question: Question
) -> AsyncGenerator[Event]:
    """The events of an answer, of which the observer learns."""
    with observer.observe("ask", question) as seen:
        async with aclosing(stream):
            while True:
                with seen.span.activate():  # only while it works: whoever reads the events goes on with other things
                    event = await anext(stream, None)
                if event is None:
                    return
                if event.name == "final_answer":
                    seen.result = event.data["answer"]
                yield event
