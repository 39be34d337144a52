"""The store's methods for the keys of its tenants."""

from pathlib import Path

from ragstone.core.ports import Sealer
from ragstone.stores.embedded.admin import EmbeddedAdmin
from ragstone.stores.embedded.paths import check_store, make_store, store_lock_path
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.embedded.thread_pool import ThreadPool
from ragstone.stores.encryption import TenantSealer
from ragstone.stores.error_mapping import map_errors
from ragstone.stores.file_locks import brief_lock


class KeyVerbs:
    """The methods of `ragstone.core.ports.SealingStore`, for the embedded store."""

    _root: Path
    _tenants: Tenants
    _threads: ThreadPool
    admin: EmbeddedAdmin

    async def sealer(self, tenant: str) -> Sealer | None:
        """The object that encrypts and decrypts a tenant's data outside the store, or None if it is not encrypted."""
        return await self._threads.run(lambda: self._make_sealer(tenant))

    def _make_sealer(self, tenant: str) -> Sealer | None:
        with map_errors(self._root):
            if self._tenants.master is not None:
                make_store(self._root)
                self._tenants.ensure_key(tenant)
            keys = self._tenants.read_keys(tenant)
            return TenantSealer(keys) if keys else None

    async def rotate(self, tenant: str) -> bool:
        """Wraps a tenant's keys with the configured master key; False if the tenant has none."""
        return await self._threads.run(lambda: self._rotate(tenant))

    def _rotate(self, tenant: str) -> bool:
        with map_errors(self._root):
            if not check_store(self._root):
                return False
            with brief_lock(store_lock_path(self._root)):
                if keys := self._tenants.read_keys(tenant):
                    self._tenants.write_keys(tenant, keys)
                return bool(keys)

    async def rekey(self, tenant: str, *, fresh: bool) -> int:
        """Encrypts a tenant's collections anew, with a new key if `fresh`; gives how many it encrypted."""
        return await self._threads.run(lambda: self.admin.tenant_lifecycle.rekey(tenant, fresh=fresh))

    async def forget_keys(self, tenant: str) -> None:
        """Destroys all keys of a tenant but its newest, unless a collection is still under one of them."""
        await self._threads.run(lambda: self.admin.tenant_lifecycle.forget_keys(tenant))
