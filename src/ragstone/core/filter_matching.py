"""The meaning of filters for one chunk: every store must agree with `matches`.

Structured conditions follow SQL: a missing value fails every operator but IS NULL; LIKE is case-sensitive, ILIKE is
not, `%` and `_` are wildcards and a backslash escapes them. On a list (tags) a condition asks for any element that
fits; `!=` and NOT IN ask that none does. Numbers compare as numbers when both sides are numbers, all else as text, so
ISO dates order rightly.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any

from ragstone.core.filters import CHUNK_FACTS, DOCUMENT_FACTS, RESTRICTED, Condition, Where
from ragstone.core.path_patterns import matches_any
from ragstone.core.types import Chunk, Document

LIKE = re.compile(r"\\(.)|(%)|(_)|([^\\%_]+|\\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that a filter can use: a document's and a chunk's."""

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


def collect_facts(chunk: Chunk) -> Facts:
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
        and (not where.paths or _path_passes(document.path, where.paths))
        and (not where.shas or document.version in where.shas)
        and _list_passes(meta.get("category"), where.categories)
        and _tags_pass(meta.get("tags"), where)
        and _list_passes(meta.get("project"), where.projects)
        and _list_passes(meta.get("doc_type"), where.doc_types)
        and _date_passes(meta.get("date"), where)
        and _confidentiality_passes(meta.get("confidentiality"), where)
    )


def _path_passes(path: str, patterns: Sequence[str]) -> bool:
    exact = [pattern for pattern in patterns if not any(c in pattern for c in "*?")]
    return path in exact or matches_any(path, [pattern for pattern in patterns if pattern not in exact])


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _list_passes(value: Any, wanted: Sequence[str]) -> bool:
    return not wanted or any(str(element) in wanted for element in _as_list(value))


def _tags_pass(value: Any, where: Where) -> bool:
    has = {str(tag) for tag in _as_list(value)}
    return not where.tags or (has.issuperset(where.tags) if where.tag_mode == "all" else not has.isdisjoint(where.tags))


def _date_passes(value: Any, where: Where) -> bool:
    if where.date_from is None and where.date_to is None:
        return True
    date = str(value or "")
    if not date:
        return False
    low, high = where.date_from, where.date_to
    return (low is None or date[: len(low)] >= low) and (high is None or date[: len(high)] <= high)


def _confidentiality_passes(value: Any, where: Where) -> bool:
    levels = [str(level).lower() for level in _as_list(value)]
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
    verdicts = (_condition_holds(condition, about.get(condition.column)) for condition in where.conditions)
    return all(verdicts) if where.logic == "AND" else any(verdicts)


def _condition_holds(condition: Condition, value: Any) -> bool:
    elements = _as_list(value)
    if condition.operator.startswith("IS"):
        return (not elements) == (condition.operator == "IS NULL")
    if not elements:
        return False
    if condition.operator in ("!=", "NOT IN"):
        wanted = condition.value if condition.operator == "NOT IN" else (condition.value,)
        return not any(_compare_values(element, "=", other) for element in elements for other in wanted)
    if condition.operator == "IN":
        return any(_compare_values(element, "=", other) for element in elements for other in condition.value)
    return any(_compare_values(element, condition.operator, condition.value) for element in elements)


BEYOND_INTEGERS = 2**63
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "<": lambda a, b: bool(a < b),
    ">": lambda a, b: bool(a > b),
    "<=": lambda a, b: bool(a <= b),
    ">=": lambda a, b: bool(a >= b),
}


def _compare_values(value: Any, operator: str, other: Any) -> bool:
    if operator in ("LIKE", "ILIKE"):
        return compile_like(str(other), insensitive=operator == "ILIKE").fullmatch(_as_text(value)) is not None
    if _is_number(value) and _is_number(other):
        return COMPARISONS[operator](_read_digits(value), _read_digits(other))
    return COMPARISONS[operator](_as_text(value), _as_text(other))


def _read_digits(number: Any) -> Any:
    """A float beyond 64 bits as the whole number of its shortest digits, which databases compare: 1e300 is 10**300."""
    is_large = isinstance(number, float) and math.isfinite(number) and abs(number) >= BEYOND_INTEGERS
    return int(Decimal(repr(number))) if is_large else number


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@lru_cache(maxsize=256)
def compile_like(pattern: str, *, insensitive: bool) -> re.Pattern[str]:
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
