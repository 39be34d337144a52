"""Archives for tests: good ones, and ones that no library writes."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping

LOCKED = 1


def pack_zip(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP archive of these files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def pack_entry(
    raw: bytes,
    data: bytes,
    *,
    flags: int = 0,
    method: int = 0,
    rights: int = 0,
    extra: bytes = b"",
    count: int = 1,
    second: bytes | None = None,
) -> bytes:
    """A ZIP archive of one stored entry whose fields may be anything, `count` times in its directory."""
    facts = struct.pack("<HHHHLLLHH", flags, method, 0, 0, zlib.crc32(data), len(data), len(data), len(raw), len(extra))
    head = b"PK\x03\x04" + struct.pack("<H", 20) + facts + raw + extra + data
    directory = b""
    for name in (raw, second or raw)[:count]:
        facts = struct.pack(
            "<HHHHLLLHH", flags, method, 0, 0, zlib.crc32(data), len(data), len(data), len(name), len(extra)
        )
        tail = struct.pack("<HHHLL", 0, 0, 0, rights << 16, 0)
        directory += b"PK\x01\x02" + struct.pack("<HH", 3 << 8 | 20, 20) + facts + tail + name + extra
    return head + directory + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(head), 0)
