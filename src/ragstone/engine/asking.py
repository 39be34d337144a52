"""What answers questions: of the collection, and of pipelines."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from functools import partial

from ragstone import answer, ask, conversation, guard, models, recall, reply
from ragstone.ask import Question
from ragstone.conversation import History
from ragstone.doors import checked
from ragstone.engine.group import Group
from ragstone.errors import UsageError
from ragstone.explain import Explanation, explain
from ragstone.generate import Writing
from ragstone.pipeline import Pipeline, PipelineInfo, info_of, parts_of
from ragstone.types import Answer, Event, Found
from ragstone.where import Where


class Asking(Group):
    """The verbs that take a question."""

    def question(self, /, text: str, *, where: Where | None = None, **options: object) -> Question:
        """A question with the settings' defaults; `options` are fields of `Question`, None means default."""
        return ask.question_of(text, self._parts.given.search, where, options)

    async def search(self, /, text: str, *, where: Where | None = None, **options: object) -> Found:
        """The best passages for a text; see `question` for the options."""
        return await recall.search(self._parts.desk, self.question(text, where=where, **options))

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
        question = self.question(text, where=where, **options)
        writing, turns = self._parts.completions.writing(strict), conversation.checked(history)
        return await reply.answer(self._parts.deciding, question, writing=writing, history=turns)

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
        """The same as it comes about; see `ragstone.reply.events`."""
        question = self.question(text, where=where, **options)
        writing, turns = self._parts.completions.writing(strict), conversation.checked(history)
        return reply.events(self._parts.deciding, question, writing=writing, history=turns)

    async def context(self, /, text: str, *, where: Where | None = None, **options: object) -> str:
        """Passages as XML, ready to stand in a prompt: escaped, secrets masked."""
        found = await recall.search(self._parts.desk, self.question(text, where=where, **options), whole=True)
        return answer.context_xml(found.hits, mask=guard.shown)

    @checked()
    async def explain(
        self, /, text: str, *, path: str, source: str | None = None, where: Where | None = None, **options: object
    ) -> Explanation:
        """Why a document was or was not found: the stage where it was lost, ranks and signals of each leg."""
        return await explain(self._parts.desk, self.question(text, where=where, **options), path=path, source=source)

    @checked()
    def judging(self, model: str | None = None) -> Writing | None:
        """What an evaluation has answers judged with: the language model of this name (`VENDOR/MODEL`), else that of
        the settings' `judge`, else of `llm`; None where none is named. Nothing is connected yet.
        """
        return self._parts.completions.judging(model)

    def pipelines(self) -> list[PipelineInfo]:
        """What is configured under `pipelines`, in its order."""
        return [info_of(wanted, self._parts.whole) for wanted in self._parts.whole.pipelines]

    @checked()
    def pipeline(self, name: str) -> Pipeline:
        """The pipeline of this name, with `search`, `ask`, `events` and `context`; nothing is connected yet.

        Raises `UsageError` that names those that there are.
        """
        settings = self._parts.whole
        wanted = next((one for one in settings.pipelines if one.name == name), None)
        if wanted is None:
            known = ", ".join(one.name for one in settings.pipelines) or "none is configured"
            raise UsageError(f"there is no pipeline {name!r}; there are: {known}")
        tables = None
        if wanted.database is not None:
            tables = self._parts.opened.tables_of(wanted.database, timeout=wanted.timeout)
        store = self._parts.opened.at(wanted.store)
        tenant = self.scope.tenant
        parts = parts_of(wanted, settings, tenant, store=store, tables=tables, embedders=self._parts.embedders.of)
        writing = self._parts.completions.writing(llm=wanted.llm)
        if writing is not None and wanted.system_prompt is not None:
            writing = replace(writing, template=writing.template.with_system(wanted.system_prompt))
        policy = partial(models.policy_of, settings.answer)
        return Pipeline(wanted, settings.search, parts, self.entrance, writing=writing, policy=policy)
