"""Filters mean what the module says; SQLite is the oracle for LIKE and for missing values."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import UsageError
from ragstone.core.filter_matching import collect_facts, compile_like, matches
from ragstone.core.filters import Condition, Where, parse_where
from ragstone.core.types import Chunk, Document


def chunk(path: str = "a/b.md", heading: tuple[str, ...] = ("Top", "Sub"), **meta: Any) -> Chunk:
    document = Document("d", "docs", path, 1, "sha1", "r", title="T", meta=meta)
    return Chunk("c", document, 0, "text", (), heading_path=heading)


def passes(where: Where, **given_: Any) -> bool:
    return matches(where, collect_facts(chunk(**given_)))


def test_groups_are_anded_and_lists_are_ored() -> None:
    where = Where(projects=("x", "y"), doc_types=("note",))
    assert passes(where, project="y", doc_type="note")
    assert not passes(where, project="y", doc_type="policy")
    assert not passes(where, project="z", doc_type="note")


def test_tags_any_and_all() -> None:
    assert passes(Where(tags=("a", "b")), tags=["b"])
    assert not passes(Where(tags=("a", "b"), tag_mode="all"), tags=["b"])
    assert passes(Where(tags=("a", "b"), tag_mode="all"), tags=["b", "c", "a"])
    assert not passes(Where(tags=("a",)))


def test_paths_are_exact_or_globs() -> None:
    assert passes(Where(paths=("a/b.md",)))
    assert not passes(Where(paths=("b.md",)), path="a/b.mdx")
    assert passes(Where(paths=("a/**",)))
    assert passes(Where(paths=("*.md",)))
    assert not passes(Where(paths=("c/*",)))


def test_headers_match_any_heading_above() -> None:
    assert passes(Where(headers=("Top",)))
    assert passes(Where(headers=("Sub",)))
    assert not passes(Where(headers=("su",)))


def test_dates_are_inclusive_and_cut_to_their_precision() -> None:
    assert passes(Where(date_from="2024-05", date_to="2024-05"), date="2024-05-31")
    assert not passes(Where(date_to="2024-05-30"), date="2024-05-31")
    assert not passes(Where(date_from="2024"))


def test_two_dates_of_other_precision_may_mean_one_day() -> None:
    assert passes(Where(date_from="2024-05-31", date_to="2024"), date="2024-05-31")
    assert passes(Where(date_from="2024", date_to="2024-05-31T10:00"), date="2024-05-31T09:59")


def test_a_version_is_found_in_any_case_of_its_digits() -> None:
    about = collect_facts(replace(chunk(), document=replace(chunk().document, version="ab" * 32)))
    assert matches(Where(shas=("AB" * 32,)), about)
    assert not matches(Where(shas=("AC" * 32,)), about)


def test_restricted_documents_need_permission() -> None:
    assert not passes(Where(), confidentiality="restricted")
    assert passes(Where(allow_restricted=True), confidentiality="Restricted")
    assert passes(Where(), confidentiality="internal")
    with pytest.raises(UsageError, match="allow_restricted"):
        Where(confidentiality_allow=("restricted",))


def test_conditions_join_by_and_or() -> None:
    both = (Condition("project", "=", "x"), Condition("size", ">", 3))
    assert passes(Where(conditions=both), project="x", size=4)
    assert not passes(Where(conditions=both), project="x", size=3)
    assert passes(Where(conditions=both, logic="OR"), project="x", size=3)


def test_numbers_compare_as_numbers_and_the_rest_as_text() -> None:
    assert passes(Where(conditions=(Condition("n", ">", 9),)), n=10)
    assert passes(Where(conditions=(Condition("n", "<", "9"),)), n="10")
    assert passes(Where(conditions=(Condition("ok", "=", "true"),)), ok=True)


def test_a_condition_on_a_list_asks_for_any_and_not_equal_for_none() -> None:
    assert passes(Where(conditions=(Condition("tags", "=", "a"),)), tags=["a", "b"])
    assert not passes(Where(conditions=(Condition("tags", "!=", "a"),)), tags=["a", "b"])
    assert not passes(Where(conditions=(Condition("tags", "NOT IN", ["c", "b"]),)), tags=["a", "b"])


VALUES = st.one_of(st.none(), st.text("ab%_\\A.\n", max_size=4))
PATTERNS = st.text("ab%_A.\n", max_size=4)


@given(value=st.text("abA.%_\n", max_size=5), pattern=PATTERNS)
@settings(max_examples=200, deadline=None)
def test_like_is_sqls_like(value: str, pattern: str) -> None:
    with closing(sqlite3.connect(":memory:")) as database, database:
        database.execute("PRAGMA case_sensitive_like = ON")
        [sensitive] = database.execute("SELECT ? LIKE ?", (value, pattern)).fetchone()
        database.execute("PRAGMA case_sensitive_like = OFF")
        [insensitive] = database.execute("SELECT ? LIKE ?", (value, pattern)).fetchone()
    database.close()
    assert bool(compile_like(pattern, insensitive=False).fullmatch(value)) == bool(sensitive)
    assert bool(compile_like(pattern, insensitive=True).fullmatch(value)) == bool(insensitive)


@pytest.mark.parametrize("pattern", ["100\\%", "a\\_b", "\\"])
def test_a_backslash_takes_the_meaning_away(pattern: str) -> None:
    plain = pattern.replace("\\%", "%").replace("\\_", "_")
    assert compile_like(pattern, insensitive=False).fullmatch(plain)
    assert not compile_like("100\\%", insensitive=False).fullmatch("1000")


OPERATORS = st.sampled_from(["=", "!=", "<", ">", "<=", ">=", "IN", "NOT IN", "IS NULL", "IS NOT NULL"])


@given(value=VALUES, operator=OPERATORS, other=st.text("abA", max_size=3))
@settings(max_examples=200, deadline=None)
def test_conditions_on_text_follow_sql(value: str | None, operator: str, other: str) -> None:
    many = operator.endswith("IN")
    with closing(sqlite3.connect(":memory:")) as database, database:
        right = "" if operator.startswith("IS") else "(?)" if many else "?"
        arguments = (value,) if not right else (value, other)
        [expected] = database.execute(f"SELECT ? {operator} {right}", arguments).fetchone()
    database.close()
    condition = Condition("x", operator, [other] if many else other)
    assert passes(Where(conditions=(condition,)), x=value) == bool(expected)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"colour": "red"}, "unknown filter 'colour': a key of the documents goes into `conditions`, as a `column`"),
        ({"conditions": [{"column": "a", "operator": "~"}]}, "unknown filter operator '~'"),
        ({"conditions": [{"column": "a"}]}, "column, operator and value"),
        ({"conditions": [{"column": "a", "operator": "IN", "value": "b"}]}, "needs a list"),
        ({"conditions": [{"column": "a", "operator": "=", "value": None}]}, "needs one text"),
        ({"tag_mode": "some"}, "tag_mode 'some'"),
        ({"date_from": "yesterday"}, "expected a date"),
        ({"date_from": 2024}, "expected a date"),
        ({"date_from": "2024-99-77"}, "expected a date"),
        ({"date_from": "2024-02-31"}, "expected a date"),
        ({"date_from": "2024-05-31Tfoo"}, "expected a date"),
        ({"date_to": "2024-05-31T"}, "expected a date"),
        ({"date_to": "２０２４-05-31"}, "expected a date"),
        ({"date_from": "2024-06", "date_to": "2024-05-31"}, "date_from 2024-06 is after date_to 2024-05-31"),
        ({"date_from": "2025-01-01", "date_to": "2024"}, "date_from 2025-01-01 is after date_to 2024"),
        ({"shas": ["beef"]}, "all 64 hexadecimal digits"),
        ({"shas": ["x" * 64]}, "all 64 hexadecimal digits"),
        ({"shas": ["ａ" * 64]}, "all 64 hexadecimal digits"),
        ({"allow_restricted": "false"}, "expected true or false"),
        ({"paths": 5}, "expected a list"),
        ({"paths": {"a": 1}}, "expected a list"),
        ({"tags": None}, "expected a list"),
        ({"tags": [1]}, "list of texts"),
        ({"conditions": 5}, "expected a list"),
        ({"conditions": [5]}, "column, operator and value"),
        ({"conditions": [{"column": ["x"], "operator": "=", "value": 1}]}, "expected a name"),
        ({"conditions": [{"column": "x", "operator": "IN", "value": [{}]}]}, "needs one text"),
    ],
)
def test_a_wrong_filter_is_named(data: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_where(data)


def test_a_wrong_name_of_a_filter_gets_the_nearest() -> None:
    with pytest.raises(UsageError, match="unknown filter 'tag'; did you mean 'tags'"):
        Where(tag=("x",))  # type: ignore[call-arg]  # as programs without a type checker write it
    assert replace(Where(tags=("x",)), date_to="2024") == Where(tags=("x",), date_to="2024")


def test_plain_data_becomes_the_same_filter() -> None:
    data = {"paths": "a.md", "tags": ["x"], "conditions": [{"column": "n", "operator": "IN", "value": [1, 2]}]}
    assert parse_where(data) == Where(paths=("a.md",), tags=("x",), conditions=(Condition("n", "IN", (1, 2)),))


def test_a_hostile_pattern_cannot_make_a_filter_slow() -> None:
    assert not compile_like("%a" * 40 + "%b", insensitive=False).fullmatch("a" * 20_000)


@pytest.mark.parametrize(
    ("operator", "value", "fits"), [("=", 10**300, True), (">", 10**300, False), ("<", 1e301, True)]
)
def test_a_number_beyond_64_bits_is_compared_by_its_digits(operator: str, value: float, fits: bool) -> None:
    assert passes(Where(conditions=(Condition("x", operator, value),)), x=1e300) is fits
