"""Where the characters of a text of record stand on the pages, exactly and compactly."""

import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from ragstone.core.arrays import Structured
from ragstone.core.errors import Corrupt

Box = tuple[float, float, float, float]  # x0, y0, x1, y1; origin top left
Place = tuple[int, int, int, Box]  # first character, character behind the last, page, box

MAGIC = b"RLAY1\0\0\0"
STEPS_A_POINT = 20  # steps in a point: half a step is far below what an eye or a font unit shows
STRIPS_A_CHUNK = 256  # strips that are packed together: a lookup unpacks one or two of them
LAYOUT_HEAD = struct.Struct("<8sII")  # magic, chunks, strips
DIRECTORY = (("start", "<i8"), ("offset", "<i8"), ("strips", "<i4"), ("edges", "<i4"))
ENTRY = struct.calcsize("<qqii")
FIELDS = 8  # start, end, page, x0, y0, x1, y1, number of edges
SAME_LINE = 0.5  # of the lower height: boxes that share so much of it stand side by side


def bounding_box(boxes: Iterable[Box]) -> Box:
    """The box around boxes; there must be at least one."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


@dataclass(frozen=True, slots=True)
class Strip:
    """Characters [start, end) of the record that stand on one visual line of a page (counted from 1).

    `box` is (x0, y0, x1, y1) in points, origin top left, after rotation and crop. `edges` are the x of
    each character's boundary, end - start + 1 of them; empty where the characters do not run along x,
    then the box stands for all of them.
    """

    start: int
    end: int
    page: int
    box: Box
    edges: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """The strips of a document in order of their characters, packed; `of` makes one.

    Coordinates are kept to 1/20 point. A lookup unpacks only what it needs.
    """

    packed: bytes

    @classmethod
    def from_strips(cls, strips: Iterable[Strip]) -> "Layout":
        """Pack strips, which must come in order of `start` and not overlap."""
        packing = LayoutBuilder()
        for strip in strips:
            packing.add(strip)
        return packing.build()

    @classmethod
    def unpack(cls, data: bytes) -> "Layout":
        """A layout from what `pack` gave; raises `Corrupt` for anything else."""
        if len(data) < LAYOUT_HEAD.size or data[: len(MAGIC)] != MAGIC:
            raise Corrupt("the page layout is of another version or damaged; ingest the document again")
        layout = cls(data)
        if layout._body_offset() > len(data) or layout._body_offset() + int(
            layout._read_directory()[-1]["offset"]
        ) != len(data):
            raise Corrupt("the page layout is incomplete; ingest the document again")
        return layout

    def pack(self) -> bytes:
        """The layout as bytes: about 1.5 a character before the store's own compression."""
        return self.packed

    def __len__(self) -> int:
        return int(LAYOUT_HEAD.unpack_from(self.packed)[2])

    def strips(self, start: int = 0, end: int | None = None) -> Iterator[Strip]:
        """The strips that hold any character of [start, end)."""
        directory = self._read_directory()
        last = len(directory) - 1
        first = max(0, bisect_right(directory["start"][:last], start) - 1)
        for number in range(first, last):
            if end is not None and directory["start"][number] >= end:
                return
            for strip in self._unpack_chunk(number):
                if strip.end > start and (end is None or strip.start < end):
                    yield strip

    def line_boxes(self, start: int, end: int) -> list[Place]:
        """One box a visual line for characters [start, end) of the record, cut at exactly these characters."""
        return [_clip_strip(strip, max(start, strip.start), min(end, strip.end)) for strip in self.strips(start, end)]

    def passage_boxes(self, start: int, end: int) -> list[Place]:
        """The boxes of [start, end) merged to one a page and column: what a reader would draw around a passage."""
        parts: list[Place] = []
        last: Place | None = None
        for place in self.line_boxes(start, end):
            if last is not None and _continues_column(last, place):
                parts[-1] = _merge_places(parts[-1], place)
            else:
                parts.append(place)
            last = place
        return parts

    def bounding_box(self, start: int, end: int) -> tuple[int, Box] | None:
        """The page where [start, end) begins, and one box around all of it that stands there."""
        parts = self.passage_boxes(start, end)
        if not parts:
            return None
        page = parts[0][2]
        return page, bounding_box(box for _, _, where, box in parts if where == page)

    def _body_offset(self) -> int:
        return LAYOUT_HEAD.size + (int(LAYOUT_HEAD.unpack_from(self.packed)[1]) + 1) * ENTRY

    def _read_directory(self) -> Structured:
        import numpy as np

        return np.frombuffer(
            self.packed, _directory_dtype(), int(LAYOUT_HEAD.unpack_from(self.packed)[1]) + 1, LAYOUT_HEAD.size
        )

    def _unpack_chunk(self, number: int) -> Sequence[Strip]:
        directory = self._read_directory()
        start = self._body_offset() + int(directory[number]["offset"])
        end = self._body_offset() + int(directory[number + 1]["offset"])
        return _decode_strips(self.packed[start:end], int(directory[number]["strips"]), int(directory[number]["edges"]))


class LayoutBuilder:
    """Packs strips as they come, so that a long document's strips never stand in memory together."""

    def __init__(self) -> None:
        self._open: list[Strip] = []
        self._chunks: list[bytes] = []
        self._entries: list[tuple[int, int, int, int]] = []
        self._offset = 0
        self._count = 0

    def add(self, strip: Strip) -> None:
        """The next strip: in order of `start`, not over the one before."""
        self._open.append(strip)
        if len(self._open) == STRIPS_A_CHUNK:
            self._flush_chunk()

    def build(self) -> Layout:
        """The layout of all strips that were added."""
        import numpy as np

        if self._open:
            self._flush_chunk()
        directory = np.array([*self._entries, (0, self._offset, 0, 0)], dtype=_directory_dtype()).tobytes()
        head = LAYOUT_HEAD.pack(MAGIC, len(self._chunks), self._count)
        return Layout(b"".join((head, directory, *self._chunks)))

    def _flush_chunk(self) -> None:
        data, edges = _encode_strips(self._open)
        self._entries.append((self._open[0].start, self._offset, len(self._open), edges))
        self._chunks.append(data)
        self._offset += len(data)
        self._count += len(self._open)
        self._open = []


@cache
def _directory_dtype() -> Any:
    import numpy as np

    return np.dtype(list(DIRECTORY))


def _encode_strips(strips: Sequence[Strip]) -> tuple[bytes, int]:
    import numpy as np

    fields = np.empty((len(strips), FIELDS), dtype="<i4")
    fields[:, :3] = [(strip.start, strip.end, strip.page) for strip in strips]
    fields[:, 3:7] = np.rint(np.array([strip.box for strip in strips]) * STEPS_A_POINT)
    fields[:, 7] = counts = [len(strip.edges) for strip in strips]
    steps = np.rint(np.fromiter(chain.from_iterable(strip.edges for strip in strips), np.float64) * STEPS_A_POINT)
    shifts = np.diff(steps, prepend=0)
    firsts = (np.cumsum(counts) - counts)[fields[:, 7] > 0]
    shifts[firsts] = steps[firsts] - fields[fields[:, 7] > 0, 3]
    shifts = np.clip(shifts, -32768, 32767).astype("<i2")
    # Column by column the fields compress three times better than strip by strip.
    return zlib.compress(fields.T.tobytes() + shifts.tobytes(), 6), len(shifts)


@lru_cache(maxsize=8)
def _decode_strips(data: bytes, count: int, edges: int) -> Sequence[Strip]:
    import numpy as np

    try:
        plain = zlib.decompress(data)
    except zlib.error as error:
        raise Corrupt("the page layout cannot be unpacked; ingest the document again") from error
    if len(plain) != count * FIELDS * 4 + edges * 2:
        raise Corrupt("the page layout has the wrong size; ingest the document again")
    fields = np.frombuffer(plain, "<i4", count * FIELDS).reshape(FIELDS, count).T
    shifts = np.frombuffer(plain, "<i2", edges, count * FIELDS * 4).astype(np.int64)
    counts = fields[:, 7].astype(np.int64)
    if (counts < 0).any() or counts.sum() != edges:
        raise Corrupt("the page layout has edges without a strip; ingest the document again")
    totals = np.concatenate(([0], np.cumsum(shifts)))
    origins = fields[:, 3] - totals[np.cumsum(counts) - counts]
    places = ((totals[1:] + np.repeat(origins, counts)) / STEPS_A_POINT).tolist()
    strips: list[Strip] = []
    at = 0
    for start, end, page, x0, y0, x1, y1, number in fields.tolist():
        box = (x0 / STEPS_A_POINT, y0 / STEPS_A_POINT, x1 / STEPS_A_POINT, y1 / STEPS_A_POINT)
        strips.append(Strip(start, end, page, box, tuple(places[at : at + number])))
        at += number
    return tuple(strips)


def _clip_strip(strip: Strip, start: int, end: int) -> Place:
    x0, y0, x1, y1 = strip.box
    if strip.edges:
        a, b = strip.edges[start - strip.start], strip.edges[end - strip.start]
        x0, x1 = min(a, b), max(a, b)
    return start, end, strip.page, (x0, y0, x1, y1)


def _continues_column(last: Place, place: Place) -> bool:
    """Whether a line goes on in the column of the last one: beside it or below it."""
    (x0, y0, x1, y1), (left, top, right, bottom) = last[3], place[3]
    if last[2] != place[2]:
        return False
    beside = min(y1, bottom) - max(y0, top) >= SAME_LINE * min(y1 - y0, bottom - top)
    return beside or (top >= y0 and min(x1, right) > max(x0, left))


def _merge_places(part: Place, place: Place) -> Place:
    (x0, y0, x1, y1), (left, top, right, bottom) = part[3], place[3]
    return part[0], place[1], part[2], (min(x0, left), min(y0, top), max(x1, right), max(y1, bottom))
