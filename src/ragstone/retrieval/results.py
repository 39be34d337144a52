"""The results of a search: the first of the merged candidates with their chunks, which are read as they are needed."""

from collections.abc import Sequence

from ragstone.core.trace import Trace
from ragstone.core.types import Hit
from ragstone.retrieval.candidates import SourceResult, read_chunks
from ragstone.retrieval.merging import count_candidates, list_rows, merge_results
from ragstone.retrieval.question import Question
from ragstone.retrieval.ranking import HEADED, rank_hits, rank_pool
from ragstone.retrieval.reranking import Reranking
from ragstone.retrieval.selection import TermSets
from ragstone.retrieval.topics import may_be_heading


async def rank_results(
    results: Sequence[SourceResult], question: Question, plan: Reranking | None, trace: Trace
) -> tuple[Sequence[SourceResult], list[Hit]]:
    """The results of all sources with the chunks that the hits need, and the hits in order, with a `plan` those to
    rerank and the ones after them.

    Where the order depends on scores alone, chunks are read only as far down as near-duplicates may be.
    """
    merged = merge_results(results, question)
    count_candidates(results, merged, trace)
    rows, pool = list_rows(results), plan.pool_size(question) if plan else 0
    most, every = max(pool, question.top_k), len(merged.candidates)
    size = every if all(one.whole for one in results) else most * 2 if question.fold else most
    if question.heading_weight and may_be_heading(question.text):
        size = max(size, HEADED)
    terms = TermSets()
    while True:
        wanted = [one.id for one in merged.candidates[:size]]
        results = [await read_chunks(one, wanted) for one in results]
        hits = merged.make_hits(results, size)
        ranked = rank_pool(hits, question, pool, rows, terms) if plan else rank_hits(hits, question, rows, terms)
        if len(ranked) >= most or size >= every:
            return results, ranked
        size *= 2
