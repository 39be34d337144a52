"""Structured conditions over the columns of somebody's table: names were found in its catalogue, values are parameters.

The meaning is that of `ragstone.core.filters`, by the column's type: a missing value fails all but IS NULL, on an
array a condition asks for any element, numbers compare as numbers, texts in the order of their characters.
"""

import math
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from psycopg import sql

from ragstone.core.errors import UsageError
from ragstone.core.filters import Condition, Where
from ragstone.stores.column_pair import ALL_COLUMNS, INVALID_NAME, ColumnPair
from ragstone.stores.tables.relations import VECTOR_TYPES, ColumnType, Relation, quote_name

DOCUMENT_FILTERS = ("paths", "headers", "shas", "categories", "tags", "projects", "doc_types", "date_from", "date_to")
TIME_TYPES = ("date", "timestamp", "timestamptz", "time", "timetz", "interval")
LARGEST = 2**63
BACKSLASHES = re.compile(r"\\*$")
NEVER, ALWAYS = sql.SQL("false"), sql.SQL("true")


@dataclass(slots=True)
class TableFilter:
    """A condition in SQL and its parameters, named `f0`, `f1` …"""

    parts: list[sql.Composable] = field(default_factory=list)
    given: dict[str, Any] = field(default_factory=dict)

    def add_value(self, value: object, kind: str) -> sql.Composable:
        """A placeholder for a value, cast to one of the types that this file names."""
        name = f"f{len(self.given)}"
        self.given[name] = value
        return sql.SQL("{}::{}").format(sql.Placeholder(name), sql.SQL(kind))

    @property
    def sql(self) -> sql.Composable:
        """All parts, each within parentheses that a comment at its end cannot swallow."""
        parts: list[sql.Composable] = [sql.SQL("(\n{}\n)").format(part) for part in self.parts]
        return sql.SQL(" AND ").join(parts or [ALWAYS])


def build_configured_filter(pair: ColumnPair, relation: Relation) -> TableFilter:
    """The filter that the configuration puts before every request: SQL as it stands, or conditions on any column."""
    made = TableFilter()
    if isinstance(pair.filter, str):
        made.parts.append(sql.SQL(pair.filter.replace("%", "%%")))
    elif pair.filter is not None:
        _add_conditions(pair.filter, relation, made)
    return made


def add_request_filter(where: Where, pair: ColumnPair, relation: Relation, made: TableFilter) -> TableFilter:
    """Adds the filter of a request. Raises `UsageError` for what the configuration does not allow to be asked."""
    if asked := next((name for name in (*DOCUMENT_FILTERS, "confidentiality_allow") if getattr(where, name)), None):
        raise UsageError(f"filter {asked!r} asks about documents; rows of {relation.label} take conditions (--filter)")
    if where.sources and not {relation.label, relation.name, pair.table}.intersection(where.sources):
        made.parts.append(NEVER)
    for condition in where.conditions:
        if condition.column not in pair.columns and ALL_COLUMNS not in pair.columns:
            known = f"allowed are: {', '.join(pair.columns)}" if pair.columns else "its filter_columns allow none"
            raise UsageError(f"{relation.label} may not be filtered by {condition.column!r}; {known}")
    _add_conditions(where, relation, made)
    return made


def _add_conditions(where: Where, relation: Relation, made: TableFilter) -> None:
    if where.conditions:
        joint = sql.SQL(f" {'OR' if where.logic == 'OR' else 'AND'} ")
        made.parts.append(joint.join([_match_condition(condition, relation, made) for condition in where.conditions]))


def _match_condition(condition: Condition, relation: Relation, made: TableFilter) -> sql.Composable:
    column = relation.columns.get(condition.column)
    if column is None or not column.readable or column.type.name in VECTOR_TYPES:
        raise UsageError(f"{relation.label} has no column {condition.column!r} to filter by")
    name = quote_name(condition.column)
    if column.element is None:
        return _match_value(name, column.type, condition, made)
    if condition.operator.startswith("IS"):
        empty = sql.SQL("coalesce(cardinality({}), 0) {} 0").format(
            name, sql.SQL("=" if condition.operator == "IS NULL" else ">")
        )
        return sql.SQL("({})").format(empty)
    none = {"!=": "=", "NOT IN": "IN"}.get(condition.operator)
    one = Condition(condition.column, none or condition.operator, condition.value)
    test = _match_value(sql.SQL("e.v"), column.element, one, made)
    any_ = sql.SQL("EXISTS (SELECT FROM unnest({}) AS e (v) WHERE {})").format(name, test)
    return sql.SQL("(cardinality({}) > 0 AND NOT {})").format(name, any_) if none else any_


def _match_value(name: sql.Composable, kind: ColumnType, condition: Condition, made: TableFilter) -> sql.Composable:
    """A condition on one value."""
    operator, value = condition.operator, condition.value
    if operator.startswith("IS"):
        return sql.SQL("({} {})").format(name, sql.SQL("IS NULL" if operator == "IS NULL" else "IS NOT NULL"))
    _check_texts(condition)
    if operator in ("LIKE", "ILIKE"):
        pattern = made.add_value(_complete_pattern(str(value)), "text")
        return sql.SQL("({}::text {} {})").format(name, sql.SQL("LIKE" if operator == "LIKE" else "ILIKE"), pattern)
    values = value if operator in ("IN", "NOT IN") else (value,)
    cast, expression, of = _choose_comparison(kind, name, values, ordered=operator in ("<", ">", "<=", ">="))
    if operator in ("IN", "NOT IN"):
        listed = made.add_value([of(one, condition.column) for one in values], f"{cast}[]")
        among = sql.SQL("{} = ANY({})").format(expression, listed)
        shape = "({} IS NOT NULL AND NOT {})" if operator == "NOT IN" else "({} IS NOT NULL AND {})"
        return sql.SQL(shape).format(name, among)
    sign = {"=": "=", "!=": "<>", "<": "<", ">": ">", "<=": "<=", ">=": ">="}[operator]
    return sql.SQL("({} {} {})").format(expression, sql.SQL(sign), made.add_value(of(value, condition.column), cast))


def _choose_comparison(
    kind: ColumnType, name: sql.Composable, values: Sequence[Any], *, ordered: bool
) -> tuple[str, sql.Composable, Callable[[Any, str], Any]]:
    """The type that a column is compared in, the column as that, and how a value becomes one. A column that stands
    there as it is can be looked up in its index."""
    if kind.category == "N" and kind.name != "money":
        small = kind.name.startswith("int") and all(type(value) is int and abs(value) < LARGEST for value in values)
        return "int8" if small else "numeric", name, _parse_number
    if kind.category == "B":
        return "boolean", name, _parse_boolean
    if kind.name == "uuid":
        return "uuid", name, _parse_uuid
    if kind.name in TIME_TYPES:
        return kind.name, name, _value_text
    as_is = kind.name in ("text", "varchar") and not ordered
    return "text", name if as_is else sql.SQL('({}::text COLLATE "C")').format(name), _value_text


def _check_texts(condition: Condition) -> None:
    values: Sequence[Any] = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    if any(isinstance(value, str) and INVALID_NAME.search(value) for value in values):
        raise UsageError(f"filter on {condition.column!r}: no text in PostgreSQL holds NUL or half a character")


def _complete_pattern(pattern: str) -> str:
    """A pattern whose last backslash stands for itself, as it does everywhere else here."""
    found = BACKSLASHES.search(pattern)
    return pattern + "\\" if found and len(found[0]) % 2 else pattern


def _parse_number(value: Any, column: str) -> str:
    if isinstance(value, bool):
        raise UsageError(f"filter on {column!r}: it holds numbers, not truth values")
    try:
        number = Decimal(str(value))
    except (InvalidOperation, ValueError) as error:
        raise UsageError(f"filter on {column!r}: it holds numbers, and {value!r:.60} is not a number") from error
    if not number.is_finite() and not (isinstance(value, float) and math.isinf(value)):
        raise UsageError(f"filter on {column!r}: {value!r:.60} is not a number")
    return str(number)


def _parse_boolean(value: Any, column: str) -> bool:
    known = {"true": True, "false": False}
    found = value if isinstance(value, bool) else known.get(str(value).lower())
    if found is None:
        raise UsageError(f"filter on {column!r}: it holds truth values, and {value!r:.60} is not one")
    return found


def _parse_uuid(value: Any, column: str) -> str:
    try:
        return str(uuid.UUID(str(value)))
    except ValueError as error:
        raise UsageError(f"filter on {column!r}: it holds UUIDs, and {value!r:.60} is not one") from error


def _value_text(value: Any, _column: str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
