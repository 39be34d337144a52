"""Filters as data, and what they mean for one chunk: every store must agree with `matches`.

Groups are ANDed, the values inside one list are ORed. Structured conditions follow SQL: a missing
value fails every operator but IS NULL; LIKE is case-sensitive, ILIKE is not, `%` and `_` are wild
and a backslash takes their meaning away. On a list (tags) a condition asks for any element that
fits; `!=` and NOT IN ask that none does. Numbers compare as numbers when both sides are numbers,
all else as text, so ISO dates order rightly.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from ragstone.errors import UsageError
from ragstone.globs import fits
from ragstone.types import Chunk, Document

OPERATORS = ("=", "!=", "<", ">", "<=", ">=", "LIKE", "ILIKE", "IN", "NOT IN", "IS NULL", "IS NOT NULL")
RESTRICTED = "restricted"
DATE = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2])(-[0-9]{2}([T ].+)?)?)?")
SHA = re.compile(r"[0-9a-f]{64}")
LIKE = re.compile(r"\\(.)|(%)|(_)|([^\\%_]+|\\)", re.DOTALL)
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
            raise UsageError(f"a filter condition needs the name of a column, not {column!r:.60}")
        if self.operator not in OPERATORS:
            raise UsageError(f"filter operator {self.operator!r} is unknown; use one of: {', '.join(OPERATORS)}")
        many = self.operator in ("IN", "NOT IN")
        if many and not isinstance(self.value, list | tuple):
            raise UsageError(f"filter on {self.column!r}: {self.operator} needs a list of values")
        if many:
            object.__setattr__(self, "value", tuple(self.value))
        values = self.value if many else () if self.operator.startswith("IS") else (self.value,)
        if not all(isinstance(value, str | int | float | bool) for value in values):
            raise UsageError(f"filter on {self.column!r}: {self.operator} needs one text, number or truth value")


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
                raise UsageError(f"filter {name!r} must be a list of texts, not {given!r:.60}")
        asked: Any = self.conditions
        if not isinstance(asked, list | tuple) or not all(isinstance(one, Condition) for one in asked):
            raise UsageError(f"filter 'conditions' must be a list of Condition, not {asked!r:.60}")
        if not isinstance(self.allow_restricted, bool):
            raise UsageError(f"allow_restricted must be true or false, not {self.allow_restricted!r:.60}")
        if RESTRICTED in map(str.lower, self.confidentiality_allow) and not self.allow_restricted:
            raise UsageError("restricted documents were asked for without permission: set allow_restricted as well")
        if self.tag_mode not in ("any", "all"):
            raise UsageError(f"tag_mode {self.tag_mode!r} is unknown; use any or all")
        if self.logic not in ("AND", "OR"):
            raise UsageError(f"filter logic {self.logic!r} is unknown; use AND or OR")
        self._check_dates()
        object.__setattr__(self, "shas", tuple(sha.lower() for sha in self.shas))
        if wrong := next((sha for sha in self.shas if not SHA.fullmatch(sha)), None):
            raise UsageError(f"sha {wrong!r:.80} is none: write all 64 hexadecimal digits of the file's sha256")

    def _check_dates(self) -> None:
        low, high = self.date_from, self.date_to
        for name, date in (("date_from", low), ("date_to", high)):
            if date is not None and not _is_date(date):
                raise UsageError(f"{name} {date!r:.60} is not a date; write it as 2024-05-31, 2024-05 or 2024")
        if low and high and low[: len(high)] > high[: len(low)]:
            raise UsageError(f"date_from {low} is after date_to {high}: no date lies between them")

    @property
    def by_document(self) -> bool:
        """Whether a document's facts alone decide, whatever the chunk."""
        return not self.headers and all(condition.column not in CHUNK_FACTS for condition in self.conditions)


def _is_date(value: Any) -> bool:
    """Whether this is a year, a month, a day that there is, or a moment of one."""
    if not isinstance(value, str) or not DATE.fullmatch(value):
        return False
    try:
        return len(value) < len("2024-05-31") or bool(datetime.fromisoformat(value))
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Facts:
    """What a filter can ask about: a document's facts, and a chunk's."""

    document: Document
    heading_path: tuple[str, ...] = ()
    chunk: Mapping[str, Any] = field(default_factory=dict)

    def get(self, column: str) -> Any:
        """The value of a column by its name, None where there is none."""
        if column in CHUNK_FACTS:
            return self.chunk.get(column)
        if column in DOCUMENT_FACTS:
            return getattr(self.document, DOCUMENT_FACTS[column])
        return self.document.meta.get(column)


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


def facts(chunk: Chunk) -> Facts:
    """The facts of one chunk: a document's own (path, title, sha, …), its front matter's keys, the chunk's."""
    own = {
        "ordinal": chunk.ordinal,
        "kind": chunk.kind,
        "tokens": chunk.tokens,
        "risk_score": chunk.risk_score,
        "flags": list(chunk.flags),
        "heading": list(chunk.heading_path),
    }
    return Facts(chunk.document, chunk.heading_path, own)


def matches(where: Where, about: Facts) -> bool:
    """Whether a chunk with these facts passes. This is the meaning that every store must give."""
    return _document_passes(where, about.document) and _headers_pass(where, about) and _conditions_pass(where, about)


def document_matches(where: Where, document: Document) -> bool:
    """Whether the groups that ask about the document alone pass."""
    return _document_passes(where, document) and (not where.by_document or _conditions_pass(where, Facts(document)))


def _document_passes(where: Where, document: Document) -> bool:
    meta = document.meta
    return (
        (not where.sources or document.source in where.sources)
        and (not where.paths or _path_fits(document.path, where.paths))
        and (not where.shas or document.version in where.shas)
        and _listed(meta.get("category"), where.categories)
        and _tags_pass(meta.get("tags"), where)
        and _listed(meta.get("project"), where.projects)
        and _listed(meta.get("doc_type"), where.doc_types)
        and _date_passes(meta.get("date"), where)
        and _cleared(meta.get("confidentiality"), where)
    )


def _path_fits(path: str, patterns: Sequence[str]) -> bool:
    exact = [pattern for pattern in patterns if not any(c in pattern for c in "*?")]
    return path in exact or fits(path, [pattern for pattern in patterns if pattern not in exact])


def _elements(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _listed(value: Any, wanted: Sequence[str]) -> bool:
    return not wanted or any(str(element) in wanted for element in _elements(value))


def _tags_pass(value: Any, where: Where) -> bool:
    has = {str(tag) for tag in _elements(value)}
    return not where.tags or (has.issuperset(where.tags) if where.tag_mode == "all" else not has.isdisjoint(where.tags))


def _date_passes(value: Any, where: Where) -> bool:
    if where.date_from is None and where.date_to is None:
        return True
    date = str(value or "")
    if not date:
        return False
    low, high = where.date_from, where.date_to
    return (low is None or date[: len(low)] >= low) and (high is None or date[: len(high)] <= high)


def _cleared(value: Any, where: Where) -> bool:
    levels = [str(level).lower() for level in _elements(value)]
    if RESTRICTED in levels and not where.allow_restricted:
        return False
    return not where.confidentiality_allow or any(
        level in map(str.lower, where.confidentiality_allow) for level in levels
    )


def _headers_pass(where: Where, about: Facts) -> bool:
    return not where.headers or any(heading in where.headers for heading in about.heading_path)


def _conditions_pass(where: Where, about: Facts) -> bool:
    if not where.conditions:
        return True
    verdicts = (_holds(condition, about.get(condition.column)) for condition in where.conditions)
    return all(verdicts) if where.logic == "AND" else any(verdicts)


def _holds(condition: Condition, value: Any) -> bool:
    elements = _elements(value)
    if condition.operator.startswith("IS"):
        return (not elements) == (condition.operator == "IS NULL")
    if not elements:
        return False
    if condition.operator in ("!=", "NOT IN"):
        wanted = condition.value if condition.operator == "NOT IN" else (condition.value,)
        return not any(_compare(element, "=", other) for element in elements for other in wanted)
    if condition.operator == "IN":
        return any(_compare(element, "=", other) for element in elements for other in condition.value)
    return any(_compare(element, condition.operator, condition.value) for element in elements)


COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "<": lambda a, b: bool(a < b),
    ">": lambda a, b: bool(a > b),
    "<=": lambda a, b: bool(a <= b),
    ">=": lambda a, b: bool(a >= b),
}


def _compare(value: Any, operator: str, other: Any) -> bool:
    if operator in ("LIKE", "ILIKE"):
        return like(str(other), insensitive=operator == "ILIKE").fullmatch(_text(value)) is not None
    if _number(value) and _number(other):
        return COMPARE[operator](value, other)
    return COMPARE[operator](_text(value), _text(other))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@lru_cache(maxsize=256)
def like(pattern: str, *, insensitive: bool) -> re.Pattern[str]:
    """SQL's LIKE as a regular expression.

    Between two `%` the first place that fits a part is the right one, so the groups are atomic and no
    pattern can make the matching slow.
    """
    parts = [""]
    for escaped, any_, one, plain in LIKE.findall(pattern):
        if any_:
            parts.append("")
        else:
            parts[-1] += "." if one else re.escape(escaped or plain)
    first, *rest = parts
    middle = "".join(f"(?>.*?{part})" for part in rest[:-1])
    last = f".*{rest[-1]}" if rest else ""
    return re.compile(f"{first}{middle}{last}", re.DOTALL | (re.IGNORECASE if insensitive else 0))


def where_from(data: Mapping[str, Any]) -> Where:
    """A `Where` from plain data (a request's JSON): lists or single values.

    Raises `UsageError` that names an unknown key, or one whose value is of the wrong kind.
    """
    if not isinstance(data, Mapping):
        raise UsageError("a filter is an object of filter names and values")
    known = {f.name: f for f in fields(Where)}
    values: dict[str, Any] = {}
    for key, value in data.items():
        if key not in known:
            raise UsageError(f"filter {key!r} is unknown; known filters: {', '.join(known)}")
        if key == "conditions":
            values[key] = tuple(_condition(item) for item in _many(key, value))
        elif key in SINGLE:
            values[key] = value
        else:
            values[key] = tuple(_many(key, value))
    return Where(**values)


def _many(key: str, value: Any) -> Sequence[Any]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple):
        raise UsageError(f"filter {key!r} must be a list, not {value!r:.60}")
    return value


def _condition(item: Any) -> Condition:
    if isinstance(item, Condition):
        return item
    if not isinstance(item, Mapping) or not {"column", "operator"} <= set(item) <= {"column", "operator", "value"}:
        raise UsageError("a filter condition is an object with column, operator and value")
    return Condition(item["column"], item["operator"], item.get("value"))
