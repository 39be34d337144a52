"""The issuer's public keys (JWKS): from a file or one URL, cached for a while, and fetched again when a key is
unknown."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ragstone.core.errors import Unavailable

FRESH = 600.0  # seconds that keys are taken as they are
STALE = 3600.0  # seconds that they serve when the issuer does not answer: then a withdrawn key must be out of use
PAUSE = 30.0  # seconds between two askings: made-up names and signatures must not become a flood
TIMEOUT = 5.0  # seconds, for all of it
LARGEST = 256 * 1024  # bytes; a set of keys has a few thousand
Jwk = Mapping[str, Any]
FindKey = Callable[[str | None], Jwk | None]


class Keyset:
    """The keys at one place. Used from threads; `now` is a clock in seconds."""

    def __init__(self, place: str, *, now: Callable[[], float] = time.monotonic) -> None:
        self._place = place
        self._now = now
        self._lock = threading.Lock()  # held while they are fetched
        self._keys: list[Jwk] = []
        self._read_at: float | None = None
        self._tried_at: float | None = None

    def find_known(self, kid: str | None) -> Jwk | None:
        """The key of this name among those at hand, at once; without a name the only one. None too where they are to be
        read again, unless another thread does so now."""
        age = self._age
        return None if age is None or age > (STALE if self._lock.locked() else FRESH) else self._match_key(kid)

    def find_key(self, kid: str | None) -> Jwk | None:
        """The key of this name after the keys were read again, where they may be by now: for a token that those at hand
        do not fit. Raises `Unavailable` when none could ever be read."""
        with self._lock:
            age = self._age
            self._refresh_keys(must=age is None or age > STALE)
            return self._match_key(kid)

    @property
    def _age(self) -> float | None:
        return None if self._read_at is None else self._now() - self._read_at

    def _match_key(self, kid: str | None) -> Jwk | None:
        fitting = [key for key in self._keys if key.get("use", "sig") == "sig" and kid in (None, key.get("kid"))]
        return fitting[0] if len(fitting) == 1 else None

    def _may_ask(self) -> bool:
        return self._tried_at is None or self._now() - self._tried_at >= PAUSE

    def _refresh_keys(self, *, must: bool) -> None:
        """Read them again; a failure keeps the present ones, unless a new one is needed."""
        if self._may_ask():
            self._tried_at = self._now()
            try:
                self._keys, self._read_at = _parse_keys(_read_keys(self._place)), self._now()
                return
            except (OSError, ValueError, RecursionError) as error:
                if must:
                    raise Unavailable(
                        f"the keys of the tokens' issuer cannot be read ({_describe_error(error)}); see access.jwt.jwks"
                    ) from error
        if must:
            raise Unavailable(f"the keys of the tokens' issuer could not be read just now; try again in {PAUSE:.0f} s")


def _read_keys(place: str) -> bytes:
    if "://" not in place:
        with Path(place).expanduser().open("rb") as file:
            return _check_size(file.read(LARGEST + 1))
    import urllib.request  # 20 ms that a collection without an issuer need not wait

    class NoRedirect(urllib.request.HTTPRedirectHandler):
        """Follows no redirection: only the configured place is asked."""

        def redirect_request(self, *_: Any, **__: Any) -> None:
            return None

    opener = urllib.request.build_opener(NoRedirect, urllib.request.ProxyHandler({}))
    end = time.monotonic() + TIMEOUT
    read = b""
    with opener.open(place, timeout=TIMEOUT) as response:
        while part := response.read1(1 << 14):
            read = _check_size(read + part)
            if time.monotonic() > end:
                raise TimeoutError(f"took longer than {TIMEOUT:.0f} s")
    return read


def _check_size(data: bytes) -> bytes:
    if len(data) > LARGEST:
        raise ValueError(f"it has more than {LARGEST} bytes")
    return data


def _parse_keys(data: bytes) -> list[Jwk]:
    found = json.loads(data)
    keys = found.get("keys") if isinstance(found, dict) else None
    if not isinstance(keys, list):
        raise ValueError("it is not a JWKS, which has a list of keys")
    return [key for key in keys if isinstance(key, dict)]


def _describe_error(error: Exception) -> str:
    from urllib.error import HTTPError

    if isinstance(error, HTTPError):
        return f"HTTP {error.code}"
    return str(getattr(error, "reason", None) or getattr(error, "strerror", None) or error)
