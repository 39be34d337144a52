"""BM25 after Lucene: the one function that scores keywords, wherever the candidates come from.

idf = ln(1 + (N - n + 0.5) / (n + 0.5)); a term adds idf * tf / (tf + k1 * (1 - b + b * dl / avgdl)), and
(k3 + 1) * qf / (k3 + qf) times that where the question has it qf times (Robertson et al., Okapi at TREC-3, 1994).
N, n and avgdl are exact over the active chunks; dl counts a chunk's terms, repeats included, but not the stems
of its own language beside them: a text in another language than English is no longer than one in English.
"""

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ragstone.core import analyzer
from ragstone.core.chunk_enrichment import searchable_text
from ragstone.core.document_names import list_name_words
from ragstone.core.types import Chunk

K1 = 1.2  # Lucene's defaults, the ones that BM25 baselines are stated with
B = 0.75
K3 = 1.0  # the least that shows in long questions: above it, questions of one sentence lose (`benchmarks/retrieval`)
MAX_COUNT = 65_535  # a count is kept in two bytes; more repeats of a term add nothing to its weight
DECIMALS = 6  # scores are rounded before they order, so that noise in the last bits decides nothing


def term_frequencies(chunk: Chunk) -> tuple[dict[str, int], int]:
    """How often each term stands in a chunk and the names of its document, and how many terms they have."""
    names = list_name_words(chunk.document.path, chunk.document.title, chunk.document.meta)
    return count_terms(searchable_text(chunk), beside=" ".join(names))


def count_terms(text: str, *, beside: str = "") -> tuple[dict[str, int], int]:
    """How often each term stands in a text and `beside` it, and how many terms they have."""
    terms, own = analyzer.extract_search_terms(text, beside=beside)
    return {term: min(n, MAX_COUNT) for term, n in Counter([*terms, *own]).items()}, len(terms)


def query_terms(query: str) -> dict[str, float]:
    """The terms of a query in order, each with what its repeats make it count: 1 for a term that stands there once,
    less than 2 for any other. Scores are sums in this order on every store."""
    terms, own = analyzer.extract_search_terms(query, asked=True)
    return {term: (K3 + 1) * count / (K3 + count) for term, count in Counter([*terms, *own]).items()}


def drop_own_stems(weights: Mapping[str, float]) -> dict[str, float]:
    """Weights of terms without those of other languages' stems: an answer is judged by the words of the question."""
    return {term: weight for term, weight in weights.items() if not analyzer.is_own_stem(term)}


def idf(holding: int, total: int) -> float:
    """The inverse document frequency of a term that `holding` of `total` chunks hold."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))


def length_norms(lengths: NDArray[np.integer], average: float) -> NDArray[np.float64]:
    """The share of each chunk's length in the denominator of a term's weight: k1 * (1 - b + b * dl / avgdl)."""
    norms: NDArray[np.float64] = K1 * (1 - B + B * lengths.astype(np.float64) / average)
    return norms


def term_weights(counts: NDArray[np.integer], norms: NDArray[np.float64], *, weight: float) -> NDArray[np.float64]:
    """The share of one term in the scores of chunks that hold it `counts` times; `norms` are those of their lengths,
    `weight` is its idf times what its repeats in the query count."""
    tf = counts.astype(np.float64)
    result: NDArray[np.float64] = weight * tf / (tf + norms)
    return result
