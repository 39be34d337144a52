"""A calibration decides in place of the shipped threshold, where it fits, and is refused where it does not."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from ragstone.answering.abstention.abstain import (
    decide_abstention,
    decide_by_thresholds,
)
from ragstone.answering.abstention.calibration import (
    AbstentionPolicy,
    Calibration,
    check_model,
    model_edition,
    read_calibration,
    render_calibration,
)
from ragstone.answering.abstention.evidence import Evidence
from ragstone.core.errors import ConfigError
from tests.answering.made import hit

GOOD = Evidence(10, cosine=0.7, ahead=0.2, similar=0.8, bm25=0.6, sentence=1.0, section=1.0)
OWN = Calibration("vectors", 0.0, model="m/fp32", edition="e")


def kept(path: Path, one: Calibration) -> Path:
    path.write_text(render_calibration(one), "utf-8")
    return path


def test_a_calibration_comes_back_from_its_file(tmp_path: Path) -> None:
    assert read_calibration(kept(tmp_path / "c.json", OWN), edition="e") == OWN


@pytest.mark.parametrize(
    ("model", "version", "says"),
    [("other/fp32", "e", "embedding model m/fp32, but the model is other/fp32"), ("m/fp32", "f", "another version")],
)
def test_a_calibration_of_something_else_is_refused(tmp_path: Path, model: str, version: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        check_model(read_calibration(kept(tmp_path / "c.json", OWN), edition=version), "c.json", model=model)


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 1}', '{"schema": 2}', "[" * 100_000])
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "c.json").write_text(text, "utf-8")
    with pytest.raises(ConfigError, match="calibration"):
        read_calibration(tmp_path / "c.json", edition="e")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_calibration(tmp_path / "none.json", edition="e")


def test_numbers_that_are_none_are_refused(tmp_path: Path) -> None:
    data = json.loads(render_calibration(OWN)) | {"answer_from": "high"}
    (tmp_path / "c.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(ConfigError, match="schema"):
        read_calibration(tmp_path / "c.json", edition="e")


def test_it_decides_where_its_signs_are_known_and_nowhere_else() -> None:
    strict = AbstentionPolicy(calibration=replace(OWN, answer_from=math.inf, edition=model_edition()))
    assert decide_abstention(GOOD, strict).abstain
    bare = replace(GOOD, cosine=None, ahead=None, similar=None)
    assert decide_abstention(bare, strict) == decide_abstention(bare)


def test_its_slope_and_shift_say_how_likely_an_answer_is() -> None:
    sure, unsure = (
        decide_abstention(GOOD, AbstentionPolicy(calibration=replace(OWN, shift=shift))) for shift in (5.0, -5.0)
    )
    assert sure.answerability > 0.9 > 0.5 > unsure.answerability


def test_the_rule_never_answers_whatever_was_found() -> None:
    assert decide_abstention(Evidence(1, covered=0.0)).abstain
    assert not decide_abstention(Evidence(1, covered=0.0), AbstentionPolicy("never")).abstain
    assert decide_abstention(Evidence(0), AbstentionPolicy("never")).reason == "no_hits"


BOTH = {"bm25": 1.0, "cosine": 1.0}


@pytest.mark.parametrize(("score", "abstains"), [(2 / 61, False), (0.0301, False), (0.0299, True)])
def test_two_legs_answer_from_an_rrf_score_of_003(score: float, abstains: bool) -> None:
    assert decide_by_thresholds([hit("x", score=score)], weights=BOTH).abstain is abstains


def test_the_rrf_threshold_scales_with_weights_and_legs() -> None:
    small = dict.fromkeys(BOTH, 0.5)
    assert not decide_by_thresholds([hit("x", score=0.0151)], weights=small).abstain
    assert decide_by_thresholds([hit("x", score=0.0149)], weights=small).abstain
    assert not decide_by_thresholds([hit("x", score=0.001)], weights={"bm25": 1.0}).abstain


def test_of_several_wordings_the_best_one_is_judged_and_not_their_sum() -> None:
    summed = 4 / 61
    assert decide_by_thresholds([hit("x", score=summed, rrf=0.0299), hit("y", score=summed)], weights=BOTH).abstain
    assert not decide_by_thresholds([hit("x", score=summed, rrf=0.0301)], weights=BOTH).abstain


def test_a_reranker_decides_before_rrf() -> None:
    assert decide_by_thresholds([hit("x", score=1.0, rerank=0.14)], weights=BOTH).reason == "weak_evidence"
    assert not decide_by_thresholds([hit("x", score=0.0, rerank=0.16)], weights=BOTH).abstain
    assert decide_by_thresholds([], weights=BOTH).reason == "no_hits"


def test_a_score_that_just_reaches_the_threshold_answers() -> None:
    scores = {score: decide_by_thresholds([hit("x", rerank=score)], weights={}).abstain for score in (0.15, 0.1499)}
    assert scores == {0.15: False, 0.1499: True}
