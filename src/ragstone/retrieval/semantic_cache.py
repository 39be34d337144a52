"""The semantic cache: a question with the meaning of an earlier one is served with its results, if that is safe.

Two searches share nothing unless all is the same but the words: tenant and collections, who reads, filter, mode and
every option, embedders and language model, and the state of each index. A search over several collections is kept with
the first of them; one over tables is never kept, because nothing tells when a row changes. Then the cosine of the
questions must reach the threshold, nothing may part them (`ragstone.retrieval.question_identity`), and every passage is
looked up again before it is served.
"""

import hashlib
import json
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import msgspec
import numpy as np

from ragstone import guard
from ragstone.core.answers import Found, Note
from ragstone.core.errors import StoreError, UsageError
from ragstone.core.filter_matching import collect_facts, matches
from ragstone.core.ports import CachedSearch, SearchCache, SearchCachingStore, Store, Vectors
from ragstone.core.records import Info
from ragstone.core.trace import Trace
from ragstone.core.types import Hit, Scope
from ragstone.retrieval import search
from ragstone.retrieval.llm_assistant import Assistant
from ragstone.retrieval.query_vectors import embed_question
from ragstone.retrieval.question import Question
from ragstone.retrieval.question_identity import explain_difference
from ragstone.retrieval.readers import JoinedReader, open_views
from ragstone.retrieval.rescoring import SPLADE
from ragstone.retrieval.search_context import SearchContext
from ragstone.retrieval.store_timeout import limit_store_time

T = TypeVar("T")
REFUSED = "cache_unused"
FORMAT = 4
NOT_COMPARED = (
    "text",
    "asked_at",
    "cache",
    "cache_cosine",
    "cache_hours",
    "cache_entries",
)  # what does not change results
# Notes on results that are as good as they get; whatever has any other note is not kept.
HARMLESS = frozenset(("hyde", "multi_query", "filter", "fusion_at", "fragments", "spelling"))


@dataclass(frozen=True, slots=True)
class CachedHit:
    """A hit as it is kept: of its passage only the id."""

    id: str
    score: float
    signals: Mapping[str, float]
    duplicates: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class CachedResult:
    """The question and the results of a search."""

    question: str
    hits: tuple[CachedHit, ...]
    notes: tuple[Note, ...]


async def search_with_cache(context: SearchContext, question: Question, *, whole: bool = False) -> Found:
    """Search, and serve from the cache if the question allows it and the hits of a question with the same meaning
    are stored. Arguments and errors as for `ragstone.retrieval.search.search`."""
    if not question.cache:
        return await search.search(context, question, whole=whole)
    trace = Trace()
    with trace.time_stage("total", span=""):
        vectors = await embed_question(context, question, trace)
        hits = await _serve(context, question, vectors.first, trace)
        if hits is None:
            async with search.open_search(context, question, vectors, trace) as view:
                hits, infos = view.hits, view.reader.infos
                widened = await search.widen_hits(context, view.reader, hits) if whole else None
            await put(context, infos, question, vectors.first, hits, trace)
        elif whole:
            widened = await _widen(context, hits)
    return search.make_found(widened if whole and widened is not None else hits, trace)


async def _widen(context: SearchContext, hits: Sequence[Hit]) -> list[Hit]:
    """Hits that were served, as they are read."""
    async with AsyncExitStack() as stack:
        return await search.widen_hits(context, await open_views(context.sources, stack, context.deadlines), hits)


async def put(
    context: SearchContext,
    infos: Sequence[Info],
    question: Question,
    vector: Vectors | None,
    hits: Sequence[Hit],
    trace: Trace,
) -> None:
    """Keep the hits of a search, where the question wants it and the result is whole."""
    memory = _select_cache(context, question, vector, trace)
    notes = [note for note in trace.notes if note.code != REFUSED]
    if memory is None or vector is None or not {note.code for note in notes} <= HARMLESS:
        return
    if len(infos) < len(context.sources):
        return
    key = make_key(context, infos, question)
    identity = hashlib.sha256(f"{key}\n{question.text}".encode()).hexdigest()
    places = tuple(CachedHit(hit.chunk.id, hit.score, hit.signals, hit.duplicates) for hit in hits)
    content = msgspec.json.encode(CachedResult(question.text, places, tuple(notes)))
    one = CachedSearch(identity, key, infos[0].generation, datetime.now(UTC), vector.astype("<f4").tobytes(), content)
    await _try(memory.put_search(one, most=question.cache_entries), context, trace)


async def forget(store: Store, scope: Scope, generation: int) -> None:
    """Remove the searches in earlier states of the index: they cannot serve any question."""
    if isinstance(store, SearchCachingStore):
        await store.search_cache(scope).remove_before(before=generation)


async def note_cache(context: SearchContext, question: Question, vector: Vectors | None, trace: Trace) -> None:
    """Say in a note what the cache has for a question."""
    if (memory := _select_cache(context, question, vector, trace)) is None or vector is None:
        return
    near = await _find_near(context, memory, await _current_key(context, question), question, vector, trace)
    if not near:
        trace.note("cache", "cache: no stored question is near enough")
        return
    for cosine, one in near:
        if (kept := _read(one)) is not None and explain_difference(question.text, kept.question) is None:
            trace.count("cache_hits")
            trace.note("cache", f"cache hit (cosine {cosine:.4f}): a search is served with it")
            return
    trace.note("cache", f"cache: no hit; the nearest stored question (cosine {near[0][0]:.4f}) asks something else")


def make_key(context: SearchContext, infos: Sequence[Info], question: Question) -> str:
    """The digest of all that two searches must share beside what they ask."""
    options = {one.name: repr(getattr(question, one.name)) for one in fields(question) if one.name not in NOT_COMPARED}
    if question.freshness_weight:
        options["day"] = question.asked_at.date().isoformat()
    assistant = Assistant(context.model, context.deadlines.rewrite, Trace())
    model = assistant.ready() if _needs_model(question) else None
    embedders = [one.embedder for one in context.sources]
    shared = [
        FORMAT,
        [[one.scope.tenant, one.scope.collection] for one in context.sources if one.scope],
        context.reader,
        options,
        [[one.model, one.variant, one.dimension] if one else None for one in embedders],
        [model.vendor, model.model] if model else None,
        _describe_reranking(context, question),
        _name_sparse_model(context, question),
        [_describe_state(info) for info in infos],
    ]
    return hashlib.sha256(json.dumps(shared, ensure_ascii=False).encode()).hexdigest()


def _describe_state(info: Info) -> list[object]:
    built = [info.provider, info.version, info.generation, info.built_at, info.state, info.recipes]
    return [*built, info.documents, info.chunks, info.pending_vectors, info.model, info.variant, info.dimension]


def _describe_reranking(context: SearchContext, question: Question) -> list[object] | None:
    """The reranker of a question and how many passages it scores; None where none is used, or none can be."""
    try:
        plan = None if question.rerank is False else context.reranking(question.rerank)
    except UsageError:
        return None
    return [plan.reranker.model, plan.documents, plan.oversample] if plan else None


def _name_sparse_model(context: SearchContext, question: Question) -> str | None:
    """The model that orders the keyword candidates of a question; None where none does, or none can."""
    try:
        return context.sparse().model if question.sparse == SPLADE else None
    except UsageError:
        return None


def _needs_model(question: Question) -> bool:
    return question.hyde != "off" or bool(question.multi_query) or question.filter


def _select_cache(
    context: SearchContext, question: Question, vector: Vectors | None, trace: Trace
) -> SearchCache | None:
    """Where searches are kept; None for a question that is neither kept nor served: of words alone, or with a secret in
    it, which would be kept and would look like any other once it is masked. A note says where none can be kept."""
    if not question.cache or question.mode == "keyword" or vector is None:
        return None
    store, scope = context.sources[0].store, context.sources[0].scope
    if any(one.is_table for one in context.sources):
        trace.note(REFUSED, "cache: not used: Ragstone cannot tell when a row of a table changes")
        return None
    if store is None or scope is None:
        return None
    if not isinstance(store, SearchCachingStore):
        trace.note(REFUSED, "cache: not used: this store keeps no searches")
        return None
    return None if guard.mask_secrets(question.text) != question.text else store.search_cache(scope)


async def _serve(context: SearchContext, question: Question, vector: Vectors | None, trace: Trace) -> list[Hit] | None:
    """The hits of a question that asks the same, each looked up and filtered again."""
    memory = _select_cache(context, question, vector, trace)
    if memory is None or vector is None:
        return None
    key = await _current_key(context, question)
    for cosine, one in await _find_near(context, memory, key, question, vector, trace):
        kept = _read(one)
        if kept is None or explain_difference(question.text, kept.question) is not None:
            continue
        # Not before: a view holds a connection, so does the cache.
        async with AsyncExitStack() as stack:
            reader = await open_views(context.sources, stack, context.deadlines)
            async with limit_store_time(context.deadlines):
                is_same = make_key(context, reader.infos, question) == key
                hits = await _read_cached_hits(reader, question, kept) if is_same else None
        if hits is not None:
            await _try(memory.mark_used(one.id, at=datetime.now(UTC)), context, trace)
            for note in (*kept.notes, Note("cache", f"cache hit (cosine {cosine:.4f}); --no-cache searches anew")):
                trace.note(note.code, note.message)
            return hits
    return None


async def _current_key(context: SearchContext, question: Question) -> str:
    async with AsyncExitStack() as stack:
        return make_key(context, (await open_views(context.sources, stack, context.deadlines)).infos, question)


async def _find_near(
    context: SearchContext, memory: SearchCache, key: str, question: Question, vector: Vectors, trace: Trace
) -> list[tuple[float, CachedSearch]]:
    """The entries under a key that are not too old and near enough, the nearest first."""
    found = await _try(memory.find_by_key(key), context, trace) or []
    oldest = datetime.now(UTC) - timedelta(hours=question.cache_hours) if question.cache_hours else None
    fresh = [one for one in found if (oldest is None or one.at > oldest) and len(one.vector) == 4 * len(vector)]
    rated = [(round(float(np.dot(np.frombuffer(one.vector, "<f4"), vector)), 6), one) for one in fresh]
    return sorted((pair for pair in rated if pair[0] >= question.cache_cosine), key=lambda pair: (-pair[0], pair[1].id))


async def _read_cached_hits(reader: JoinedReader, question: Question, kept: CachedResult) -> list[Hit] | None:
    """The hits with their passages as they are now; None unless all of them are active and pass the filter."""
    chunks = {chunk.id: chunk for chunk in await reader.chunks([place.id for place in kept.hits])}
    if len(chunks) != len(kept.hits) or not all(
        matches(question.where, collect_facts(chunk)) for chunk in chunks.values()
    ):
        return None
    return [Hit(chunks[place.id], place.score, place.signals, place.duplicates) for place in kept.hits]


def _read(one: CachedSearch) -> CachedResult | None:
    """The entry's content, None where Ragstone did not write it."""
    try:
        return msgspec.json.decode(one.content, type=CachedResult)
    except msgspec.MsgspecError:
        return None


async def _try(work: Awaitable[T], context: SearchContext, trace: Trace) -> T | None:
    """Work on the cache: a failure there, or one that takes too long, is a note."""

    async def run_in_time() -> T:
        try:
            async with limit_store_time(context.deadlines):
                return await work
        except UsageError as error:  # a role that may only read
            raise StoreError(str(error)) from error

    return await trace.attempt("cache", run_in_time(), None)
