"""A filter in SQL lets through what `where.matches` does, whatever stands in the documents and in the filter."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ragstone.core.errors import UsageError
from ragstone.core.filter_matching import collect_facts, compile_like, matches
from ragstone.core.filters import CHUNK_FACTS, DOCUMENT_FACTS, OPERATORS, Condition, Where
from ragstone.core.path_patterns import matches_any
from ragstone.core.types import Chunk
from ragstone.stores.encoding import decode_document, encode_value
from ragstone.stores.postgres.expressions import CASED_LIMIT, _find_case_variants, compile_globs
from ragstone.stores.postgres.filter_facts import collect_chunk_facts, collect_document_facts, escape_nul, is_restricted
from ragstone.stores.postgres.filters import build_chunk_filter
from ragstone.testing.stores import make_revision
from tests.stores.postgres.server import Server

Connection = psycopg.Connection[tuple[Any, ...]]

# All three tables of a filter, each with what it reads of them, made of the question's own rows.
TABLES = """WITH given AS (SELECT * FROM jsonb_to_recordset(%(rows)s::jsonb) AS g (doc_version_id integer, doc_id text,
    collection_id integer, tenant_id text, status text, source text, path text, restricted boolean, facts jsonb,
    asked jsonb)),
mv_active_chunks AS (SELECT doc_version_id, collection_id, tenant_id, restricted, facts FROM given),
document_versions AS (SELECT doc_version_id, doc_id, collection_id, tenant_id, status, asked FROM given),
documents AS (SELECT doc_id, collection_id, tenant_id, source COLLATE "C", path COLLATE "C" FROM given)"""


@pytest.fixture(scope="module")
def connection(server: Server) -> Iterator[Connection]:
    """Any database will do: the rows come with the question."""
    with psycopg.connect(server.superuser, autocommit=True) as opened:
        yield opened


HOSTILE = [
    "",
    "a",
    "b",
    "abc",
    "'; DROP TABLE mv_active_chunks; --",
    '"',
    "\\",
    "a\\",
    "%",
    "_",
    "100%",
    "%(w0)s",
    "%s",
    "$1",
    "{}",
    "[]",
    "null",
    "True",
    "true",
    "1",
    "1.0",
    "nan",
    "inf",
    "a\0b",
    "\0",
    "\x01",
    "\x01\x01",
    "\x01\x02",
    "\ufffd",
    "\ud7ff",
    "\ue000",
    "\U0010ffff",
    "ß",
    "ẞ",
    "İ",
    "ı",
    "i",
    "I",
    "ſ",
    "K",
    "ς",
    "Σ",
    "µ",
    "μ",
    "水",
    "e\u0301",
    "line\nbreak",
    "\r\n",
    "***:",
    "(?i)a",
    "[[:alpha:]]",
    "restricted",
    "Restricted",
    "2024-05-31",
    "x" * 3000,
]
NUMBERS: list[Any] = [0, 1, -1, 3, 2.5, 0.1, 1e300, 5e-324, 2**53, 2**53 + 1, float(2**53), 2**63 - 1, 1e17]
COLUMNS = [
    *CHUNK_FACTS,
    *DOCUMENT_FACTS,
    "category",
    "tags",
    "date",
    "confidentiality",
    "",
    "a\0b",
    "we'ird\\ %s",
    "no",
]

stored = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=6), st.text("aAbB%_\\.*?/\0\x01", max_size=5))
scalars = st.one_of(stored, st.sampled_from(NUMBERS), st.booleans(), st.none(), st.floats(allow_nan=False))
values = st.one_of(scalars, st.lists(scalars, max_size=3), st.just({"deep": [1, None]}))
asked = st.one_of(stored, st.sampled_from(["\ud800", "a\ud800", "\udfff%", "x" * 20_000]))
names = st.sampled_from([column for column in COLUMNS if column])
numbers = st.one_of(st.sampled_from([*NUMBERS, float("nan"), float("inf"), -float("inf"), 10**300]), st.floats())


@st.composite
def chunks(draw: st.DrawFn) -> Chunk:
    """A chunk with anything in its front matter, as it comes back from its row."""
    meta = draw(st.dictionaries(st.sampled_from([*COLUMNS, "project", "doc_type"]), values, max_size=6))
    own = {
        "heading_path": tuple(draw(st.lists(stored, max_size=2))),
        "kind": draw(st.sampled_from(["text", "table"])),
        "flags": tuple(draw(st.lists(stored, max_size=2))),
        "risk_score": draw(st.sampled_from([0.0, 0.5, 0.1])),
    }
    path = draw(st.text("ab/.*?'\\%\n", max_size=8))
    source = draw(st.sampled_from(["docs", "we'ird"]))
    title = draw(st.none() | stored)
    [chunk] = make_revision(path, ["text"], source=source, meta=meta, chunks=own, title=title).chunks
    return replace(chunk, document=decode_document(encode_value(chunk.document, place=path)))


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    operator = draw(st.sampled_from(OPERATORS))
    one = asked if operator in ("LIKE", "ILIKE") else st.one_of(asked, numbers, st.booleans())
    value: Any = draw(st.lists(one, max_size=20) if operator in ("IN", "NOT IN") else one)
    return Condition(draw(names), operator, value)


def some(one: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.one_of(st.just(()), st.just(()), st.just(()), st.lists(one, min_size=1, max_size=20).map(tuple))


@st.composite
def wheres(draw: st.DrawFn) -> Where:
    allowed = tuple(draw(some(asked)))
    dates = draw(st.sampled_from([(None, None), ("2024", None), ("2024-05-31", "2024-06"), (None, "2025-01-01")]))
    return Where(
        sources=draw(some(st.sampled_from(["docs", "we'ird", "\0", "\ud800"]))),
        paths=draw(some(st.text("ab/.*?'\\%\n\0", max_size=8))),
        headers=draw(some(asked)),
        shas=draw(some(st.just("0" * 64))),
        categories=draw(some(asked)),
        tags=draw(some(asked)),
        tag_mode=draw(st.sampled_from(["any", "all"])),
        projects=draw(some(asked)),
        doc_types=draw(some(asked)),
        date_from=dates[0],
        date_to=dates[1],
        confidentiality_allow=tuple(level for level in allowed if level.lower() != "restricted"),
        allow_restricted=draw(st.booleans()),
        conditions=tuple(draw(st.lists(conditions(), max_size=3))),
        logic=draw(st.sampled_from(["AND", "OR"])),
    )


def passing(connection: Connection, where: Where, given_chunks: Sequence[Chunk], **more: Any) -> set[int]:
    """The places in the list of the chunks that the server lets through."""
    rows = [
        {
            "doc_version_id": i,
            "doc_id": str(i),
            "collection_id": 1,
            "tenant_id": "t",
            "status": "active",
            "source": chunk.document.source,
            "path": chunk.document.path,
            "restricted": is_restricted(chunk.document.meta),
            "facts": collect_chunk_facts(chunk),
            "asked": collect_document_facts(chunk.document),
        }
        for i, chunk in enumerate(given_chunks)
    ]
    made = build_chunk_filter(where, **more)
    parameters = {"rows": json.dumps(rows), "collection": 1, "tenant": "t", **made.parameters}
    if made.versions is not None:
        [both] = connection.execute(f"{TABLES} {made.versions}", parameters)
        parameters["versions"], parameters["others"] = (f"{{{ids or ''}}}" for ids in both)
    sql = f"{TABLES} SELECT m.doc_version_id FROM mv_active_chunks m WHERE {made.sql}"
    return {i for (i,) in connection.execute(sql, parameters)}


def wanted(where: Where, given_chunks: Sequence[Chunk]) -> set[int]:
    return {i for i, chunk in enumerate(given_chunks) if matches(where, collect_facts(chunk))}


everything = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


@everything
@given(st.lists(chunks(), min_size=1, max_size=6), wheres())
def test_any_filter_means_what_where_says(connection: Connection, given_chunks: list[Chunk], where: Where) -> None:
    assert passing(connection, where, given_chunks) == wanted(where, given_chunks)


@everything
@given(st.lists(chunks(), min_size=1, max_size=6), conditions())
def test_any_condition_means_what_where_says(
    connection: Connection, given_chunks: list[Chunk], condition: Condition
) -> None:
    where = Where(conditions=(condition,), allow_restricted=True)
    assert passing(connection, where, given_chunks) == wanted(where, given_chunks)


@everything
@given(st.lists(scalars, min_size=1, max_size=6), st.sampled_from(OPERATORS), asked | numbers | st.booleans())
def test_every_operator_compares_every_kind_of_value(
    connection: Connection, held: list[Any], operator: str, value: Any
) -> None:
    value = [value] if operator in ("IN", "NOT IN") else value
    where = Where(conditions=(Condition("x", operator, value),))
    revisions = [make_revision(f"{i}", ["text"], meta={"x": one}) for i, one in enumerate(held)]
    given_chunks = [
        replace(r.chunks[0], document=decode_document(encode_value(r.document, place="x"))) for r in revisions
    ]
    assert passing(connection, where, given_chunks) == wanted(where, given_chunks)


@everything
@given(
    st.text("aAbB%_\\.*\0\x01ßſsİi\n", max_size=6),
    st.lists(st.text("aAbB\\._%\0\x01\x02ßẞSsſiIİı\n", max_size=5), max_size=8),
    st.booleans(),
)
@example("a\\", ["a\\", "a", "A\\"], True)
@example("%\\%", ["%", "a%", "a"], False)
def test_like_is_like(connection: Connection, pattern: str, texts: list[str], insensitive: bool) -> None:
    where = Where(conditions=(Condition("x", "ILIKE" if insensitive else "LIKE", pattern),))
    given_chunks = [make_revision(f"{i}", ["t"], meta={"x": text}).chunks[0] for i, text in enumerate(texts)]
    expression = compile_like(pattern, insensitive=insensitive)
    found = passing(connection, where, given_chunks)
    assert found == {i for i, text in enumerate(texts) if expression.fullmatch(text)}


GLOBS = st.lists(st.sampled_from(["*", "**", "a", "b", "?", "a*b", "*.md", "**a", ""]), max_size=5).map("/".join)


@everything
@given(st.lists(st.one_of(GLOBS, st.text("ab*?/.[(\\\n", max_size=7)), min_size=1, max_size=4), st.data())
def test_a_glob_as_an_expression_fits_the_same_paths(
    connection: Connection, globs: list[str], data: st.DataObject
) -> None:
    paths = data.draw(st.lists(st.text("ab/.[(\\\nx", max_size=8), min_size=1, max_size=20))
    expression, shortest = compile_globs(globs)
    sql = 'SELECT p FROM unnest(%s::text[]) AS u (p) WHERE p COLLATE "C" ~ %s'
    found = {path for (path,) in connection.execute(sql, (paths, expression))}
    assert found == {path for path in paths if matches_any(path, globs)}
    assert all(len(path) >= shortest for path in found)


def test_every_letter_has_the_other_cases_that_python_gives_it() -> None:
    cased = [c for c in map(chr, range(sys.maxunicode + 1)) if c.lower() != c or c.upper() != c]
    assert max(cased) < chr(CASED_LIMIT)
    letters = "".join(cased)
    for character in letters:
        expected = "".join(sorted({*compile_like(character, insensitive=True).findall(letters), character}))
        assert _find_case_variants(character) == expected


@given(st.text(max_size=5), st.text(max_size=5))
@example("\0", "\x01")
@example("a\0", "a\x01\x01")
def test_kept_texts_differ_and_stand_in_the_same_order(one: str, other: str) -> None:
    assert (escape_nul(one) < escape_nul(other), escape_nul(one) == escape_nul(other)) == (one < other, one == other)
    assert "\0" not in escape_nul(one)


def test_no_text_of_a_filter_is_part_of_the_sql() -> None:
    marker = "mArKeR'"
    where = Where(
        sources=(marker,),
        paths=(marker, marker + "*"),
        headers=(marker,),
        categories=(marker,),
        tags=(marker,),
        projects=(marker,),
        doc_types=(marker,),
        date_from="2024",
        confidentiality_allow=(marker,),
        conditions=tuple(
            Condition(marker, operator, [marker] if "IN" in operator else marker) for operator in OPERATORS
        ),
    )
    made = build_chunk_filter(where)
    assert "marker" not in made.sql.lower()
    assert "2024" not in made.sql
    assert any(marker in str(value) for value in made.parameters.values())


def test_very_long_patterns_cost_nothing_where_no_text_is_as_long(connection: Connection) -> None:
    given_chunks = [make_revision("a/b.md", ["t"], meta={"x": "abc"}).chunks[0]]
    for operator in ("LIKE", "ILIKE"):
        where = Where(conditions=(Condition("x", operator, "a%_" * 50_000),))
        assert passing(connection, where, given_chunks) == set()
    assert passing(connection, Where(paths=("?*" * 50_000,)), given_chunks) == set()


def test_paths_that_were_worked_out_before_stand_for_the_globs(connection: Connection) -> None:
    given_chunks = [make_revision(path, ["t"]).chunks[0] for path in ("a.md", "b.md")]
    assert passing(connection, Where(paths=("*.md",)), given_chunks, fitting=["b.md"]) == {1}
    assert passing(connection, Where(paths=("*.md",)), given_chunks, fitting=[]) == set()


def test_a_number_that_no_server_could_read_is_the_callers_mistake() -> None:
    with pytest.raises(UsageError, match="too long"):
        build_chunk_filter(Where(conditions=(Condition("x", "<", 10**5000),)))


def test_a_filter_of_nothing_is_trivial_and_any_other_is_not() -> None:
    assert build_chunk_filter(Where()).is_trivial
    assert build_chunk_filter(Where(allow_restricted=True)).is_trivial
    assert not build_chunk_filter(Where(tags=("a",))).is_trivial
