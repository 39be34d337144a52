"""Whether two stores are the same one, however their URLs are spelled."""

from ragstone.core.ports import IdentifiedStore, Store


async def is_same_store(one: Store, other: Store) -> bool:
    """Whether what is written to one is found in the other; False for a store that cannot say what it is."""
    if not (isinstance(one, IdentifiedStore) and isinstance(other, IdentifiedStore)):
        return False
    identity = await one.identity()
    return identity is not None and identity == await other.identity()
