"""What the server's catalogue says of a pair: does it exist, of what types is it, how is a row named."""

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from psycopg import AsyncConnection, Error, sql

from ragstone.core.errors import ConfigError
from ragstone.stores.pair import EVERY, Pair
from ragstone.stores.postgres.foreign import first_line, is_lost
from ragstone.stores.postgres.ready import Server
from ragstone.stores.tables.faults import told

Row = tuple[Any, ...]
WITH_CTID = "rm"  # kinds of relations whose rows have a place of their own: tables, materialized views
KINDS = {"r": "table", "p": "partitioned table", "v": "view", "m": "materialized view", "f": "foreign table"}
COMPARED = ("vector", "halfvec")
ITERATES = (0, 8)  # pgvector that walks an index on until enough rows pass the filter
LISTS = 100  # of an ivfflat index that does not say
PROBES = 10  # at least, of them; pgvector advises the square root of the lists

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
class Type:
    """A type's name and PostgreSQL's category letter: N numbers, S texts, D dates, B truth values, A arrays …"""

    name: str
    category: str


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `size` is a vector's dimension, -1 where the type does not say; `element` that of an array."""

    name: str
    type: Type
    size: int
    readable: bool
    element: Type | None = None


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
        return named(self.schema, self.name)


def named(*parts: str) -> sql.Composable:
    """A name for a statement that has parameters: a per cent sign in it must not begin one."""
    return sql.SQL(sql.Identifier(*parts).as_string(None).replace("%", "%%"))


async def connected(connection: AsyncConnection[Row], place: str) -> Server:
    """Look at a database that need not know of us; raises `ConfigError` when its texts are not Unicode."""
    found = await connection.execute(
        "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')"
    )
    row = await found.fetchone()
    assert row is not None  # a SELECT without FROM has one row
    if row[1] != "UTF8":
        raise ConfigError(f"{place} has the encoding {row[1]}; only UTF8 is read")
    return Server(row[0], "", 0, bypasses=False)


async def looked_up(connection: AsyncConnection[Row], pair: Pair, place: str) -> Relation:
    """The relation that a pair names; raises `ConfigError` that says what is not there, or not of a usable type."""
    given = {"exact": _exact(pair.table), "written": pair.table, "lists": LISTS}
    try:
        row = await (await connection.execute(RELATION, given)).fetchone()
    except Error as error:
        if is_lost(error):
            with told(place):
                raise
        raise ConfigError(f"table {pair.table!r} is no name of a table ({first_line(error)})") from error
    if row is None:
        raise ConfigError(f"there is no table or view {pair.table!r} in {place}; write SCHEMA.NAME where needed")
    oid, schema, name, kind, database, readable, whole, lists, vectors, version = row
    if kind not in KINDS:
        raise ConfigError(f"{pair.table!r} in {place} is no table or view")
    if not readable:
        raise ConfigError(f"{pair.table!r} in {place} may not be read by this user; GRANT SELECT on it")
    if vectors is None:
        raise ConfigError(f"{place} lacks the extension vector (pgvector); CREATE EXTENSION vector")
    with told(place):
        rows = await (await connection.execute(COLUMNS, {"oid": oid})).fetchall()
    columns = {row[0]: _column(row) for row in rows}
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    probes = max(PROBES, math.ceil(math.sqrt(lists or LISTS)))
    rows_of_their_own = whole and kind in WITH_CTID
    walks = numbers >= ITERATES
    found = Relation(oid, schema, name, kind, database, rows_of_their_own, columns, vectors, walks, probes)
    _check(pair, found)
    return found


def _exact(name: str) -> str:
    """The name with each part quoted; one with quotes of its own says itself what is meant."""
    if '"' in name:
        return name
    return ".".join(f'"{part}"' for part in name.split("."))


def _column(row: Row) -> Column:
    name, kind, category, size, readable, element, of = row
    return Column(name, Type(kind, category), size, readable, Type(element, of) if element else None)


def _check(pair: Pair, found: Relation) -> None:
    """Whether the named columns can serve."""
    text = _named(found, pair.text, "text_column")
    if text.type.category != "S":
        raise ConfigError(f"text_column {pair.text!r} of {found.label} is of type {text.type.name}; it must be a text")
    if pair.vector is not None:
        vector = _named(found, pair.vector, "vector_column")
        if vector.type.name not in COMPARED:
            known = " or ".join(COMPARED)
            wrong = f"vector_column {pair.vector!r} of {found.label} is of type {vector.type.name}; it must be {known}"
            raise ConfigError(wrong)
    if pair.id is not None:
        _named(found, pair.id, "id_column")
    for name in pair.columns:
        if name != EVERY:
            _named(found, name, "filter_columns")
    if pair.id is None and not found.rows:
        why = "of which only some columns may be read" if found.kind in WITH_CTID else "whose rows have no place"
        raise ConfigError(f"{found.label} is a {KINDS[found.kind]} {why}: name its id_column")


def _named(found: Relation, name: str, what: str) -> Column:
    column = found.columns.get(name)
    if column is None:
        near = difflib.get_close_matches(name, found.columns, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ConfigError(f"{found.label} has no column {name!r} ({what}){hint}")
    if not column.readable:
        raise ConfigError(f"column {name!r} of {found.label} may not be read by this user; GRANT SELECT on it")
    return column
