"""API keys: `rag_<id>_<secret>`. The id is public; of the secret only its SHA-256 is kept.

A secret of 256 random bits cannot be guessed from its hash, however quick that is: a slow hash is for passwords, which
people choose, and would cost every request.
"""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from ragstone.access.credential import Credential, format_moment, parse_roles
from ragstone.core.errors import Unauthorized, UsageError
from ragstone.core.ports import Keys
from ragstone.core.records import Key
from ragstone.core.types import Scope

SECRET_BYTES = 32  # bytes of chance
KEY_PATTERN = re.compile(r"rag_(?P<id>[0-9a-f]{16})_(?P<secret>[A-Za-z0-9_-]{43})")
DURATION_PATTERN = re.compile(r"(?P<number>[1-9][0-9]{0,4})(?P<unit>[hdw])")
UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
NAME_LENGTH = 120
UNKNOWN_DIGEST = hashlib.sha256(b"").digest()  # what the secret of an unknown id is compared with


@dataclass(frozen=True, slots=True)
class NewKey:
    """A new key; `text` is the key itself, which nothing can show again."""

    key: Key
    text: str = field(repr=False)


def issue_key(tenant: str, name: str, roles: tuple[str, ...], *, expires: datetime | None, now: datetime) -> NewKey:
    """A new key out of chance, kept nowhere yet. Raises `UsageError` for a tenant, name, role or end that is none."""
    Scope(tenant, "any")
    if not name.strip() or not name.isprintable() or len(name) > NAME_LENGTH:
        raise UsageError(
            f"invalid name of a key: expected 1 to {NAME_LENGTH} printable characters, such as the name of its user"
        )
    if expires is not None and expires <= now:
        raise UsageError(f"invalid expires {format_moment(expires)}: expected a time in the future")
    identity, secret = secrets.token_hex(8), secrets.token_urlsafe(SECRET_BYTES)
    known = tuple(map(str, parse_roles(roles)))
    key = Key(identity, tenant, name, known, now, _hash_secret(secret), expires=expires)
    return NewKey(key, f"rag_{identity}_{secret}")


async def authenticate_key(text: str, keys: Keys, *, now: datetime) -> Credential:
    """The credential that a key is; raises `Unauthorized`. An unknown id takes as many steps as a wrong secret."""
    shape = KEY_PATTERN.fullmatch(text)
    if shape is None:
        raise Unauthorized(
            "malformed", "invalid key: expected a Ragstone key (rag_…_…) or a token; was it copied in full?"
        )
    key = await keys.find(shape["id"])
    same = hmac.compare_digest(_hash_secret(shape["secret"]), UNKNOWN_DIGEST if key is None else key.digest)
    if key is None or not same:
        raise Unauthorized("unknown", f"unknown key rag_{shape['id']}_…: create one with: ragstone keys create")
    if key.revoked is not None:
        raise Unauthorized("revoked", f"the key rag_{key.id}_… was revoked at {format_moment(key.revoked)}")
    if key.expires is not None and key.expires <= now:
        raise Unauthorized(
            "expired", f"the key rag_{key.id}_… expired at {format_moment(key.expires)}; create a new one"
        )
    return Credential(key.tenant, parse_roles(key.roles), key.name, "key", key.expires)


def parse_key_id(text: str) -> str | None:
    """The id in an id, in `rag_<id>_…` or in a whole key; None where there is none."""
    found = re.fullmatch(r"(?:rag_)?([0-9a-f]{16})(?:_.*)?", text.strip(), re.DOTALL)
    return found[1] if found else None


def parse_expiry(text: str | None, *, now: datetime) -> datetime | None:
    """When a key ends, from `90d`, `12h`, `4w`, a date (its first moment in UTC) or a moment; raises `UsageError`.

    >>> parse_expiry("2d", now=datetime(2026, 1, 30, tzinfo=UTC)).isoformat()
    '2026-02-01T00:00:00+00:00'
    """
    if text is None:
        return None
    if span := DURATION_PATTERN.fullmatch(text.strip()):
        return now + int(span["number"]) * UNITS[span["unit"]]
    try:
        when = datetime.fromisoformat(text.strip())
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        example = date(now.year + 1, 1, 31)
        raise UsageError(f"invalid expires {text!r:.60}: expected 90d, 12h, 4w or {example}") from error


def _hash_secret(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
