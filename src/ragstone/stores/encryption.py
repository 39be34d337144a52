"""AES-256-GCM and HKDF-SHA256: keys for a purpose, and data in blocks that can be neither swapped nor cut off.

A box, little-endian: magic (8 bytes), version (u16), zeros (u16), size of its data (u64), random id (16 bytes);
then for each 1 MiB of data a random nonce (12 bytes), the encrypted bytes and their tag (16 bytes). Its key is
derived from its id, and each block is bound to the whole header, to what the box is about, and to its number.
"""

import os
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec

from ragstone.core.errors import Corrupt, UsageError

ARTIFACT_PURPOSE = "artifacts"
KEY_BYTES = 32  # bytes of a key
NONCE_BYTES = 12
TAG_BYTES = 16
OVERHEAD = NONCE_BYTES + TAG_BYTES
MAGIC = b"RAGBOX\0\0"
VERSION = 1
HEAD = struct.Struct("<8sHHQ16s")
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class SecretKey:
    """A key of 32 bytes that is never shown, and only ever used through keys derived from it."""

    data: bytes = field(repr=False)

    @staticmethod
    def generate() -> "SecretKey":
        """A new one."""
        return SecretKey(os.urandom(KEY_BYTES))

    def derive_key(self, purpose: str, salt: bytes = b"") -> bytes:
        """A key of 32 bytes for one purpose, by HKDF-SHA256."""
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=salt, info=f"ragstone/1/{purpose}".encode()).derive(
            self.data
        )

    def derive_name(self, purpose: str, text: str) -> str:
        """The encoding of a text in the names of files: 32 hexadecimal digits that only the key's owner can make."""
        import hmac

        return hmac.digest(self.derive_key(purpose), text.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]


@dataclass(frozen=True, slots=True)
class Cipher:
    """Seals and opens single pieces under one key; `bound` is what every piece is tied to beside its own address."""

    key: bytes = field(repr=False)
    bound: bytes = b""

    def make_encryptor(self) -> Callable[[bytes, bytes], bytes]:
        """Data and its address to nonce, encrypted bytes and tag."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        engine, bound = AESGCM(self.key), self.bound

        def encrypt_piece(data: bytes, address: bytes) -> bytes:
            nonce = os.urandom(NONCE_BYTES)
            return nonce + engine.encrypt(nonce, data, bound + address)

        return encrypt_piece

    def make_decryptor(self) -> Callable[[bytes | memoryview, bytes], bytes]:
        """The way back; raises `ValueError` for anything that was not sealed so, and there."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        engine, bound = AESGCM(self.key), self.bound

        def decrypt_piece(data: bytes | memoryview, address: bytes) -> bytes:
            try:
                return engine.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], bound + address)
            except InvalidTag as error:
                raise ValueError("it does not match its authentication tag") from error

        return decrypt_piece


def check_installed() -> None:
    """Raises `UsageError` where the packages that encrypt are not installed."""
    if find_spec("cryptography") is None or find_spec("sqlcipher3") is None:
        raise UsageError("encryption needs packages that are not installed; run: pip install 'ragstone[encryption]'")


def seal_box(secret: SecretKey, purpose: str, data: bytes, *, about: str) -> bytes:
    """Data as a box; `about` says what it is, and must be known to open it."""
    head = HEAD.pack(MAGIC, VERSION, 0, len(data), os.urandom(16))
    seal = _box_cipher(secret, purpose, head, about).make_encryptor()
    blocks = (seal(data[at : at + BLOCK], _block_address(at)) for at in _block_starts(len(data)))
    return b"".join((head, *blocks))


def is_box(data: bytes) -> bool:
    """Whether bytes begin as a box does."""
    return data.startswith(MAGIC)


def open_box(secret: SecretKey, purpose: str, box: bytes, *, about: str, whole: bool = True) -> bytes:
    """The content of a box; of one that is cut off, without `whole`, what its whole blocks hold.

    Raises `Corrupt` when a single bit of it differs, a block is missing, or it is about something else.
    """
    try:
        magic, version, _, size, _ = HEAD.unpack_from(box)
        if (magic, version) != (MAGIC, VERSION):
            raise ValueError("it is not an encrypted value")
        if whole and len(box) != box_size(size):
            raise ValueError("it is cut short")
        unseal = _box_cipher(secret, purpose, box[: HEAD.size], about).make_decryptor()
        view, out = memoryview(box), bytearray()
        for at in _block_starts(size):
            start = HEAD.size + at + at // BLOCK * OVERHEAD
            end = start + OVERHEAD + min(BLOCK, size - at)
            if end > len(box):
                break
            out += unseal(view[start:end], _block_address(at))
        return bytes(out)
    except (ValueError, struct.error) as error:
        raise Corrupt(f"{about} cannot be decrypted: {error}") from error


def box_size(size: int) -> int:
    """The size of a box for a content of `size` bytes."""
    return HEAD.size + size + OVERHEAD * max(1, -(-size // BLOCK))


def _box_cipher(secret: SecretKey, purpose: str, head: bytes, about: str) -> Cipher:
    return Cipher(secret.derive_key(purpose, head[-16:]), head + about.encode("utf-8", "surrogatepass"))


def _block_starts(size: int) -> Iterator[int]:
    yield from range(0, max(size, 1), BLOCK)


def _block_address(at: int) -> bytes:
    return struct.pack("<Q", at // BLOCK)


class TenantSealer:
    """Encrypts and decrypts data of one tenant; implements `Sealer`. `keys` are the tenant's by number: the highest
    encrypts, any may decrypt."""

    def __init__(self, keys: Mapping[int, SecretKey]) -> None:
        self._keys = [key for _, key in sorted(keys.items(), reverse=True)]

    def seal(self, data: bytes, *, about: str) -> bytes:
        return seal_box(self._keys[0], ARTIFACT_PURPOSE, data, about=about)

    def unseal(self, data: bytes, *, about: str, size: int) -> bytes:
        if not is_box(data):
            return data[:size]
        for key in self._keys:
            try:
                return open_box(key, ARTIFACT_PURPOSE, data, about=about, whole=False)[:size]
            except Corrupt:
                continue
        raise _undecryptable_error(about)

    def is_current(self, data: bytes, *, about: str) -> bool:
        try:
            return is_box(data) and bool(open_box(self._keys[0], ARTIFACT_PURPOSE, data, about=about, whole=False))
        except Corrupt:
            return False

    def renew(self, data: bytes, *, about: str) -> bytes:
        for key in self._keys if is_box(data) else ():
            with suppress(Corrupt):
                return self.seal(open_box(key, ARTIFACT_PURPOSE, data, about=about), about=about)
        if is_box(data):
            raise _undecryptable_error(about)
        return self.seal(data, about=about)


def _undecryptable_error(about: str) -> Corrupt:
    return Corrupt(f"{about} cannot be decrypted with the tenant's key; ingest with --refresh")
