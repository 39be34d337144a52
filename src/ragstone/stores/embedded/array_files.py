"""Files that hold arrays and cannot be half written: made aside, renamed, checked by CRC32-C when read.

Layout, little-endian: magic (8 bytes), version (u16), reserved (u16), CRC32-C of all that follows it
(u32), length of the table (u64), the table as JSON, then each array at a multiple of 64 bytes.
"""

import json
import mmap
import struct
from collections.abc import Mapping
from pathlib import Path

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from ragstone.core.errors import Corrupt
from ragstone.stores.durable_files import replace_file
from ragstone.stores.encryption import SecretKey, open_box, seal_box
from ragstone.stores.fault_points import reach_point

MAGIC = b"RAGSEAL\0"
VERSION = 1
HEAD = struct.Struct("<8sHHIQ")
CHECKED_FROM = 16
ALIGN = 64
PURPOSE = "index"

Arrays = Mapping[str, NDArray[np.generic]]


def write_arrays(path: Path, facts: Mapping[str, int], arrays: Arrays, key: SecretKey | None = None) -> None:
    """Write numbers and arrays as one file, encrypted with a key; what stood there is replaced whole."""
    table: dict[str, list[str | int]] = {}
    end = 0
    for name, array in arrays.items():
        start = end + -end % ALIGN
        table[name] = [array.dtype.str, start, array.size]
        end = start + array.nbytes
    head = json.dumps({"facts": dict(facts), "arrays": table}).encode()
    head += b" " * (-(HEAD.size + len(head)) % ALIGN)
    whole = bytearray(HEAD.size + len(head) + end)
    whole[HEAD.size : HEAD.size + len(head)] = head
    bytes_ = np.frombuffer(whole, dtype=np.uint8)
    body = bytes_[HEAD.size + len(head) :]
    for name, array in arrays.items():
        start = int(table[name][1])
        body[start : start + array.nbytes] = np.ascontiguousarray(array).view(np.uint8)
    HEAD.pack_into(whole, 0, MAGIC, VERSION, 0, 0, len(head))
    crc = google_crc32c.value(bytes_[CHECKED_FROM:])
    HEAD.pack_into(whole, 0, MAGIC, VERSION, 0, crc, len(head))
    reach_point("seal.written")
    replace_file(path, whole if key is None else seal_box(key, PURPOSE, bytes(whole), about=path.name))
    reach_point("seal.renamed")


def read_arrays(path: Path, key: SecretKey | None = None) -> tuple[dict[str, int], dict[str, NDArray[np.generic]]]:
    """The numbers and read-only arrays of a sealed file; raises `Corrupt` when a single bit differs."""
    damaged = Corrupt(f"{path} is damaged; it is made anew by: ragstone doctor --repair")
    try:
        file = path.open("rb")
    except IsADirectoryError as error:
        raise damaged from error
    with file:
        if path.stat().st_size < HEAD.size:
            raise damaged
        view: mmap.mmap | bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if key is not None:
        view = _decrypt_file(key, view, path, damaged)
    whole = np.frombuffer(view, dtype=np.uint8)
    magic, version, _, crc, length = HEAD.unpack_from(view)
    if (magic, version) != (MAGIC, VERSION) or google_crc32c.value(whole[CHECKED_FROM:]) != crc:
        raise damaged
    try:
        head = json.loads(view[HEAD.size : HEAD.size + length])
        start = HEAD.size + length
        arrays = {
            name: np.frombuffer(view, dtype=kind, count=count, offset=start + offset)
            for name, (kind, offset, count) in head["arrays"].items()
        }
        return dict(head["facts"]), arrays
    except (ValueError, KeyError, TypeError) as error:
        raise damaged from error


def _decrypt_file(key: SecretKey, box: "mmap.mmap | bytes", path: Path, damaged: Corrupt) -> bytes:
    """The sealed file that is in a box."""
    try:
        whole = open_box(key, PURPOSE, bytes(box), about=path.name)
    except Corrupt as error:
        raise damaged from error
    if len(whole) < HEAD.size:
        raise damaged
    return whole
