"""A value that an option cannot have is told in one sentence, wherever it comes from."""

from dataclasses import fields, is_dataclass
from typing import Any, get_args

import pytest

from ragstone.config import settings, validation
from ragstone.config.jwt import JwtSettings
from ragstone.config.settings import LimitSettings, SearchSettings, Settings, SourceSettings
from ragstone.core.errors import ConfigError, UsageError
from ragstone.core.filters import Where
from ragstone.core.types import Mode
from ragstone.retrieval.question import Question
from ragstone.retrieval.ranking import FUSIONS

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": None}, "the question must be a text, not None"),
        ({"text": b"x"}, "the question must be a text, not b'x'"),
        ({"where": {"paths": ["a"]}}, r"where must be a Where, .* not \{'paths'"),
        ({"where": None}, "where must be a Where"),
        ({"top_k": "5"}, "top_k is '5'; it must be a whole number from 1 to 1000"),
        ({"top_k": 5.0}, r"top_k is 5\.0"),
        ({"top_k": True}, "top_k is True"),
        ({"top_k": 0}, "top_k is 0"),
        ({"top_k": None}, "top_k is None"),
        ({"mode": "fuzzy"}, "mode 'fuzzy' is unknown; use hybrid, semantic or keyword"),
        ({"mode": ["hybrid"]}, "mode .* is unknown"),
        ({"fusion": {}}, r"fusion \{\} is unknown; use minmax or rrf"),
        ({"bm25_weight": "a"}, "bm25_weight is 'a'; it must be a number from 0 to 1000"),
        ({"bm25_weight": NAN}, "bm25_weight is nan"),
        ({"bm25_weight": True}, "bm25_weight is True"),
        ({"cosine_weight": INF}, "cosine_weight is inf"),
        ({"cosine_weight": -0.1}, r"cosine_weight is -0\.1"),
        ({"bm25_weight": 0, "cosine_weight": 0.0}, "are both 0"),
        ({"min_cosine": NAN}, "min_cosine is nan; it must be a number from -1 to 1, or left out"),
        ({"min_cosine": 1.5}, r"min_cosine is 1\.5"),
        ({"min_cosine": "0.5"}, r"min_cosine is '0\.5'"),
        ({"per_document": True}, "per_document is True"),
        ({"per_document": 0}, "per_document is 0"),
        ({"fold": 1}, "fold 1 is unknown; use true or false"),
        ({"keyword_boost": "yes"}, "keyword_boost 'yes' is unknown"),
    ],
)
def test_a_question_says_which_option_is_wrong(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Question(**{"text": "x", **options})


@pytest.mark.parametrize(
    "options",
    [
        {"top_k": 1000},
        {"min_cosine": -1},
        {"min_cosine": None},
        {"per_document": 1},
        {"bm25_weight": 0},
        {"fold": False},
    ],
)
def test_what_is_allowed_passes(options: dict[str, Any]) -> None:
    assert Question("x", **options).text == "x"


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (LimitSettings, {"removals": 7}, "removals is 7; it must be a number from 0 to 1"),
        (SearchSettings, {"top_k": 5000}, "top_k is 5000"),
        (Settings, {"keep_versions": "3"}, "keep_versions is '3'"),
        (SourceSettings, {"path": " "}, "path is ' '; it must be a text that is not blank"),
    ],
)
def test_settings_made_by_hand_are_checked_too(kind: type[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        kind(**options)


def test_the_table_of_bounds_is_whole_and_says_what_there_is() -> None:
    for kind in (SearchSettings, LimitSettings):
        assert set(validation.read_bounds(kind)) == {field.name for field in fields(kind)}
    bounds = validation.read_bounds(SearchSettings)
    assert bounds["mode"] == validation.Choice(get_args(Mode))
    assert bounds["fusion"] == validation.Choice(tuple(FUSIONS))


def test_every_setting_says_in_a_sentence_what_it_is() -> None:
    kinds = [kind for kind in vars(settings).values() if isinstance(kind, type) and is_dataclass(kind)]
    for kind in kinds:
        if kind.__module__.startswith("ragstone.config") and kind not in (JwtSettings, validation.Option):
            options = validation.read_options(kind)
            assert set(options) == {field.name for field in fields(kind)}, kind.__name__
            assert all(option.help.endswith((".", "].")) for option in options.values()), kind.__name__


@pytest.mark.parametrize(
    "options",
    [
        {"paths": "docs"},
        {"paths": None},
        {"paths": (1,)},
        {"conditions": [{"column": "path", "operator": "=", "value": "x"}]},
        {"conditions": None},
        {"allow_restricted": "yes"},
        {"date_from": 2024},
    ],
)
def test_a_filter_made_by_hand_says_which_part_is_wrong(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        Where(**options)
