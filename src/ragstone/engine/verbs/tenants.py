"""Methods for whole tenants: listing, erasing, encryption."""

from collections.abc import Callable

from ragstone import stores
from ragstone.access import Permission
from ragstone.config.environment import find_cache_folder
from ragstone.core.errors import Forbidden, RagstoneError, StoreError, UsageError
from ragstone.core.ports import Keys, QueueingStore, SealingStore
from ragstone.core.records import RotationResult, Tenant
from ragstone.core.suggestions import suggest_name
from ragstone.core.types import Scope
from ragstone.engine.artifact_cleanup import places_of
from ragstone.engine.permission_checks import verb
from ragstone.engine.verbs.base import VerbGroup


class TenantVerbs(VerbGroup):
    """The verbs for tenants and their keys of encryption."""

    @verb(Permission.KEYS)  # with a credential its own tenant alone, as the next three
    async def tenants(self) -> list[Tenant]:
        """The tenants of the store; under row-level security PostgreSQL shows only the caller's own."""
        found = await self.store.admin.tenants(self.scope.tenant)
        return [tenant for tenant in found if self.authenticator.credential is None or tenant.name == self.scope.tenant]

    @verb(Permission.KEYS)
    async def erase_tenant(self, name: str) -> bool:
        """Erase a tenant: its collections with their artifacts, its record and its keys; False when there was none.

        Raises `Busy` while a source of it is being ingested, before anything is gone; and `StoreError` when all else is
        erased and something is left that cannot be reached. Another call finishes an interrupted one; until then no run
        begins in the tenant.
        """
        from ragstone.ingestion import artifacts
        from ragstone.ingestion.local_stamps import forget_stamps

        self._check_own(Scope(name, self.scope.collection).tenant)  # also refuses what is no name
        begun = await self.store.admin.begin_erasing(name)
        revoked, left = await self._erase_keys(name)  # first: nobody comes in meanwhile
        if isinstance(self.store, QueueingStore):
            await self.store.jobs.erase(name)
        for each in await self.store.admin.collections(name):
            scope = Scope(name, each)
            left += await artifacts.erase(self.store, scope, await places_of(self._components, scope))
        # Whatever else a store keeps of a tenant is erased here: its collections, its record, its keys of encryption.
        erased = await self.store.admin.erase(name)
        await forget_stamps(self.store, name, None, find_cache_folder("stamps"))
        late, _ = await self._erase_keys(name)  # made meanwhile
        if left:
            raise StoreError(f"tenant {name!r} is erased, but not all that belongs to it: {left[0]}")
        return begun or erased or revoked or late

    async def _erase_keys(self, name: str) -> tuple[bool, list[str]]:
        """Whether there were API keys, which are gone now; and why they are not."""
        keys = self._find_key_store()
        try:
            return keys is not None and bool(await keys.erase(name)), []
        except StoreError as error:
            return False, [str(error)]

    def _find_key_store(self) -> Keys | None:
        try:
            return self.store.keys
        except UsageError:  # this kind of store keeps none
            return None

    def _check_own(self, tenant: str) -> None:
        credential = self.authenticator.credential
        if credential is not None and tenant != credential.tenant:
            raise Forbidden(f"tenant {tenant!r} was named, but this {credential.kind} belongs to another tenant")

    @verb(Permission.KEYS)
    async def rotate(
        self,
        tenant: str | None = None,
        *,
        rekey: bool = False,
        tell: Callable[[RotationResult], None] = lambda _one: None,
    ) -> list[RotationResult]:
        """Wrap the keys of all encrypted tenants, or of one, with the configured master key.

        With `rekey` each gets a new key, and its data is encrypted again. Of all tenants, one that cannot be rotated
        stops no other: its `problem` says why. Of one it is raised: `NoKey` when neither the configured key nor the
        previous one opens its keys. `tell` gets each result when it is done; the same call goes on where one stopped.
        """
        if tenant is not None:
            self._check_own(tenant)
        sealing = self._require_sealing()
        if tenant is not None:
            await self._rotate(sealing, tenant, rekey=rekey)
            tell(RotationResult(tenant))
            return [RotationResult(tenant)]
        done = []
        for one in await self.tenants():
            if one.encrypted:
                done.append(await self._try_rotate(sealing, one.name, rekey=rekey))
                tell(done[-1])
        return done

    async def _try_rotate(self, sealing: SealingStore, tenant: str, *, rekey: bool) -> RotationResult:
        try:
            await self._rotate(sealing, tenant, rekey=rekey)
        except RagstoneError as error:
            return RotationResult(tenant, error)
        return RotationResult(tenant)

    async def _rotate(self, sealing: SealingStore, tenant: str, *, rekey: bool) -> None:
        if not await sealing.rotate(tenant):
            await self._check_tenant(tenant)
            raise UsageError(f"tenant {tenant!r} is not encrypted; run: ragstone tenants encrypt --tenant {tenant}")
        if rekey:
            await self._rekey(sealing, tenant, fresh=True)

    async def _rekey(self, sealing: SealingStore, tenant: str, *, fresh: bool) -> int:
        """The collections, then their artifacts; only then the former keys are destroyed."""
        from ragstone.ingestion import artifacts

        count = await sealing.rekey(tenant, fresh=fresh)
        left: list[str] = []
        for name in await self.store.admin.collections(tenant):
            scope = Scope(tenant, name)
            where = await places_of(self._components, scope)
            left += (await artifacts.remove_strays(self.store, scope, where))[1]
            left += await artifacts.renew_seals(self.store, scope, where)
        if left:
            raise StoreError(
                f"the collections of tenant {tenant!r} are encrypted anew, but not all artifacts: {left[0]}; the "
                "former key stays until the same command succeeds"
            )
        await sealing.forget_keys(tenant)
        return count

    @verb(Permission.KEYS)
    async def encrypt(self) -> int:
        """Encrypt the unencrypted collections of the tenant, and their artifacts; gives the number of collections.

        Raises `UsageError` without a master key or that tenant, and `StoreError` when artifacts could not be reached.
        """
        sealing = self._require_sealing()
        await self._check_tenant(self.scope.tenant)
        return await self._rekey(sealing, self.scope.tenant, fresh=False)

    async def _check_tenant(self, name: str) -> None:
        """Raises `UsageError` with the nearest name unless the store has this tenant."""
        known = [tenant.name for tenant in await self.tenants()]
        if name not in known:
            here = stores.redact_url(self.settings.store)
            raise UsageError(f"there is no tenant {name!r} in {here}{suggest_name(name, known)}")

    def _require_sealing(self) -> SealingStore:
        if not isinstance(self.store, SealingStore):
            shown = stores.redact_url(self.settings.store)
            raise UsageError(f"store {shown!r} does not encrypt: only embedded stores do")
        if self._components.stores.master is None and self._components.stores.own:
            raise UsageError("encryption.key is not set: name the master key that is to wrap the keys of tenants")
        return self.store
