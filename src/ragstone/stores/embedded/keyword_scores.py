"""BM25 over the mirror of a collection."""

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragstone.stores import bm25
from ragstone.stores.cosine import Scores
from ragstone.stores.embedded.mirror import Mirror
from ragstone.stores.embedded.read_checks import find_terms


class WeighedTerm(NamedTuple):
    """A term of a query: its postings, its inverse document frequency, and what its repeats in the query count."""

    term: str
    postings: Sequence[tuple[NDArray[np.int32], NDArray[np.uint16]]]
    idf: float
    repeats: float


def weigh_terms(connection: sqlite3.Connection, mirror: Mirror, query: str) -> list[WeighedTerm]:
    """The terms of a query, in its order."""
    terms = bm25.query_terms(query)
    ids = find_terms(connection, list(terms))
    parts = [part for part in (mirror.base, mirror.tail) if len(part.at)]
    weighed = []
    for term, repeats in terms.items():
        postings = [part.find_term(ids[term]) for part in parts] if term in ids else []
        holding = sum(mirror.count_alive(at) for at, _ in postings)
        weighed.append(WeighedTerm(term, postings, bm25.idf(holding, mirror.total), repeats))
    return weighed


def score_positions(mirror: Mirror, terms: Sequence[WeighedTerm]) -> Scores:
    """BM25 of every position, unrounded; 0 where no term stands."""
    scores = np.zeros(len(mirror.chunks))
    for one in terms:
        for at, counts in one.postings:
            scores[at] += bm25.term_weights(counts, mirror.norms[at], weight=one.idf * one.repeats)
    return scores
