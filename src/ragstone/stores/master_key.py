"""The master key: what wraps the keys of tenants, and how a wrapped key is written.

A tenant has keys by number, all wrapped in one file beside its collections; the highest is what new data is sealed
with. Each wrapped key is bound to the tenant's name and its number, and carries a check of the master key that
wrapped it.
"""

import base64
import binascii
import contextlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ragstone.core.errors import ConfigError, Corrupt, NoKey
from ragstone.stores.encryption import KEY_BYTES, Cipher, SecretKey, check_installed

MAGIC = "ragstone-keys"
FORMAT = 1
GENERATION_HINT = "make one with: openssl rand -base64 32"


@dataclass(frozen=True, slots=True)
class MasterKey:
    """The master key that wraps, and an earlier one that may still unwrap."""

    key: SecretKey = field(repr=False)
    previous: SecretKey | None = field(default=None, repr=False)

    @staticmethod
    def from_settings(
        key: str | None, key_file: str | None, previous: str | None = None, previous_file: str | None = None
    ) -> "MasterKey | None":
        """From base64 or files that hold it; None where no key is given. Raises `ConfigError`, which shows no key."""
        now, before = _load_key("key", key, key_file), _load_key("previous", previous, previous_file)
        if now is None:
            if before is not None:
                raise ConfigError("encryption.previous is given without encryption.key: name the key that wraps now")
            return None
        check_installed()
        return MasterKey(now, before)

    @property
    def fingerprints(self) -> set[str]:
        """Those of the keys that this one opens with."""
        return {key_fingerprint(key) for key in (self.key, self.previous) if key is not None}

    def wrap_keys(self, tenant: str, keys: Mapping[int, SecretKey]) -> bytes:
        """The file of a tenant's keys."""
        wrapping = Cipher(self.key.derive_key("wrap"), MAGIC.encode()).make_encryptor()
        held = {
            str(number): {
                "master": key_fingerprint(self.key),
                "wrapped": base64.b64encode(wrapping(secret.data, _key_address(tenant, number))).decode(),
            }
            for number, secret in sorted(keys.items())
        }
        return json.dumps({"magic": MAGIC, "format": FORMAT, "tenant": tenant, "keys": held}, indent=1).encode()


def key_fingerprint(key: SecretKey) -> str:
    """Eight hexadecimal digits that tell one key from another, and nothing about either."""
    return hmac.digest(key.derive_key("check"), b"", "sha256").hex()[:8]


def wrapping_fingerprints(data: bytes, *, place: Path) -> set[str]:
    """The checks of the master keys that wrapped a tenant's keys."""
    return {str(held["master"]) for held in _parse_key_file(data, place).values()}


def read_tenant_name(data: bytes) -> str | None:
    """The name in a file of a tenant's keys: its directory may bear a digest alone. None where it is not written."""
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return str(json.loads(data)["tenant"])
    return None


def key_numbers(data: bytes, *, place: Path) -> set[int]:
    """The numbers of the keys in a tenant's file."""
    return set(_parse_key_file(data, place))


def stale_keys_error(tenant: str, place: Path, of: Path, number: int | None) -> NoKey:
    """The error for a file of keys that lacks one that data is under: it was put back from too long ago, or is of
    another tenant that bore the name."""
    return NoKey(
        f"{of} is encrypted with a key (number {number}) of tenant {tenant!r} that {place} does not hold: put the file "
        "that was there last back from a backup"
    )


def missing_keys_error(tenant: str, place: Path) -> NoKey:
    """The error for an encrypted tenant whose file of keys is not there."""
    return NoKey(
        f"tenant {tenant!r} is encrypted and its key file is gone: put {place} back from a backup; nothing else opens "
        "what it holds"
    )


def unwrap_keys(data: bytes, tenant: str, master: MasterKey | None, *, place: Path) -> dict[int, SecretKey]:
    """A tenant's keys by their number. Raises `NoKey` where no configured key fits, `Corrupt` for a damaged file."""
    held = _parse_key_file(data, place)
    if master is None:
        raise NoKey(f"tenant {tenant!r} is encrypted ({place}): set encryption.key to the master key that wrapped it")
    return {number: _unwrap_key(one, tenant, number, master, place) for number, one in held.items()}


def _unwrap_key(held: Mapping[str, str], tenant: str, number: int, master: MasterKey, place: Path) -> SecretKey:
    known = {key_fingerprint(key): key for key in (master.previous, master.key) if key is not None}
    key = known.get(held["master"])
    if key is None:
        raise NoKey(
            f"tenant {tenant!r} is encrypted with another master key ({place} was wrapped by {held['master']}, "
            f"configured is {key_fingerprint(master.key)}): set encryption.key, or encryption.previous, to that one"
        )
    try:
        opening = Cipher(key.derive_key("wrap"), MAGIC.encode()).make_decryptor()
        return SecretKey(opening(base64.b64decode(held["wrapped"], validate=True), _key_address(tenant, number)))
    except ValueError as error:
        raise _key_file_error(place) from error


def _parse_key_file(data: bytes, place: Path) -> dict[int, dict[str, str]]:
    try:
        read = json.loads(data)
        if (read["magic"], read["format"]) != (MAGIC, FORMAT):
            raise ValueError("another format")
        held = {
            int(number): {name: str(one[name]) for name in ("master", "wrapped")}
            for number, one in read["keys"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _key_file_error(place) from error
    if not held:
        raise _key_file_error(place)
    return held


def _key_file_error(place: Path) -> Corrupt:
    return Corrupt(f"{place} is damaged: without it the tenant's data cannot be read; put it back from a backup")


def _key_address(tenant: str, number: int) -> bytes:
    return json.dumps([tenant, number]).encode()


def _load_key(name: str, key: str | None, file: str | None) -> SecretKey | None:
    where = f"encryption.{name}" if key is not None else f"encryption.{name}_file"
    if key is not None and file is not None:
        raise ConfigError(f"encryption.{name} and encryption.{name}_file are both given: name the key once")
    try:
        text = Path(file).expanduser().read_text("ascii") if key is None and file is not None else key
        if text is None:
            return None
        data = base64.b64decode(text.strip(), validate=True)
    except OSError as error:
        raise ConfigError(f"{where} {file!r} cannot be read: {error.strerror}") from error
    except (ValueError, binascii.Error, RuntimeError) as error:
        raise ConfigError(f"invalid {where}: expected 32 bytes in base64; {GENERATION_HINT}") from error
    if len(data) != KEY_BYTES:
        raise ConfigError(f"invalid {where} of {len(data)} bytes: expected 32 bytes in base64; {GENERATION_HINT}")
    return SecretKey(data)
