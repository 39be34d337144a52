"""The weights of the retrievers, and the scale of the signal `rrf`, on which rankings of different retrievers compare.

Scores of RRF are sums over the retrievers of a ranking: one of words, vectors and stored sparse vectors scores higher
than one of words and vectors, though neither says more of its first hit.
"""

from collections.abc import Iterable, Mapping, Sequence

from ragstone.core.types import SPARSE_SIGNAL, WORD_SIGNALS, WRITTEN_SIGNAL, Hit
from ragstone.retrieval.question import Question

# A question is nearer to a question of the same form than to a passage that answers it. Without this margin those that
# were written for other passages come first (`benchmarks/retrieval/written.py`).
WRITTEN_MARGIN = 0.25
RRF = "rrf"  # the signal of a hit that several rankings found
WORDS, COSINE = "words", "cosine"
RETRIEVER_SIGNALS = (*WORD_SIGNALS, COSINE, SPARSE_SIGNAL)


def _role_of(retriever: str) -> str:
    """The kind of a retriever: words by one score or another, vectors, sparse vectors."""
    return retriever if retriever in (COSINE, SPARSE_SIGNAL) else WORDS


def score_by(retriever: str, signals: Mapping[str, float]) -> float | None:
    """The score of a chunk by a retriever, None where it has none. By vectors it is the best of the chunk's own cosine
    and of that of its summary and questions, less a margin.

    >>> score_by("cosine", {"cosine": 0.3, "written": 0.8}), score_by("bm25", {"cosine": 0.3})
    (0.55, None)
    """
    if retriever != COSINE or WRITTEN_SIGNAL not in signals:
        return signals.get(retriever)
    return max(signals.get(COSINE, -1.0), round(signals[WRITTEN_SIGNAL] - WRITTEN_MARGIN, 6))


def list_scores(
    retriever: str, identities: Iterable[str], signals: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """The scores of chunks by a retriever, as `score_by` gives them, without those that have none."""
    known = {identity: signals[identity] for identity in identities if identity in signals}
    if retriever == COSINE and any(WRITTEN_SIGNAL in own for own in known.values()):
        scored = ((identity, score_by(retriever, own)) for identity, own in known.items())
        return {identity: score for identity, score in scored if score is not None}
    return {identity: own[retriever] for identity, own in known.items() if retriever in own}


def weight_of(retriever: str, question: Question) -> float:
    """The weight of a retriever, given by its name or its kind."""
    own = {COSINE: question.cosine_weight, SPARSE_SIGNAL: question.sparse_weight}
    return own.get(retriever, question.bm25_weight)


def scale_to_rrf(question: Question, retrievers: Iterable[str]) -> float:
    """The factor from the scores of a ranking by these retrievers to those of the signal `rrf`: there the weights of
    every ranking add up to those of words and vectors, whichever retrievers it has."""
    own = sum(weight_of(role, question) for role in {_role_of(one) for one in retrievers})
    return _total_weight(question) / (own or 1.0)


def scale_fused_to_rrf(question: Question) -> float:
    """The factor for the scores of a store's own fusion, which gives words and vectors a weight of 1 each."""
    return _total_weight(question) / 2


def _total_weight(question: Question) -> float:
    return question.bm25_weight + question.cosine_weight or 1.0


def list_answered_weights(hits: Sequence[Hit], question: Question, *, by_store: bool) -> dict[str, float]:
    """The weights that the scores of RRF are made of, by the kind of retriever that answered: those of the signal `rrf`
    where a hit has it, those of the store `by_store`, else the question's. Fewer than two where one alone answered."""
    roles = {_role_of(name) for name in RETRIEVER_SIGNALS if any(name in hit.signals for hit in hits)}
    if len(roles) > 1 and any(RRF in hit.signals for hit in hits):
        total = _total_weight(question)
        return {role: total / len(roles) for role in roles}
    return dict.fromkeys(roles, 1.0) if by_store else {role: weight_of(role, question) for role in roles}


def list_retrievers(hits: Sequence[Hit], question: Question) -> list[str]:
    """The kinds of retrievers that the hits were searched by."""
    by_vectors = question.mode != "keyword" and any(COSINE in hit.signals for hit in hits)
    by_words = question.mode != "semantic" or not by_vectors
    by_sparse = any(SPARSE_SIGNAL in hit.signals for hit in hits)
    roles = {WORDS: by_words, COSINE: by_vectors, SPARSE_SIGNAL: by_sparse}
    return [role for role, searched in roles.items() if searched]
