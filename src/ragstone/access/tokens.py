"""Tokens (JWT) of a configured issuer: signature, times and audience first, then tenant and role."""

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any

from ragstone.access.credential import Credential, Role
from ragstone.access.keyset import Keyset
from ragstone.config.jwt import JwtSettings
from ragstone.core.errors import Unauthorized, UsageError
from ragstone.core.types import Scope

LONGEST = 16 * 1024  # characters: more than any proxy lets through
SHAPE = re.compile(r"[\w-]+\.[\w-]+\.[\w-]*", re.ASCII)


def looks_like_token(text: str) -> bool:
    """Whether a text has the shape of a JWT: three parts with dots between."""
    return SHAPE.fullmatch(text) is not None


class Tokens:
    """Checks tokens of one issuer; the issuer's keys are kept between calls."""

    def __init__(self, issuer: JwtSettings, *, keyset: Keyset | None = None) -> None:
        if find_spec("jwt") is None or find_spec("cryptography") is None:
            raise UsageError("tokens need packages that are not installed; run: pip install 'ragstone[jwt]'")
        if issuer.key is not None and not issuer.shared:
            from ragstone.access import signature

            signature.check_key(issuer.key, issuer.algorithms)
        self._issuer = issuer
        self._keyset = keyset or (Keyset(issuer.jwks) if issuer.jwks else None)

    async def recognised(self, token: str) -> Credential:
        """The credential that a token is; raises `Unauthorized`, or `Unavailable` without the issuer's keys."""
        return await asyncio.to_thread(self._recognised, token)

    def _recognised(self, token: str) -> Credential:
        from ragstone.access import signature

        if len(token) > LONGEST:
            raise Unauthorized("malformed", f"the token has over {LONGEST} characters; none of ours is as long")
        return self._credential(signature.verified(token, self._issuer, self._keyset))

    def _credential(self, claims: Mapping[str, Any]) -> Credential:
        tenant = claims.get(self._issuer.tenant_claim)
        if not isinstance(tenant, str):
            raise Unauthorized(
                "claim", f"the token names no tenant: its claim {self._issuer.tenant_claim!r} is no text"
            )
        try:
            Scope(tenant, "any")
        except UsageError as error:
            raise Unauthorized("tenant", f"the token's {error}") from error
        ends = _moment(float(claims["exp"]) + self._issuer.leeway)
        who = claims.get("sub")
        return Credential(tenant, self._roles(claims), who if isinstance(who, str) else "", "token", ends)

    def _roles(self, claims: Mapping[str, Any]) -> tuple[Role, ...]:
        """One role, or those of a list that are ours: issuers put roles of other programs beside them."""
        name = self._issuer.role_claim
        given = claims.get(name)
        if given is None:
            raise Unauthorized("claim", f"the token names no role: it lacks the claim {name!r}")
        named = given if isinstance(given, list) else [given]
        if roles := tuple(role for role in Role if role.value in [one for one in named if isinstance(one, str)]):
            return roles
        raise Unauthorized("role", f"the token's claim {name!r} names no role of these: {', '.join(Role)}")


def _moment(seconds: float) -> datetime | None:
    """A moment; None for one that no calendar has, which is for ever."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None
