"""Methods that answer questions from the collection or from pipelines."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ragstone.access import Permission
from ragstone.answering.options import AnswerOptions, AnswerWriter
from ragstone.config.settings import PipelineSettings
from ragstone.core.errors import UsageError
from ragstone.core.ports import Vectors
from ragstone.engine import model_factory
from ragstone.engine.permission_checks import verb
from ragstone.engine.pipeline import Pipeline, PipelineInfo, describe_pipeline, open_sources
from ragstone.engine.query_observer import QueryObserver
from ragstone.engine.question_verbs import QuestionVerbs
from ragstone.engine.verbs.base import VerbGroup
from ragstone.retrieval.kept_variants import match_models
from ragstone.retrieval.question import QuestionDefaults
from ragstone.retrieval.search_context import SearchContext


class CollectionQuestions(QuestionVerbs, VerbGroup):
    """The verbs that take a question."""

    @property
    def _defaults(self) -> QuestionDefaults:
        settings = self._components.given_settings
        return QuestionDefaults(settings.search, settings.profiles, self._clock)

    @property
    def _context(self) -> SearchContext:
        return self._components.search_context

    @property
    def _observer(self) -> QueryObserver:
        own = self._components
        return QueryObserver(own.settings.log, own.scope.tenant, own.scope.collection, own.completions.writing)

    def _answer_options(self, strict: bool | None) -> AnswerOptions:
        return self._components.answer_options(strict)

    @verb(Permission.SEARCH)
    def select_judge(self, model: str | None = None) -> AnswerWriter | None:
        """The language model that judges answers: the one of this name (`VENDOR/MODEL`), else that of the settings'
        `judge`, else of `llm`; None where none is named. Nothing is connected yet.
        """
        return self._components.completions.select_judge(model)

    @verb(Permission.SEARCH)
    async def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts by the collection's model, as its chunks get them: one row of float32 for each, of
        length 1. Raises `UsageError` where no model is named or installed."""
        own = (await match_models(self._components.search_context)).sources[0]
        if own.embedder is None:
            raise UsageError(own.model_missing or "no embedding model is configured: set embed.model")
        found: Vectors = await own.embedder.embed(list(texts))
        return found

    @verb(Permission.SEARCH)
    def pipelines(self) -> list[PipelineInfo]:
        """The configured pipelines, in their order."""
        return [
            describe_pipeline(wanted, self._components.tenant_settings)
            for wanted in self._components.tenant_settings.pipelines
        ]

    @verb(Permission.SEARCH)
    def pipeline(self, name: str) -> Pipeline:
        """The pipeline of this name, with `search`, `ask`, `events` and `context`; nothing is connected yet.

        Raises `UsageError` that names those that there are.
        """
        settings = self._components.tenant_settings
        wanted = next((one for one in settings.pipelines if one.name == name), None)
        if wanted is None:
            known = ", ".join(one.name for one in settings.pipelines)
            there_are = f"there are: {known}" if known else "the settings have no `pipelines`"
            raise UsageError(f"there is no pipeline {name!r}; {there_are}")
        tables = None
        if wanted.database is not None:
            tables = self._components.stores.open_tables(wanted.database, timeout=wanted.timeout)
        store = self._components.stores.open_at(wanted.store)
        tenant = self.scope.tenant
        sources = open_sources(
            wanted, settings, tenant, store=store, tables=tables, embedders=self._components.embedders.embedder_for
        )
        writing = self._components.completions.writing(llm=wanted.llm)
        if writing is not None and wanted.system_prompt is not None:
            writing = replace(writing, template=writing.template.with_system(wanted.system_prompt))
        model = partial(self._components.completions.completion_for, wanted.llm or self._components.settings.llm)
        reranking = partial(self._components.rerankers.reranking_for, own=wanted.rerank, llm=wanted.llm)
        sparse = self._components.sparse_encoders.encoder
        context = SearchContext(sources, settings.deadlines, model, self.authenticator.reads_as, reranking, sparse)
        policy = partial(model_factory.make_policy, settings.answer, partial(self._list_places, wanted))
        observer = QueryObserver(settings.log, tenant, name, lambda: writing)
        defaults = replace(self._defaults, options=wanted.search or settings.search)
        return Pipeline(
            wanted, defaults, context, self.authenticator, writing=writing, policy=policy, observer=observer
        )

    def _list_places(self, wanted: PipelineSettings, file: Path) -> list[str]:
        """What a pipeline searches, as a calibration file names it; tables have no calibration."""
        place = partial(self._components.calibration_place, file, store=wanted.store)
        return [*(place(collection=name) for name in wanted.collections), *(f"table {t.table}" for t in wanted.tables)]
