"""The pixels of PNGs that Ragstone writes."""

import zlib

import numpy as np


def pixels(png: bytes) -> np.ndarray:
    """What our own PNGs hold: rows without a filter."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    start = png.index(b"IDAT") + 4
    size = int.from_bytes(png[start - 8 : start - 4], "big")
    rows = np.frombuffer(zlib.decompress(png[start : start + size]), np.uint8).reshape(height, 1 + 3 * width)
    return rows[:, 1:].reshape(height, width, 3)
