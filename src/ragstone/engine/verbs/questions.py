"""What answers questions: of the collection, and of pipelines."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from functools import partial

from ragstone import answering, guard
from ragstone.answering import events
from ragstone.answering.generated import Writing
from ragstone.config.search_options import SearchOptions
from ragstone.core.errors import UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import Message
from ragstone.core.types import Event, Found
from ragstone.engine import model_factory
from ragstone.engine.arguments import checked
from ragstone.engine.pipeline import Pipeline, PipelineInfo, info_of, parts_of
from ragstone.engine.question_verbs import Answering
from ragstone.engine.verbs.base import Group
from ragstone.retrieval import semantic_cache
from ragstone.retrieval.explain import Explanation, explain
from ragstone.retrieval.question import Question


class Asking(Answering, Group):
    """The verbs that take a question."""

    @property
    def _defaults(self) -> SearchOptions:
        return self._parts.given.search

    def _told(self, question: Question, history: Sequence[Message], strict: bool | None) -> AsyncGenerator[Event]:
        return events.events(
            self._parts.deciding, question, writing=self._parts.completions.writing(strict), history=history
        )

    async def search(self, /, text: str, *, where: Where | None = None, **options: object) -> Found:
        """The best passages for a text; see `question` for the options."""
        return await semantic_cache.search(self._parts.desk, self.question(text, where=where, **options))

    async def context(self, /, text: str, *, where: Where | None = None, **options: object) -> str:
        """Passages as XML, ready to stand in a prompt: escaped, secrets masked."""
        found = await semantic_cache.search(self._parts.desk, self.question(text, where=where, **options), whole=True)
        return answering.context_xml(found.hits, mask=guard.shown)

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
        policy = partial(model_factory.policy_of, settings.answer)
        return Pipeline(wanted, settings.search, parts, self.entrance, writing=writing, policy=policy)
