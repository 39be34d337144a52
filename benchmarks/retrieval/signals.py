"""Ways to rank, compared in seconds over what `collect.py` kept: nDCG@10 of each over every collection.

    python benchmarks/retrieval/signals.py --collected DIR [--precision int8] [--questions 225] [--skip 0]

`--skip` leaves out the first questions, so that another sample judges what one sample chose.
"""

import argparse
import pickle
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import collect

from ragstone.core import analyzer
from ragstone.evaluation.metrics import parse_metric
from ragstone.stores import bm25

DEPTH, WEIGHT, BEST = 50, 0.6, 3
NDCG = parse_metric("nDCG@10")
MORE_STOP_WORDS = frozenset(
    "what which who whom whose when where why how do does did can could should would may might i me my we our you your "
    "he she its it there here have has had been were am being about from out over under than so too very just only own "
    "same most more some any all each other use using used".split()
)
# Of the words of a passage so many are nothing but letters where it is prose; code has fewer.
PROSE = 0.7
PLAIN_WORD = re.compile(r"(?<!\S)\W{0,3}[^\W\d_]+\W{0,3}(?!\S)|[^\W\d_\x00-\x7f]{2}")


@dataclass(frozen=True)
class Way:
    """A way to rank: whether it leaves out more stop words and divides BM25 by its best, the weight of feedback, and
    whether that depends on the length of the question. `among`: feedback only orders the candidates anew, the first
    passage counts more than the second, and all of them must be prose."""

    name: str
    fewer: bool = False
    by_best: bool = False
    feedback: float = 0.0
    by_length: bool = False
    among: bool = False


WAYS = (
    Way("default"),
    Way("by best", by_best=True),
    Way("stop words", fewer=True),
    Way("feedback", feedback=0.6),
    Way("all, by length", fewer=True, by_best=True, feedback=1.0, by_length=True),
    Way("among candidates", feedback=0.6, among=True),
    Way("by best, among candidates", by_best=True, feedback=0.6, among=True),
)


class Index:
    """The postings of a collection, and its vectors."""

    def __init__(self, held: Any) -> None:
        self.held = held
        frequencies = [bm25.term_frequencies(chunk) for chunk in held.chunks]
        self.lengths = np.array([length for _, length in frequencies])
        self.postings: dict[str, list[tuple[int, int]]] = {}
        for at, (counts, _) in enumerate(frequencies):
            for term, count in counts.items():
                self.postings.setdefault(term, []).append((at, count))

    def score_words(self, terms: Sequence[str]) -> Any:
        """BM25 of every chunk."""
        scores = np.zeros(len(self.lengths))
        for term in terms:
            at, counts = np.array(self.postings[term]).T
            idf = bm25.idf(len(at), len(self.lengths))
            scores[at] += bm25.term_weights(
                counts, bm25.length_norms(self.lengths[at], self.lengths.mean()), weight=idf
            )
        return scores

    def rank(self, number: int, way: Way) -> list[str]:
        """The documents for a question, by their best chunk."""
        asked = bm25.query_terms(self.held.questions[number])
        terms = [term for term in asked if term in self.postings]
        if way.fewer:
            left_out = {term for word in MORE_STOP_WORDS for term in analyzer.extract_terms(word)}
            terms = [term for term in terms if term not in left_out] or terms
        words = self.score_words(terms)
        cosines = self.held.vectors @ self.held.asked[number]
        order = _fuse(cosines, words, by_best=way.by_best)
        share = way.feedback * (min(1.0, max(0.0, (len(terms) - 4) / 8)) if way.by_length else 1.0)
        if way.among:
            share *= all(_share_of_words(self.held.chunks[at].text) >= PROSE for at in order[:BEST])
        if share:
            first = order[:BEST]
            counts = 1 / np.arange(1, len(first) + 1) if way.among else np.ones(len(first))
            mean = counts @ self.held.vectors[first] / counts.sum()
            known = order if way.among else None
            order = _fuse(cosines + share * (self.held.vectors @ mean), words, by_best=way.by_best, known=known)
        return list(dict.fromkeys(self.held.documents[at] for at in order))


def _share_of_words(text: str) -> float:
    return len(PLAIN_WORD.findall(text)) / max(1, len(text.split()))


def _fuse(cosines: Any, words: Any, *, by_best: bool, known: Any = None) -> Any:
    """The candidates of both retrievers, or those that are `known`, best first."""
    both = [np.argsort(-scores, kind="stable")[:DEPTH] for scores in (cosines, words)]
    at = np.unique(np.concatenate([both[0], both[1][words[both[1]] > 0]]) if known is None else known)
    found = words[at] / (words[at].max() or 1) if by_best else _scale(words[at])
    fused = WEIGHT * _scale(cosines[at]) + (1 - WEIGHT) * found
    return at[np.argsort(-fused, kind="stable")]


def _scale(scores: Any) -> Any:
    width = scores.max() - scores.min()
    return (scores - scores.min()) / width if width else np.ones_like(scores)


def main() -> None:
    """Print a line for each collection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collected", required=True, type=Path)
    parser.add_argument("--precision", default="int8", choices=["fp32", "int8"])
    parser.add_argument("--questions", default=225, type=int)
    parser.add_argument("--skip", default=0, type=int)
    given = parser.parse_args()
    sys.modules["__main__"].Collected = collect.Collected  # type: ignore[attr-defined]  # as `collect.py` wrote it
    for file in sorted(given.collected.glob(f"*.{given.precision}.pickle")):
        index = Index(pickle.loads(file.read_bytes()))  # our own file
        every = range(given.skip, len(index.held.questions))
        chosen = every[:: max(1, len(every) // given.questions)][: given.questions]
        means = [np.mean([NDCG(index.rank(n, way), index.held.relevance[n]) for n in chosen]) for way in WAYS]
        line = "  ".join(f"{way.name} {mean:.4f}" for way, mean in zip(WAYS, means, strict=True))
        print(index.held.name, len(chosen), line, flush=True)


if __name__ == "__main__":
    main()
