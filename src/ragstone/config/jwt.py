"""Whose tokens are accepted: settings that contradict each other are refused before any token is seen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from ragstone.core.errors import ConfigError

SHARED_SECRET_ALGORITHMS = ("HS256", "HS384", "HS512")  # a program that can check such a token can make one
PUBLIC_KEY_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
MIN_SECRET_BYTES: Mapping[str, int] = {
    "HS256": 32,
    "HS384": 48,
    "HS512": 64,
}  # of a shared secret: RFC 7518, section 3.2
LONGEST_LEEWAY = 600.0


@dataclass(frozen=True, slots=True)
class JwtSettings:
    """Tokens (JWT) of one issuer. Their public keys come from `jwks` (an https URL or a file) or `key` (PEM); only
    with HS algorithms is `key` a shared secret. `leeway` is in seconds."""

    issuer: str
    audience: str
    algorithms: tuple[str, ...]
    jwks: str | None = None
    key: str | None = field(default=None, repr=False)
    tenant_claim: str = "tenant"
    role_claim: str = "role"
    leeway: float = 0.0

    def __post_init__(self) -> None:
        for name in ("issuer", "audience", "tenant_claim", "role_claim"):
            if not getattr(self, name).strip():
                raise ConfigError(f"invalid {name}: expected a text that is not blank")
        if not 0 <= self.leeway <= LONGEST_LEEWAY:
            raise ConfigError(f"invalid leeway {self.leeway}: expected 0 to {LONGEST_LEEWAY:.0f} seconds")
        if bool(self.jwks) == bool(self.key):
            raise ConfigError("expected exactly one of jwks (an https URL or a file) and key")
        self._check_algorithms()
        if self.jwks and "://" in self.jwks:
            _check_address(self.jwks)

    @property
    def has_shared_secret(self) -> bool:
        """Whether `key` is a secret that the issuer and we share."""
        return self.algorithms[0] in SHARED_SECRET_ALGORITHMS

    def _check_algorithms(self) -> None:
        known = ", ".join((*PUBLIC_KEY_ALGORITHMS, *SHARED_SECRET_ALGORITHMS))
        if not self.algorithms:
            raise ConfigError(f"invalid algorithms: expected at least one of: {known}")
        if wrong := next(
            (name for name in self.algorithms if name not in (*PUBLIC_KEY_ALGORITHMS, *SHARED_SECRET_ALGORITHMS)), None
        ):
            raise ConfigError(f"unknown algorithm {wrong!r:.40}: expected one of: {known}")
        if any((name in SHARED_SECRET_ALGORITHMS) != self.has_shared_secret for name in self.algorithms):
            raise ConfigError("algorithms mixes HS… with public keys: a public key would then count as a shared secret")
        if self.has_shared_secret and (self.jwks or "-----BEGIN" in (self.key or "") or "ssh-" in (self.key or "")):
            raise ConfigError("HS… algorithms need a shared secret as key: with a public key anybody could sign tokens")
        shortest = max(MIN_SECRET_BYTES.get(name, 0) for name in self.algorithms)
        if self.has_shared_secret and len((self.key or "").encode()) < shortest:
            raise ConfigError(f"key is too short for {', '.join(self.algorithms)}: at least {shortest} random bytes")


def _check_address(url: str) -> None:
    """Keys come over https, so that they cannot be replaced on the way."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError as error:
        raise ConfigError(f"invalid jwks {url!r:.200}: {error}") from error
    if parts.scheme == "https" and host and "@" not in parts.netloc:
        return
    if parts.scheme == "http" and _is_local_host(host) and "@" not in parts.netloc:
        return
    raise ConfigError(
        "invalid jwks: expected an https URL without credentials, or a file; http is allowed for this machine only"
    )


def _is_local_host(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
