"""Tokens (JWT) of a configured issuer: signature, times and audience first, then tenant and role."""

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ragstone.access.credential import Credential, Role
from ragstone.access.keyset import Keyset
from ragstone.errors import ConfigError, Unauthorized, UsageError
from ragstone.issuer import JwtSettings
from ragstone.types import Scope

if TYPE_CHECKING:
    import jwt

UNREADABLE = ("malformed", "this is no token that can be read")
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
            _check_key(issuer.key, issuer.algorithms)
        self._issuer = issuer
        self._keyset = keyset or (Keyset(issuer.jwks) if issuer.jwks else None)

    async def recognised(self, token: str) -> Credential:
        """The credential that a token is; raises `Unauthorized`, or `Unavailable` without the issuer's keys."""
        return await asyncio.to_thread(self._recognised, token)

    def _recognised(self, token: str) -> Credential:
        import jwt

        if len(token) > LONGEST:
            raise Unauthorized("malformed", f"the token has over {LONGEST} characters; none of ours is as long")
        try:
            claims = self._verified(token)
        except jwt.PyJWTError as error:
            raise _refusal(error, self._issuer) from error
        except (ValueError, TypeError, ArithmeticError, RecursionError) as error:  # what odd bytes make of a parser
            raise Unauthorized(*UNREADABLE) from error
        return self._credential(claims)

    def _verified(self, token: str) -> Mapping[str, Any]:
        import jwt

        issuer = self._issuer
        header = jwt.get_unverified_header(token)
        algorithm = header.get("alg")
        if algorithm not in issuer.algorithms:
            raise jwt.InvalidAlgorithmError
        if "crit" in header:  # the token must not be accepted by who does not know what it asks for
            raise Unauthorized("malformed", "the token asks for extensions (crit) that are not known here")
        claims: Mapping[str, Any] = jwt.decode(
            token,
            self._key(header.get("kid"), str(algorithm)),
            algorithms=[str(algorithm)],
            audience=issuer.audience,
            issuer=issuer.issuer,
            leeway=issuer.leeway,
            options={"require": ["exp", "iss", "aud"]},
        )
        return claims

    def _key(self, kid: Any, algorithm: str) -> "jwt.PyJWK | str":
        """The key that must have signed: chosen here, never by what the token brings along."""
        import jwt

        if self._keyset is None:
            return str(self._issuer.key)
        if not isinstance(kid, str | None):
            raise Unauthorized("malformed", "the token's kid is no text")
        found = self._keyset.key(kid)
        if found is None:
            which = (
                "names no key (kid), and the issuer has not just one"
                if kid is None
                else "names a key (kid) that the issuer has not"
            )
            raise Unauthorized("signature", f"the token {which}")
        if found.get("alg", algorithm) != algorithm:
            raise jwt.InvalidAlgorithmError
        return jwt.PyJWK(dict(found), algorithm=algorithm)

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


def _refusal(error: "jwt.PyJWTError", issuer: JwtSettings) -> Unauthorized:
    """Our reason and sentence for what the library found; the first line that fits."""
    import jwt

    table = (
        (jwt.ExpiredSignatureError, "expired", "the token has expired; get a new one"),
        (jwt.ImmatureSignatureError, "early", "the token is not valid yet (nbf or iat); look at both clocks"),
        (jwt.InvalidIssuedAtError, "early", "the token's time of issue (iat) is none"),
        (jwt.InvalidAudienceError, "audience", f"the token is for another audience than {issuer.audience!r}"),
        (jwt.InvalidIssuerError, "issuer", f"the token is of another issuer than {issuer.issuer!r}"),
        (jwt.MissingRequiredClaimError, "claim", f"the token lacks a claim that is needed: {error}"),
        (jwt.InvalidAlgorithmError, "algorithm", f"the token is not signed with {' or '.join(issuer.algorithms)}"),
        (jwt.InvalidKeyError, "signature", "the key that the token names does not fit how it is signed"),
        (jwt.PyJWKError, "signature", "the key that the token names does not fit how it is signed"),
        (jwt.InvalidSignatureError, "signature", "the token's signature is not the issuer's"),
    )
    found = next(((reason, words) for kind, reason, words in table if isinstance(error, kind)), None)
    return Unauthorized(*(found or UNREADABLE))


def _moment(seconds: float) -> datetime | None:
    """A moment; None for one that no calendar has, which is for ever."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _check_key(key: str, algorithms: tuple[str, ...]) -> None:
    """Raises `ConfigError` for a public key that is none, before any token is seen."""
    import jwt

    if "PRIVATE KEY" in key:
        raise ConfigError("access.jwt.key is a private key, which belongs to the issuer alone: write its public key")
    for name in algorithms:
        try:
            jwt.get_algorithm_by_name(name).prepare_key(key)
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise ConfigError(f"access.jwt.key is no public key (PEM) for {name}") from error
