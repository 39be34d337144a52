"""Tokens (JWT) of a configured issuer: signature, times and audience first, then tenant and role."""

import asyncio
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any

from ragstone.access.credential import Credential, Role
from ragstone.access.keyset import FindKey, Keyset
from ragstone.config.jwt import JwtSettings
from ragstone.core.errors import Unauthorized, UsageError
from ragstone.core.types import Scope

LONGEST = 16 * 1024  # characters: more than any proxy lets through
TOKEN_PATTERN = re.compile(r"[\w-]+\.[\w-]+\.[\w-]*", re.ASCII)


def looks_like_token(text: str) -> bool:
    """Whether a text has the shape of a JWT: three parts with dots between."""
    return TOKEN_PATTERN.fullmatch(text) is not None


class TokenAuthenticator:
    """Checks tokens of one issuer; the issuer's keys are kept between calls."""

    def __init__(self, issuer: JwtSettings, *, keyset: Keyset | None = None) -> None:
        if find_spec("jwt") is None or find_spec("cryptography") is None:
            raise UsageError("tokens need packages that are not installed; run: pip install 'ragstone[jwt]'")
        if issuer.key is not None and not issuer.has_shared_secret:
            from ragstone.access import signature

            signature.check_key(issuer.key, issuer.algorithms)
        self._issuer = issuer
        self._keyset = keyset or (Keyset(issuer.jwks) if issuer.jwks else None)
        self._fetching = ThreadPoolExecutor(1, thread_name_prefix="ragstone-keys")

    async def authenticate(self, token: str) -> Credential:
        """The credential that a token is; raises `Unauthorized`, or `Unavailable` without the issuer's keys."""
        keys = self._keyset
        if keys is None:
            return await asyncio.to_thread(self._authenticate_now, token, None)
        try:
            return await asyncio.to_thread(self._authenticate_now, token, keys.find_known)
        except Unauthorized as error:
            if error.reason != "signature":
                raise
        # The issuer may have other keys by now. All such tokens wait in one thread, so that made-up ones take none from
        # others while an issuer is slow.
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._fetching, self._authenticate_now, token, keys.find_key)

    def _authenticate_now(self, token: str, find_key: FindKey | None) -> Credential:
        from ragstone.access import signature

        if len(token) > LONGEST:
            raise Unauthorized("malformed", f"the token is longer than {LONGEST} characters")
        return self._make_credential(signature.verify_token(token, self._issuer, find_key))

    def _make_credential(self, claims: Mapping[str, Any]) -> Credential:
        tenant = claims.get(self._issuer.tenant_claim)
        if not isinstance(tenant, str):
            raise Unauthorized(
                "claim", f"invalid claim {self._issuer.tenant_claim!r} of the token: expected the name of a tenant"
            )
        try:
            Scope(tenant, "any")
        except UsageError as error:
            raise Unauthorized("tenant", f"the token's {error}") from error
        ends = _moment_or_none(float(claims["exp"]) + self._issuer.leeway)
        who = claims.get("sub")
        return Credential(tenant, self._read_roles(claims), who if isinstance(who, str) else "", "token", ends)

    def _read_roles(self, claims: Mapping[str, Any]) -> tuple[Role, ...]:
        """One role, or those of a list that are ours: issuers put roles of other programs beside them."""
        name = self._issuer.role_claim
        given = claims.get(name)
        if given is None:
            raise Unauthorized("claim", f"the token lacks the claim {name!r}, which lists its roles")
        named = given if isinstance(given, list) else [given]
        if roles := tuple(role for role in Role if role.value in [one for one in named if isinstance(one, str)]):
            return roles
        raise Unauthorized("role", f"the token's claim {name!r} lists none of the roles: {', '.join(Role)}")


def _moment_or_none(seconds: float) -> datetime | None:
    """A moment; None for one that no calendar has, which is for ever."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None
