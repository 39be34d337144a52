"""What every store says of a collection that was never made."""

from ragstone.errors import NotBuilt
from ragstone.types import Scope


def not_built(scope: Scope) -> NotBuilt:
    """The error for a collection into which nothing was ever ingested."""
    return NotBuilt(f"nothing was ingested into collection {scope.collection!r} yet; run: ragstone ingest FOLDER")
