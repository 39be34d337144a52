"""A context keeps its budget and ends at a sentence."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.answering.generative.budget import Budget, fit_budget
from ragstone.answering.generative.context import order_ends_first
from ragstone.core.types import join_slices
from tests.answering.made import hit


def count(text: str) -> int:
    return len(text.split())


def test_the_last_chunk_is_cut_at_a_sentence_with_its_spans() -> None:
    record = "One two three. Four five six. Seven eight."
    [whole, part] = fit_budget([hit(record), hit(record)], count, budget=Budget(15, 0))
    assert whole.chunk.text == record
    assert part.chunk.text == "One two three. Four five six."
    assert join_slices(record, part.chunk.spans) == part.chunk.text
    assert part.chunk.tokens == 6


def test_a_chunk_without_a_fitting_sentence_is_left_out() -> None:
    assert fit_budget([hit("One two three four.")], count, budget=Budget(3, 0)) == []


def test_no_more_chunks_than_allowed() -> None:
    assert len(fit_budget([hit("One.")] * 20, count)) == 12


@given(st.lists(st.integers(0, 8), max_size=8), st.integers(0, 30), st.integers(0, 10))
@settings(max_examples=100, deadline=None)
def test_the_budget_is_never_exceeded(sizes: list[int], tokens: int, overhead: int) -> None:
    found = fit_budget([hit("Aa bb. " * n) for n in sizes], count, budget=Budget(tokens, overhead))
    assert sum(count(one.chunk.text) for one in found) <= max(0, tokens - overhead)


@given(st.lists(st.integers(), unique=True))
def test_the_best_stands_first_the_second_last_and_none_is_lost(ranked: list[int]) -> None:
    placed = order_ends_first(ranked)
    assert sorted(placed) == sorted(ranked)
    assert placed[:1] == ranked[:1]
    if len(ranked) > 1:
        assert placed[-1] == ranked[1]
