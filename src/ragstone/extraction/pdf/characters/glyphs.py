"""The characters of a page as arrays: what they are, where they stand, whether a reader can see them."""

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ragstone.extraction.pdf.characters import pdfium
from ragstone.extraction.pdf.characters.font_signs import may_lack_meanings, name_signs
from ragstone.extraction.pdf.characters.unmapped_characters import find_unmapped, resolve_hyphens
from ragstone.extraction.pdf.characters.upright import set_upright

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# The names of TeX's fonts are short: CMBX12 and SFSX1000 are bold, CMTI10 is italic, CMSL10 slanted, CMTT10 typewriter.
# URW calls the bold faces of its serif family "Medi".
TEX = "^(?:cm|ec|sf|tc|la)"
BOLD = re.compile(rf"bold|black|heavy|demi|blk|medi(?!um)|{TEX}(?:ss)?(?:bx|sx|b\d)", re.IGNORECASE)
ITALIC = re.compile(rf"ital|obli|{TEX}(?:bx|b)?(?:ti|sl|it)|{TEX}ssi", re.IGNORECASE)
MONO = re.compile(rf"mono|nimbusmon|courier|consol|typewriter|menlo|{TEX}(?:sl|i)?tt|code", re.IGNORECASE)
FIXED = 1  # PDF 32000-1, table 123: bit 1 of a font's flags
SAMPLE = tuple(map(ord, "iltrjfmwMWaeonsd10.(_"))  # narrow and broad letters
SAME = 0.01  # of the size: widths that differ by less are the same
HEAVY = 600  # weight in units of a font: 400 is regular, 700 bold
OUTLINED = 2  # render mode: filled and stroked
TALL = 4.0  # points: letters that are so tall are not tiny, whatever the size of their font
UNSEEN = (3, CLIPPING := 7)  # render modes: neither filled nor stroked; clip only
SMALLEST = 1.0  # points: smaller letters cannot be read by anyone
PALE = 250  # of 255: white
SKEW = 3.0  # degrees off the quarter turns
SPACE = 32
CHARACTERS = 200_000  # of one page; no page for people holds more


class Font(NamedTuple):
    """A font as its name and flags describe it."""

    name: str
    bold: bool
    italic: bool
    mono: bool
    step: float = 0.0


class Style(NamedTuple):
    """How a run of characters looks. `step` is the width of every letter over the size, 0 where widths differ."""

    font: str
    size: float
    bold: bool
    italic: bool
    mono: bool
    step: float = 0.0


class View(NamedTuple):
    """From the coordinates of the file to what a reader sees: points, origin top left."""

    left: float
    bottom: float
    right: float
    top: float
    turn: int  # quarter turns clockwise

    @property
    def width(self) -> float:
        return self.right - self.left if self.turn % 2 == 0 else self.top - self.bottom

    @property
    def height(self) -> float:
        return self.top - self.bottom if self.turn % 2 == 0 else self.right - self.left

    def map_point(self, x: Any, y: Any) -> tuple[Any, Any]:
        """One point, or arrays of them."""
        if self.turn == 0:
            return x - self.left, self.top - y
        if self.turn == 1:
            return y - self.bottom, x - self.left
        if self.turn == 2:
            return self.right - x, y - self.bottom
        return self.top - y, self.right - x


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Characters in the order of the file. A `run` of 0 or more indexes `look`, `turn` and `base`.

    A `look` indexes `style`.

    `turn` counts quarter turns clockwise of the writing direction, -1 stands for a slant.
    """

    code: Ints
    x0: Floats
    y0: Floats
    x1: Floats
    y1: Floats
    run: Ints
    objects: frozenset[int]  # addresses of the text objects
    style: tuple[Style, ...]  # each once
    look: Ints
    turn: Ints
    base: Floats
    size: Floats
    unseen: Bools  # of each run: drawn invisibly
    pale: Bools  # of each run: drawn in white, as pdfium calls a pattern too
    clipping: Bools  # of each run: cuts out what is drawn behind it
    unmapped: Bools  # of each character: the file does not say which it is, the code is a guess


def read_view(page: Any) -> View:
    """The page's visible box and its rotation."""
    x0, y0, x1, y1 = page.get_bbox()
    return View(x0, y0, x1, y1, (page.get_rotation() // 90) % 4)


def read_glyphs(text: int, count: int, view: View) -> Glyphs:
    """Read `count` characters of a text page."""
    count = min(count, CHARACTERS)
    page, numbers = pdfium.pointer(text), list(range(count))
    code = _read_codes(text, numbers)
    owner = np.fromiter(pdfium.call_each(pdfium.object_of, repeat(page), numbers), np.uint64, count)
    left, right, bottom, top = _read_boxes(page, code).T
    ax, ay = view.map_point(left, top)
    bx, by = view.map_point(right, bottom)
    changed = np.diff(owner, prepend=np.uint64(0)) != 0
    starts = np.flatnonzero(changed & (owner != 0))
    run = np.where(owner != 0, np.cumsum(changed & (owner != 0)) - 1, -1)
    tall = np.maximum.reduceat(top - bottom, starts) if len(starts) else np.zeros(0)
    looks = _read_runs(page, starts, owner[starts], tall, view)
    box = (np.minimum(ax, bx), np.minimum(ay, by), np.maximum(ax, bx), np.maximum(ay, by))
    said = code.copy()
    resolve_hyphens(page, code, box)
    set_upright(page, view, box, run, looks.turn, looks.base, looks.size)
    _spread_ligatures(box, run, looks.turn)
    if any(style.step for style in looks.style):
        _widen_typed(box, run, looks)
    fonts = [style.font for style in looks.style]
    mixed = np.array([may_lack_meanings(fonts[look]) for look in looks.look.tolist()], dtype=np.bool_)
    unmapped = find_unmapped(page, run, starts, mixed)
    name_signs(code, said, np.where(run >= 0, looks.look[run], -1) if fonts else run, unmapped, fonts)
    return Glyphs(code, *box, run, frozenset(owner[starts].tolist()), **looks._asdict(), unmapped=unmapped)


def _read_codes(text: int, numbers: Sequence[int]) -> Ints:
    """The code points; all at once where the text has one unit of UTF-16 a character."""
    count = len(numbers)
    said = np.zeros(2 * count + 2, dtype=np.uint16)
    if pdfium.text_of(text, 0, count, said.ctypes.data) == count + 1:
        return said[:count].astype(np.int64)
    return np.fromiter(map(pdfium.unicode_of, repeat(pdfium.pointer(text)), numbers), np.int64, count)


def _read_boxes(page: Any, code: Ints) -> Floats:
    """Left, right, bottom and top of each character; spaces have none."""
    out = np.zeros((len(code), 4))
    inked = np.flatnonzero(code != SPACE)
    out[inked] = pdfium.call_into_array(
        pdfium.box_of, "f8", len(inked), repeat(page), inked.tolist(), columns=4, addresses=4
    )
    return out


def _spread_ligatures(box: tuple[Floats, Floats, Floats, Floats], run: Ints, turns: Ints) -> None:
    """Give each letter of a ligature its part of the glyph: the file gives all of them the whole."""
    x0, y0, x1, y1 = box
    same = np.zeros(len(run), dtype=np.bool_)
    same[1:] = (run[1:] >= 0) & (run[1:] == run[:-1]) & (x1[1:] > x0[1:])
    for side in box:
        same[1:] &= side[1:] == side[:-1]
    if not same.any():
        return
    group = np.cumsum(~same) - 1
    count = np.bincount(group)[group]
    first = np.flatnonzero(~same)[group]
    place = np.arange(len(run)) - first
    turn = turns[run]
    for low, high, forward, back in ((x0, x1, 0, 2), (y0, y1, 1, 3)):
        step = (high - low) / count
        start = low.copy()
        along, against = (count > 1) & (turn == forward), (count > 1) & (turn == back)
        low[along], high[along] = (start + place * step)[along], (start + (place + 1) * step)[along]
        behind = high.copy()
        low[against], high[against] = (behind - (place + 1) * step)[against], (behind - place * step)[against]


def _widen_typed(box: tuple[Floats, Floats, Floats, Floats], run: Ints, looks: "_RunLooks") -> None:
    """Give each letter of a fixed-width font the whole cell that it stands in: the ink of a full stop or an `i` is a
    fifth of it, and the white beside them would count as a space."""
    known = np.flatnonzero((run >= 0) & (box[2] > box[0]))
    own = run[known]
    half = np.array([style.step for style in looks.style])[looks.look[own]] * looks.size[own] / 2
    for low, high, turned in ((box[0], box[2], 0), (box[1], box[3], 1)):
        chosen = (half > 0) & (looks.turn[own] >= 0) & (looks.turn[own] % 2 == turned)
        at = known[chosen]
        middle = (low[at] + high[at]) / 2
        low[at], high[at] = np.minimum(low[at], middle - half[chosen]), np.maximum(high[at], middle + half[chosen])


class _RunLooks(NamedTuple):
    """What is the same for all characters of a text object."""

    style: tuple[Style, ...]
    look: Ints
    turn: Ints
    base: Floats
    size: Floats
    unseen: Bools
    pale: Bools
    clipping: Bools


def _read_runs(
    text: Any, starts: npt.NDArray[np.intp], owner: npt.NDArray[np.uint64], tall: Floats, view: View
) -> _RunLooks:
    """Ask each text object once, each question for all objects before the next. `tall` is the highest box of each."""
    count = len(starts)
    firsts, owners = starts.tolist(), list(map(pdfium.pointer, owner.tolist()))
    matrix = pdfium.call_into_array(pdfium.matrix_of, "f4", count, repeat(text), firsts, columns=6)
    origin = pdfium.call_into_array(pdfium.origin_of, "f8", count, repeat(text), firsts, columns=2, addresses=2)
    sizes = pdfium.call_into_array(pdfium.size_of, "f4", count, owners)[:, 0]
    colour = pdfium.call_into_array(pdfium.fill_of, "u4", count, owners, columns=4, addresses=4)
    mode = np.fromiter(pdfium.call_each(pdfium.mode_of, owners), np.int64, count)
    a, b, c, d = (matrix[:, k].astype(np.float64) for k in range(4))
    x, y = view.map_point(origin[:, 0], origin[:, 1])
    size = np.round(np.abs(sizes) * np.hypot(c, d), 1)
    drawn = (size < SMALLEST) & (tall > TALL)  # letters that are pictures
    size = np.where(drawn, np.round(tall, 1), size)
    upward = np.where(sizes < 0, -1.0, 1.0)  # a negative size in a matrix of half a turn is upright
    turn = _compute_turns(a * upward, b * upward, view)
    base = y  # in the frame where the text runs right
    if turn.any():
        base = np.select([turn == 1, turn == 2, turn == 3], [-x, -y, x], y)
    filled = (mode == 0) | (mode == 4)
    unseen = (mode == UNSEEN[0]) | (mode == UNSEEN[1]) | (filled & (colour[:, 3] == 0))
    pale = filled & (colour[:, 0] >= PALE) & (colour[:, 1] >= PALE) & (colour[:, 2] >= PALE)
    fonts = np.fromiter(pdfium.call_each(pdfium.font_of, owners), np.uint64, count)
    styles, look = _collect_styles(fonts, size, mode == OUTLINED)
    return _RunLooks(styles, look, turn, base, size, unseen, pale, mode == CLIPPING)


def _compute_turns(a: Floats, b: Floats, view: View) -> Ints:
    """The writing direction of runs from the first row of their matrices."""
    if view.turn == 0 and not b.any() and (a >= 0).all():
        return np.zeros(len(a), dtype=np.int64)
    degrees = np.where((a != 0) | (b != 0), np.degrees(np.arctan2(-b, a)) + 90 * view.turn, 0.0)
    quarters = np.rint(degrees / 90)
    return np.where(np.abs(degrees - 90 * quarters) < SKEW, quarters % 4, -1).astype(np.int64)


def _collect_styles(fonts: npt.NDArray[np.uint64], size: Floats, outlined: Bools) -> tuple[tuple[Style, ...], Ints]:
    """The styles that there are, and which of them each run has; letters with an outline are bold."""
    if not len(fonts):
        return (), np.zeros(0, dtype=np.int64)
    change = (fonts[1:] != fonts[:-1]) | (size[1:] != size[:-1]) | (outlined[1:] != outlined[:-1])
    firsts = np.flatnonzero(np.concatenate(([True], change)))
    keys = zip(fonts[firsts].tolist(), size[firsts].tolist(), outlined[firsts].tolist(), strict=True)
    numbers: dict[tuple[int, float, bool], int] = {}
    look = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    known: dict[int, Font] = {}
    styles = []
    for handle, points, thick in numbers:
        font = _read_font(handle, known)
        styles.append(Style(font.name, points, font.bold or thick, font.italic, font.mono, font.step))
    return tuple(styles), np.repeat(look, np.diff(firsts, append=len(fonts)))


def _read_font(handle: int, fonts: dict[int, Font]) -> Font:
    if handle not in fonts:
        buffer = ctypes.create_string_buffer(200)
        if handle:
            pdfium.font_name_of(handle, ctypes.addressof(buffer), len(buffer))
        name = buffer.value.decode("utf-8", "replace").split("+")[-1]
        weight = pdfium.font_weight_of(handle) if handle else 0
        flags = pdfium.font_flags_of(handle) if handle else 0
        bold = bool(BOLD.search(name)) or HEAVY <= weight <= 1000
        mono = bool(MONO.search(name)) or bool(flags & FIXED)
        step = _measure_step(handle) if mono and handle else 0.0
        fonts[handle] = Font(name, bold, bool(ITALIC.search(name)), mono, step)
    return fonts[handle]


def _measure_step(handle: int) -> float:
    """The width that all letters of a font share, over its size; 0 where they differ."""
    width = ctypes.c_float()
    found: list[float] = []
    for letter in SAMPLE:
        width.value = 0.0
        pdfium.glyph_width_of(handle, letter, 1000.0, ctypes.addressof(width))
        if width.value > 0:  # of a part of a font only some letters are there
            found.append(width.value / 1000)
    return found[0] if len(found) >= 3 and max(found) - min(found) < SAME else 0.0
