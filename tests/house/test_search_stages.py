"""Every option of a search is an optional stage, which `ragstone eval --ablate` leaves out, or says how one works."""

from dataclasses import fields

import pytest

from ragstone.config.search_options import SearchOptions
from ragstone.config.search_stages import PARAMETERS, SEARCH_STAGES, SearchStage, list_stages
from ragstone.retrieval.question import QuestionDefaults, build_question

OPTIONS = {field.name: field.default for field in fields(SearchOptions)}
STAGED = {name for stage in SEARCH_STAGES for name in stage.without}


def test_every_option_is_a_stage_or_a_parameter() -> None:
    new = OPTIONS.keys() - STAGED - PARAMETERS
    assert new == set(), "add a line to SEARCH_STAGES, or the name to PARAMETERS, in config/search_stages.py"
    assert (STAGED | PARAMETERS) - OPTIONS.keys() == set()
    assert set() == STAGED & PARAMETERS


@pytest.mark.parametrize("stage", SEARCH_STAGES, ids=lambda stage: stage.name)
def test_a_search_without_a_stage_is_possible_and_does_not_have_it(stage: SearchStage) -> None:
    without = build_question("any", QuestionDefaults(), None, {**stage.needs, **stage.without})
    assert not stage.is_in_force({name: getattr(without, name) for name in OPTIONS})


def test_the_stages_of_the_usual_search_and_of_one_by_words() -> None:
    assert [stage.name for stage in list_stages(OPTIONS)] == [
        "vectors",
        "keywords",
        "fusion by score",
        "feedback",
        "headings",
        "spelling",
        "near-duplicates",
    ]
    assert [stage.name for stage in list_stages({**OPTIONS, "mode": "keyword"})] == [
        "headings",
        "spelling",
        "near-duplicates",
    ]


@pytest.mark.parametrize(
    ("option", "value", "name"),
    [
        ("hyde", "adaptive", "HyDE"),
        ("multi_query", 3, "multi-query"),
        ("filter", True, "LLM filter"),
        ("sparse", "tf", "term frequency"),
        ("sparse", "splade", "SPLADE"),
        ("rerank", True, "reranker"),
        ("rerank", "cohere/rerank-v3.5", "reranker"),
        ("keyword_boost", True, "keyword boost"),
        ("min_cosine", 0.5, "cosine threshold"),
        ("per_document", 2, "limit per document"),
        ("risk_penalty", 0.5, "injection penalty"),
        ("written_vectors", True, "written vectors"),
        ("fusion", "rrf", "fusion by rank"),
        ("fusion_at", "server", "fusion by store"),
    ],
)
def test_an_option_that_is_on_is_a_stage_unless_it_is_fixed(option: str, value: object, name: str) -> None:
    assert name in [stage.name for stage in list_stages({**OPTIONS, option: value})]
    assert name not in [stage.name for stage in list_stages({**OPTIONS, option: value}, fixed=[option])]
