"""Names of tenants and collections as names of files."""

import hashlib
from urllib.parse import unquote

PLAIN_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
MAX_NAME_BYTES = 200  # bytes; common file systems take 255 for a name


def encode_name(name: str) -> str:
    """A name as one path part: only a-z, 0-9, _ and - stand as they are; a very long one becomes a digest."""
    data = name.encode("utf-8", "surrogatepass")
    part = "".join(chr(byte) if chr(byte) in PLAIN_CHARACTERS else f"%{byte:02x}" for byte in data)
    return part if len(part) <= MAX_NAME_BYTES else "~" + hashlib.sha256(data).hexdigest()


def decode_name(part: str) -> str | None:
    """The name behind a path part, None for a digest."""
    return None if part.startswith("~") else unquote(part)
