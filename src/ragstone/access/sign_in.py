"""The user of an engine: anyone in trusted mode, else the owner of a key or token."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from ragstone.access import Credential, Permission, TokenAuthenticator, authenticate_key, looks_like_token
from ragstone.config.jwt import JwtSettings
from ragstone.config.settings import Settings
from ragstone.core.errors import Forbidden, Unauthorized, UsageError
from ragstone.core.ports import Keys

ANY_TENANT = Settings.__dataclass_fields__["tenant"].default  # this tenant's name leaves the choice to the key
TOKEN_FRESH = timedelta(minutes=1)  # that a token counts as signed after its signature was checked


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class Authenticator:
    """Admits, or refuses. A key is looked up for every verb, so that a revoked one ends at once; a token's end is
    checked every time, its signature once a minute, so that it ends soon after its issuer withdraws the signing key.
    `tokens` gives what checks those of an issuer."""

    def __init__(
        self,
        settings: Settings,
        keys: Callable[[], Keys],
        *,
        credential: Credential | None,
        tokens: Callable[[JwtSettings], TokenAuthenticator] = TokenAuthenticator,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        if settings.key is not None and credential is not None:
            raise UsageError("a key and a credential were given: leave one out (the key may come from RAGSTONE_KEY)")
        if settings.key is not None and not settings.key.strip():
            raise Unauthorized(
                "missing", "the key is empty (RAGSTONE_KEY, or `key` in the configuration); leave it out or fill it"
            )
        if settings.access.trusted is False and settings.key is None and credential is None:
            raise Unauthorized("missing", "a key is needed here (access.trusted is false); set RAGSTONE_KEY")
        self._settings = settings
        self._process = os.getpid()
        self._keys = keys
        self._clock = clock
        self._text = None if settings.key is None else settings.key.strip()
        self._tokens = tokens
        self._checked_at: datetime | None = None
        self._credential: Credential | None = None
        if credential is not None:
            self._check_tenant(credential)
            self._credential = credential

    @property
    def credential(self) -> Credential | None:
        """The caller's credential; None in trusted mode. Raises `UsageError` before `sign_in`."""
        if self._credential is None and self._text is not None:
            raise UsageError("the key is not checked yet: open the engine with `async with`, or await sign_in()")
        return self._credential

    @property
    def tenant(self) -> str:
        """Whose collections these are: the credential's tenant, else the configured one."""
        return self._settings.tenant if self.credential is None else self.credential.tenant

    @property
    def may_read_restricted(self) -> bool:
        """Whether restricted documents may be shown."""
        return self.credential is None or Permission.RESTRICTED in self.credential.permissions

    @property
    def reads_as(self) -> str:
        """The reading permissions as a text, equal for equal permissions."""
        if self.credential is None:
            return "trusted"
        return ",".join(sorted(permission.value for permission in self.credential.permissions))

    def now(self) -> datetime:
        """The time that keys are made and looked at by."""
        return self._clock()

    @property
    def is_of_parent(self) -> bool:
        """Whether this process is a fork of the one that opened the collection: threads and connections are there."""
        return os.getpid() != self._process

    def check_process(self) -> None:
        """Raises `UsageError` in a fork, where a call would wait for ever."""
        if self.is_of_parent:
            raise UsageError("this collection was opened before a fork: open it anew in the child process")

    async def sign_in(self) -> Credential | None:
        """Check the key or token; raises `Unauthorized`, or `Forbidden` for another tenant's."""
        self.check_process()
        if self._text is not None and not self._is_token_fresh():
            now, found = self._clock(), await self._authenticate(self._text)
            self._check_tenant(found)
            self._credential, self._checked_at = found, now
        return self._credential

    def _is_token_fresh(self) -> bool:
        if self._credential is None or self._credential.kind == "key" or self._checked_at is None:
            return False
        return timedelta() <= self._clock() - self._checked_at < TOKEN_FRESH

    async def admit(self, permission: Permission, *, what: str) -> None:
        """Check the key again; raises unless the caller may do this now."""
        await self.sign_in()
        self.admit_now(permission, what=what)

    def admit_now(self, permission: Permission, *, what: str) -> None:
        """Raises unless the credential of the last check may do this now."""
        if self.credential is not None:
            self.credential.check(permission, what=what, now=self._clock())

    async def _authenticate(self, text: str) -> Credential:
        if not looks_like_token(text):
            return await authenticate_key(text, self._keys(), now=self._clock())
        issuer = self._settings.access.jwt
        if issuer is None:
            raise Unauthorized("unsupported", "this is a token (JWT), and no issuer is configured: see access.jwt")
        return await self._tokens(issuer).authenticate(text)

    def _check_tenant(self, credential: Credential) -> None:
        wanted = self._settings.tenant
        if wanted not in (ANY_TENANT, credential.tenant):
            raise Forbidden(
                f"tenant {wanted!r} was asked for, but this {credential.kind} belongs to another tenant: "
                "leave the tenant out"
            )
        # What is open by now works by the settings of the first look's tenant.
        if self._credential is not None and self._credential.tenant != credential.tenant:
            raise Forbidden(f"this {credential.kind} belonged to another tenant before: open the collection again")
