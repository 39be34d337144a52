"""A wrong value in words: the one that was expected, the one that came."""

from collections.abc import Mapping
from typing import Any

# What a value has to be, by the beginning of pydantic's name for the mistake; `{…}` are what pydantic tells with it.
EXPECTED: tuple[tuple[str, str], ...] = (
    ("int_", "a whole number"),
    ("float_", "a number"),
    ("finite_number", "a number"),
    ("bool_", "true or false"),
    ("string_type", "text"),
    ("string_unicode", "text"),
    ("list_type", "a list"),
    ("dict_type", "an object"),
    ("model_", "an object"),
    ("literal_error", "{expected}"),
    ("greater_than_equal", "at least {ge}"),
    ("less_than_equal", "at most {le}"),
    ("string_too_short", "at least {min_length} character(s)"),
    ("string_too_long", "at most {max_length:,} characters"),
    ("too_short", "at least {min_length} item(s)"),
    ("too_long", "at most {max_length:,} items"),
)
LONGEST_ECHO = 40  # characters of a value that are shown


def describe_expected(mistake: Mapping[str, Any]) -> str:
    """The expected value and, where it is short, the given one.

    >>> describe_expected({"type": "greater_than_equal", "ctx": {"ge": 1}, "input": 0})
    'expected at least 1, not 0'
    """
    for beginning, expected in EXPECTED:
        if mistake["type"].startswith(beginning):
            told = {name: _shorten(value) for name, value in mistake.get("ctx", {}).items()}
            return f"expected {expected.format(**told)}{_show_sent(mistake.get('input'))}"
    return lower_first(mistake["msg"])


def _shorten(bound: Any) -> Any:
    """A bound as a person writes it: 1 in place of 1.0."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def _show_sent(value: Any) -> str:
    """What was sent, where it is short enough to be recognised."""
    if value is None:
        return ", not null"
    if isinstance(value, bool):
        return f", not {str(value).lower()}"
    if isinstance(value, str | int | float) and len(repr(value)) <= LONGEST_ECHO:
        return f", not {value!r}"
    return ""


def lower_first(said: str) -> str:
    """A sentence that goes on another one."""
    return f"{said[:1].lower()}{said[1:]}"
