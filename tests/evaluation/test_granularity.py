import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.evaluation import Case, Entry, GoldSpan, Granularity, Ranking, parse_metric
from ragstone.evaluation.granularity import has_judgements, measure_coverage, score_ranking

NAMES = ("Recall@5", "Precision@5", "MRR", "MAP", "nDCG@10", "Success@5")


def scores(case: Case, entries: list[Entry], granularity: Granularity) -> dict[str, float]:
    return score_ranking(Ranking(tuple(entries)), case, [parse_metric(name) for name in NAMES], granularity)


def test_a_golden_path_names_a_file_by_its_end() -> None:
    case = Case("1", "?", relevance={"math/x.md": 1})
    assert scores(case, [Entry("book/math/x.md")], "file")["MRR"] == 1
    assert scores(case, [Entry("aftermath/x.md"), Entry("math/x.md")], "file")["MRR"] == 0.5


def test_the_longest_golden_path_is_met() -> None:
    case = Case("1", "?", relevance={"x.md": 1, "math/x.md": 3})
    assert scores(case, [Entry("book/math/x.md")], "file")["Recall@5"] == 0.5
    assert scores(case, [Entry("book/math/x.md"), Entry("x.md")], "file")["nDCG@10"] == 1


def test_chunks_of_one_file_count_as_one_file() -> None:
    case = Case("1", "?", relevance={"b.md": 1})
    entries = [Entry("a.md", 0), Entry("a.md", 1), Entry("a.md", 2), Entry("b.md", 0)]
    assert scores(case, entries, "file")["MRR"] == 0.5


def test_acceptable_files_are_neither_wanted_nor_wrong() -> None:
    case = Case("1", "?", relevance={"b.md": 1}, acceptable=("a.md",))
    found = scores(case, [Entry("docs/a.md"), Entry("b.md")], "file")
    assert (found["MRR"], found["Recall@5"], found["nDCG@10"]) == (1, 1, 1)
    assert scores(case, [Entry("docs/a.md")], "file")["Success@5"] == 0


def test_ids_are_never_met_by_their_ends() -> None:
    case = Case("1", "?", relevance={"1": 1})
    assert scores(case, [Entry("a/1")], "id")["MRR"] == 0
    assert scores(case, [Entry("a/1")], "file")["MRR"] == 1


def test_chunks_are_met_by_path_and_ordinal() -> None:
    case = Case("1", "?", chunks={("a.md", 2): 1, ("b.md", 0): 1})
    entries = [Entry("docs/a.md", 0), Entry("docs/a.md", 2), Entry("b.md", 2), Entry("b.md", 0)]
    found = scores(case, entries, "chunk")
    assert (found["MRR"], found["Recall@5"], found["Precision@5"]) == (0.5, 1, 0.4)


def test_recall_of_spans_counts_gold_characters_once() -> None:
    case = Case("1", "?", spans=(GoldSpan("a.md", 10, 20), GoldSpan("a.md", 100, 130)))
    entries = [Entry("a.md", 0, ((0, 15),)), Entry("a.md", 1, ((12, 18),)), Entry("b.md", 0, ((100, 130),))]
    found = scores(case, entries, "span")
    assert found["Recall@5"] == pytest.approx(8 / 40)
    assert (found["MRR"], found["Precision@5"]) == (1, 1 / 5)


def test_an_entry_stands_for_the_gold_span_it_covers_best() -> None:
    first, second = GoldSpan("a.md", 0, 10), GoldSpan("a.md", 10, 60)
    case = Case("1", "?", spans=(first, second))
    both = scores(case, [Entry("a.md", 0, ((0, 60),)), Entry("a.md", 1, ((0, 10),))], "span")
    assert (both["nDCG@10"], both["MAP"], both["Recall@5"]) == (1, 1, 1)


def test_whether_a_case_is_judged_depends_on_the_granularity() -> None:
    case = Case("1", "?", relevance={"a.md": 1, "b.md": 0})
    assert has_judgements(case, "file")
    assert not has_judgements(case, "chunk")
    assert not has_judgements(case, "span")
    assert not has_judgements(Case("1", "?", relevance={"b.md": 0}), "file")


STRETCHES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda ab: (min(ab), max(ab))), max_size=6)


@given(STRETCHES, STRETCHES)
@settings(max_examples=100, deadline=None)
def test_covered_characters_are_those_in_both(found: list[tuple[int, int]], gold: list[tuple[int, int]]) -> None:
    golds = [GoldSpan("a.md", start, end) for start, end in gold if start < end]
    held = {n for start, end in found for n in range(start, end)}
    wanted = [n for span in golds for n in range(span.char_start, span.char_end)]
    expected = sum(n in held for n in wanted) / len(wanted) if wanted else 0
    assert measure_coverage([Entry("a.md", 0, tuple(found))], golds) == pytest.approx(expected)
