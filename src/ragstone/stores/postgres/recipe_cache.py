"""The recipes of a collection, read once for each state of it."""

from ragstone.stores.postgres.view import CollectionView

# Each recipe once, by as many steps on the index as there are recipes: documents are many, recipes few.
RECIPES = """WITH RECURSIVE r (recipe) AS (
    (SELECT recipe FROM document_versions
        WHERE collection_id = %(collection)s AND tenant_id = %(tenant)s AND status = 'active' ORDER BY recipe LIMIT 1)
    UNION ALL
    SELECT (SELECT v.recipe FROM document_versions v
        WHERE v.collection_id = %(collection)s AND v.tenant_id = %(tenant)s AND v.status = 'active'
            AND v.recipe > r.recipe ORDER BY v.recipe LIMIT 1)
    FROM r WHERE r.recipe IS NOT NULL
) SELECT recipe FROM r WHERE recipe IS NOT NULL"""


class RecipeCache:
    """The recipes of collections, kept while nothing changes in them: every question needs them, few runs change
    them."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[tuple[int, str | None], tuple[str, ...]]] = {}

    async def get_recipes(self, view: CollectionView) -> tuple[str, ...]:
        """Those of the active versions, sorted."""
        row = view.row
        state = (row.generation, row.built_at)
        known = self._known.get(row.collection_id)
        if known is None or known[0] != state:
            found = tuple(sorted(recipe for (recipe,) in await view.fetch_rows(RECIPES)))
            known = self._known[row.collection_id] = state, found
        return known[1]
