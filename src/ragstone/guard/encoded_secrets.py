"""Secrets in base64: logins of container registries and packages, and private keys."""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator

from ragstone.guard.secret_places import Places

AUTH = re.compile(r"(?:_auth|auth[\"'])[ \t]?[:=][ \t]?[\"']?(?P<value>[a-z0-9+/]{8,512}={0,2})(?![a-z0-9+/=])")
LOGIN = re.compile(rb"[\w.@+-]{1,64}:[!-~]{3,}")
KEY = re.compile(r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2}")
AUTH_STARTS, KEY_STARTS = ("_auth", 'auth"', "auth'"), ("ls0tls1crudjti",)
ENCODED_STARTS = (*AUTH_STARTS, *KEY_STARTS)
KEY_HEAD = 60  # characters of it that hold the words after "BEGIN"


def find_encoded(text: str, places: Places) -> Iterator[tuple[str, int, int]]:
    """The kind and the place of each."""
    for at in places.find(AUTH_STARTS):
        if (match := AUTH.match(places.lower, at)) and LOGIN.fullmatch(_decode(text[slice(*match.span("value"))])):
            yield "password", *match.span("value")
    done = 0
    for at in places.find(KEY_STARTS):
        if at >= done and b"PRIVATE KEY" in _decode(text[at : at + KEY_HEAD]) and (key := KEY.match(text, at)):
            done = key.end()
            yield "private_key", *key.span()


def _decode(value: str) -> bytes:
    try:
        return b64decode(value)
    except (Error, ValueError):
        return b""
