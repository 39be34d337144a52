"""Checks of the store and the models of a server, part by part and by name; checked parts are loaded."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from ragstone import providers, stores
from ragstone.answering.options import AnswerOptions
from ragstone.config import vendors
from ragstone.config.load import read_api_key
from ragstone.config.model_settings import EmbedSettings, LlmSettings, RerankSettings, SparseSettings
from ragstone.config.search_options import SearchOptions
from ragstone.config.settings import Settings
from ragstone.core.errors import ConfigError, NotBuilt, UsageError
from ragstone.core.ports import Embedder, PlacedStore
from ragstone.engine import Engine, model_factory
from ragstone.engine.components import Components
from ragstone.engine.open_stores import find_read_only
from ragstone.engine.shared_parts import SharedParts
from ragstone.retrieval.kept_variants import match_models
from ragstone.retrieval.question import QuestionDefaults, build_question
from ragstone.retrieval.search_context import SearchContext, Source

M = TypeVar("M", EmbedSettings, LlmSettings, RerankSettings, SparseSettings)
NONE = "none"
EMPTY = "reachable, nothing was ingested yet"
WARM_QUESTION = "What is kept here?"


@dataclass(frozen=True, slots=True)
class Part:
    """A thing that a server needs. `check` says how it is, or raises. `may_come`: it is a server that may still be
    starting."""

    name: str
    check: Callable[[], Awaitable[str]]
    may_come: bool = False


def list_parts(settings: Settings, shared: SharedParts) -> Iterator[Part]:
    """The parts of a server of these settings, in the order in which to check them; a local model loads meanwhile."""
    settings = replace(settings, key=None, access=replace(settings.access, trusted=True))
    own = _make_components(settings, shared)
    place = stores.local_place(settings.store)
    remote = place is None
    # A server over tables alone needs neither the model nor the warmth of a collection that is not there.
    alone = place is not None and not place.exists() and bool(settings.pipelines)
    store = _check_store if alone else _check_store_and_start_loading
    yield Part(f"store {stores.redact_url(settings.store)}", partial(store, own), may_come=remote)
    engine = Engine(settings, shared=shared)
    for wanted in settings.pipelines:
        elsewhere = wanted.database is not None or stores.local_place(wanted.store or settings.store) is None
        for source in engine.pipeline(wanted.name).search_context.sources:
            yield Part(f"pipeline {wanted.name}, {source.name}", partial(_check_source, source), may_come=elsewhere)
    contexts = [
        *([] if alone else [own.search_context]),
        *(engine.pipeline(one.name).search_context for one in settings.pipelines),
    ]
    for embed in _list_distinct([None if alone else settings.embed, *_list_pipeline_models(settings)]):
        yield Part(f"embedding model {embed.model}", partial(_check_embedding, shared, settings, embed, contexts))
    for llm in _list_distinct([settings.llm, *(one.llm for one in settings.pipelines)]):
        yield Part(f"language model {llm.model}", partial(_check_language_model, shared, settings, llm))
    for rerank in _list_distinct([settings.rerank, *(one.rerank for one in settings.pipelines)]):
        yield Part(f"reranker {rerank.model}", partial(_check_reranker, shared, settings, rerank))
    for sparse in _list_distinct([settings.sparse]):
        yield Part(f"sparse model {sparse.model}", partial(_check_sparse_model, shared, settings, sparse))
    if not alone:
        yield Part("first question", partial(_ask_first_question, own), may_come=remote)


def _list_pipeline_models(settings: Settings) -> Iterator[EmbedSettings | None]:
    """The embedding models that pipelines name; those of tables embed questions alone."""
    for one in settings.pipelines:
        yield model_factory.fit_questions(one.embed) if one.tables and one.embed is not None else one.embed


def _list_distinct(found: list[M | None]) -> list[M]:
    distinct: list[M] = []
    for one in found:
        if one is not None and one.model != NONE and one not in distinct:
            distinct.append(one)
    return distinct


async def check_store(settings: Settings, shared: SharedParts) -> str | None:
    """Why the store of some settings may only be read; raises what keeps it from being used."""
    own = _make_components(settings, shared)
    await _check_store(own)
    return await find_read_only(own.stores.store)


def _make_components(settings: Settings, shared: SharedParts) -> Components:
    return Components(settings, store=None, embedder=None, completion=None, credential=None, shared=shared)


async def _check_store_and_start_loading(own: Components) -> str:
    """Check the store, and have the model that its collection needs load meanwhile."""
    said = await _check_store(own)
    [source] = (await match_models(own.search_context)).sources
    start = getattr(source.embedder, "start_loading", None)
    if start is not None:
        start()
    return said


async def _check_store(own: Components) -> str:
    store = own.stores.store
    is_built = await store.admin.exists(own.scope)
    if (why := await find_read_only(store)) is not None:
        return f"reachable, and only read: {why}"
    if is_built:
        return "reachable"
    if isinstance(store, PlacedStore):
        await store.check_place()
    return EMPTY


async def _check_source(source: Source) -> str:
    try:
        async with source.open_view() as reader:
            await reader.info()
    except NotBuilt:
        return EMPTY
    return "reachable"


async def _check_embedding(
    shared: SharedParts, settings: Settings, embed: EmbedSettings, contexts: Sequence[SearchContext]
) -> str:
    if missing := providers.find_missing_packages(embed.model):
        raise UsageError(missing[0])
    embedder = shared.make_embedder(embed, settings)
    if not _runs_here(embed.model):
        return _check_vendor("embed", embed, vendors.EMBED)
    for needed in await _find_needed(embedder, contexts):
        await needed.embed([WARM_QUESTION], kind="query")
    return "loaded"


async def _find_needed(embedder: Embedder, contexts: Sequence[SearchContext]) -> list[Embedder]:
    """The embedder as each collection made its vectors; itself where there are none yet."""
    needed: list[Embedder] = []
    for context in contexts:
        matched = (await match_models(context)).sources
        for own, source in zip(context.sources, matched, strict=True):
            if own.embedder is embedder and source.embedder is not None and source.embedder not in needed:
                needed.append(source.embedder)
    return needed or [embedder]


async def _check_language_model(shared: SharedParts, settings: Settings, llm: LlmSettings) -> str:
    model = shared.make_completion(llm, group="llm", offline=settings.offline)
    assert model is not None  # it is named
    model_factory.make_writing(model, llm, settings.answer)
    return _check_vendor("llm", llm, vendors.COMPLETE)


async def _check_reranker(shared: SharedParts, settings: Settings, rerank: RerankSettings) -> str:
    if rerank.model == vendors.LANGUAGE_MODEL:
        return "the language model"
    reranker = shared.make_reranker(rerank, settings)
    if not _runs_here(rerank.model):
        return _check_vendor("rerank", rerank, vendors.RERANK)
    if problems := await reranker.check():
        raise UsageError(problems[0])
    return "loaded"


async def _check_sparse_model(shared: SharedParts, settings: Settings, sparse: SparseSettings) -> str:
    encoder = shared.make_sparse_encoder(sparse, settings)
    if not _runs_here(sparse.model):
        return _check_vendor("sparse", sparse, vendors.ENCODE)
    if problems := await encoder.check():
        raise UsageError(problems[0])
    return "loaded"


def _runs_here(model: str) -> bool:
    """Whether a model runs in this process."""
    vendor = vendors.VENDORS.get(model.partition("/")[0])
    return "/" not in model or (vendor is not None and vendor.base_url is None)


def _check_vendor(group: str, model: EmbedSettings | LlmSettings | RerankSettings | SparseSettings, verb: str) -> str:
    """That the settings of a vendor are whole; nobody is asked, because that may cost money."""
    vendor, _ = vendors.parse_model_name(model.model, verb=verb, key=f"{group}.model")
    key = read_api_key(group, model, vendor.variable)
    if key is None and vendor.keyed and model.base_url is None:
        raise ConfigError(f"{group}.model {model.model!r} needs a key: set {group}.api_key_file or {vendor.variable}")
    return "settings are complete; the vendor was not asked"


async def _ask_first_question(own: Components) -> str:
    """Answer a question, so that the first one of a client finds everything loaded. Nobody outside is asked, and
    nothing is logged or cached."""
    from ragstone.answering.answer_stream import stream_answer

    mode = "hybrid" if _runs_here(own.settings.embed.model) and own.settings.embed.model != NONE else "keyword"
    defaults = QuestionDefaults(SearchOptions())
    asked = build_question(WARM_QUESTION, defaults, None, {"mode": mode, "rerank": False, "top_k": 3})
    stream = stream_answer(await match_models(own.search_context), asked, AnswerOptions(None, own.policy))
    try:
        async with aclosing(stream):
            async for _ in stream:
                pass
    except NotBuilt:
        return EMPTY
    return "answered"
