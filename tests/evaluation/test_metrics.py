import math
from collections.abc import Mapping

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import UsageError
from ragstone.evaluation.metrics import DEFAULT_METRICS, MEASURES, parse_metric

IDS = [f"d{n}" for n in range(15)]
GRADES = st.dictionaries(st.sampled_from(IDS), st.integers(-1, 3), max_size=10)
RANKINGS = st.permutations(IDS).flatmap(lambda ids: st.integers(1, len(ids)).map(lambda n: ids[:n]))
ORACLE = {
    "nDCG@10": "ndcg_cut_10",
    "nDCG@3": "ndcg_cut_3",
    "nDCG": "ndcg",
    "Recall@5": "recall_5",
    "Recall@10": "recall_10",
    "Precision@5": "P_5",
    "MRR": "recip_rank",
    "MAP": "map",
    "MAP@5": "map_cut_5",
    "Success@5": "success_5",
    "Hit@10": "success_10",
}


def run_of(ranked: list[str]) -> dict[str, float]:
    return {one: float(len(ranked) - place) for place, one in enumerate(ranked)}


def trec(names: set[str], ranked: list[str], grades: Mapping[str, int]) -> dict[str, float]:
    evaluator = pytrec_eval.RelevanceEvaluator({"q": dict(grades)}, names)
    return {name: float(value) for name, value in evaluator.evaluate({"q": run_of(ranked)})["q"].items()}


@given(RANKINGS, GRADES.filter(lambda grades: any(grade > 0 for grade in grades.values())))
@settings(max_examples=100, deadline=None)
def test_every_measure_equals_trec_eval(ranked: list[str], grades: dict[str, int]) -> None:
    families = {"ndcg_cut.3,10", "ndcg", "recall.5,10", "P.5", "recip_rank", "map", "map_cut.5", "success.5,10"}
    theirs = trec(families, ranked, grades)
    ours = {name: parse_metric(name)(ranked, grades) for name in ORACLE}
    assert ours == pytest.approx({name: theirs[oracle] for name, oracle in ORACLE.items()})


@given(RANKINGS, GRADES.filter(lambda grades: any(grade > 0 for grade in grades.values())))
@settings(max_examples=60, deadline=None)
def test_exponential_gain_equals_linear_gain_over_raised_grades(ranked: list[str], grades: dict[str, int]) -> None:
    raised = {one: 2 ** max(0, grade) - 1 for one, grade in grades.items()}
    assert parse_metric("nDCG_exp@10")(ranked, grades) == pytest.approx(
        trec({"ndcg_cut.10"}, ranked, raised)["ndcg_cut_10"]
    )


@given(RANKINGS, GRADES.filter(lambda grades: any(grade > 0 for grade in grades.values())))
@settings(max_examples=50, deadline=None)
def test_the_usual_measures_equal_ir_measures(ranked: list[str], grades: dict[str, int]) -> None:
    names = {"nDCG@10": "nDCG@10", "R@5": "Recall@5", "P@5": "Precision@5", "RR": "MRR", "AP": "MAP"}
    im = ir_measures  # its parser of names uses what Python 3.14 no longer has
    wanted = [im.nDCG @ 10, im.R @ 5, im.P @ 5, im.RR, im.AP, im.Success @ 5]
    theirs = ir_measures.calc_aggregate(wanted, {"q": grades}, {"q": run_of(ranked)})
    assert {*names, "Success@5"} == set(map(str, theirs))
    for measure, value in theirs.items():
        assert parse_metric(names.get(str(measure), str(measure)))(ranked, grades) == pytest.approx(value)


@given(RANKINGS, GRADES.filter(lambda grades: any(grade > 0 for grade in grades.values())), st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_measures_over_a_depth_equal_ir_measures_with_that_cut(
    ranked: list[str], grades: dict[str, int], depth: int
) -> None:
    """What is called MRR and MAP over a ranking of `depth` places is `RR@depth` and `AP@depth` of the whole one."""
    for ours, theirs in (("MRR", "RR"), ("MAP", "AP"), ("nDCG", "nDCG")):
        cut = getattr(ir_measures, theirs) @ depth
        [value] = ir_measures.calc_aggregate([cut], {"q": grades}, {"q": run_of(ranked)}).values()
        assert parse_metric(ours).name_at_depth(depth) == f"{ours}@{depth}"
        if ours != "nDCG":
            assert parse_metric(ours)(ranked[:depth], grades) == pytest.approx(value)
        assert parse_metric(parse_metric(ours).name_at_depth(depth))(ranked, grades) == pytest.approx(value)


@given(RANKINGS, st.lists(st.sampled_from(IDS), max_size=10), GRADES)
@settings(max_examples=60, deadline=None)
def test_an_id_that_comes_again_changes_nothing(ranked: list[str], again: list[str], grades: dict[str, int]) -> None:
    repeats = [one for one in again if one in ranked]
    for name in DEFAULT_METRICS:
        assert parse_metric(name)([*ranked, *repeats], grades) == parse_metric(name)(ranked, grades)


@given(st.lists(st.sampled_from(IDS), max_size=15), GRADES)
@settings(max_examples=60, deadline=None)
def test_every_measure_stays_between_0_and_1(ranked: list[str], grades: dict[str, int]) -> None:
    for name in DEFAULT_METRICS:
        assert 0 <= parse_metric(name)(ranked, grades) <= 1 + 1e-12


def test_worked_by_hand() -> None:
    ranked, grades = ["x", "a", "y", "b"], {"a": 3, "b": 1, "c": 2}
    assert parse_metric("MRR")(ranked, grades) == 1 / 2
    assert parse_metric("MRR@1")(ranked, grades) == 0
    assert parse_metric("Precision@5")(ranked, grades) == 2 / 5
    assert parse_metric("Recall@2")(ranked, grades) == 1 / 3
    assert parse_metric("MAP")(ranked, grades) == pytest.approx((1 / 2 + 2 / 4) / 3)
    linear = (3 / math.log2(3) + 1 / math.log2(5)) / (3 + 2 / math.log2(3) + 1 / 2)
    assert parse_metric("nDCG@10")(ranked, grades) == pytest.approx(linear)
    exponential = (7 / math.log2(3) + 1 / math.log2(5)) / (7 + 3 / math.log2(3) + 1 / 2)
    assert parse_metric("nDCG_exp@10")(ranked, grades) == pytest.approx(exponential)


def test_duplicates_move_what_follows_up() -> None:
    assert parse_metric("MRR")(["x", "x", "x", "a"], {"a": 1}) == 1 / 2


def test_nothing_relevant_or_nothing_found_gives_0() -> None:
    for name in DEFAULT_METRICS:
        assert parse_metric(name)(["a"], {"a": 0, "b": -1}) == 0
        assert parse_metric(name)([], {"a": 1}) == 0


def test_names_are_read_in_any_case_and_written_in_one() -> None:
    read = [
        parse_metric(name).name for name in ("ndcg@10", "NDCG_EXP@5", "P@5", "recall@3", "rr", "ap", "hit@1", " mrr ")
    ]
    assert read == ["nDCG@10", "nDCG_exp@5", "Precision@5", "Recall@3", "MRR", "MAP", "Hit@1", "MRR"]
    assert {parse_metric(name).measure for name in DEFAULT_METRICS} == set(MEASURES)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nDGC@10", "did you mean nDCG"),
        ("zzz", "known measures"),
        ("Recall", "needs a rank"),
        ("Recall@0", "whole number"),
        ("nDCG@ten", "whole number"),
        ("nDCG@", "whole number"),
        ("nDCG@²", "whole number"),
    ],
)
def test_a_wrong_name_is_explained(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_metric(name)
