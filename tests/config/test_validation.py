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

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": None}, "invalid question None: expected a text"),
        ({"text": b"x"}, "invalid question b'x': expected a text"),
        ({"where": {"paths": ["a"]}}, r"invalid where \{'paths'"),
        ({"where": None}, "invalid where None: expected a Where"),
        ({"top_k": "5"}, "invalid top_k '5': expected a whole number from 1 to 1000"),
        ({"top_k": 5.0}, r"invalid top_k 5\.0"),
        ({"top_k": True}, "invalid top_k True"),
        ({"top_k": 0}, "invalid top_k 0"),
        ({"top_k": None}, "invalid top_k None"),
        ({"mode": "fuzzy"}, "unknown mode 'fuzzy': expected hybrid, semantic or keyword"),
        ({"mode": ["hybrid"]}, "unknown mode .*: expected"),
        ({"fusion": {}}, r"unknown fusion \{\}: expected minmax or rrf"),
        ({"bm25_weight": "a"}, "invalid bm25_weight 'a': expected a number from 0 to 1000"),
        ({"bm25_weight": NAN}, "invalid bm25_weight nan"),
        ({"bm25_weight": True}, "invalid bm25_weight True"),
        ({"cosine_weight": INF}, "invalid cosine_weight inf"),
        ({"cosine_weight": -0.1}, r"invalid cosine_weight -0\.1"),
        ({"bm25_weight": 0, "cosine_weight": 0.0}, "are both 0"),
        ({"min_cosine": NAN}, "invalid min_cosine nan: expected a number from -1 to 1, or left out"),
        ({"min_cosine": 1.5}, r"invalid min_cosine 1\.5"),
        ({"min_cosine": "0.5"}, r"invalid min_cosine '0\.5'"),
        ({"per_document": True}, "invalid per_document True"),
        ({"per_document": 0}, "invalid per_document 0"),
        ({"fold": 1}, "unknown fold 1: expected true or false"),
        ({"keyword_boost": "yes"}, "unknown keyword_boost 'yes'"),
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
        (LimitSettings, {"removals": 7}, "invalid removals 7: expected a number from 0 to 1"),
        (SearchSettings, {"top_k": 5000}, "invalid top_k 5000"),
        (Settings, {"keep_versions": "3"}, "invalid keep_versions '3'"),
        (SourceSettings, {"path": " "}, "invalid path ' ': expected a text that is not blank"),
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
    assert bounds["fusion"] == validation.Choice(("minmax", "rrf"))


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
