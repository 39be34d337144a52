"""A place of artifacts whose tenant is encrypted: what is put there is sealed, what is read is opened."""

from ragstone.core.ports import ArtifactStorage, Sealer, SealingStore, Store
from ragstone.core.types import Scope

SEAL_OVERHEAD = 1 << 21  # bytes: what is sealed comes in blocks of one mebibyte, of which the first is needed whole


async def seal_place(store: Store, scope: Scope, place: ArtifactStorage) -> ArtifactStorage:
    """The place as it is for a tenant of a store. Raises `NoKey`."""
    sealer = await store.sealer(scope.tenant) if isinstance(store, SealingStore) else None
    return place if sealer is None else SealedPlace(place, sealer)


class SealedPlace:
    """See `ragstone.core.ports.ArtifactStorage`. Names stay what they are."""

    def __init__(self, inner: ArtifactStorage, sealer: Sealer) -> None:
        self._inner = inner
        self._sealer = sealer

    @property
    def uri(self) -> str:
        return self._inner.uri

    def put(self, name: str, data: bytes, *, mark: str) -> None:
        self._inner.put(name, self._sealer.seal(data, about=name), mark=mark)

    def names(self, under: str) -> list[str]:
        return self._inner.names(under)

    def head(self, name: str, size: int) -> bytes:
        return self._sealer.unseal(self._inner.head(name, size + SEAL_OVERHEAD), about=name, size=size)

    def remove(self, name: str) -> None:
        self._inner.remove(name)
