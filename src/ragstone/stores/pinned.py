"""The sentence for a model that is not the one that a tenant's vectors are of."""

from ragstone.errors import UsageError

Model = tuple[str, int]  # its name, and how many dimensions its vectors have


def pinned(tenant: str, held: Model, wanted: Model) -> UsageError:
    """An error that says what the tenant holds, what was wanted, and what can be done."""
    return UsageError(
        f"tenant {tenant!r} is pinned to vectors of {held[0]} ({held[1]}); this would write {wanted[0]} ({wanted[1]}): "
        f"name {held[0]} as `embed` of the tenant, or re-embed all its collections (ragstone reembed); `embed` under "
        "`collections` gives one collection a model of its own"
    )
