"""What every store says of a collection that was never made, and of a second model that there is not."""

from ragstone.errors import NotBuilt, UsageError
from ragstone.types import Scope


def not_built(scope: Scope) -> NotBuilt:
    """The error for a collection into which nothing was ever ingested."""
    return NotBuilt(f"nothing was ingested into collection {scope.collection!r} yet; run: ragstone ingest FOLDER")


def no_second(scope: Scope) -> UsageError:
    """The error for a second model that a collection does not have."""
    return UsageError(
        f"collection {scope.collection!r} has no second model; begin with: ragstone reembed start --model NAME"
    )
