"""Filters of documents and chunks as data. `ragstone.core.filter_matching` defines their meaning.

Groups are ANDed, the values inside one list are ORed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import wraps
from typing import Any, Literal, TypeVar

from ragstone.core.errors import UsageError
from ragstone.core.suggestions import suggest_argument

T = TypeVar("T")

OWN_KEY = ": a key of the documents goes into `conditions`, as a `column`"  # of a filter that does not exist
OPERATORS = ("=", "!=", "<", ">", "<=", ">=", "LIKE", "ILIKE", "IN", "NOT IN", "IS NULL", "IS NOT NULL")
RESTRICTED = "restricted"
DATE = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2])(-[0-9]{2}([T ].+)?)?)?")
SHA = re.compile(r"[0-9a-f]{64}")
CHUNK_FACTS = ("ordinal", "kind", "tokens", "risk_score", "flags", "heading")
DOCUMENT_FACTS = {
    "document": "id",
    "source": "source",
    "path": "path",
    "file_path": "path",
    "revision": "revision",
    "source_sha": "version",
    "sha": "version",
    "title": "title",
    "media_type": "media_type",
    "bytes": "bytes",
    "version_label": "version_label",
    "effective_at": "effective_at",
}
LISTS = ("sources", "paths", "headers", "shas", "categories", "tags", "projects", "doc_types", "confidentiality_allow")
SINGLE = ("tag_mode", "logic", "date_from", "date_to", "allow_restricted")


@dataclass(frozen=True, slots=True)
class Condition:
    """`column operator value`: column is a fact's name (see `facts`), value a scalar or a list for IN."""

    column: str
    operator: str
    value: Any = None

    def __post_init__(self) -> None:
        column: Any = self.column
        if not isinstance(column, str) or not column:
            raise UsageError(f"invalid column {column!r:.60} of a filter condition: expected a name")
        if self.operator not in OPERATORS:
            raise UsageError(f"unknown filter operator {self.operator!r}: expected one of: {', '.join(OPERATORS)}")
        many = self.operator in ("IN", "NOT IN")
        if many and not isinstance(self.value, list | tuple):
            raise UsageError(f"filter on {self.column!r}: {self.operator} needs a list of values")
        if many:
            object.__setattr__(self, "value", tuple(self.value))
        values = self.value if many else () if self.operator.startswith("IS") else (self.value,)
        if not all(isinstance(value, str | int | float | bool) for value in values):
            raise UsageError(f"filter on {self.column!r}: {self.operator} needs one text, number or truth value")


def _name_unknown(kind: type[T]) -> type[T]:
    """A class of filters that names the nearest filter for one that is unknown."""
    make: Any = kind.__init__
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # it is a dataclass

    @wraps(make)
    def initialise(self: Any, *args: Any, **given: Any) -> None:
        if unknown := next((name for name in given if name not in known), None):
            raise UsageError(_describe_unknown(unknown, known))
        make(self, *args, **given)

    setattr(kind, "__init__", initialise)  # noqa: B010  # type checkers read the dataclass's own
    return kind


def _describe_unknown(name: str, known: Sequence[str]) -> str:
    """A sentence about an unknown filter.

    >>> _describe_unknown("tag", ["paths", "tags"])
    "unknown filter 'tag'; did you mean 'tags'?"
    """
    others = f"{OWN_KEY}, or one of: {', '.join(known)}"
    return f"unknown filter {name!r:.80}{suggest_argument(name, known) or others}"


@_name_unknown
@dataclass(frozen=True, slots=True)
class Where:
    """All filters of a request. Empty means everything that is not restricted.

    paths: exact, or globs where they hold a wildcard. headers: any heading above or of the chunk.
    shas: sha256 in hexadecimal, kept in lower case. dates: inclusive, ISO, cut to the given precision
    (`2024-05` is the whole month).
    """

    sources: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    shas: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tag_mode: Literal["any", "all"] = "any"
    projects: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()
    date_from: str | None = None
    date_to: str | None = None
    confidentiality_allow: tuple[str, ...] = ()
    allow_restricted: bool = False
    conditions: tuple[Condition, ...] = ()
    logic: Literal["AND", "OR"] = "AND"

    def __post_init__(self) -> None:
        for name in LISTS:
            given: Any = getattr(self, name)
            if not isinstance(given, list | tuple) or not all(isinstance(value, str) for value in given):
                raise UsageError(f"invalid filter {name!r} {given!r:.60}: expected a list of texts")
        asked: Any = self.conditions
        if not isinstance(asked, list | tuple) or not all(isinstance(one, Condition) for one in asked):
            raise UsageError(f"invalid filter 'conditions' {asked!r:.60}: expected a list of Condition")
        if not isinstance(self.allow_restricted, bool):
            raise UsageError(f"invalid allow_restricted {self.allow_restricted!r:.60}: expected true or false")
        if RESTRICTED in map(str.lower, self.confidentiality_allow) and not self.allow_restricted:
            raise UsageError(
                "restricted documents were asked for without permission: add allow_restricted (--allow-restricted)"
            )
        if self.tag_mode not in ("any", "all"):
            raise UsageError(f"unknown tag_mode {self.tag_mode!r}: expected any or all")
        if self.logic not in ("AND", "OR"):
            raise UsageError(f"unknown filter logic {self.logic!r}: expected AND or OR")
        self._check_dates()
        object.__setattr__(self, "shas", tuple(sha.lower() for sha in self.shas))
        if wrong := next((sha for sha in self.shas if not SHA.fullmatch(sha)), None):
            raise UsageError(f"invalid sha {wrong!r:.80}: expected all 64 hexadecimal digits of the file's sha256")

    def _check_dates(self) -> None:
        low, high = self.date_from, self.date_to
        for name, date in (("date_from", low), ("date_to", high)):
            if date is not None and not _is_date(date):
                raise UsageError(f"invalid {name} {date!r:.60}: expected a date such as 2024-05-31, 2024-05 or 2024")
        if low and high and low[: len(high)] > high[: len(low)]:
            raise UsageError(f"date_from {low} is after date_to {high}: no date lies between them")

    @property
    def by_document(self) -> bool:
        """Whether the document's facts alone decide."""
        return not self.headers and all(condition.column not in CHUNK_FACTS for condition in self.conditions)


def _is_date(value: Any) -> bool:
    """Whether this is a year, a month, a day that there is, or a moment of one."""
    if not isinstance(value, str) or not DATE.fullmatch(value):
        return False
    try:
        return len(value) < len("2024-05-31") or bool(datetime.fromisoformat(value))
    except ValueError:
        return False


def parse_where(data: Mapping[str, Any]) -> Where:
    """A `Where` from plain data (a request's JSON): lists or single values.

    Raises `UsageError` that names an unknown key, or one whose value is of the wrong kind.
    """
    if not isinstance(data, Mapping):
        raise UsageError("invalid filter: expected an object of filter names and values")
    known = {f.name: f for f in fields(Where)}
    values: dict[str, Any] = {}
    for key, value in data.items():
        if key not in known:
            raise UsageError(_describe_unknown(str(key), list(known)))
        if key == "conditions":
            values[key] = tuple(_parse_condition(item) for item in _as_sequence(key, value))
        elif key in SINGLE:
            values[key] = value
        else:
            values[key] = tuple(_as_sequence(key, value))
    return Where(**values)


def _as_sequence(key: str, value: Any) -> Sequence[Any]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple):
        raise UsageError(f"invalid filter {key!r} {value!r:.60}: expected a list")
    return value


def _parse_condition(item: Any) -> Condition:
    if isinstance(item, Condition):
        return item
    if not isinstance(item, Mapping) or not {"column", "operator"} <= set(item) <= {"column", "operator", "value"}:
        raise UsageError("invalid filter condition: expected an object with column, operator and value")
    return Condition(item["column"], item["operator"], item.get("value"))
