"""The vectors of summaries and questions in the retriever by vectors: a chunk scores its own cosine, or the best of
theirs less a margin, whichever is higher. All are cosines to the same vector, so the score keeps its scale and weight.

A hit's signal `cosine` stays that of the chunk's own text, because thresholds and abstentions are fitted to it; the
signal `written` stands beside it.
"""

from collections.abc import Mapping
from dataclasses import replace

from ragstone.config.deadlines import Deadlines
from ragstone.core.ports import Reader, Vectors, WrittenReader, word_signal
from ragstone.core.trace import Trace
from ragstone.core.types import WRITTEN_SIGNAL, Candidate, total_order
from ragstone.retrieval.candidates import FUSED, Signals, SourceRanking, SourceResult, list_ids, read_chunks
from ragstone.retrieval.question import Question
from ragstone.retrieval.retriever_weights import COSINE, score_by

OUTDATED = "written_outdated"  # the vectors are of another model
PENDING = "written_pending"


async def apply_written_vectors(
    found: SourceResult, question: Question, deadlines: Deadlines, trace: Trace
) -> SourceResult:
    """The result with its candidates by vectors as those of summaries and questions make them, where the collection
    keeps such. A failure leaves the result as it was, with a note."""
    reader, info = found.view.reader, found.view.info
    if question.written_vectors is False or info.written is None or not isinstance(reader, WrittenReader):
        return found
    by_vectors = [one for one in found.rankings if one.has_vectors]
    if not by_vectors:
        return found
    if not info.keeps_written:
        trace.note(
            OUTDATED,
            f"summaries and questions are not searched by vectors: theirs are of {info.written.model}, those of the "
            "chunks of another model; run ingest with chunk.enrich_vectors to make them anew",
        )
        return found
    if any(FUSED in one.candidates for one in by_vectors):
        trace.note("fusion_at", "the store's own fusion leaves the vectors of summaries and questions out")
        return found
    if info.written.pending:
        trace.note(
            PENDING,
            f"the summaries and questions of {info.written.pending} chunks have no vectors yet; run ingest with "
            "chunk.enrich_vectors to complete them",
        )
    work = _add_candidates(found, reader, question, trace)
    return await trace.attempt(WRITTEN_SIGNAL, work, found, seconds=deadlines.retriever)


async def _add_candidates(
    found: SourceResult, by_written: WrittenReader, question: Question, trace: Trace
) -> SourceResult:
    reader = found.view.reader
    rankings = [await _extend_ranking(reader, by_written, question, one, trace) for one in found.rankings]
    ids = list(dict.fromkeys(identity for one in rankings for identity in list_ids(one.candidates)))
    new = [identity for identity in ids if identity not in found.signals]
    rated = await reader.rate(new, vector=found.vector, query=question.text) if new else {}
    scores = await by_written.rate_written(ids, found.vector) if found.vector is not None else {}
    signals = _add_scores({**found.signals, **rated}, scores)
    has_words = any(word_signal(reader) in one for one in signals.values())
    view = replace(found.view, has_words=has_words)
    found = replace(found, view=view, rankings=tuple(rankings), signals=signals)
    return await read_chunks(found, new) if found.whole else found


async def _extend_ranking(
    reader: Reader, by_written: WrittenReader, question: Question, ranking: SourceRanking, trace: Trace
) -> SourceRanking:
    """The ranking with as many candidates by vectors as before, each with its best score."""
    vector, limit = ranking.vector, question.vector_depth
    if vector is None or COSINE not in ranking.candidates:
        return ranking
    nearest = await by_written.match_written(vector, where=question.where, limit=limit)
    trace.count(WRITTEN_SIGNAL, len(nearest))
    joined = {**ranking.candidates, COSINE: (*ranking.candidates[COSINE], *nearest)}
    signals = await _rate_candidates(reader, by_written, ranking, list_ids(joined), vector)
    every = {one.id: one.place for one in joined[COSINE] if one.id in signals}
    made = [Candidate(identity, score_by(COSINE, signals[identity]) or 0.0, place) for identity, place in every.items()]
    best = sorted(made, key=lambda one: total_order(one.score, one.place))[:limit]
    return replace(ranking, candidates={**joined, COSINE: best}, signals=signals)


async def _rate_candidates(
    reader: Reader, by_written: WrittenReader, ranking: SourceRanking, ids: list[str], vector: Vectors
) -> Signals:
    missing = [identity for identity in ids if identity not in ranking.signals]
    rated = await reader.rate(missing, vector=vector, query=ranking.text) if missing else {}
    return _add_scores({**ranking.signals, **rated}, await by_written.rate_written(ids, vector))


def _add_scores(signals: Signals, scores: Mapping[str, float]) -> Signals:
    return {
        identity: {**own, WRITTEN_SIGNAL: scores[identity]} if identity in scores else own
        for identity, own in signals.items()
    }
