"""What is kept of a tenant beside its store, encrypted under the tenant's key."""

from collections.abc import Mapping

from ragstone.core.errors import Corrupt
from ragstone.stores.encryption import SecretKey, is_box, open_box, seal_box

ARTIFACT_PURPOSE = "artifacts"


class TenantSealer:
    """See `ragstone.core.ports.Sealer`. `keys` are those of one tenant by number: the highest seals, any may open."""

    def __init__(self, keys: Mapping[int, SecretKey]) -> None:
        self._keys = [key for _, key in sorted(keys.items(), reverse=True)]

    def seal(self, data: bytes, *, about: str) -> bytes:
        return seal_box(self._keys[0], ARTIFACT_PURPOSE, data, about=about)

    def unseal(self, data: bytes, *, about: str, size: int) -> bytes:
        if not is_box(data):
            return data[:size]
        for key in self._keys:
            try:
                return open_box(key, ARTIFACT_PURPOSE, data, about=about, whole=False)[:size]
            except Corrupt:
                continue
        raise Corrupt(f"{about} cannot be decrypted with the tenant's key; ingest with --refresh")
