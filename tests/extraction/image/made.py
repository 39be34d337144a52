"""Small images made for the tests, most of them byte by byte, and a reader that needs no model."""

import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ragstone.core.page_layout import Box, bounding_box
from ragstone.extraction.image.ocr_result import OcrLine, OcrWord

Pixels = npt.NDArray[np.uint8]


def png(pixels: npt.NDArray[np.generic], *, dpi: float = 0.0, orientation: int = 1, before: bytes = b"") -> bytes:
    """A PNG of 8 or 16 bits: grey, grey with alpha, colour, colour with alpha, by its last axis."""
    height, width = pixels.shape[:2]
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    bits = pixels.dtype.itemsize * 8
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    rows = pixels.astype(pixels.dtype.newbyteorder(">")).reshape(height, -1)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    return _png(width, height, bits, kind, raw, dpi, orientation, before)


def bits(pixels: npt.NDArray[np.bool_]) -> bytes:
    """A PNG of one bit a pixel: white where true."""
    height, width = pixels.shape
    raw = b"".join(b"\0" + np.packbits(row).tobytes() for row in pixels)
    return _png(width, height, 1, 0, raw, 0.0, 1, b"")


def _png(
    width: int, height: int, depth: int, kind: int, raw: bytes, dpi: float, orientation: int, before: bytes
) -> bytes:
    out = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0))
    if dpi:
        metre = round(dpi / 0.0254)
        out += _chunk(b"pHYs", struct.pack(">IIB", metre, metre, 1))
    if orientation != 1:
        out += _chunk(b"eXIf", exif(orientation))
    return out + before + _chunk(b"IDAT", zlib.compress(raw)) + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def exif(orientation: int) -> bytes:
    """The notes of a camera that says only which way is up."""
    return b"MM\0*\0\0\0\x08\0\x01" + struct.pack(">HHIHH", 274, 3, 1, orientation, 0) + b"\0\0\0\0"


def tiff(pages: Sequence[Pixels], *, dpi: tuple[int, int] = (72, 72), orientation: int = 1) -> bytes:
    """Pages of 8-bit grey, not compressed."""
    out = bytearray(b"II*\0\0\0\0\0")
    link = 4
    for page in pages:
        height, width = page.shape
        at = len(out)
        out += page.tobytes() + b"\0" * (len(page.tobytes()) % 2)
        ratios = len(out)
        out += struct.pack("<IIII", dpi[0], 1, dpi[1], 1)
        struct.pack_into("<I", out, link, len(out))
        long, short, ratio = 4, 3, 5
        entries = (
            (256, long, width),
            (257, long, height),
            (258, short, 8),
            (259, short, 1),
            (262, short, 1),
            (273, long, at),
            (274, short, orientation),
            (277, short, 1),
            (278, long, height),
            (279, long, width * height),
            (282, ratio, ratios),
            (283, ratio, ratios + 8),
            (296, short, 2),
        )
        out += struct.pack("<H", len(entries))
        for tag, kind, value in entries:
            out += struct.pack("<HHII", tag, kind, 1, value)
        link = len(out)
        out += b"\0\0\0\0"
    return bytes(out)


def blank(width: int, height: int) -> Pixels:
    """White paper."""
    return np.full((height, width, 3), 255, dtype=np.uint8)


@dataclass
class Told:
    """An engine that says what it is told: lines of (text, x, y) in letters of `size`, whatever the pixels are."""

    lines: Sequence[tuple[str, float, float]]
    size: float = 10.0
    sure: float = 0.95
    name: str = "told"
    turned: bool = True
    slope: float = 0.0
    seen: list[tuple[int, ...]] = field(default_factory=list)
    sees: Callable[[Pixels], bool] = lambda pixels: True

    def read(self, pixels: Pixels) -> list[OcrLine]:
        self.seen.append(pixels.shape)
        sure = self.sure if self.sees(pixels) else 0.3
        return [self._line(text, x, y, sure) for text, x, y in self.lines]

    def _line(self, text: str, x: float, y: float, sure: float) -> OcrLine:
        words: list[OcrWord] = []
        at = 0
        for word in text.split(" "):
            x0, x1 = (x + 0.5 * self.size * n for n in (at, at + len(word)))
            top = y + self.slope * ((x0 + x1) / 2 - x)
            box: Box = (x0, top, x1, top + self.size)
            words.append(OcrWord(word, box, sure))
            at += len(word) + 1
        return OcrLine(text, bounding_box(word.box for word in words), tuple(words), sure, self.size, 0, self.slope)
