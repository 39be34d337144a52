"""What is done for whole tenants: listing, erasing, encryption."""

from ragstone import artifacts, stores
from ragstone.doors import checked
from ragstone.engine.group import Group
from ragstone.engine.kept import kept_at, sweep
from ragstone.errors import Busy, Forbidden, NoKey, StoreError, UsageError
from ragstone.ports import Keys, Sealing
from ragstone.types import Scope, Tenant


class Tenancy(Group):
    """The verbs for tenants and their keys of encryption."""

    async def tenants(self) -> list[Tenant]:
        """The tenants of the store; PostgreSQL shows the own one alone to who is under its row-level security."""
        found = await self.store.admin.tenants(self.scope.tenant)
        return [tenant for tenant in found if self.entrance.credential is None or tenant.name == self.scope.tenant]

    @checked()
    async def erase_tenant(self, name: str) -> bool:
        """Erase a tenant: its collections with their artifacts, its record and its keys; False when there was none.

        Raises `Busy` while a source of it is being ingested, and `StoreError` when all else is done and artifacts are
        left, because their place cannot be reached. What is killed half-way is finished by another call.
        """
        self._check_own(Scope(name, self.scope.collection).tenant)  # also refuses what is no name
        keys = self._keys_kept()
        revoked = bool(await keys.erase(name)) if keys is not None else False  # first: nobody comes in meanwhile
        names = await self.store.admin.collections(name)
        places = {Scope(name, each): await kept_at(self._parts, Scope(name, each)) for each in names}
        left: list[StoreError] = []
        for scope, where in places.items():
            try:
                await artifacts.unclaim(self.store, scope, where)
                await self.store.admin.drop(scope)
                await sweep(self._parts, scope, where)
            except NoKey:
                continue  # nobody can read them any more
            except Busy:
                raise
            except StoreError as error:
                left.append(error)
        # Whatever else a store keeps of a tenant is erased here: its record, its keys of encryption.
        erased = await self.store.admin.erase(name)
        if left:
            raise left[0]
        return erased or revoked

    def _keys_kept(self) -> Keys | None:
        try:
            return self.store.keys
        except UsageError:  # this kind of store keeps none
            return None

    def _check_own(self, tenant: str) -> None:
        credential = self.entrance.credential
        if credential is not None and tenant != credential.tenant:
            raise Forbidden(f"tenant {tenant!r} was named; this {credential.kind} is of another one")

    @checked()
    async def rotate(self, tenant: str | None = None, *, rekey: bool = False) -> list[str]:
        """Wrap the keys of all encrypted tenants, or of one, with the configured master key; returns whose.

        With `rekey` each gets a new key, and all that it holds is encrypted anew. Raises `NoKey` when neither the
        configured key nor the previous one opens them.
        """
        if tenant is not None:
            self._check_own(tenant)
        sealing, chosen = self._sealing(), []
        for one in await self.tenants():
            if one.encrypted and tenant in (None, one.name):
                if rekey:
                    await sealing.rekey(one.name, fresh=True)
                await sealing.rotate(one.name)
                chosen.append(one.name)
        if tenant is not None and not chosen:
            raise UsageError(f"there is no encrypted tenant {tenant!r} in {stores.concealed(self.settings.store)}")
        return chosen

    async def encrypt(self) -> int:
        """Encrypt what of the tenant's collections is not; how many were. Raises `UsageError` without a master key."""
        return await self._sealing().rekey(self.scope.tenant, fresh=False)

    def _sealing(self) -> Sealing:
        if not isinstance(self.store, Sealing):
            shown = stores.concealed(self.settings.store)
            raise UsageError(f"store {shown!r} keeps nothing encrypted: that is done by embedded stores alone")
        if self._parts.opened.master is None and self._parts.opened.own:
            raise UsageError("encryption.key is not set: name the master key that is to wrap the keys of tenants")
        return self.store
