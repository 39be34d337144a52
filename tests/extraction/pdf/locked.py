"""PDFs under a password, as the standard's first handler of 40 bits locks them (ISO 32000-1, 7.6.3)."""

import hashlib
import re

PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
IDENTITY = bytes(16)
ALLOWED = -4  # everything: what may be done with an opened document


def locked(data: bytes, password: str) -> bytes:
    """The PDF of `sheets.pdf`, its streams encrypted; its strings must be empty of meaning: they stay."""
    padded = (password.encode("latin-1") + PADDING)[:32]
    owner = rc4(hashlib.md5(padded).digest()[:5], padded)  # the format's own
    allowed = ALLOWED.to_bytes(4, "little", signed=True)
    key = hashlib.md5(padded + owner + allowed + IDENTITY).digest()[:5]
    body = data[: data.rindex(b"xref\n0")]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for found in re.finditer(rb"(\d+) 0 obj\n(.*?)\nendobj\n", body, re.DOTALL):
        places.append(len(out))
        out += b"%s 0 obj\n%s\nendobj\n" % (found[1], _sealed(found[2], int(found[1]), key))
    table, user = len(out), rc4(key, PADDING)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    out += b"".join(b"%010d 00000 n \n" % at for at in places)
    lock = f"<< /Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{user.hex()}> /P {ALLOWED} >>"
    name = IDENTITY.hex()
    out += f"trailer << /Size {len(places) + 1} /Root 1 0 R /Encrypt {lock} /ID [<{name}> <{name}>] >>\n".encode()
    return bytes(out) + b"startxref\n%d\n%%%%EOF" % table


def _sealed(body: bytes, number: int, key: bytes) -> bytes:
    head, begin, rest = body.partition(b">>\nstream\n")
    if not begin:
        return body
    own = hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]
    return head + begin + rc4(own, rest.removesuffix(b"\nendstream")) + b"\nendstream"


def rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
