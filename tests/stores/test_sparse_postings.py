"""Sparse vectors as they are kept: packed, signed, scored; and which segments are written anew."""

import math
import random

import numpy as np
import pytest

from ragstone.core.errors import Corrupt, StoreError
from ragstone.core.ports import SparseVector
from ragstone.stores import sparse_postings
from ragstone.stores.sparse_postings import (
    SparsePostings,
    build_postings,
    check_postings,
    choose_rewritten,
    pack_vector,
    score_postings,
    score_vectors,
    sign_postings,
    unpack_vector,
)


def some_vector(chance: random.Random) -> SparseVector:
    terms = sorted(chance.sample(range(200), chance.randint(0, 30)))
    return SparseVector(tuple(terms), tuple(round(chance.uniform(0.000001, 4), 6) for _ in terms))


def test_scores_are_the_dot_products_whichever_form_they_are_made_of() -> None:
    chance = random.Random(5)
    vectors = {number: some_vector(chance) for number in range(1, 400)}
    packed = {number: pack_vector(vector, number=number) for number, vector in vectors.items()}
    assert {number: unpack_vector(data, number=number) for number, data in packed.items()} == vectors
    query = some_vector(chance)
    asked = dict(zip(query.terms, query.weights, strict=True))
    expected = {
        number: round(math.fsum(asked.get(t, 0.0) * w for t, w in zip(one.terms, one.weights, strict=True)), 6)
        for number, one in vectors.items()
    }
    assert score_vectors(packed, query) == pytest.approx(expected, abs=1e-9)
    numbers, scores = score_postings(build_postings(packed), query)
    found = dict(zip(numbers.tolist(), np.round(scores, 6).tolist(), strict=True))
    assert found == {number: score for number, score in score_vectors(packed, query).items() if score}
    halves = [{n: data for n, data in packed.items() if n % 2 == part} for part in (0, 1)]
    apart = sorted((row for half in halves for row in build_postings(half)), key=lambda row: row.term)
    assert [part.tolist() for part in score_postings(apart, query)] == [numbers.tolist(), scores.tolist()]


def test_a_changed_byte_is_noticed() -> None:
    data = pack_vector(SparseVector((3, 9), (0.25, 1.5)), number=7)
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 4
        with pytest.raises(Corrupt, match="doctor --repair"):
            unpack_vector(bytes(changed), number=7)
    with pytest.raises(Corrupt):
        unpack_vector(data, number=8)
    [first, _] = build_postings({7: data})
    signed = sign_postings(first, 2)
    assert check_postings(first, 2, signed) == first
    for other, segment in ((first, 3), (SparsePostings(4, *first[1:]), 2)):
        with pytest.raises(Corrupt):
            check_postings(other, segment, signed)


def test_a_weight_that_does_not_fit_is_refused() -> None:
    for vector in (SparseVector((1,), (5e3,)), SparseVector((2**32,), (1.0,))):
        with pytest.raises(StoreError, match="cannot be kept"):
            pack_vector(vector, number=1)


def test_torn_segments_are_written_anew_and_small_ones_once_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_postings, "WHOLE_SEGMENT", 10)
    assert choose_rewritten({1: (10, 10), 2: (3, 3)}) == []
    torn = {1: (10, 9), 2: (3, 3), 3: (4, 0)}
    assert choose_rewritten(torn) == [[3]]
    assert choose_rewritten(torn, erased=True) == [[1, 3]]
    small = dict.fromkeys(range(9), (3, 3))
    assert choose_rewritten({**small, 9: (9, 9)}) == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
