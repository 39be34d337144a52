"""Checks of a token's signature and claims. Only this file knows the JWT library; it is imported when a token comes."""

from collections.abc import Mapping
from typing import Any

import jwt

from ragstone.access.keyset import FindKey
from ragstone.config.jwt import JwtSettings
from ragstone.core.errors import ConfigError, Unauthorized

UNREADABLE = ("malformed", "invalid token: Ragstone cannot decode it")


def verify_token(token: str, issuer: JwtSettings, find_key: FindKey | None) -> Mapping[str, Any]:
    """The claims of a token after checking its signature, times and audience; raises `Unauthorized`."""
    try:
        return _decode_token(token, issuer, find_key)
    except jwt.PyJWTError as error:
        raise _translate_error(error, issuer) from error
    except (ValueError, TypeError, ArithmeticError, RecursionError) as error:  # what odd bytes make of a parser
        raise Unauthorized(*UNREADABLE) from error


def _decode_token(token: str, issuer: JwtSettings, find_key: FindKey | None) -> Mapping[str, Any]:
    header = jwt.get_unverified_header(token)
    algorithm = header.get("alg")
    if algorithm not in issuer.algorithms:
        raise jwt.InvalidAlgorithmError
    if "crit" in header:  # the token must not be accepted by who does not know what it asks for
        raise Unauthorized("malformed", "the token requires unknown extensions (crit)")
    claims: Mapping[str, Any] = jwt.decode(
        token,
        _select_key(issuer, find_key, header.get("kid"), str(algorithm)),
        algorithms=[str(algorithm)],
        audience=issuer.audience,
        issuer=issuer.issuer,
        leeway=issuer.leeway,
        options={"require": ["exp", "iss", "aud"]},
    )
    return claims


def _select_key(issuer: JwtSettings, find_key: FindKey | None, kid: Any, algorithm: str) -> jwt.PyJWK | str:
    """The key that must have signed: chosen here, never by what the token brings along."""
    if find_key is None:
        return str(issuer.key)
    if not isinstance(kid, str | None):
        raise Unauthorized("malformed", "invalid kid of the token: expected a text")
    found = find_key(kid)
    if found is None:
        which = (
            "has no kid, which it needs unless the issuer has exactly one key"
            if kid is None
            else "names a key (kid) that the issuer does not have"
        )
        raise Unauthorized("signature", f"the token {which}")
    if found.get("alg", algorithm) != algorithm:
        raise jwt.InvalidAlgorithmError
    return jwt.PyJWK(dict(found), algorithm=algorithm)


def _translate_error(error: jwt.PyJWTError, issuer: JwtSettings) -> Unauthorized:
    """Our reason and sentence for what the library found; the first line that fits."""
    table = (
        (jwt.ExpiredSignatureError, "expired", "the token has expired; get a new one"),
        (jwt.ImmatureSignatureError, "early", "the token is not valid yet (nbf or iat); look at both clocks"),
        (jwt.InvalidIssuedAtError, "early", "invalid iat of the token: expected a time"),
        (jwt.InvalidAudienceError, "audience", f"the token is for another audience than {issuer.audience!r}"),
        (jwt.InvalidIssuerError, "issuer", f"the token is from another issuer than {issuer.issuer!r}"),
        (jwt.MissingRequiredClaimError, "claim", f"the token lacks a required claim: {error}"),
        (jwt.InvalidAlgorithmError, "algorithm", f"the token is not signed with {' or '.join(issuer.algorithms)}"),
        (jwt.InvalidKeyError, "signature", "the key of the token does not match its signing algorithm"),
        (jwt.PyJWKError, "signature", "the key of the token does not match its signing algorithm"),
        (jwt.InvalidSignatureError, "signature", "the token's signature is not the issuer's"),
    )
    found = next(((reason, words) for kind, reason, words in table if isinstance(error, kind)), None)
    return Unauthorized(*(found or UNREADABLE))


def check_key(key: str, algorithms: tuple[str, ...]) -> None:
    """Raises `ConfigError` for a public key that is none, before any token is seen."""
    if "PRIVATE KEY" in key:
        raise ConfigError("access.jwt.key is a private key, which belongs to the issuer alone: write its public key")
    for name in algorithms:
        try:
            jwt.get_algorithm_by_name(name).prepare_key(key)
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise ConfigError(f"invalid access.jwt.key: expected a public key (PEM) for {name}") from error
