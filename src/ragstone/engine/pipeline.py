"""A named way to answer: the verbs that take a question, over the sources that a pipeline's settings name."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from ragstone import providers, stores
from ragstone.access import Permission
from ragstone.answering.abstention.calibration import AbstentionPolicy
from ragstone.answering.options import AnswerOptions, AnswerWriter
from ragstone.config.model_settings import EmbedSettings
from ragstone.config.serve_settings import LogSettings
from ragstone.config.settings import PipelineSettings, Settings
from ragstone.core.errors import RagstoneError, UsageError
from ragstone.core.ports import Embedder, Store
from ragstone.core.records import Info
from ragstone.core.types import Scope
from ragstone.engine import model_factory
from ragstone.engine.permission_checks import Admission, require_permissions, verb
from ragstone.engine.query_observer import QueryObserver
from ragstone.engine.question_verbs import QuestionVerbs
from ragstone.retrieval.question import QuestionDefaults
from ragstone.retrieval.search_context import SearchContext, Source, collection_source

# The embedder of some settings, or None and why there is none.
EmbedderLookup = Callable[[EmbedSettings], tuple[Embedder | None, str | None]]


@dataclass(frozen=True, slots=True)
class PipelineInfo:
    """The description of a pipeline: its sources by name, their models, ignored settings."""

    name: str
    description: str
    reads: tuple[str, ...]
    model: str
    notes: tuple[str, ...] = ()


@require_permissions
class Pipeline(QuestionVerbs):
    """Questions over several collections and tables at once."""

    def __init__(
        self,
        settings: PipelineSettings,
        defaults: QuestionDefaults,
        context: SearchContext,
        authenticator: Admission,
        *,
        writing: AnswerWriter | None = None,
        policy: Callable[[], AbstentionPolicy] = AbstentionPolicy,
        observer: QueryObserver | None = None,
    ) -> None:
        self.authenticator = authenticator
        self.settings = settings
        self.writing = writing
        self.search_context = context
        self._policy = policy  # read when an answer is asked for: a search does without it
        self._question_defaults = defaults
        self._tokens = settings.token_budget
        self._watched_by = observer or QueryObserver(LogSettings(), "", settings.name)

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def _defaults(self) -> QuestionDefaults:
        return self._question_defaults

    @property
    def _context(self) -> SearchContext:
        return self.search_context

    @property
    def _observer(self) -> QueryObserver:
        return self._watched_by

    def _answer_options(self, strict: bool | None) -> AnswerOptions:
        writing = self.writing
        if writing is not None and strict is not None:
            writing = replace(writing, strict=strict)
        return AnswerOptions(writing, self._policy(), self._tokens)

    @verb(Permission.WRITE)  # names hosts and what is wrong with them
    async def check(self) -> list[str]:
        """The problems that keep its sources and its language model from answering, one sentence each; [] when all
        is well."""
        problems = []
        for source in self.search_context.sources:
            wrong = [source.model_missing] if source.model_missing else []
            if source.embedder is not None and source.has_vectors:
                wrong += await providers.check_embedder(source.embedder)
            try:
                async with source.open_view() as reader:
                    info = await reader.info()
                    problems += [] if wrong else _check_dimension(source, info)
            except RagstoneError as error:
                wrong.insert(0, str(error))
            problems += [f"{source.name}: {why}" for why in wrong]
        problems += await self.writing.model.check() if self.writing is not None else []
        return problems + await self._find_reranker_problems()

    async def _find_reranker_problems(self) -> list[str]:
        try:
            plan = self.search_context.reranking(None)
        except UsageError as error:
            return [str(error)]
        return await plan.reranker.check() if plan is not None else []


def describe_pipeline(wanted: PipelineSettings, settings: Settings) -> PipelineInfo:
    """Describe a pipeline without opening anything."""
    tables = tuple(f"{one.table}.{one.text_column}" for one in wanted.tables)
    used = [_embed_of(wanted, settings, name) for name in (*wanted.collections, *[None] * bool(tables))]
    models = ", ".join(dict.fromkeys(embed.model for embed in used))
    return PipelineInfo(wanted.name, wanted.description, (*wanted.collections, *tables), models, wanted.notes)


def _embed_of(wanted: PipelineSettings, settings: Settings, collection: str | None) -> EmbedSettings:
    """Whose vectors a part has: a collection those that it has without a pipeline too, tables those at the top, since
    they are no tenant's."""
    return wanted.embed or (settings.embed if collection is None else settings.of(collection).embed)


def open_sources(
    wanted: PipelineSettings,
    settings: Settings,
    tenant: str,
    *,
    store: Store,
    tables: stores.OpenTables | None,
    embedders: EmbedderLookup,
) -> tuple[Source, ...]:
    """The readers that a pipeline names, of a tenant's collections and of tables; none of them opened yet."""
    sources = []
    for name in wanted.collections:
        model, missing = embedders(_embed_of(wanted, settings, name))
        sources.append(collection_source(store, Scope(tenant, name), model, missing))
    for number, table in enumerate(wanted.tables):
        assert tables is not None  # settings with tables have a database
        model, missing = embedders(model_factory.fit_questions(_embed_of(wanted, settings, None)))
        pair = stores.ColumnPair(
            table.table,
            table.text_column,
            table.vector_column,
            table.id_column,
            stores.parse_filter(table.filter, table=table.table),
            table.filter_columns,
            number,
        )
        view, has_vectors = partial(tables.reader, pair), pair.vector is not None
        sources.append(Source(pair.name, view, model, missing, has_vectors, is_table=True))
    return tuple(sources)


def _check_dimension(source: Source, info: Info) -> list[str]:
    """That a table's vectors are not of the model's dimension, where both are known."""
    if not source.is_table or source.embedder is None or info.dimension in (None, source.embedder.dimension):
        return []
    return [
        f"{source.name}: its vectors have {info.dimension} dimensions, those of {source.embedder.model} "
        f"{source.embedder.dimension}: name the model that they were made with"
    ]
