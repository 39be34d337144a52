"""The directories of a TIFF, which EXIF notes are written as too."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

PAGES = 10_000  # of one file
ENTRIES = 4_000  # of one directory
WIDTH, HEIGHT, ORIENTATION, X_RESOLUTION, Y_RESOLUTION, UNIT, KIND = 256, 257, 274, 282, 283, 296, 254
SHORT, LONG, RATIONAL = 3, 4, 5  # TIFF 6.0, section 2: types of fields
CENTIMETRES = 3
REDUCED = 1  # bit of KIND: a smaller copy of another page
PLAUSIBLE = (50.0, 2400.0)  # dots an inch: what is outside, no scanner or screen has


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of a file: pixels as they are stored, dots an inch along each side where they are said.

    `orientation` is EXIF's, 1 (as it is stored) to 8; `index` counts the file's pictures from 0.
    """

    width: int
    height: int
    dpi: tuple[float, float] | None = None
    orientation: int = 1
    index: int = 0

    def __post_init__(self) -> None:
        low, high = PLAUSIBLE
        if self.dpi is not None and not all(low <= one <= high for one in self.dpi):
            object.__setattr__(self, "dpi", None)
        if not 1 <= self.orientation <= 8:
            object.__setattr__(self, "orientation", 1)


def read_frames(data: bytes) -> tuple[Frame, ...]:
    """The pages of a file, without the smaller copies that some hold of them."""
    found = list(read_directories(data))
    return tuple(frame for frame in found if frame.width and frame.height)


def read_directories(data: bytes) -> Iterator[Frame]:
    """The entries of each directory; the size is 0 for one that says none, and for a smaller copy of a page.

    Raises `struct.error` where the file ends too soon.
    """
    order = {b"II": "<", b"MM": ">"}.get(data[:2])
    if order is None:
        return
    (at,) = struct.unpack_from(order + "I", data, 4)
    seen: set[int] = set()
    while at and at not in seen and len(seen) < PAGES:
        seen.add(at)
        (count,) = struct.unpack_from(order + "H", data, at)
        yield _read_frame(data, order, at + 2, min(count, ENTRIES), len(seen) - 1)
        (at,) = struct.unpack_from(order + "I", data, at + 2 + 12 * count)


def _read_frame(data: bytes, order: str, at: int, count: int, index: int) -> Frame:
    found: dict[int, float] = {}
    for number in range(count):
        tag, kind, _, value = struct.unpack_from(order + "HHI4s", data, at + 12 * number)
        if kind == SHORT:
            found[tag] = struct.unpack(order + "H", value[:2])[0]
        elif kind == LONG:
            found[tag] = struct.unpack(order + "I", value)[0]
        elif kind == RATIONAL and tag in (X_RESOLUTION, Y_RESOLUTION):
            above, below = struct.unpack_from(order + "II", data, struct.unpack(order + "I", value)[0])
            found[tag] = above / below if below else 0.0
    inch = 2.54 if found.get(UNIT) == CENTIMETRES else 1.0
    x, y = found.get(X_RESOLUTION, 0.0) * inch, found.get(Y_RESOLUTION, 0.0) * inch
    copy = int(found.get(KIND, 0)) & REDUCED
    width, height = (0, 0) if copy else (int(found.get(WIDTH, 0)), int(found.get(HEIGHT, 0)))
    return Frame(width, height, (x, y), int(found.get(ORIENTATION, 1)), index)
