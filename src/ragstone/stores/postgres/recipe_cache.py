"""The recipes, editions and further vectors of a collection, read once for each state of it."""

from ragstone.core.ports import SparseState
from ragstone.core.records import WrittenState
from ragstone.stores.postgres.sparse_search import read_sparse_state
from ragstone.stores.postgres.view import CollectionView
from ragstone.stores.postgres.written_search import read_written_state

# Each value once, by as many steps on the index as there are values: documents are many, recipes few.
DISTINCT = """WITH RECURSIVE r (made) AS (
    (SELECT {column} FROM document_versions
        WHERE collection_id = %(collection)s AND tenant_id = %(tenant)s AND status = 'active' ORDER BY 1 LIMIT 1)
    UNION ALL
    SELECT (SELECT v.{column} FROM document_versions v
        WHERE v.collection_id = %(collection)s AND v.tenant_id = %(tenant)s AND v.status = 'active'
            AND v.{column} > r.made ORDER BY 1 LIMIT 1)
    FROM r WHERE r.made IS NOT NULL
) SELECT made FROM r WHERE made IS NOT NULL"""
RECIPES, EDITIONS = DISTINCT.format(column="recipe"), DISTINCT.format(column="edition")

Values = tuple[str, ...]


class RecipeCache:
    """The recipes and editions of collections, kept while nothing changes in them: every question needs them, few runs
    change them."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[tuple[int, str | None], tuple[Values, Values]]] = {}
        self._sparse: dict[int, tuple[tuple[int, str | None], SparseState | None]] = {}
        self._written: dict[int, tuple[tuple[int, str | None], WrittenState | None]] = {}

    async def get_recipes(self, view: CollectionView) -> tuple[Values, Values]:
        """The recipes, then the editions, of the active versions, sorted."""
        row = view.row
        state = (row.generation, row.built_at)
        known = self._known.get(row.collection_id)
        if known is None or known[0] != state:
            recipes, editions = [
                tuple(sorted(made for (made,) in await view.fetch_rows(query))) for query in (RECIPES, EDITIONS)
            ]
            known = self._known[row.collection_id] = state, (recipes, editions)
        return known[1]

    async def get_sparse_state(self, view: CollectionView) -> SparseState | None:
        """The model of the sparse vectors and how many are missing: to count these, every chunk is looked at."""
        row = view.row
        state = (row.generation, row.built_at)
        known = self._sparse.get(row.collection_id)
        if known is None or known[0] != state:
            known = self._sparse[row.collection_id] = state, await read_sparse_state(view)
        return known[1]

    async def get_written_state(self, view: CollectionView) -> WrittenState | None:
        """The model of the vectors of summaries and questions and how many chunks wait: likewise."""
        row = view.row
        if row.written is None:
            return None
        state = (row.generation, row.built_at)
        known = self._written.get(row.collection_id)
        if known is None or known[0] != state:
            known = self._written[row.collection_id] = state, await read_written_state(view)
        return known[1]
