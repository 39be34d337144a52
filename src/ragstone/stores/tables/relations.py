"""Facts about a column pair from the server's catalogue: existence, types, the identity of a row."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from psycopg import AsyncConnection, Error, sql

from ragstone.core.errors import ConfigError
from ragstone.core.suggestions import suggest_name
from ragstone.stores.column_pair import ALL_COLUMNS, ColumnPair
from ragstone.stores.postgres.error_mapping import first_error_line, is_connection_lost
from ragstone.stores.postgres.server_check import ServerInfo
from ragstone.stores.tables.error_mapping import map_table_errors

Row = tuple[Any, ...]
WITH_CTID = "rm"  # kinds of relations whose rows have a place of their own: tables, materialized views
KINDS = {"r": "table", "p": "partitioned table", "v": "view", "m": "materialized view", "f": "foreign table"}
VECTOR_TYPES = ("vector", "halfvec")
ITERATIVE_SINCE = (0, 8)  # pgvector that walks an index on until enough rows pass the filter
DEFAULT_LISTS = 100  # of an ivfflat index that does not say
MIN_PROBES = 10  # at least, of them; pgvector advises the square root of the lists

# A name is tried as it is written, then as SQL would read it: `Docs` is the table "Docs", or else docs.
RELATION = """SELECT c.oid, n.nspname, c.relname, c.relkind::text, current_database(),
    has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT'),
    has_table_privilege(c.oid, 'SELECT'),
    (SELECT max(coalesce(substring(array_to_string(i.reloptions, ',') FROM 'lists=([0-9]+)')::int, %(lists)s))
        FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am a ON a.oid = i.relam
        WHERE x.indrelid = c.oid AND a.amname = 'ivfflat'),
    (SELECT nspname FROM pg_extension e JOIN pg_namespace s ON s.oid = e.extnamespace WHERE e.extname = 'vector'),
    (SELECT extversion FROM pg_extension WHERE extname = 'vector')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = coalesce(to_regclass(%(exact)s), to_regclass(%(written)s))"""
COLUMNS = """SELECT a.attname, t.typname, t.typcategory::text, a.atttypmod,
    has_column_privilege(%(oid)s, a.attnum, 'SELECT'), e.typname, e.typcategory::text
FROM pg_attribute a JOIN pg_type d ON d.oid = a.atttypid
    JOIN pg_type t ON t.oid = CASE d.typtype WHEN 'd' THEN d.typbasetype ELSE d.oid END
    LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
WHERE a.attrelid = %(oid)s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A type's name and PostgreSQL's category letter: N numbers, S texts, D dates, B truth values, A arrays …"""

    name: str
    category: str


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `size` is a vector's dimension, -1 where the type does not say; `element` that of an array."""

    name: str
    type: ColumnType
    size: int
    readable: bool
    element: ColumnType | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view that is there, with what a search needs to know of it. `rows` says whether its rows have a place
    and a version of their own (ctid, xmin) and this role may see them."""

    oid: int
    schema: str
    name: str
    kind: str
    database: str
    rows: bool
    columns: Mapping[str, Column]
    vectors: str
    iterates: bool
    probes: int

    @property
    def label(self) -> str:
        """How results call it."""
        return f"{self.schema}.{self.name}"

    @property
    def sql(self) -> sql.Composable:
        return quote_name(self.schema, self.name)


def quote_name(*parts: str) -> sql.Composable:
    """A name for a statement that has parameters: a per cent sign in it must not begin one."""
    return sql.SQL(sql.Identifier(*parts).as_string(None).replace("%", "%%"))


async def inspect_database(connection: AsyncConnection[Row], place: str) -> ServerInfo:
    """Look at a database that need not know of us; raises `ConfigError` when its texts are not Unicode."""
    found = await connection.execute(
        "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')"
    )
    row = await found.fetchone()
    assert row is not None  # a SELECT without FROM has one row
    if row[1] != "UTF8":
        raise ConfigError(f"{place} has the encoding {row[1]}; only UTF8 is read")
    return ServerInfo(row[0], "", 0, bypasses=False)


async def read_relation(connection: AsyncConnection[Row], pair: ColumnPair, place: str) -> Relation:
    """The relation that a pair names; raises `ConfigError` that says what is not there, or not of a usable type."""
    given = {"exact": _quote_parts(pair.table), "written": pair.table, "lists": DEFAULT_LISTS}
    try:
        row = await (await connection.execute(RELATION, given)).fetchone()
    except Error as error:
        if is_connection_lost(error):
            with map_table_errors(place):
                raise
        raise ConfigError(
            f"invalid table {pair.table!r}: expected the name of a table ({first_error_line(error)})"
        ) from error
    if row is None:
        raise ConfigError(f"there is no table or view {pair.table!r} in {place}; write SCHEMA.NAME where needed")
    oid, schema, name, kind, database, readable, whole, lists, vectors, version = row
    if kind not in KINDS:
        raise ConfigError(f"{pair.table!r} in {place} is not a table or view")
    if not readable:
        raise ConfigError(f"{pair.table!r} in {place} may not be read by this user; GRANT SELECT on it")
    if vectors is None:
        raise ConfigError(f"{place} lacks the extension vector (pgvector); CREATE EXTENSION vector")
    with map_table_errors(place):
        rows = await (await connection.execute(COLUMNS, {"oid": oid})).fetchall()
    columns = {row[0]: _decode_column(row) for row in rows}
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    probes = max(MIN_PROBES, math.ceil(math.sqrt(lists or DEFAULT_LISTS)))
    rows_of_their_own = whole and kind in WITH_CTID
    walks = numbers >= ITERATIVE_SINCE
    found = Relation(oid, schema, name, kind, database, rows_of_their_own, columns, vectors, walks, probes)
    _check_columns(pair, found)
    return found


def _quote_parts(name: str) -> str:
    """The name with each part quoted; one with quotes of its own says itself what is meant."""
    if '"' in name:
        return name
    return ".".join(f'"{part}"' for part in name.split("."))


def _decode_column(row: Row) -> Column:
    name, kind, category, size, readable, element, of = row
    return Column(name, ColumnType(kind, category), size, readable, ColumnType(element, of) if element else None)


def _check_columns(pair: ColumnPair, found: Relation) -> None:
    """Whether the named columns can serve."""
    text = _find_column(found, pair.text, "text_column")
    if text.type.category != "S":
        raise ConfigError(f"text_column {pair.text!r} of {found.label} is of type {text.type.name}: expected a text")
    if pair.vector is not None:
        vector = _find_column(found, pair.vector, "vector_column")
        if vector.type.name not in VECTOR_TYPES:
            known = " or ".join(VECTOR_TYPES)
            wrong = f"vector_column {pair.vector!r} of {found.label} is of type {vector.type.name}: expected {known}"
            raise ConfigError(wrong)
    if pair.id is not None:
        _find_column(found, pair.id, "id_column")
    for name in pair.columns:
        if name != ALL_COLUMNS:
            _find_column(found, name, "filter_columns")
    if pair.id is None and not found.rows:
        why = "of which only some columns may be read" if found.kind in WITH_CTID else "whose rows have no place"
        raise ConfigError(f"{found.label} is a {KINDS[found.kind]} {why}: name its id_column")


def _find_column(found: Relation, name: str, what: str) -> Column:
    column = found.columns.get(name)
    if column is None:
        raise ConfigError(f"{found.label} has no column {name!r} ({what}){suggest_name(name, list(found.columns))}")
    if not column.readable:
        raise ConfigError(f"column {name!r} of {found.label} may not be read by this user; GRANT SELECT on it")
    return column
