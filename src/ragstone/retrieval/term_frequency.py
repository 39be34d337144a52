"""Passages scored by how often they say the words of a question, without statistics of the collection."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragstone.core.analyzer import extract_terms
from ragstone.core.chunk_enrichment import searchable_text
from ragstone.core.types import Candidate, Chunk, total_order

TF = "tf"  # the signal, and the name of the ranking in place of the store's own
DECIMALS = 6


def score_frequencies(question: str, chunks: Mapping[str, Chunk]) -> dict[str, float]:
    """The cosine, 0 to 1, of a question's and each passage's terms, a term that stands n times weighing 1 + ln n
    (SMART's `lnc.lnc`; Manning, Raghavan and Schütze 2008, chapter 6)."""
    asked = _weigh_terms(question)
    return {identity: _compare(asked, _weigh_terms(searchable_text(chunk))) for identity, chunk in chunks.items()}


def rescore_candidates(found: Sequence[Candidate], scores: Mapping[str, float]) -> list[Candidate]:
    """The candidates that have a score, in its order."""
    kept = [replace(one, score=scores[one.id]) for one in found if one.id in scores]
    return sorted(kept, key=lambda one: (*total_order(one.score, one.place), one.id))


def _weigh_terms(text: str) -> dict[str, float]:
    return {term: 1 + math.log(count) for term, count in Counter(extract_terms(text)).items()}


def _compare(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    # Summed in the order of the terms' names, because float addition depends on it.
    shared = math.fsum(weight * other[term] for term, weight in sorted(one.items()) if term in other)
    lengths = [math.sqrt(math.fsum(weight * weight for weight in weights.values())) for weights in (one, other)]
    return round(shared / (lengths[0] * lengths[1]), DECIMALS) if shared else 0.0
