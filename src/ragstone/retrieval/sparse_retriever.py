"""A retriever by stored sparse vectors, such as SPLADE's: its candidates stand beside those of words and of vectors.

Where a collection keeps no sparse vectors, or those of another model, `search.sparse: splade` orders the candidates of
keyword search instead (`ragstone.retrieval.rescoring`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragstone.config.deadlines import Deadlines
from ragstone.core.errors import Unavailable
from ragstone.core.ports import Reader, SparseReader, SparseState, SparseVector, word_signal
from ragstone.core.trace import Trace
from ragstone.core.types import SPARSE_SIGNAL
from ragstone.retrieval.candidates import Signals, SourceRanking, SourceResult, list_ids, read_chunks
from ragstone.retrieval.query_expansion import QueryVariant
from ragstone.retrieval.question import Question
from ragstone.retrieval.rescoring import REFUSED, SPLADE, rescore_keywords
from ragstone.retrieval.search_context import GetSparseEncoder

OUTDATED = "sparse_outdated"  # the vectors are of another model
PENDING = "sparse_pending"


async def apply_sparse_model(
    found: SourceResult,
    question: Question,
    variants: Sequence[QueryVariant],
    get_encoder: GetSparseEncoder,
    deadlines: Deadlines,
    trace: Trace,
) -> SourceResult:
    """The result as `question.sparse` wants it: with candidates by sparse vectors, or its keyword candidates in another
    order. A step that fails is left out, with a note."""
    if question.sparse != "bm25" and question.mode == "semantic" and found.vector is not None:
        said = f"search.sparse {question.sparse} has no effect in mode semantic, which searches by vectors alone"
        trace.note("sparse", said)
        return found
    reader = found.view.reader
    by_store = any(ranking.is_fused_by_store for ranking in found.rankings)
    if question.sparse == SPLADE and not by_store and isinstance(reader, SparseReader):
        state = await trace.attempt(SPARSE_SIGNAL, reader.sparse_state(), None, seconds=deadlines.retriever)
        if state is not None:
            work = _encode(get_encoder, state, list(dict.fromkeys([question.text, *(one.text for one in variants)])))
            encoded = await trace.attempt(SPLADE, work, {}, seconds=deadlines.sparse, refused=REFUSED)
            if encoded is not None:
                _note_pending(state, trace)
                return await _add_candidates(found, reader, question, variants, encoded, deadlines, trace)
            trace.note(
                OUTDATED,
                f"splade only orders the keyword candidates: the collection keeps sparse vectors of {state.model}; set "
                "sparse.model to it, or ingest with --refresh",
            )
    return await rescore_keywords(found, question, variants, get_encoder, trace, seconds=deadlines.sparse)


def _note_pending(state: SparseState, trace: Trace) -> None:
    if state.pending:
        trace.note(
            PENDING,
            f"{state.pending} chunks have no sparse vector yet and are found by the other retrievers only; run ingest "
            "with sparse.index to complete them",
        )


async def _encode(
    get_encoder: GetSparseEncoder, state: SparseState, texts: Sequence[str]
) -> dict[str, SparseVector] | None:
    """The sparse vector of each text as a question; None where the model is another one than the collection's."""
    encoder = get_encoder()
    if encoder.model != state.model:
        return None
    vectors = await encoder.encode(texts, kind="query")
    if len(vectors) != len(texts):
        raise Unavailable(f"{encoder.model} gave {len(vectors)} vectors for {len(texts)} texts")
    return dict(zip(texts, vectors, strict=True))


async def _add_candidates(
    found: SourceResult,
    reader: SparseReader,
    question: Question,
    variants: Sequence[QueryVariant],
    encoded: Mapping[str, SparseVector],
    deadlines: Deadlines,
    trace: Trace,
) -> SourceResult:
    """The result with the candidates by sparse vectors in each ranking, with their chunks and all signals."""
    rankings = []
    for ranking in found.rankings:
        query, candidates = encoded.get(variants[ranking.variant].text), None
        if query is not None:
            work = reader.match_sparse(query, where=question.where, limit=question.word_depth)
            candidates = await trace.attempt(SPARSE_SIGNAL, work, None, seconds=deadlines.retriever)
        joined = {**ranking.candidates, SPARSE_SIGNAL: candidates or ()}
        rankings.append(ranking if candidates is None else replace(ranking, sparse=query, candidates=joined))
    own = encoded.get(question.text)
    if own is None or not any(SPARSE_SIGNAL in one.candidates for one in rankings):
        return found
    rating = _rate_candidates(found, reader, question, rankings, own)
    return await trace.attempt(SPARSE_SIGNAL, rating, found, seconds=deadlines.retriever)


async def _rate_candidates(
    found: SourceResult,
    sparse: SparseReader,
    question: Question,
    rankings: Sequence[SourceRanking],
    own: SparseVector,
) -> SourceResult:
    rated = [await _rate_ranking(found.view.reader, sparse, one) for one in rankings]
    return await _rate_new_candidates(found, sparse, question, tuple(rated), own)


async def _rate_ranking(reader: Reader, sparse: SparseReader, ranking: SourceRanking) -> SourceRanking:
    """The ranking with every candidate rated by every retriever."""
    if ranking.sparse is None:
        return ranking
    ids = list_ids(ranking.candidates)
    missing = [identity for identity in ids if identity not in ranking.signals]
    rated = await reader.rate(missing, vector=ranking.vector, query=ranking.text) if missing else {}
    scores = await sparse.rate_sparse(ids, ranking.sparse)
    return replace(ranking, signals=_add_scores({**ranking.signals, **rated}, scores))


async def _rate_new_candidates(
    found: SourceResult,
    sparse: SparseReader,
    question: Question,
    rankings: tuple[SourceRanking, ...],
    own: SparseVector,
) -> SourceResult:
    """The result with these rankings, and the signals of what is new in them for the question as asked."""
    reader = found.view.reader
    ids = list(dict.fromkeys(identity for one in rankings for identity in list_ids(one.candidates)))
    new = [identity for identity in ids if identity not in found.signals]
    compared = found.vector if question.mode != "keyword" else None
    rated = await reader.rate(new, vector=compared, query=question.text) if new else {}
    signals = _add_scores({**found.signals, **rated}, await sparse.rate_sparse(ids, own))
    has_words = any(word_signal(reader) in one for one in signals.values())
    found = replace(found, view=replace(found.view, has_words=has_words), rankings=rankings, signals=signals)
    return await read_chunks(found, new) if found.whole else found


def _add_scores(signals: Signals, scores: Mapping[str, float]) -> dict[str, dict[str, float]]:
    return {
        identity: {**own, **({SPARSE_SIGNAL: scores[identity]} if identity in scores else {})}
        for identity, own in signals.items()
    }
