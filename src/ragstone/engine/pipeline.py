"""A named way to answer: the verbs of the library over the parts that a pipeline's settings name."""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ragstone import answering, guard, providers, stores
from ragstone.answering import Policy, multi_source
from ragstone.answering.generated import Writing
from ragstone.config.search_options import SearchOptions
from ragstone.config.settings import EmbedSettings, PipelineSettings, SearchSettings, Settings
from ragstone.core.errors import RagstoneError
from ragstone.core.filters import Where
from ragstone.core.ports import Completion, Embedder, Message, Store
from ragstone.core.types import Event, Found, Info, Scope
from ragstone.engine.permissions import OF_PIPELINES, Admitting, gated
from ragstone.engine.question_verbs import Answering
from ragstone.retrieval.merging import Part
from ragstone.retrieval.question import Question

# The embedder of some settings, or None and why there is none.
Embedders = Callable[[EmbedSettings], tuple[Embedder | None, str | None]]


@dataclass(frozen=True, slots=True)
class PipelineInfo:
    """What a listing shows of a pipeline: what it reads by name, whose vectors, what is not acted on."""

    name: str
    description: str
    reads: tuple[str, ...]
    model: str
    notes: tuple[str, ...] = ()


@gated(OF_PIPELINES)
class Pipeline(Answering):
    """Questions over several collections and tables at once; see `ragstone.answering.multi_source`."""

    def __init__(
        self,
        settings: PipelineSettings,
        search: SearchSettings,
        parts: Sequence[Part],
        entrance: Admitting,
        *,
        writing: Writing | None = None,
        policy: Callable[[], Policy] = Policy,
    ) -> None:
        self.entrance = entrance
        self.settings = settings
        self.writing = writing
        self._policy = policy  # read when an answer is asked for: a search does without it
        self._search = settings.search or search
        self.parts = tuple(parts)

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def _defaults(self) -> SearchOptions:
        return self._search

    async def search(self, /, text: str, *, where: Where | None = None, **options: object) -> Found:
        """The best passages of all its parts. What a part cannot do is a note; all failing is an error."""
        return await multi_source.search(self.parts, self.question(text, where=where, **options), model=self._model)

    def _told(self, question: Question, history: Sequence[Message], strict: bool | None) -> AsyncGenerator[Event]:
        writing = self.writing
        if writing is not None and strict is not None:
            writing = replace(writing, strict=strict)
        tokens, policy = self.settings.token_budget, self._policy()
        return multi_source.events(self.parts, question, tokens=tokens, writing=writing, history=history, policy=policy)

    async def context(self, /, text: str, *, where: Where | None = None, **options: object) -> str:
        """Passages within the token budget as XML, ready to stand in a prompt: escaped, secrets masked."""
        asked = self.question(text, where=where, **options)
        found = await multi_source.search(self.parts, asked, model=self._model, whole=True)
        return answering.context_xml(multi_source.within(found.hits, self.settings.token_budget), mask=guard.shown)

    def _model(self) -> Completion | None:
        """What helps to search."""
        return self.writing.model if self.writing is not None else None

    async def check(self) -> list[str]:
        """What keeps its parts and its language model from answering, a sentence each; [] when all is well."""
        problems = []
        for part in self.parts:
            wrong = [part.model_missing] if part.model_missing else []
            if part.embedder is not None and part.vectors:
                wrong += await providers.check(part.embedder)
            try:
                async with part.view() as reader:
                    info = await reader.info()
                    problems += [] if wrong else _unlike(part, info)
            except RagstoneError as error:
                wrong.insert(0, str(error))
            problems += [f"{part.name}: {why}" for why in wrong]
        return problems + (await self.writing.model.check() if self.writing is not None else [])


def info_of(wanted: PipelineSettings, settings: Settings) -> PipelineInfo:
    """What is known of a pipeline without opening anything."""
    tables = tuple(f"{one.table}.{one.text_column}" for one in wanted.tables)
    used = [_embed_of(wanted, settings, name) for name in (*wanted.collections, *[None] * bool(tables))]
    models = ", ".join(dict.fromkeys(embed.model for embed in used))
    return PipelineInfo(wanted.name, wanted.description, (*wanted.collections, *tables), models, wanted.notes)


def _embed_of(wanted: PipelineSettings, settings: Settings, collection: str | None) -> EmbedSettings:
    """Whose vectors a part has: a collection those that it has without a pipeline too, tables those at the top, since
    they are no tenant's."""
    return wanted.embed or (settings.embed if collection is None else settings.of(collection).embed)


def parts_of(
    wanted: PipelineSettings,
    settings: Settings,
    tenant: str,
    *,
    store: Store,
    tables: stores.OpenTables | None,
    embedders: Embedders,
) -> list[Part]:
    """The readers that a pipeline names, of a tenant's collections and of tables; none of them opened yet."""
    parts, deadlines = [], settings.deadlines
    for name in wanted.collections:
        model, missing = embedders(_embed_of(wanted, settings, name))
        parts.append(Part(name, partial(store.reader, Scope(tenant, name)), model, missing, deadlines=deadlines))
    for number, table in enumerate(wanted.tables):
        assert tables is not None  # settings with tables have a database
        model, missing = embedders(_embed_of(wanted, settings, None))
        pair = stores.Pair(
            table.table,
            table.text_column,
            table.vector_column,
            table.id_column,
            stores.filter_of(table.filter, table=table.table),
            table.filter_columns,
            number,
        )
        view, vectors = partial(tables.reader, pair), pair.vector is not None
        parts.append(Part(pair.name, view, model, missing, vectors, raw=True, deadlines=deadlines))
    return parts


def _unlike(part: Part, info: Info) -> list[str]:
    """That a table's vectors are not of the model's dimension, where both are known."""
    if not part.raw or part.embedder is None or info.dimension in (None, part.embedder.dimension):
        return []
    return [
        f"{part.name}: its vectors have {info.dimension} dimensions, those of {part.embedder.model} "
        f"{part.embedder.dimension}: name the model that they were made with"
    ]
