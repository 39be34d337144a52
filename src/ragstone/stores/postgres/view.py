"""The statements of one view: one transaction, whose snapshot each of them sees."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from psycopg.pq import TransactionStatus

from ragstone.core.filters import Where
from ragstone.core.path_patterns import matches_any
from ragstone.stores import postings
from ragstone.stores.postgres import vector_search
from ragstone.stores.postgres.connection import ROLL_BACK, Connection, Row
from ragstone.stores.postgres.error_mapping import map_errors
from ragstone.stores.postgres.expressions import has_wildcard
from ragstone.stores.postgres.filters import ChunkFilter, build_chunk_filter
from ragstone.stores.postgres.rows import CollectionRow
from ragstone.stores.postings import Ints

MAX_GLOB_LENGTH = 2_000  # characters of globs; more are not compiled by the server but tried on each path here
PASSING_NUMBERS = """SELECT string_agg(int4send(f.number), '') FROM (
    SELECT m.number FROM mv_active_chunks m
    WHERE m.collection_id = %(collection)s AND m.tenant_id = %(tenant)s AND {} LIMIT {}) f"""
PATHS = "SELECT DISTINCT m.path FROM documents m WHERE m.collection_id = %(collection)s AND m.tenant_id = %(tenant)s"


class CollectionView:
    """A collection as one transaction sees it. `connection` is inside of it (`Pool.viewing`), `row` is what it saw;
    `place` names the store in errors. Every statement gets the collection and the tenant."""

    def __init__(self, connection: Connection, row: CollectionRow, *, place: str) -> None:
        self.row = row
        self._connection = connection
        self._place = place
        self._one = asyncio.Lock()
        self._ours = {"collection": row.collection_id, "tenant": row.tenant}

    async def fetch_rows(
        self, sql: str, more: Mapping[str, Any] | None = None, *, after: str | None = None
    ) -> list[Row]:
        """One statement, in one round trip with the one that it comes after; the connection serves one at a time.

        Never as a prepared one: its plan would be one for all values, without a look at how many there are, and
        nothing was gained by it. A failed statement leaves the view usable for the next one.
        """
        given = {**self._ours, **(more or {})}
        async with self._one:
            with map_errors(self._place):
                if self._connection.pgconn.transaction_status == TransactionStatus.INERROR:
                    await self._connection.execute(ROLL_BACK)
                if after is None:
                    found = await self._connection.execute(sql, given, prepare=False, binary=True)
                else:
                    async with self._connection.pipeline():
                        await self._connection.execute(after, given, prepare=False)
                        found = await self._connection.execute(sql, given, prepare=False, binary=True)
                return await found.fetchall()


class ViewFilters:
    """The filters of one view, each worked out once."""

    def __init__(self, view: CollectionView) -> None:
        self._view = view
        self._made: dict[str, ChunkFilter] = {}
        self._few: dict[str, Ints | None] = {}

    async def resolve_filter(self, where: Where) -> ChunkFilter:
        """The filter in SQL, with the versions that pass. Globs that are too long for the server's expressions are
        tried on each path here."""
        key = repr(where)
        if key not in self._made:
            fitting = None
            if sum(len(path) for path in where.paths if has_wildcard(path)) > MAX_GLOB_LENGTH:
                exact = {path for path in where.paths if not has_wildcard(path)}
                globs = [path for path in where.paths if has_wildcard(path)]
                known = [path for (path,) in await self._view.fetch_rows(PATHS)]
                fitting = [path for path in known if path in exact or matches_any(path, globs)]
            made = build_chunk_filter(where, fitting=fitting)
            if made.versions is not None:
                [(versions, others)] = await self._view.fetch_rows(made.versions, made.parameters)
                arrays = {"versions": f"{{{versions or ''}}}", "others": f"{{{others or ''}}}"}
                made = replace(made, parameters={**made.parameters, **arrays})
            self._made[key] = made
        return self._made[key]

    def get_few_numbers(self, where: Where) -> Ints | None:
        """The result of `find_few_numbers` for a filter that was asked before, else None."""
        return self._few.get(repr(where))

    async def find_few_numbers(self, where: Where) -> Ints | None:
        """The numbers of the chunks that pass when they are few, else None."""
        key = repr(where)
        if key not in self._few:
            made = await self.resolve_filter(where)
            [(sent,)] = await self._view.fetch_rows(
                PASSING_NUMBERS.format(made.sql, vector_search.MAX_FEW + 1), made.parameters
            )
            numbers = np.frombuffer(sent or b"", ">i4").astype(postings.NUMBER)
            self._few[key] = numbers if len(numbers) <= vector_search.MAX_FEW else None
        return self._few[key]
