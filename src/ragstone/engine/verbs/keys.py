"""What gives and ends API keys."""

from collections.abc import Sequence

from ragstone.access import MadeKey, ending, identified, issued
from ragstone.core.errors import UsageError
from ragstone.core.types import Key
from ragstone.engine.arguments import OR_NONE, checked
from ragstone.engine.verbs.base import Group


class Keyring(Group):
    """The verbs for the keys of a tenant."""

    @checked(expires=OR_NONE)
    async def create_key(
        self, name: str, *, roles: Sequence[str] | str = "read", expires: str | None = None
    ) -> MadeKey:
        """A new API key of the tenant: its `text` is shown here and never again.

        `expires` is a span (`90d`, `12h`, `4w`), a date or a moment; None is never. Raises `UsageError` for a name,
        role or end that is none, and where the store keeps no keys.
        """
        named = (roles,) if isinstance(roles, str) else tuple(roles)
        now = self.entrance.now()
        made = issued(self.scope.tenant, name, named, expires=ending(expires, now=now), now=now)
        await self.store.keys.add(made.key)
        return made

    async def keys(self) -> list[Key]:
        """The tenant's keys, without their secrets, the ended ones too."""
        return await self.store.keys.of(self.scope.tenant)

    @checked()
    async def revoke_key(self, identity: str) -> None:
        """End a key for good, by its id or the whole key; raises `UsageError` when the tenant has none such."""
        found = identified(identity)
        if found is None or not await self.store.keys.revoke(self.scope.tenant, found, at=self.entrance.now()):
            raise UsageError(f"tenant {self.scope.tenant!r} has no key with this id; list them: ragstone keys list")
