"""Methods that create and revoke API keys."""

from collections.abc import Sequence

from ragstone.access import NewKey, Permission, issue_key, parse_expiry, parse_key_id
from ragstone.core.errors import UsageError
from ragstone.core.records import Key
from ragstone.engine.arguments import OPTIONAL_TEXT
from ragstone.engine.permission_checks import verb
from ragstone.engine.verbs.base import VerbGroup


class KeyVerbs(VerbGroup):
    """The verbs for the keys of a tenant."""

    @verb(Permission.KEYS, expires=OPTIONAL_TEXT)
    async def create_key(self, name: str, *, roles: Sequence[str] | str = "read", expires: str | None = None) -> NewKey:
        """A new API key of the tenant: its `text` is shown here and never again.

        `expires` is a span (`90d`, `12h`, `4w`), a date or a moment; None is never. Raises `UsageError` for an invalid
        name, role or end, and if the store keeps no keys.
        """
        named = (roles,) if isinstance(roles, str) else tuple(roles)
        now = self.authenticator.now()
        made = issue_key(self.scope.tenant, name, named, expires=parse_expiry(expires, now=now), now=now)
        await self.store.keys.add(made.key)
        return made

    @verb(Permission.KEYS)
    async def keys(self) -> list[Key]:
        """The tenant's keys, revoked and expired ones too, without their secrets."""
        return await self.store.keys.of(self.scope.tenant)

    @verb(Permission.KEYS)
    async def revoke_key(self, identity: str) -> None:
        """Revoke a key for good, by its id or the whole key; raises `UsageError` if the tenant has no such key."""
        found = parse_key_id(identity)
        if found is None or not await self.store.keys.revoke(self.scope.tenant, found, at=self.authenticator.now()):
            raise UsageError(f"tenant {self.scope.tenant!r} has no key with this id; list them: ragstone keys list")
