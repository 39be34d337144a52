"""BM25 over packed postings is the one of `bm25`, to the last digit."""

from collections.abc import Mapping

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.stores import bm25
from ragstone.stores.postings import COUNT, LENGTH, NUMBER, Row, collect_live_postings, rank_postings

Corpus = Mapping[int, Mapping[str, int]]  # chunk number -> term -> count
TERMS = ["a", "b", "c", "d"]

corpora = st.dictionaries(
    st.one_of(st.integers(0, 40), st.integers(0, 2**31 - 1)),
    st.dictionaries(st.sampled_from(TERMS), st.integers(1, 65_535), min_size=1),
    max_size=25,
)
queries = st.dictionaries(st.sampled_from([*TERMS, "none"]), st.sampled_from([1.0, 4 / 3, 1.5]), max_size=5)


def rows_of(corpus: Corpus, segments: int) -> list[Row]:
    """What the server holds of a corpus that came in so many goes."""
    rows: list[Row] = []
    numbers = sorted(corpus)
    for part in np.array_split(np.array(numbers, dtype=np.int64), segments):
        for term in TERMS:
            held = [n for n in part.tolist() if term in corpus[n]]
            if held:
                counts = np.array([corpus[n][term] for n in held], COUNT)
                lengths = np.array([sum(corpus[n].values()) for n in held], LENGTH)
                rows.append((term, np.array(held, NUMBER).tobytes(), counts.tobytes(), lengths.tobytes()))
    return rows


def plainly(corpus: Corpus, query: dict[str, float]) -> dict[int, float]:
    """The same scores, a chunk at a time."""
    average = sum(sum(counts.values()) for counts in corpus.values()) / len(corpus) if corpus else 0.0
    scores: dict[int, float] = {}
    for term, repeats in query.items():
        idf = bm25.idf(sum(term in counts for counts in corpus.values()), len(corpus))
        for number, counts in corpus.items():
            if term in counts:
                length = np.array([sum(counts.values())], LENGTH)
                tf = np.array([counts[term]], COUNT)
                more = float(
                    bm25.term_weights(tf, bm25.length_norms(length, max(average, 1e-9)), weight=idf * repeats)[0]
                )
                scores[number] = scores.get(number, 0.0) + more
    return scores


@settings(max_examples=150, deadline=None)
@given(corpora, queries, st.integers(1, 4), st.sets(st.integers(0, 24)))
def test_scores_are_those_of_one_chunk_after_the_other_without_the_dead(
    corpus: Corpus, query: dict[str, float], segments: int, dead: set[int]
) -> None:
    gone = [number for i, number in enumerate(sorted(corpus)) if i in dead]
    alive = {number: counts for number, counts in corpus.items() if number not in gone}
    rows = [*rows_of(corpus, segments), *((None, np.array([n], NUMBER).tobytes(), b"", b"") for n in gone)]
    words = sum(sum(counts.values()) for counts in alive.values())
    ranking = rank_postings(query, collect_live_postings(rows), chunks=len(alive), words=words)
    wanted = plainly(alive, query)
    assert dict(zip(ranking.numbers.tolist(), ranking.scores.tolist(), strict=True)) == wanted
    assert ranking.idf == {t: bm25.idf(sum(t in c for c in alive.values()), len(alive)) for t in query}
    assert ranking.weights == {term: idf * query[term] for term, idf in ranking.idf.items()}
    asked = [*corpus, 7]
    assert ranking.scores_of(asked) == [round(wanted.get(number, 0.0), bm25.DECIMALS) for number in asked]


@settings(max_examples=100, deadline=None)
@given(corpora, queries, st.integers(1, 30), st.sets(st.integers(0, 2**31 - 1)))
def test_the_best_come_with_all_that_tie(corpus: Corpus, query: dict[str, float], count: int, others: set[int]) -> None:
    words = sum(sum(counts.values()) for counts in corpus.values())
    ranking = rank_postings(query, collect_live_postings(rows_of(corpus, 2)), chunks=len(corpus), words=words)
    best = sorted(ranking.rounded.tolist(), reverse=True)
    chosen = ranking.rounded[ranking.best_positions(count)].tolist()
    assert sorted(chosen, reverse=True) == [score for score in best if score >= best[min(count, len(best)) - 1]]
    some = {number for i, number in enumerate(sorted(corpus)) if i % 2} | others
    narrowed = ranking.keep_numbers(np.array(sorted(some), NUMBER))
    assert narrowed.numbers.tolist() == [number for number in ranking.numbers.tolist() if number in some]
    assert (narrowed.weights, narrowed.idf) == (ranking.weights, ranking.idf)


def test_nothing_asked_or_held_gives_an_empty_ranking() -> None:
    for query in ({}, {"none": 1.0}):
        ranking = rank_postings(query, {}, chunks=0, words=0)
        assert len(ranking.best_positions(5)) == 0
        assert ranking.scores_of([1, 2]) == [0.0, 0.0]
