"""From a question to ranked hits: over one source or several, each with the same options.

Every source is searched at once (`ragstone.retrieval.candidates`), what they give becomes one ranking
(`ragstone.retrieval.merging`, `ragstone.retrieval.ranking`). Notes say what could not be done; among several sources
one that fails is a note, and all failing is an error, never "nothing found".
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from ragstone.core.answers import Found
from ragstone.core.errors import RagstoneError
from ragstone.core.ports import Vectors
from ragstone.core.spans import open_span
from ragstone.core.trace import Trace
from ragstone.core.types import Hit
from ragstone.retrieval import windows
from ragstone.retrieval.candidates import SourceResult, describe_store, search_source
from ragstone.retrieval.comparable_vectors import is_same_model
from ragstone.retrieval.feedback import order_by_feedback
from ragstone.retrieval.filter_diagnostics import note_filter
from ragstone.retrieval.kept_variants import follow_model
from ragstone.retrieval.llm_assistant import Assistant
from ragstone.retrieval.llm_filter import filter_by_model
from ragstone.retrieval.merging import is_fused_by_store
from ragstone.retrieval.passage_text import describe_windows
from ragstone.retrieval.passages_by_words import NO_CORRECTIONS, Corrections
from ragstone.retrieval.query_expansion import QueryVariant, build_variants, expand_query, list_fragments
from ragstone.retrieval.query_vectors import ModelKey, QueryVectors, embed_question, find_model_key
from ragstone.retrieval.question import Question
from ragstone.retrieval.readers import JoinedReader, SourceView, look_up_hits
from ragstone.retrieval.reranking import DEPTH, Reranking, choose_reranking, rerank_hits
from ragstone.retrieval.rescoring import SPLADE
from ragstone.retrieval.results import rank_results
from ragstone.retrieval.search_context import SearchContext, Source
from ragstone.retrieval.source_failures import combine_failures, keep_failure, search_at_once
from ragstone.retrieval.sparse_retriever import apply_sparse_model
from ragstone.retrieval.spelling_correction import correct_question, find_corrections
from ragstone.retrieval.store_timeout import limit_store_time
from ragstone.retrieval.written_retriever import apply_written_vectors

FAILED = "part_failed"  # the note of a source that was left out
Variants = Mapping[ModelKey | None, Sequence[QueryVariant]]


@dataclass(frozen=True, slots=True)
class SearchView:
    """Open views of the sources that answered, and the hits for the `question`, where words are `corrected` that no
    passage has. `similarity_source` is the source whose model compares sentences with the question, by `vector`;
    `fused_by_store` says that the order is a store's own."""

    question: Question
    corrected: Corrections
    reader: JoinedReader
    hits: list[Hit]
    similarity_source: Source
    vector: Vectors | None
    fused_by_store: bool


async def search(context: SearchContext, question: Question, *, whole: bool = False) -> Found:
    """The best chunks in order, with `whole` as they are read (`ragstone.retrieval.windows`).

    Raises `NotBuilt` when nothing was ever ingested, and the source's error when none answered.
    """
    trace = Trace()
    with trace.time_stage("total", span=""):
        vectors = await embed_question(context, question, trace)
        async with open_search(context, question, vectors, trace) as view:
            hits = await widen_hits(context, view.reader, view.hits) if whole else view.hits
    return make_found(hits, trace)


async def widen_hits(context: SearchContext, reader: windows.Chunks, hits: Sequence[Hit]) -> list[Hit]:
    """The hits as they are read."""
    async with limit_store_time(context.deadlines):
        return await windows.read_windows(reader, hits)


def make_found(hits: Sequence[Hit], trace: Trace) -> Found:
    """The hits with the notes, timings and steps of the trace."""
    return Found(tuple(hits), tuple(trace.notes), dict(trace.timings), tuple(trace.steps), dict(trace.counts))


@asynccontextmanager
async def open_search(
    context: SearchContext, question: Question, vectors: QueryVectors, trace: Trace
) -> AsyncIterator[SearchView]:
    """The hits, with views that are open for the block. None is open while a reranker or a language model works: the
    hits that are left then are looked up again, and stay where they are still active."""
    plan = await choose_reranking(context.reranking, question, trace)
    texts: list[str] = []
    async with AsyncExitStack() as stack:
        view = await _search_corrected(context, question, vectors, stack, trace, plan)
        question = view.question
        if plan is None and not question.filter:
            yield view
            return
        if plan is not None:
            texts = await describe_windows(view.reader, view.hits[: plan.pool_size(question)], context.deadlines)
    kept = view.hits if plan is None else await rerank_hits(plan, question, view.hits, texts, trace)
    if question.filter:
        kept = await filter_by_model(context, question, kept, trace)
    async with AsyncExitStack() as stack:
        reader = await view.reader.reopen(stack, context.deadlines)
        async with limit_store_time(context.deadlines):
            hits = await look_up_hits(reader, kept)
        yield replace(view, reader=reader, hits=hits)


async def _search_corrected(
    context: SearchContext,
    question: Question,
    vectors: QueryVectors,
    stack: AsyncExitStack,
    trace: Trace,
    plan: Reranking | None,
) -> SearchView:
    """The sources searched, and once more where a word of the question is misspelt: who spells well waits for
    nothing."""
    before, own = trace.copy_results(), Trace()
    variants = await write_variants(context, question, vectors, trace)
    view = await _search_sources(context, question, vectors, variants, stack, trace, plan)
    async with limit_store_time(context.deadlines):
        found = await find_corrections(view.reader.views, question, own, seconds=context.deadlines.retriever)
    if found:
        trace.forget_results(before)
        question = correct_question(question, found)
        vectors = await embed_question(context, question, trace)
        variants = await write_variants(context, question, vectors, trace)
        view = await _search_sources(context, question, vectors, variants, stack, trace, plan)
    trace.join(own)
    return replace(view, corrected=found)


async def _search_sources(
    context: SearchContext,
    question: Question,
    vectors: QueryVectors,
    variants: Variants,
    stack: AsyncExitStack,
    trace: Trace,
    plan: Reranking | None,
) -> SearchView:
    """Every source searched at once; the views of those that answered stay open until the stack is closed. With a
    `plan` the hits are those to rerank and the ones after them."""
    failures: list[RagstoneError] = []
    wide = question if plan is None else plan.widen_question(question)
    if plan is not None:
        trace.count(DEPTH, wide.depth)

    async def run(source: Source, own: Trace) -> SourceResult | None:
        work = _open_and_search(context, source, wide, vectors, variants, stack, own)
        if context.is_single:
            return await work
        kept = keep_failure(work, failures)
        return await own.attempt(source.name, kept, None, code=FAILED, refused=FAILED, span="search source")

    found = await search_at_once(context.sources, run, trace)
    if not found:
        raise combine_failures(failures, trace)
    results = await order_by_feedback(found, question, trace, seconds=context.deadlines.retriever)
    with trace.time_stage("rank"):
        async with limit_store_time(context.deadlines):
            results, hits = await rank_results(results, question, plan, trace)
    if not hits:
        await _note_filter(context, results, question, trace)
    asker = next((one for one in results if one.vector is not None), results[0])
    vector = asker.vector if asker.vector is not None else vectors.vector_for(asker.view.source)
    reader = JoinedReader(tuple(one.view for one in results))
    return SearchView(question, NO_CORRECTIONS, reader, hits, asker.view.source, vector, is_fused_by_store(results))


async def _open_and_search(
    context: SearchContext,
    source: Source,
    question: Question,
    vectors: QueryVectors,
    variants: Variants,
    stack: AsyncExitStack,
    trace: Trace,
) -> SourceResult:
    async with limit_store_time(context.deadlines, beside=context.deadlines.sparse * (question.sparse == SPLADE)):
        with open_span("open view", kind="client") as span:
            reader = await stack.enter_async_context(source.open_view())
            describe_store(span, reader, "open")
            span.set("db.collection.name", source.name)
            info = await reader.info()
        own = source if question.mode == "keyword" else follow_model(source, info)
        if own is not source:  # the collection went over to other vectors meanwhile
            only = replace(context, sources=(own,))
            vectors = await embed_question(only, question, trace)
            variants = await write_variants(only, question, vectors, trace)
        return await search_view(context, SourceView(own, reader, info), question, vectors, variants, trace)


async def search_view(
    context: SearchContext,
    view: SourceView,
    question: Question,
    vectors: QueryVectors,
    variants: Variants,
    trace: Trace,
) -> SourceResult:
    """Search an open source; among several its notes carry its name."""
    source, own = view.source, trace if context.is_single else Trace()
    written = variants[find_model_key(source) if source.has_vectors else None]
    try:
        vector, seconds = vectors.vector_for(source), context.deadlines.retriever
        # Among several sources the failure of one to read its chunks must not be that of all.
        whole = not context.is_single
        found = await search_source(view, question, vector, written, own, seconds=seconds, whole=whole)
        found = await apply_written_vectors(found, question, context.deadlines, own)
        return await apply_sparse_model(found, question, written, context.sparse, context.deadlines, own)
    finally:
        if own is not trace:
            trace.join_slowest(own)
            for note in own.notes:
                trace.note(note.code, f"{source.name}: {note.message}")


async def _note_filter(
    context: SearchContext, results: Sequence[SourceResult], question: Question, trace: Trace
) -> None:
    """Why a filter may have let nothing pass, as far as the collections can say."""
    for one in results:
        store, view = one.view.source.store, one.view
        if store is not None:
            async with limit_store_time(context.deadlines):
                await note_filter(view.reader, view.info, question.where, trace, seconds=context.deadlines.retriever)


async def write_variants(context: SearchContext, question: Question, vectors: QueryVectors, trace: Trace) -> Variants:
    """The variants in which the question is searched for, by each model; under None those of words alone. A language
    model writes them once for all sources."""
    assistant = Assistant(context.model, context.deadlines.rewrite, trace)
    expansion = await expand_query(question, vectors.first, assistant, partial(_find_best, context, question, vectors))
    found: dict[ModelKey | None, tuple[QueryVariant, ...]] = {
        None: await build_variants(question, None, expansion, None, trace)
    }
    if parts := list_fragments(question, expansion):
        trace.note("fragments", f"fragments: searched for {len(parts)} parts of the question")
    for source in context.sources:
        if source.has_vectors and (key := find_model_key(source)) not in found:
            found[key] = await build_variants(question, vectors.vector_for(source), expansion, source.embedder, trace)
    return found


async def _find_best(context: SearchContext, question: Question, vectors: QueryVectors, _: Vectors) -> float | None:
    """The cosine of the best passage of all sources; None where none may be compared. Raises the error of the only
    source; among several one that fails says so when it is searched."""
    found: list[float] = []
    for source in context.sources:
        try:
            found += await _find_best_cosine(context, source, question, vectors.vector_for(source))
        except RagstoneError:
            if context.is_single:
                raise
    return max(found, default=None)


async def _find_best_cosine(
    context: SearchContext, source: Source, question: Question, vector: Vectors | None
) -> list[float]:
    async with limit_store_time(context.deadlines), source.open_view() as reader:
        if vector is None or not is_same_model(source.embedder, await reader.info(), vector):
            return []
        return [one.score for one in await reader.nearest(vector, where=question.where, limit=1)]
