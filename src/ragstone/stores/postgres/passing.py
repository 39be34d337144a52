"""Which chunks of a view pass a filter: the versions asked once, the chunks counted where they may be few."""

from dataclasses import replace

import numpy as np

from ragstone.core.filters import Where
from ragstone.core.path_patterns import matches_any
from ragstone.stores.postgres import postings, vector_search
from ragstone.stores.postgres.expressions import has_wildcard
from ragstone.stores.postgres.filters import ChunkFilter, build_chunk_filter
from ragstone.stores.postgres.postings import Ints
from ragstone.stores.postgres.view import CollectionView

MAX_GLOB_LENGTH = 2_000  # characters of globs; more are not compiled by the server but tried on each path here
PASSING_NUMBERS = """SELECT string_agg(int4send(f.number), '') FROM (
    SELECT m.number FROM mv_active_chunks m
    WHERE m.collection_id = %(collection)s AND m.tenant_id = %(tenant)s AND {} LIMIT {}) f"""
PATHS = "SELECT DISTINCT m.path FROM documents m WHERE m.collection_id = %(collection)s AND m.tenant_id = %(tenant)s"


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
        """The same as `few`, where it was asked before."""
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
