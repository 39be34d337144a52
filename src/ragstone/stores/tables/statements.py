"""The statements over a pair: names found in the catalogue, two filters, all else parameters."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from psycopg import sql

from ragstone.core.errors import ConfigError, StoreError
from ragstone.core.filters import Where
from ragstone.core.ports import Vectors
from ragstone.stores.column_pair import ColumnPair
from ragstone.stores.cosine import normalize_query
from ragstone.stores.postgres.vector_search import vector_literal
from ragstone.stores.tables import filters
from ragstone.stores.tables.relations import Relation, quote_name

MAX_TEXT_LENGTH = 1_000_000  # characters of a text that are read: more is no passage
DIRECT_ID_TYPES = ("int2", "int4", "int8", "text", "varchar", "uuid")  # ids that are looked up in their own type
ROWS = "SELECT {id}, {text} FROM {table} WHERE {there} AND {filter}"
# Texts are read of the nearest alone: what stands beside an ORDER BY is worked out for every row.
NEAREST = """SELECT b.i::text, {found}, b.d FROM (
    SELECT {key} AS i, {column} AS t, {distance} AS d FROM {table}
    WHERE {there} AND {vector} IS NOT NULL AND {filter} ORDER BY {distance} LIMIT %(limit)s) b"""
MATCHING = "SELECT {id}, {text} FROM {table} WHERE {there} AND {among} AND {filter}"
PASSING = "SELECT {id} FROM {table} WHERE {there} AND {filter} LIMIT %(limit)s"
COSINES = "SELECT {id}, {distance} FROM {table} WHERE {there} AND {vector} IS NOT NULL AND {among} AND {filter}"
# Every change of a row gives it another xmin; what has none is looked at as a whole.
FINGERPRINT_ROWS = (
    "SELECT count(*), coalesce(sum(hashint8(xmin::text::int8)), 0)::int8 FROM {table} WHERE {there} AND {filter}"
)
FINGERPRINT_TEXTS = (
    """SELECT count(*), coalesce(sum(hashtext({text})), 0)::int8 FROM {table} WHERE {there} AND {filter}"""
)
ITERATIVE_SETTINGS = {"hnsw.iterative_scan": "strict_order", "ivfflat.iterative_scan": "relaxed_order"}
# What a filter in SQL is tried as: one that means another thing within brackets passes only one of them.
TRIALS = ("EXPLAIN SELECT 1 FROM {} WHERE {}\nLIMIT %(n)s", "EXPLAIN SELECT 1 FROM {} WHERE (\n{}\n) LIMIT %(n)s")


class Statements:
    """Makes statements of the shapes above; `place` names the pair in errors."""

    def __init__(self, pair: ColumnPair, relation: Relation, place: str) -> None:
        self._pair = pair
        self._relation = relation
        self._place = place
        text = quote_name(pair.text)
        key = quote_name(pair.id) if pair.id is not None else sql.SQL("ctid")
        cut = sql.SQL("left({}::text, " + str(MAX_TEXT_LENGTH) + ")")
        self._names: dict[str, sql.Composable] = {
            "table": relation.sql,
            "column": text,
            "text": cut.format(text),
            "found": cut.format(sql.SQL("b.t")),
            "key": key,
            "id": sql.SQL("{}::text").format(key),
            "vector": quote_name(pair.vector or pair.text),
            "there": sql.SQL("({} IS NOT NULL AND {} IS NOT NULL)").format(text, key),
        }

    def build_statement(
        self, shape: str, where: Where | None = None, **more: sql.Composable
    ) -> tuple[sql.Composed, dict[str, Any]]:
        """A statement and its parameters: the configured filter, and that of a request."""
        own = filters.build_configured_filter(self._pair, self._relation)
        if where is not None:
            filters.add_request_filter(where, self._pair, self._relation, own)
        return sql.SQL(shape).format(filter=own.sql, **{**self._names, **more}), dict(own.given)

    def build_trials(self) -> Iterator[sql.Composed]:
        """The trials that a configured SQL filter must pass before use; none for another."""
        if isinstance(self._pair.filter, str):
            plain = sql.SQL(self._pair.filter.replace("%", "%%"))
            yield from (sql.SQL(shape).format(self._relation.sql, plain) for shape in TRIALS)

    def match_ids(self, ids: Sequence[str]) -> tuple[sql.Composable, dict[str, Any]]:
        """The rows with these ids, in the id's own type where an index may help."""
        kind = "tid" if self._pair.id is None else self._relation.columns[self._pair.id].type.name
        typed = kind == "tid" or kind in DIRECT_ID_TYPES
        column = self._names["key" if typed else "id"]
        cast = sql.SQL(f"{kind if typed else 'text'}[]")
        return sql.SQL("{} = ANY(%(ids)s::{})").format(column, cast), {"ids": list(ids)}

    def measure_distance(self, vector: Vectors) -> tuple[sql.Composable, dict[str, Any]]:
        """The cosine distance to a question's vector; raises `ConfigError` for one of another dimension."""
        name = self._pair.vector
        if name is None:
            raise StoreError(f"{self._place} has no vectors: no vector_column is configured")
        column = self._relation.columns[name]
        given = np.asarray(vector).reshape(-1)
        if column.size not in (-1, len(given)):
            raise ConfigError(
                f"the vectors of {self._place} have {column.size} dimensions, those of the pipeline's model "
                f"{len(given)}: name the model that they were made with"
            )
        shape = sql.SQL("({} OPERATOR({}.<=>) %(vector)s::{})").format(
            quote_name(name), quote_name(self._relation.vectors), quote_name(self._relation.vectors, column.type.name)
        )
        return shape, {"vector": vector_literal(normalize_query(given, len(given)))}
