"""The header of an image: its size, its resolution, its orientation."""

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from ragstone.extraction.image import tiff
from ragstone.extraction.image.tiff import Frame

CHUNKS = 10_000  # of one file are looked at; real ones have some dozens before the pixels
INCH = 0.0254  # metres
END = b"\xff\xd9"  # of a JPEG
PLAIN = frozenset((0xC4, 0xC8, 0xCC))  # JPEG markers among the frame headers that are none


@dataclass(frozen=True, slots=True)
class Header:
    """The frames that hold pages; `moving` images hold more, which are not read; `whole` where the end is there."""

    media_type: str
    frames: tuple[Frame, ...]
    moving: bool = False
    whole: bool = True


def read_header(data: bytes) -> Header | None:
    """The header of a PNG, JPEG, GIF, WebP, BMP or TIFF; None for anything else, and for one that is broken."""
    for mark, read in READERS.items():
        if data.startswith(mark):
            try:
                found = read(data)
            except (struct.error, IndexError):
                return None
            sizes = [min(frame.width, frame.height) for frame in found.frames] if found else []
            return found if sizes and min(sizes) > 0 else None
    return None


def _read_png(data: bytes) -> Header:
    frame = Frame(*struct.unpack_from(">II", data, 16))
    at, moving, whole = 8, False, False
    for _ in range(CHUNKS):
        if at + 12 > len(data):
            break
        size, name = struct.unpack_from(">I4s", data, at)
        if name == b"pHYs":
            x, y, unit = struct.unpack_from(">IIB", data, at + 8)
            frame = replace(frame, dpi=(x * INCH, y * INCH) if unit == 1 else None)
        elif name == b"eXIf":
            frame = _apply_exif(frame, data[at + 8 : at + 8 + size])
        moving = moving or name == b"acTL"
        at += 12 + size
        if name == b"IEND":
            whole = at <= len(data)
            break
    return Header("image/png", (frame,), moving, whole)


def _read_jpeg(data: bytes) -> Header | None:
    frame: Frame | None = None
    dpi: tuple[float, float] | None = None
    exif = b""
    for at, marker in _iter_segments(data):
        if marker == 0xE0 and data[at + 2 : at + 7] == b"JFIF\0":
            unit, x, y = struct.unpack_from(">BHH", data, at + 9)
            dpi = {1: (x * 1.0, y * 1.0), 2: (x * 2.54, y * 2.54)}.get(unit)
        elif marker == 0xE1 and data[at + 2 : at + 8] == b"Exif\0\0":
            exif = data[at + 8 : at + struct.unpack_from(">H", data, at)[0]]
        elif 0xC0 <= marker <= 0xCF and marker not in PLAIN:
            height, width = struct.unpack_from(">HH", data, at + 3)
            frame = Frame(width, height)
        elif marker == 0xDA and frame is not None:
            whole = data.find(END, at) >= 0
            return Header("image/jpeg", (_apply_exif(replace(frame, dpi=dpi), exif),), whole=whole)
    return None


def _iter_segments(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each segment's length stands, and its marker."""
    at = 2
    for _ in range(CHUNKS):
        while data[at] == 0xFF and data[at + 1] == 0xFF:  # fill bytes
            at += 1
        if data[at] != 0xFF:
            return
        yield at + 2, data[at + 1]
        at += 2 + int(struct.unpack_from(">H", data, at + 2)[0])


def _read_gif(data: bytes) -> Header:
    frame = Frame(*struct.unpack_from("<HH", data, 6))
    return Header("image/gif", (frame,), _is_animated_gif(data), data.rstrip(b"\0").endswith(b";"))


def _is_animated_gif(data: bytes) -> bool:
    """Whether a second picture stands behind the first."""
    at = 13 + (3 << (data[10] & 7) + 1 if data[10] & 0x80 else 0)
    pictures = 0
    for _ in range(CHUNKS):
        kind = data[at : at + 1]
        if kind == b",":
            pictures += 1
            if pictures == 2:
                return True
            packed = data[at + 9]
            at += 11 + (3 << (packed & 7) + 1 if packed & 0x80 else 0)
        elif kind == b"!":
            at += 2
        else:
            return False
        while at < len(data) and data[at]:
            at += 1 + data[at]
        at += 1
    return False


def _read_bmp(data: bytes) -> Header:
    (size,) = struct.unpack_from("<I", data, 14)
    if size == 12:
        frame = Frame(*struct.unpack_from("<HH", data, 18))
    else:
        width, height = struct.unpack_from("<ii", data, 18)
        x, y = struct.unpack_from("<ii", data, 38)
        frame = Frame(abs(width), abs(height), (x * INCH, y * INCH))
    return Header("image/bmp", (frame,), whole=struct.unpack_from("<I", data, 2)[0] <= len(data))


def _read_webp(data: bytes) -> Header | None:
    if data[8:12] != b"WEBP":
        return None
    whole = struct.unpack_from("<I", data, 4)[0] + 8 <= len(data)
    kind = data[12:16]
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return Header("image/webp", (Frame(width & 0x3FFF, height & 0x3FFF),), whole=whole)
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return Header("image/webp", (Frame((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1),), whole=whole)
    if kind != b"VP8X":
        return None
    width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
    frame = Frame(width, height)
    at = 12
    for _ in range(CHUNKS):
        if at + 8 > len(data):
            break
        name, size = struct.unpack_from("<4sI", data, at)
        if name == b"EXIF":
            frame = _apply_exif(frame, data[at + 8 : at + 8 + size].removeprefix(b"Exif\0\0"))
        at += 8 + size + size % 2
    return Header("image/webp", (frame,), bool(data[20] & 2), whole)


def _read_tiff(data: bytes) -> Header:
    return Header("image/tiff", tiff.read_frames(data))


def _apply_exif(frame: Frame, exif: bytes) -> Frame:
    """A frame with what a camera or scanner noted about it; notes that cannot be read are none."""
    try:
        notes = next(tiff.read_directories(exif), None) if exif else None
    except (struct.error, IndexError):
        notes = None
    if notes is None:
        return frame
    return replace(frame, orientation=notes.orientation, dpi=frame.dpi or notes.dpi)


READERS: Mapping[bytes, Callable[[bytes], Header | None]] = {
    b"\x89PNG\r\n\x1a\n": _read_png,
    b"\xff\xd8\xff": _read_jpeg,
    b"GIF8": _read_gif,
    b"BM": _read_bmp,
    b"RIFF": _read_webp,
    b"II*\0": _read_tiff,
    b"MM\0*": _read_tiff,
}
