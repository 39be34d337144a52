"""Why a document was, or was not, found: one question replayed with the limits taken away.

The stages are those of a search, in order: not there, filtered out, found by no retriever, below the threshold, grouped
under a near-duplicate, put back by the reranker, over the limit per document, below the top k, dropped by the LLM
filter, found.
"""

from collections.abc import Mapping, Sequence, Set
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field, replace

from ragstone.core.answers import Note, Step
from ragstone.core.filter_matching import collect_facts, matches
from ragstone.core.filters import Where
from ragstone.core.ports import Reader, SparseReader, SparseVector, WrittenReader
from ragstone.core.suggestions import describe_absent
from ragstone.core.trace import Trace
from ragstone.core.types import SPARSE_SIGNAL, WORD_SIGNALS, WRITTEN_SIGNAL, Candidate, Chunk, Hit, Json
from ragstone.retrieval import ranking, search, semantic_cache
from ragstone.retrieval.candidates import SourceRanking, SourceResult, read_every_chunk, retrieve_candidates
from ragstone.retrieval.feedback import FEEDBACK, order_by_feedback
from ragstone.retrieval.llm_filter import filter_by_model
from ragstone.retrieval.merging import list_rows, merge_results
from ragstone.retrieval.passage_text import describe_windows
from ragstone.retrieval.query_vectors import QueryVectors, embed_question
from ragstone.retrieval.question import Question
from ragstone.retrieval.readers import JoinedReader, SourceView, open_views
from ragstone.retrieval.reranking import MOST_RESULTS, RERANK, choose_reranking, cut_to_limits, rerank_hits
from ragstone.retrieval.search_context import SearchContext
from ragstone.retrieval.selection import keep_above
from ragstone.retrieval.spelling_correction import correct_question, find_corrections

EVERYTHING = 1_000_000
COVERAGE = "word_coverage"  # the note


@dataclass(frozen=True, slots=True)
class Explanation:
    """The fate of a document's best chunk in a search. `ranks` count from 1 in each retriever over all chunks that
    pass the filters; `filters` says for each group of the filter whether the chunk passes it."""

    path: str
    stage: str
    message: str
    chunk: str | None = None
    ordinal: int | None = None
    ranks: Mapping[str, int | None] = field(default_factory=dict)
    signals: Mapping[str, float] = field(default_factory=dict)
    filters: Mapping[str, bool] = field(default_factory=dict)
    final_rank: int | None = None
    score: float | None = None
    cut: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    steps: tuple[Step, ...] = ()


async def explain(context: SearchContext, question: Question, *, path: str, source: str | None = None) -> Explanation:
    """The fate of the document at `path` for this question; without a source of documents the first that has the
    path."""
    trace = Trace()
    vectors = await embed_question(context, question, trace)
    await semantic_cache.note_cache(context, question, vectors.first, trace)
    question = replace(question, fusion_at="client")  # where the ranks of each retriever are known
    plan = await choose_reranking(context.reranking, question, trace)
    wide = question if plan is None else plan.widen_question(question)
    variants = await search.write_variants(context, question, vectors, trace)
    async with AsyncExitStack() as stack:
        joined = await open_views(context.sources, stack, context.deadlines)
        if found := await find_corrections(joined.views, question, trace, seconds=context.deadlines.retriever):
            question, wide = correct_question(question, found), correct_question(wide, found)
            vectors = await embed_question(context, question, trace)
            variants = await search.write_variants(context, question, vectors, trace)
        owner, chunks = await _find_document(joined, path, source)
        if owner is None:
            known = await _list_paths(context, source)
            return Explanation(
                path, "not_there", f"{describe_absent(path, known)} (see ragstone collections documents)"
            )
        passing = [chunk for chunk in chunks if matches(question.where, collect_facts(chunk))]
        if not passing:
            verdicts = _check_filter(question.where, chunks[0])
            failed = ", ".join(name for name, passes in verdicts.items() if not passes)
            return Explanation(path, "filtered", f"every chunk is excluded by the filter: {failed}", filters=verdicts)
        plain = [await search.search_view(context, view, wide, vectors, variants, trace) for view in joined.views]
        _note_coverage(plain, trace)
        seconds = context.deadlines.retriever
        ordered = await order_by_feedback(plain, question, trace, seconds=seconds, explained=True)
        results = [await read_every_chunk(result) for result in ordered]
        seen = await _replay(owner, question, results, vectors, passing, trace)
        size = plan.pool_size(question) if plan else 0
        ranked = ranking.rank_pool(seen.hits, question, size, seen.rows) if plan else []
        texts = await describe_windows(joined, ranked[:size], context.deadlines)
    seen = replace(seen, depth=wide.depth, pool=size)
    final = ranking.apply_options(seen.hits, question, seen.rows)[: question.top_k]
    if plan is not None:
        unlimited = replace(question, per_document=None, top_k=MOST_RESULTS)
        seen = replace(seen, ordered=await rerank_hits(plan, unlimited, ranked, texts, trace))
        final = cut_to_limits(seen.ordered, question)
    fate = _find_fate(question, seen, final)
    if fate.stage == "found" and question.filter:
        fate = await _judge(context, question, fate, final, {chunk.id for chunk in passing}, trace)
    return replace(fate, notes=tuple(trace.notes), steps=tuple(trace.steps))


def _note_coverage(results: Sequence[SourceResult], trace: Trace) -> None:
    """Say how much words count, where they count less: as much as the collection that has most of them says."""
    words = max((ranking.words for one in results for ranking in one.rankings), default=0.0)
    if 0 < words < 1:
        said = f"words count {words:.2f} of their weight: even the best passage has few of the question's"
        trace.note(COVERAGE, said)


async def _find_document(joined: JoinedReader, path: str, source: str | None) -> tuple[SourceView | None, list[Chunk]]:
    """The first view that has a document at the path, and its chunks."""
    for view in joined.views:
        if chunks := await _read_chunks(view.reader, path, source):
            return view, chunks
    return None, []


async def _list_paths(context: SearchContext, source: str | None) -> list[str]:
    known = []
    for one in context.sources:
        if one.store is not None and one.scope is not None:
            known += [document.path for document in await one.store.ledger(one.scope).documents(source)]
    return known


async def _judge(
    context: SearchContext, question: Question, fate: Explanation, final: Sequence[Hit], mine: Set[str], trace: Trace
) -> Explanation:
    """The explanation after a language model has judged the results."""
    kept = await filter_by_model(context, question, final, trace)
    rank = next((n for n, hit in enumerate(kept, 1) if hit.chunk.id in mine), None)
    if rank is not None:
        return replace(fate, message=f"found at rank {rank} of {len(kept)}", final_rank=rank)
    scored = dict(zip(trace.steps[-1].texts, trace.steps[-1].scores, strict=True))
    best = max(scored[hit.chunk.id] for hit in final if hit.chunk.id in mine)
    said = f"the language model scored it {best:g}, below filter_below {question.filter_below:g}"
    return replace(fate, stage="judged", message=said, final_rank=None)


async def _read_chunks(reader: Reader, path: str, source: str | None) -> list[Chunk]:
    first = await reader.at(path, 0, source=source)
    chunks = [first] if first is not None else []
    while chunks:
        following = await reader.at(path, len(chunks), source=chunks[0].document.source)
        if following is None:
            break
        chunks.append(following)
    return chunks


def _check_filter(where: Where, chunk: Chunk) -> dict[str, bool]:
    """Each group of the filter on its own."""
    empty = Where()
    out = {"confidentiality": matches(replace(empty, allow_restricted=where.allow_restricted), collect_facts(chunk))}
    for name in Where.__dataclass_fields__:
        value = getattr(where, name)
        if value == getattr(empty, name) or name in ("tag_mode", "logic", "allow_restricted"):
            continue
        alone = replace(empty, allow_restricted=True, tag_mode=where.tag_mode, logic=where.logic, **{name: value})
        out[name] = matches(alone, collect_facts(chunk))
    return out


@dataclass(frozen=True, slots=True)
class _Replay:
    """What retrievers and fusion made of the chunks `mine` that pass the filter. `ordered` are the hits after a
    reranker, which scored `pool` of them; `depth` is how many candidates each retriever gave."""

    mine: Mapping[str, Chunk]
    ranks: Mapping[str, int | None]
    signals: Mapping[str, Mapping[str, float]]
    hits: list[Hit]
    rows: Set[str]
    depth: int = 0
    pool: int = 0
    ordered: Sequence[Hit] = ()


async def _replay(
    owner: SourceView,
    question: Question,
    results: Sequence[SourceResult],
    vectors: QueryVectors,
    chunks: Sequence[Chunk],
    trace: Trace,
) -> _Replay:
    mine = {chunk.id: chunk for chunk in chunks}
    own = next(one for one in results if one.view.source is owner.source)
    found = await retrieve_candidates(owner.reader, question, own.searched_by, trace, limit=EVERYTHING)
    found |= await _retrieve_sparse(owner.reader, question, own.rankings[0].sparse)
    found |= await _retrieve_written(owner.reader, question, own)
    ranks = {
        name: next((rank for rank, candidate in enumerate(candidates, 1) if candidate.id in mine), None)
        for name, candidates in found.items()
    }
    compared = vectors.vector_for(owner.source) if "cosine" in found else None
    signals = await owner.reader.rate(list(mine), vector=compared, query=question.text)
    for name in (SPARSE_SIGNAL, WRITTEN_SIGNAL):
        scores = {one.id: {name: one.score} for one in found.get(name, ())}
        signals = {identity: {**rated, **scores.get(identity, {})} for identity, rated in signals.items()}
    signals = {identity: {**rated, **_read_feedback(own.rankings[0], identity)} for identity, rated in signals.items()}
    hits = merge_results(results, question).make_hits(results)
    return _Replay(mine, ranks, signals, hits, list_rows(results))


async def _retrieve_sparse(
    reader: Reader, question: Question, query: SparseVector | None
) -> dict[str, list[Candidate]]:
    """All candidates by stored sparse vectors, where the question was searched by them."""
    if query is None or not isinstance(reader, SparseReader):
        return {}
    return {SPARSE_SIGNAL: await reader.match_sparse(query, where=question.where, limit=EVERYTHING)}


async def _retrieve_written(reader: Reader, question: Question, own: SourceResult) -> dict[str, list[Candidate]]:
    """All candidates by the vectors of summaries and questions, where the question was compared with those."""
    compared = any(WRITTEN_SIGNAL in signals for one in own.rankings for signals in one.signals.values())
    if not compared or own.searched_by is None or not isinstance(reader, WrittenReader):
        return {}
    return {WRITTEN_SIGNAL: await reader.match_written(own.searched_by, where=question.where, limit=EVERYTHING)}


def _read_feedback(found: SourceRanking, identity: str) -> dict[str, float]:
    """The cosine that ordered a candidate, where feedback did."""
    known = found.signals.get(identity, {})
    return {FEEDBACK: known["cosine"]} if found.feedback and "cosine" in known else {}


def _find_fate(question: Question, seen: _Replay, final: Sequence[Hit]) -> Explanation:
    """What happened before a model judged; `final` are the results by then."""
    lifted = replace(question, min_cosine=None, fold=False, per_document=None)
    unlimited = ranking.apply_options(seen.hits, lifted, seen.rows)
    shown = next((hit for hit in (*seen.ordered, *unlimited) if hit.chunk.id in seen.mine), None)
    best = shown.chunk if shown else _find_strongest(list(seen.mine.values()), seen.signals)
    stage, message, rank = _find_stage(question, seen, final, unlimited)
    return Explanation(
        path=best.document.path,
        stage=stage,
        message=message,
        chunk=best.id,
        ordinal=best.ordinal,
        ranks=seen.ranks,
        signals={**seen.signals.get(best.id, {}), **(shown.signals if shown else {})},
        filters=_check_filter(question.where, best),
        final_rank=rank,
        score=shown.score if shown else None,
        cut=_show_cut(final),
    )


def _find_strongest(chunks: Sequence[Chunk], signals: Mapping[str, Mapping[str, float]]) -> Chunk:
    def strength(chunk: Chunk) -> tuple[float, float, int]:
        own = signals.get(chunk.id, {})
        return (own.get("cosine", 0.0), max(own.get(name, 0.0) for name in WORD_SIGNALS), -chunk.ordinal)

    return max(chunks, key=strength)


def _show_cut(final: Sequence[Hit]) -> dict[str, float]:
    """The weakest result that was still shown."""
    return {"score": final[-1].score, **final[-1].signals} if final else {}


def _find_stage(
    question: Question, seen: _Replay, final: Sequence[Hit], unlimited: Sequence[Hit]
) -> tuple[str, str, int | None]:
    mine, hits = seen.mine, seen.hits
    for rank, hit in enumerate(final, 1):
        if hit.chunk.id in mine:
            return "found", f"found at rank {rank} of {len(final)}", rank
    if not any(hit.chunk.id in mine for hit in hits):
        return "not_nominated", f"no retriever ranked it among its first {seen.depth} candidates", None
    places = {(c.document.source, c.document.path, c.ordinal) for c in mine.values()}
    for rank, hit in enumerate(final, 1):
        if places.intersection(hit.duplicates):
            return "folded", f"grouped under its near-duplicate {hit.chunk.document.path} at rank {rank}", rank
    rank = next(r for r, hit in enumerate(unlimited, 1) if hit.chunk.id in mine)
    low = question.min_cosine
    if low is not None and not any(hit.chunk.id in mine for hit in keep_above(hits, {"cosine": low})):
        return "below_threshold", f"its cosine is below the threshold {low}", rank
    place, after = next(((r, hit) for r, hit in enumerate(seen.ordered, 1) if hit.chunk.id in mine), (rank, None))
    if question.per_document is not None and place <= question.top_k:
        return "capped", f"ranked {place}, but its document already has {question.per_document} results", place
    if after is not None and RERANK in after.signals:
        said = f"the reranker scored it {after.signals[RERANK]:.4f}: ranked {place}, below the first {question.top_k}"
        return "reranked", said, place
    if any(RERANK in hit.signals for hit in seen.ordered):
        return "below_cut", f"ranked {place}, below the first {seen.pool}, which were reranked", place
    return "below_cut", f"ranked {place}, below the first {question.top_k}", place


def to_json(explanation: Explanation) -> Json:
    """Plain data for JSON."""
    out = {name: getattr(explanation, name) for name in Explanation.__dataclass_fields__}
    told = {"notes": [{"code": n.code, "message": n.message} for n in explanation.notes]}
    return {"schema": 1, **out, **told, "steps": [asdict(step) for step in explanation.steps]}
