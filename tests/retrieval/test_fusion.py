"""Fusion is a total order that depends on nothing but its input."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.types import Candidate, total_order
from ragstone.retrieval.fusion_formulas import minmax, rrf


def candidate(name: str, score: float) -> Candidate:
    return Candidate(name, score, (f"{name}.md", "docs", 0))


LEGS = st.dictionaries(
    st.sampled_from(["dense", "bm25", "sparse"]),
    st.lists(
        st.builds(candidate, st.sampled_from("abcdefgh"), st.floats(-1e300, 1e300)),
        max_size=8,
        unique_by=lambda c: c.id,
    ),
)
Fusion = Callable[..., list[Candidate]]


def test_the_first_rank_is_one() -> None:
    [first, second] = rrf({"dense": [candidate("a", 9), candidate("b", 8)]})
    assert (first.score, second.score) == (round(1 / 61, 6), round(1 / 62, 6))


def test_weights_and_k_count() -> None:
    legs = {"dense": [candidate("a", 1)], "bm25": [candidate("b", 1)]}
    assert [c.id for c in rrf(legs, weights={"dense": 0.2, "bm25": 0.8})] == ["b", "a"]
    assert rrf(legs, k=1)[0].score == 0.5


def test_minmax_scales_each_leg_and_counts_missing_as_zero() -> None:
    legs = {
        "dense": [candidate("a", 0.9), candidate("b", 0.5), candidate("c", 0.1)],
        "bm25": [candidate("b", 20.0), candidate("d", 10.0)],
    }
    found = {c.id: c.score for c in minmax(legs, weights={"dense": 0.5, "bm25": 0.5})}
    assert found == {"b": 0.75, "a": 0.5, "c": 0.0, "d": 0.0}


def test_minmax_divides_by_the_best_where_it_is_asked_to() -> None:
    legs = {"dense": [candidate("a", 0.9), candidate("b", 0.5)], "bm25": [candidate("b", 20.0), candidate("a", 10.0)]}
    found = {c.id: c.score for c in minmax(legs, from_zero=("bm25",))}
    assert found == {"a": 1.5, "b": 1.0}


def test_equal_scores_count_full() -> None:
    assert [c.score for c in minmax({"dense": [candidate("a", 3), candidate("b", 3)]})] == [1.0, 1.0]


@pytest.mark.parametrize("fusion", [rrf, minmax])
@given(legs=LEGS)
@settings(max_examples=100, deadline=None)
def test_the_order_is_total_and_the_same_whatever_the_order_of_legs(
    fusion: Fusion, legs: Mapping[str, Sequence[Candidate]]
) -> None:
    fused = fusion(legs)
    assert fused == sorted(fused, key=lambda c: total_order(c.score, c.place))
    assert fused == fusion(dict(reversed(list(legs.items()))))
    assert {c.id for c in fused} == {c.id for leg in legs.values() for c in leg}
    assert all(c.score == round(c.score, 6) for c in fused)
    assert len({c.id for c in fused}) == len(fused)


def test_a_candidate_named_twice_keeps_its_better_rank() -> None:
    assert rrf({"dense": [candidate("a", 2), candidate("a", 1)]})[0].score == round(1 / 61, 6)
