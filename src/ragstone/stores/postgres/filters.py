"""A `Where` as a condition over `mv_active_chunks m`: complete and exact, every value a parameter.

What asks about documents is answered once for each active version (`d`, its document `p`), not for each of its
chunks. Containments of JSON where they do; all else looks at the elements of one column. A text of a filter that no
stored text can equal (a lone surrogate) is decided here.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ragstone.core.errors import UsageError
from ragstone.core.filters import CHUNK_FACTS, Condition, Where
from ragstone.stores.postgres.facts import ALIASES, kept, number_of
from ragstone.stores.postgres.patterns import glob_expression, has_wildcard, is_lone, like_expression, like_plain

SEPARATE = 16  # values that get a containment each; more are compared as one list
TEXT = '(e.v ->> 0) COLLATE "C"'
NUMBER = "(e.v ->> 1)::numeric"
NEVER, ALWAYS = "false", "true"
OF_CHUNK, OF_DOCUMENT = "m.facts", "d.asked -> 'column'"
# A statement of its own, with whose answer all others are asked: as a part of them it was carried out for each chunk
# whenever the server had no statistics yet (3 s for 5,000 chunks; 20 ms like this).
VERSIONS = """SELECT string_agg(d.doc_version_id::text, ','), string_agg(d.doc_version_id::text, ',') FILTER (WHERE {})
    FROM document_versions d {}
    WHERE d.collection_id = %(collection)s AND d.tenant_id = %(tenant)s AND d.status = 'active' AND {}"""
PLACED = """JOIN documents p ON p.collection_id = d.collection_id AND p.doc_id = d.doc_id
    AND p.collection_id = %(collection)s AND p.tenant_id = %(tenant)s"""
PASSED = "m.doc_version_id = ANY(%(versions)s::bigint[])"
ALSO = "m.doc_version_id = ANY(%(others)s::bigint[])"


@dataclass(frozen=True, slots=True)
class Filter:
    """SQL over `m` that is true for the chunks that pass. `versions`, where it is not None, is the statement to ask
    first: its two answers, ids separated by commas, are the parameters `versions` and `others` as arrays.

    `parameters` are those of both, by their placeholders `w0`, `w1`, …; `collection` and `tenant` are the caller's.
    """

    sql: str
    versions: str | None
    parameters: dict[str, Any]

    @property
    def trivial(self) -> bool:
        """Whether next to nothing is left out: only what is restricted, or nothing."""
        return not self.parameters


@dataclass(slots=True)
class _Parameters:
    """Values on their way to the server; each is named in the SQL by the placeholder that it gets."""

    given: dict[str, Any] = field(default_factory=dict)

    def text(self, value: str) -> str:
        return self._placeholder(value, "text")

    def texts(self, values: Sequence[str]) -> str:
        return self._placeholder(list(values), "text[]")

    def number(self, value: str) -> str:
        return self._placeholder(value, "numeric")

    def numbers(self, values: Sequence[str]) -> str:
        return self._placeholder(list(values), "numeric[]")

    def json(self, value: object) -> str:
        return self._placeholder(msgspec.json.encode(value).decode(), "jsonb")

    def _placeholder(self, value: object, kind: str) -> str:
        name = f"w{len(self.given)}"
        self.given[name] = value
        return f"%({name})s::{kind}"


def condition_of(where: Where, *, fitting: Sequence[str] | None = None) -> Filter:
    """The filter of a `Where`. `fitting` are the paths that fit `where.paths`, where a caller worked them out."""
    asked = _Parameters()
    places = [*_sources(where, asked), *_paths(where, fitting, asked)]
    documents = [
        *_group("confidentiality", [level.lower() for level in where.confidentiality_allow], asked),
        *_group("category", where.categories, asked),
        *_group("project", where.projects, asked),
        *_group("doc_type", where.doc_types, asked),
        *_tags(where, asked),
        *_dates(where, asked),
        *([_equal("sha", where.shas, asked)] if where.shas else []),
    ]
    chunks = [] if where.allow_restricted else ["NOT m.restricted"]
    chunks += [_equal("heading", where.headers, asked)] if where.headers else []
    of_documents = [_holds(one, asked) for one in where.conditions if not _of_chunk(one.column)]
    of_chunks = [_holds(one, asked) for one in where.conditions if _of_chunk(one.column)]
    others = ALWAYS
    if where.logic == "AND":
        documents += of_documents
        chunks += of_chunks
    elif of_documents and of_chunks:  # a chunk passes by itself, or with its document
        others = _any_of(of_documents)
        chunks.append(_any_of([*of_chunks, ALSO]))
    elif where.conditions:
        (documents if of_documents else chunks).append(_any_of([*of_documents, *of_chunks]))
    named = [*places, *documents]
    chunks += [PASSED] if named else []
    versions = VERSIONS.format(others, PLACED if places else "", " AND ".join(named) or ALWAYS)
    needed = bool(named) or others != ALWAYS
    return Filter(" AND ".join(chunks) or ALWAYS, versions if needed else None, asked.given)


def _of_chunk(column: str) -> bool:
    return column in CHUNK_FACTS


def _sources(where: Where, asked: _Parameters) -> list[str]:
    return [f"p.source = ANY({asked.texts(_storable(where.sources))})"] if where.sources else []


def _paths(where: Where, fitting: Sequence[str] | None, asked: _Parameters) -> list[str]:
    if not where.paths:
        return []
    paths = _storable(where.paths if fitting is None else fitting)
    globs = [path for path in paths if fitting is None and has_wildcard(path)]
    exact = [path for path in paths if fitting is not None or not has_wildcard(path)]
    ways = [f"p.path = ANY({asked.texts(exact)})"] if exact else []
    if globs:
        pattern, shortest = glob_expression(globs)
        ways.append(_fits("p.path", pattern, shortest, asked))
    return [_any_of(ways)]


def _storable(values: Sequence[str]) -> list[str]:
    """Those that a text column can hold."""
    return [value for value in values if "\0" not in value and not is_lone(value)]


def _fits(text: str, pattern: str, shortest: int, asked: _Parameters) -> str:
    """A regular expression that is not even compiled unless a text is long enough for it."""
    long_enough = f"char_length({text}) >= {int(shortest)}"
    return f'CASE WHEN {long_enough} THEN {text} COLLATE "C" ~ {asked.text(pattern)} ELSE false END'


def _any_of(ways: Iterable[str]) -> str:
    return f"({' OR '.join(ways) or NEVER})"


# Named filters


def _group(name: str, wanted: Sequence[str], asked: _Parameters) -> list[str]:
    if not wanted:
        return []
    texts = [kept(value) for value in dict.fromkeys(wanted) if not is_lone(value)]
    if len(texts) > SEPARATE:
        return [f"(d.asked -> 'group' -> {asked.text(name)}) ?| {asked.texts(texts)}"]
    return [_any_of(f"d.asked @> {asked.json({'group': {name: [text]}})}" for text in texts)]


def _tags(where: Where, asked: _Parameters) -> list[str]:
    if where.tag_mode == "any" or not where.tags:
        return _group("tags", where.tags, asked)
    if any(is_lone(tag) for tag in where.tags):
        return [NEVER]
    return [f"d.asked @> {asked.json({'group': {'tags': [kept(tag) for tag in where.tags]}})}"]


def _dates(where: Where, asked: _Parameters) -> list[str]:
    bounds = ((where.date_from, ">="), (where.date_to, "<="))
    date = "d.asked -> 'group' -> 'date' ->> 0"
    return [
        f'left({date}, {len(bound)}) COLLATE "C" {operator} {asked.text(bound)}'
        for bound, operator in bounds
        if bound is not None
    ]


# Conditions


def _holds(condition: Condition, asked: _Parameters) -> str:
    column, operator, value = ALIASES.get(condition.column, condition.column), condition.operator, condition.value
    if is_lone(column):
        return ALWAYS if operator == "IS NULL" else NEVER
    if operator == "IS NOT NULL":
        return _has(column, asked)
    if operator == "IS NULL":
        return f"NOT {_has(column, asked)}"
    values: Sequence[Any] = value if operator in ("IN", "NOT IN") else (value,)
    if operator in ("=", "IN"):
        return _equal(column, values, asked)
    if operator in ("!=", "NOT IN"):
        return f"({_has(column, asked)} AND NOT {_equal(column, values, asked)})"
    if operator in ("LIKE", "ILIKE"):
        return _like(column, str(value), asked, insensitive=operator == "ILIKE")
    return _ordered(column, operator, value, asked)


def _columns(column: str) -> str:
    return OF_CHUNK if _of_chunk(column) else OF_DOCUMENT


def _has(column: str, asked: _Parameters) -> str:
    return f"(({_columns(column)}) ? {asked.text(kept(column))})"


def _contains(column: str, element: list[Any], asked: _Parameters) -> str:
    """Whether an element of a column has these of text and number."""
    named = {kept(column): [element]}
    if _of_chunk(column):
        return f"m.facts @> {asked.json(named)}"
    return f"d.asked @> {asked.json({'column': named})}"


def _some(column: str, test: str, asked: _Parameters) -> str:
    """Whether any element of a column passes a test over TEXT and NUMBER."""
    elements = f"jsonb_array_elements({_columns(column)} -> {asked.text(kept(column))})"
    return f"EXISTS (SELECT FROM {elements} AS e (v) WHERE {test})"


def _equal(column: str, values: Sequence[Any], asked: _Parameters) -> str:
    """Whether any element equals any of the values: numbers as numbers when both are, all else as text."""
    texts = [kept(value) for value in values if isinstance(value, str) and not is_lone(value)]
    texts += [str(value).lower() for value in values if isinstance(value, bool)]
    numbers = [value for value in values if _is_number(value)]
    if len(texts) + len(numbers) > SEPARATE:
        return _equal_to_many(column, texts, numbers, asked)
    ways: list[list[Any]] = [[text] for text in texts] + [[_text(number), None] for number in numbers]
    ways += [[msgspec.Raw(_digits(number).encode())] for number in numbers if math.isfinite(number)]
    return _any_of(_contains(column, way, asked) for way in ways)


def _equal_to_many(column: str, texts: Sequence[str], numbers: Sequence[float], asked: _Parameters) -> str:
    finite = [_digits(number) for number in numbers if math.isfinite(number)]
    plain = f"{TEXT} = ANY({asked.texts([*texts, *map(_text, numbers)])})"
    counted = f"({TEXT} = ANY({asked.texts(texts)}) OR {NUMBER} = ANY({asked.numbers(finite)}))"
    return _some(column, f"CASE WHEN {NUMBER} IS NULL THEN {plain} ELSE {counted} END", asked)


def _ordered(column: str, operator: str, value: Any, asked: _Parameters) -> str:
    text, as_text = _bound(kept(_text(value)), operator)
    test = f"{TEXT} {as_text} {asked.text(text)}"
    if _is_number(value):
        counted = NEVER if math.isnan(value) else f"{NUMBER} {operator} {asked.number(_digits(value))}"
        test = f"CASE WHEN {NUMBER} IS NULL THEN {test} ELSE {counted} END"
    return _some(column, test, asked)


def _bound(text: str, operator: str) -> tuple[str, str]:
    """The same bound without its lone surrogates: no stored text has one, so the first of them decides, and
    U+E000 is the next character that a stored text can have there."""
    at = next((i for i, character in enumerate(text) if is_lone(character)), None)
    if at is None:
        return text, operator
    return text[:at] + "\ue000", "<" if operator.startswith("<") else ">="


def _like(column: str, pattern: str, asked: _Parameters, *, insensitive: bool) -> str:
    if is_lone(pattern):
        return NEVER
    plain = None if insensitive else like_plain(pattern)
    if plain is not None:
        return _some(column, f"{TEXT} LIKE {asked.text(kept(plain))}", asked)
    expression, shortest = like_expression(pattern, insensitive=insensitive)
    return _some(column, _fits("(e.v ->> 0)", expression, shortest, asked), asked)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    try:
        return str(value).lower() if isinstance(value, bool) else str(value)
    except ValueError as error:  # an integer of more digits than Python writes
        raise UsageError(f"a number in a filter is too long: {error}") from error


def _digits(number: float) -> str:
    """A number as PostgreSQL reads it, infinite ones too."""
    return _text(number_of(number))
