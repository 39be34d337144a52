"""A `Where` as a condition over `mv_active_chunks m`: complete and exact, every value a parameter.

Conditions on documents are evaluated once for each active version (`d`, its document `p`), not for each of its chunks.
Containments of JSON where they do; all else looks at the elements of one column. A text of a filter that no stored text
can equal (a lone surrogate) is decided here.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ragstone.core.errors import UsageError
from ragstone.core.filters import CHUNK_FACTS, Condition, Where
from ragstone.stores.postgres.expressions import (
    compile_globs,
    compile_like,
    has_lone_surrogate,
    has_wildcard,
    translate_like,
)
from ragstone.stores.postgres.filter_facts import ALIASES, escape_nul, normalize_number

MAX_CONTAINMENTS = 16  # values that get a containment each; more are compared as one list
TEXT = '(e.v ->> 0) COLLATE "C"'
NUMBER = "(e.v ->> 1)::numeric"
NEVER, ALWAYS = "false", "true"
OF_CHUNK, OF_DOCUMENT = "m.facts", "d.asked -> 'column'"
# A statement of its own, with whose answer all others are asked: as a part of them it was carried out for each chunk
# whenever the server had no statistics yet (3 s for 5,000 chunks; 20 ms like this).
VERSIONS = """SELECT string_agg(d.doc_version_id::text, ','), string_agg(d.doc_version_id::text, ',') FILTER (WHERE {})
    FROM document_versions d {}
    WHERE d.collection_id = %(collection)s AND d.tenant_id = %(tenant)s AND d.status = 'active' AND {}"""
JOIN_DOCUMENTS = """JOIN documents p ON p.collection_id = d.collection_id AND p.doc_id = d.doc_id
    AND p.collection_id = %(collection)s AND p.tenant_id = %(tenant)s"""
PASSING_VERSIONS = "m.doc_version_id = ANY(%(versions)s::bigint[])"
OTHER_VERSIONS = "m.doc_version_id = ANY(%(others)s::bigint[])"


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """SQL over `m` that is true for the chunks that pass. `versions`, where it is not None, is the statement to ask
    first: its two answers, ids separated by commas, are the parameters `versions` and `others` as arrays.

    `parameters` are those of both, by their placeholders `w0`, `w1`, …; `collection` and `tenant` are the caller's.
    """

    sql: str
    versions: str | None
    parameters: dict[str, Any]

    @property
    def is_trivial(self) -> bool:
        """Whether the filter leaves out nothing, or only restricted documents."""
        return not self.parameters


@dataclass(slots=True)
class _FilterParameters:
    """Values on their way to the server; each is named in the SQL by the placeholder that it gets."""

    given: dict[str, Any] = field(default_factory=dict)

    def add_text(self, value: str) -> str:
        return self._add_value(value, "text")

    def add_texts(self, values: Sequence[str]) -> str:
        return self._add_value(list(values), "text[]")

    def add_number(self, value: str) -> str:
        return self._add_value(value, "numeric")

    def add_numbers(self, values: Sequence[str]) -> str:
        return self._add_value(list(values), "numeric[]")

    def add_json(self, value: object) -> str:
        return self._add_value(msgspec.json.encode(value).decode(), "jsonb")

    def _add_value(self, value: object, kind: str) -> str:
        name = f"w{len(self.given)}"
        self.given[name] = value
        return f"%({name})s::{kind}"


def build_chunk_filter(where: Where, *, fitting: Sequence[str] | None = None) -> ChunkFilter:
    """The filter of a `Where`. `fitting` are the paths that fit `where.paths`, where a caller worked them out."""
    asked = _FilterParameters()
    places = [*_match_sources(where, asked), *_match_paths(where, fitting, asked)]
    documents = [
        *_match_group("confidentiality", [level.lower() for level in where.confidentiality_allow], asked),
        *_match_group("category", where.categories, asked),
        *_match_group("project", where.projects, asked),
        *_match_group("doc_type", where.doc_types, asked),
        *_match_tags(where, asked),
        *_match_dates(where, asked),
        *([_match_equal("sha", where.shas, asked)] if where.shas else []),
    ]
    chunks = [] if where.allow_restricted else ["NOT m.restricted"]
    chunks += [_match_equal("heading", where.headers, asked)] if where.headers else []
    of_documents = [_match_condition(one, asked) for one in where.conditions if not _is_chunk_column(one.column)]
    of_chunks = [_match_condition(one, asked) for one in where.conditions if _is_chunk_column(one.column)]
    others = ALWAYS
    if where.logic == "AND":
        documents += of_documents
        chunks += of_chunks
    elif of_documents and of_chunks:  # a chunk passes by itself, or with its document
        others = _join_any(of_documents)
        chunks.append(_join_any([*of_chunks, OTHER_VERSIONS]))
    elif where.conditions:
        (documents if of_documents else chunks).append(_join_any([*of_documents, *of_chunks]))
    named = [*places, *documents]
    chunks += [PASSING_VERSIONS] if named else []
    versions = VERSIONS.format(others, JOIN_DOCUMENTS if places else "", " AND ".join(named) or ALWAYS)
    needed = bool(named) or others != ALWAYS
    return ChunkFilter(" AND ".join(chunks) or ALWAYS, versions if needed else None, asked.given)


def _is_chunk_column(column: str) -> bool:
    return column in CHUNK_FACTS


def _match_sources(where: Where, asked: _FilterParameters) -> list[str]:
    return [f"p.source = ANY({asked.add_texts(_keep_storable(where.sources))})"] if where.sources else []


def _match_paths(where: Where, fitting: Sequence[str] | None, asked: _FilterParameters) -> list[str]:
    if not where.paths:
        return []
    paths = _keep_storable(where.paths if fitting is None else fitting)
    globs = [path for path in paths if fitting is None and has_wildcard(path)]
    exact = [path for path in paths if fitting is not None or not has_wildcard(path)]
    ways = [f"p.path = ANY({asked.add_texts(exact)})"] if exact else []
    if globs:
        pattern, shortest = compile_globs(globs)
        ways.append(_match_expression("p.path", pattern, shortest, asked))
    return [_join_any(ways)]


def _keep_storable(values: Sequence[str]) -> list[str]:
    """Those that a text column can hold."""
    return [value for value in values if "\0" not in value and not has_lone_surrogate(value)]


def _match_expression(text: str, pattern: str, shortest: int, asked: _FilterParameters) -> str:
    """A regular expression that is not even compiled unless a text is long enough for it."""
    long_enough = f"char_length({text}) >= {int(shortest)}"
    return f'CASE WHEN {long_enough} THEN {text} COLLATE "C" ~ {asked.add_text(pattern)} ELSE false END'


def _join_any(ways: Iterable[str]) -> str:
    return f"({' OR '.join(ways) or NEVER})"


# Named filters


def _match_group(name: str, wanted: Sequence[str], asked: _FilterParameters) -> list[str]:
    if not wanted:
        return []
    texts = [escape_nul(value) for value in dict.fromkeys(wanted) if not has_lone_surrogate(value)]
    if len(texts) > MAX_CONTAINMENTS:
        return [f"(d.asked -> 'group' -> {asked.add_text(name)}) ?| {asked.add_texts(texts)}"]
    return [_join_any(f"d.asked @> {asked.add_json({'group': {name: [text]}})}" for text in texts)]


def _match_tags(where: Where, asked: _FilterParameters) -> list[str]:
    if where.tag_mode == "any" or not where.tags:
        return _match_group("tags", where.tags, asked)
    if any(has_lone_surrogate(tag) for tag in where.tags):
        return [NEVER]
    return [f"d.asked @> {asked.add_json({'group': {'tags': [escape_nul(tag) for tag in where.tags]}})}"]


def _match_dates(where: Where, asked: _FilterParameters) -> list[str]:
    bounds = ((where.date_from, ">="), (where.date_to, "<="))
    date = "d.asked -> 'group' -> 'date' ->> 0"
    return [
        f'left({date}, {len(bound)}) COLLATE "C" {operator} {asked.add_text(bound)}'
        for bound, operator in bounds
        if bound is not None
    ]


# Conditions


def _match_condition(condition: Condition, asked: _FilterParameters) -> str:
    column, operator, value = ALIASES.get(condition.column, condition.column), condition.operator, condition.value
    if has_lone_surrogate(column):
        return ALWAYS if operator == "IS NULL" else NEVER
    if operator == "IS NOT NULL":
        return _has_value(column, asked)
    if operator == "IS NULL":
        return f"NOT {_has_value(column, asked)}"
    values: Sequence[Any] = value if operator in ("IN", "NOT IN") else (value,)
    if operator in ("=", "IN"):
        return _match_equal(column, values, asked)
    if operator in ("!=", "NOT IN"):
        return f"({_has_value(column, asked)} AND NOT {_match_equal(column, values, asked)})"
    if operator in ("LIKE", "ILIKE"):
        return _match_like(column, str(value), asked, insensitive=operator == "ILIKE")
    return _match_order(column, operator, value, asked)


def _facts_column(column: str) -> str:
    return OF_CHUNK if _is_chunk_column(column) else OF_DOCUMENT


def _has_value(column: str, asked: _FilterParameters) -> str:
    return f"(({_facts_column(column)}) ? {asked.add_text(escape_nul(column))})"


def _contains_element(column: str, element: list[Any], asked: _FilterParameters) -> str:
    """Whether an element of a column has these of text and number."""
    named = {escape_nul(column): [element]}
    if _is_chunk_column(column):
        return f"m.facts @> {asked.add_json(named)}"
    return f"d.asked @> {asked.add_json({'column': named})}"


def _match_any_element(column: str, test: str, asked: _FilterParameters) -> str:
    """Whether any element of a column passes a test over TEXT and NUMBER."""
    elements = f"jsonb_array_elements({_facts_column(column)} -> {asked.add_text(escape_nul(column))})"
    return f"EXISTS (SELECT FROM {elements} AS e (v) WHERE {test})"


def _match_equal(column: str, values: Sequence[Any], asked: _FilterParameters) -> str:
    """Whether any element equals any of the values: numbers as numbers when both are, all else as text."""
    texts = [escape_nul(value) for value in values if isinstance(value, str) and not has_lone_surrogate(value)]
    texts += [str(value).lower() for value in values if isinstance(value, bool)]
    numbers = [value for value in values if _is_number(value)]
    if len(texts) + len(numbers) > MAX_CONTAINMENTS:
        return _match_equal_to_many(column, texts, numbers, asked)
    ways: list[list[Any]] = [[text] for text in texts] + [[_value_text(number), None] for number in numbers]
    ways += [[msgspec.Raw(_number_text(number).encode())] for number in numbers if math.isfinite(number)]
    return _join_any(_contains_element(column, way, asked) for way in ways)


def _match_equal_to_many(column: str, texts: Sequence[str], numbers: Sequence[float], asked: _FilterParameters) -> str:
    finite = [_number_text(number) for number in numbers if math.isfinite(number)]
    plain = f"{TEXT} = ANY({asked.add_texts([*texts, *map(_value_text, numbers)])})"
    counted = f"({TEXT} = ANY({asked.add_texts(texts)}) OR {NUMBER} = ANY({asked.add_numbers(finite)}))"
    return _match_any_element(column, f"CASE WHEN {NUMBER} IS NULL THEN {plain} ELSE {counted} END", asked)


def _match_order(column: str, operator: str, value: Any, asked: _FilterParameters) -> str:
    text, as_text = _cut_at_surrogate(escape_nul(_value_text(value)), operator)
    test = f"{TEXT} {as_text} {asked.add_text(text)}"
    if _is_number(value):
        counted = NEVER if math.isnan(value) else f"{NUMBER} {operator} {asked.add_number(_number_text(value))}"
        test = f"CASE WHEN {NUMBER} IS NULL THEN {test} ELSE {counted} END"
    return _match_any_element(column, test, asked)


def _cut_at_surrogate(text: str, operator: str) -> tuple[str, str]:
    """A bound of a comparison without lone surrogates. No stored text has one, so the first of them decides; U+E000
    is the next character that a stored text can have there."""
    at = next((i for i, character in enumerate(text) if has_lone_surrogate(character)), None)
    if at is None:
        return text, operator
    return text[:at] + "\ue000", "<" if operator.startswith("<") else ">="


def _match_like(column: str, pattern: str, asked: _FilterParameters, *, insensitive: bool) -> str:
    if has_lone_surrogate(pattern):
        return NEVER
    plain = None if insensitive else translate_like(pattern)
    if plain is not None:
        return _match_any_element(column, f"{TEXT} LIKE {asked.add_text(escape_nul(plain))}", asked)
    expression, shortest = compile_like(pattern, insensitive=insensitive)
    return _match_any_element(column, _match_expression("(e.v ->> 0)", expression, shortest, asked), asked)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _value_text(value: Any) -> str:
    try:
        return str(value).lower() if isinstance(value, bool) else str(value)
    except ValueError as error:  # an integer of more digits than Python writes
        raise UsageError(f"a number in a filter is too long: {error}") from error


def _number_text(number: float) -> str:
    """A number as PostgreSQL reads it, infinite ones too."""
    return _value_text(normalize_number(number))
