"""The permissions of each role: one table; and the credential that carries roles."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Literal

from ragstone.core.errors import Forbidden, Unauthorized, UsageError
from ragstone.core.types import Scope


class Permission(StrEnum):
    """The permissions that methods need. `restricted` documents are marked in their front matter; `export` copies
    everything."""

    SEARCH = "search"
    RESTRICTED = "restricted"
    WRITE = "write"
    EXPLAIN = "explain"
    EXPORT = "export"
    KEYS = "keys"


class Role(StrEnum):
    """A role of a key or token; several add up."""

    READ = "read"
    READ_RESTRICTED = "read-restricted"
    WRITE = "write"
    ADMIN = "admin"


ROLE_PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.READ: frozenset({Permission.SEARCH}),
    Role.READ_RESTRICTED: frozenset({Permission.SEARCH, Permission.RESTRICTED}),
    Role.WRITE: frozenset({Permission.SEARCH, Permission.WRITE}),
    Role.ADMIN: frozenset(Permission),
}


def parse_roles(names: Iterable[str]) -> tuple[Role, ...]:
    """Roles by their names, each once, in the order of the table; raises `UsageError` for a name that is none.

    >>> [role.value for role in parse_roles(["write", "read"])]
    ['read', 'write']
    """
    given = tuple(names)
    if wrong := [name for name in given if name not in tuple(Role)]:
        raise UsageError(f"unknown role {wrong[0]!r:.60}: expected one of: {', '.join(Role)}")
    if not given:
        raise UsageError(f"missing role: expected one of: {', '.join(Role)}")
    return tuple(role for role in Role if role in given)


def format_moment(when: datetime) -> str:
    """A moment as text for people: to the second."""
    return when.isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Credential:
    """A tenant and the permissions there, until `expires` (None: for ever). `name` is for people."""

    tenant: str
    roles: tuple[Role, ...]
    name: str = ""
    kind: Literal["key", "token", "own"] = "own"
    expires: datetime | None = None
    permissions: frozenset[Permission] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        Scope(self.tenant, "any")  # a tenant's name is what every store takes for one
        roles = parse_roles(self.roles)
        object.__setattr__(self, "roles", roles)
        object.__setattr__(self, "permissions", frozenset().union(*(ROLE_PERMISSIONS[role] for role in roles)))
        if self.expires is not None and self.expires.tzinfo is None:
            raise UsageError("invalid expires: expected a time with a time zone, such as datetime(…, tzinfo=UTC)")

    def check(self, permission: Permission, *, what: str, now: datetime | None = None) -> None:
        """Raises `Unauthorized` when it has expired, `Forbidden` when it does not permit `what`."""
        if self.expires is not None and self.expires <= (now or datetime.now(UTC)):
            raise Unauthorized(
                "expired", f"the {_KINDS[self.kind]} expired at {format_moment(self.expires)}; get a new one"
            )
        if permission not in self.permissions:
            able = " or ".join(role for role in Role if permission in ROLE_PERMISSIONS[role])
            raise Forbidden(f"{what} needs the role {able}; this {_KINDS[self.kind]} has {', '.join(self.roles)}")


_KINDS = {"key": "key", "token": "token", "own": "credential"}
