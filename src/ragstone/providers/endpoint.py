"""How a vendor is reached: address, key and headers, and how long and how often it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ragstone.config.vendors import LIMIT, Vendor, is_local_address
from ragstone.core.errors import ConfigError, UsageError

HIDDEN_MARK = "***"
SHORTEST_HIDDEN = 4  # characters of a header's value that is hidden: `1` or `eu` would blot out half of every message


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Everything about the way to a vendor; `group` is where its settings stand (`llm` or `embed`), `lacking` why there
    is no key although one is set.

    Seconds: `timeout` for one attempt until its next piece, `total` for all attempts together. After a failure that
    may pass, it is asked up to `retries` times more, after `first` seconds, then twice as many, at most `most`. Once it
    has said how its answer ended, at most `linger` more: counts of tokens may follow. `bounded_by` is the setting
    behind `total`, where that is another one than the group's.
    """

    vendor: Vendor
    group: str
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)
    lacking: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 30.0
    total: float = 120.0
    retries: int = 3
    first: float = 0.5
    most: float = 10.0
    linger: float = 2.0
    bounded_by: str | None = None

    @property
    def address(self) -> str:
        """Where requests go, without a slash at the end."""
        return (self.base_url or self.vendor.base_url or "").rstrip("/")

    @property
    def is_vendor_address(self) -> bool:
        """Whether that is the vendor's own address, and not one that somebody else serves."""
        return self.address == self.vendor.base_url

    @property
    def limit(self) -> str:
        """The vendor's name for the limit of an answer's length."""
        return self.vendor.limit if self.is_vendor_address else LIMIT

    @property
    def total_setting(self) -> str:
        """The setting that bounds all attempts together."""
        return self.bounded_by or f"{self.group}.total"

    @property
    def host(self) -> str:
        """The host in it, with its port where one is written."""
        return urlsplit(self.address).netloc.rpartition("@")[2]

    def describe_model(self, model: str) -> str:
        """The name of a model for messages."""
        return f"{self.vendor.name}/{model} at {self.host}"

    def validate(self) -> Endpoint:
        """This endpoint; raises `ConfigError` for an invalid address."""
        try:
            parts = urlsplit(self.address)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            good = False
        if not good:
            raise ConfigError(f"invalid {self.group}.base_url: expected a URL such as http://HOST:PORT/v1")
        if parts.username or parts.password:
            raise ConfigError(
                f"{self.group}.base_url holds a user or a password: a key belongs in {self.group}.api_key"
            )
        for name, value in self.headers.items():
            if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
                raise ConfigError(f"{self.group}.headers: {name!r:.40} is not a valid header name")
            if not value.isascii() or not value.isprintable():
                raise ConfigError(f"{self.group}.headers.{name} holds characters that are not allowed in a header")
        return self

    def require_key(self) -> str | None:
        """The key; raises `UsageError` that says where it may stand when none is there and nothing works without."""
        if self.lacking is not None:
            raise UsageError(self.lacking)
        if self.key is None and self.vendor.keyed and self.is_vendor_address:
            raise UsageError(f"{self.vendor.name} needs a key: {self.key_hint}")
        if self.key is not None and not (self.key.isascii() and self.key.isprintable()):
            raise UsageError(
                f"the key for {self.vendor.name} holds characters that are not allowed in a key: {self.key_hint}"
            )
        return self.key

    @property
    def key_hint(self) -> str:
        """Where its key may stand, as an order to the reader."""
        variable = f", or the environment variable {self.vendor.variable}" if self.vendor.variable else ""
        return f"set {self.group}.api_key or {self.group}.api_key_file{variable}"

    def hide_secrets(self, text: str) -> str:
        """A text in which key and headers' values are hidden."""
        secrets = [self.key or "", *(value for value in self.headers.values() if len(value) >= SHORTEST_HIDDEN)]
        for secret in sorted(filter(None, secrets), key=len, reverse=True):
            text = text.replace(secret, HIDDEN_MARK)
        return text

    @property
    def is_local(self) -> bool:
        """Whether it stands on this very machine."""
        return is_local_address(self.address)
