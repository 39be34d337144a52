"""Words of a page: characters that stand together on one baseline."""

import unicodedata
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from ragstone.core.page_layout import Box
from ragstone.extraction.pdf.characters.glyphs import SPACE, Glyphs, Style
from ragstone.extraction.pdf.characters.letters import SPACES, code_point_text, is_right_to_left

# In letter heights (the font's size), from looking at pages: a wider gap parts words even without a
# space in the file, a step back begins anew, a lifted baseline is a superscript's own word.
GAP = 0.33
BACK = 0.6
LIFT = 0.18
PLAIN = 0x24F  # the last Latin letter: beyond it are ligatures, other scripts, signs
SIGNS = (0x2012, 0x2027)  # dashes, quotes, bullets, dots
CONTROLS = (0x7F, 0x9F)  # codes that are no letters, yet above those of ASCII
ASCENT, DESCENT = 0.78, 0.22  # of the size: where letters reach; what fonts say of themselves is less reliable
AGAIN = 0.12  # letter heights: the same character drawn again so near is a bold effect, no text

SPACING = np.zeros(max(SPACES) + 2, dtype=np.bool_)  # by code point, the last stands for all above
SPACING[list(SPACES)] = True


@dataclass(slots=True)
class Word:
    """Characters without a space. `edges` are the x of their boundaries, in the frame of `turn`.

    The frame of turn 0 is the page; the others are the page turned so that the text runs to the right.
    """

    text: str
    edges: list[float]
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    style: Style
    glued: bool = False  # stands with the word before without a space: a superscript, a change of font

    @property
    def size(self) -> float:
        return self.style.size

    def set_text(self, text: str, edges: list[float]) -> None:
        """Say something else, within boundaries that may not rise."""
        self.text, self.edges = text, edges
        if edges:
            self.x0, self.x1 = min(edges), max(edges)


def to_page_box(box: Box, turn: int) -> Box:
    """A box of the frame of `turn` as a box of the page."""
    x0, y0, x1, y1 = box
    if turn == 1:  # text runs down: the frame's x is the page's y, its y the page's x from the right
        return -y1, x0, -y0, x1
    if turn == 2:
        return -x1, -y1, -x0, -y0
    if turn == 3:
        return y0, -x1, y1, -x0
    return box


def _to_frame(g: Glyphs, turn: int) -> tuple[npt.NDArray[np.float64], ...]:
    if turn == 1:
        return g.y0, -g.x1, g.y1, -g.x0
    if turn == 2:
        return -g.x1, -g.y1, -g.x0, -g.y0
    if turn == 3:
        return -g.y1, g.x0, -g.y0, g.x1
    return g.x0, g.y0, g.x1, g.y1


def build_words(g: Glyphs, keep: npt.NDArray[np.bool_], turn: int) -> list[Word]:
    """The words among the characters to `keep` (one flag each) of one writing direction."""
    x0, y0, x1, y1 = _to_frame(g, turn)
    spaces = SPACING[np.minimum(g.code, len(SPACING) - 1)]
    chosen = np.flatnonzero(keep & ~spaces)
    if not len(chosen):
        return []
    run = g.run[chosen]
    size, base = np.maximum(g.size[run], 0.1), g.base[run]
    left, right = x0[chosen], x1[chosen]
    gap = (left[1:] - right[:-1]) / np.maximum(size[1:], size[:-1])
    spaced = np.diff(chosen) > 1
    spaced &= np.add.reduceat(spaces.astype(np.int64), chosen)[:-1] > 0
    lifted = np.abs(np.diff(base)) > LIFT * np.minimum(size[1:], size[:-1])
    rtl = ((g.code[chosen] >= 0x590) & (g.code[chosen] <= 0x8FF)) | (
        (g.code[chosen] >= 0xFB1D) & (g.code[chosen] <= 0xFEFC)
    )
    torn = ((gap > GAP) | (gap < -BACK)) & ~(rtl[1:] & rtl[:-1])
    slanted = g.turn[run] < 0
    torn &= ~slanted[1:] | ((gap > GAP) & (np.diff(run) != 0))  # boxes of letters on a slant overlap
    sized = np.abs(np.diff(size)) > 0.15 * np.maximum(size[1:], size[:-1])
    breaks = np.flatnonzero(spaced | lifted | torn | sized) + 1
    starts = np.concatenate(([0], breaks))
    glued = np.concatenate(([False], ~(spaced | torn)[breaks - 1]))
    return _make_words(g, chosen, starts, glued, (x0, y0, x1, y1))


def _make_words(
    g: Glyphs,
    chosen: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    glued: npt.NDArray[np.bool_],
    frame: tuple[npt.NDArray[np.float64], ...],
) -> list[Word]:
    codes = g.code[chosen]
    lefts, rights = frame[0][chosen], frame[2][chosen]
    middles = (rights[:-1] + lefts[1:]) / 2
    begins = np.zeros(len(codes), dtype=np.bool_)
    begins[starts] = True
    # Most words are plain: one character a glyph, from left to right; the others are looked at one by one.
    strange = ((codes > PLAIN) & ((codes < SIGNS[0]) | (codes > SIGNS[1]))) | (codes < 33) | (codes == 0xAD)
    inner = ~begins[1:]  # of two characters, whether they stand in one word
    if ((codes >= CONTROLS[0]) & (codes <= CONTROLS[1])).any():
        inner[:] = True  # words at the ends of lines are looked at too: only there such codes become a sign for none
    odd = strange.copy()
    odd[1:-1] |= (np.diff(middles) < 0) & inner[:-1] & inner[1:]
    odd[:-1] |= (middles < lefts[:-1]) & inner
    odd[1:] |= (middles > rights[1:]) & inner
    special = np.flatnonzero(np.logical_or.reduceat(odd, starts)).tolist()
    highest = np.minimum.reduceat(frame[1][chosen], starts)
    lowest = np.maximum.reduceat(frame[3][chosen], starts)
    runs = g.run[chosen][starts]
    bases, sizes = g.base[runs], g.size[runs]
    tops = np.minimum(bases - ASCENT * sizes, np.maximum(highest, bases - 1.2 * sizes)).tolist()
    bottoms = np.maximum(bases + DESCENT * sizes, np.minimum(lowest, bases + 0.6 * sizes)).tolist()
    styles = [g.style[look] for look in g.look[runs].tolist()]
    edges = _word_boundaries(lefts, middles, rights, begins)
    behind = np.append(starts[1:], len(codes))
    x0, x1 = lefts[starts].tolist(), rights[behind - 1].tolist()
    said = np.where(strange, SPACE, codes).astype("<u4").tobytes().decode("utf-32-le")
    spans = list(zip(starts.tolist(), behind.tolist(), strict=True))
    texts = [said[a:b] for a, b in spans]
    own = [edges[a + k : b + k + 1] for k, (a, b) in enumerate(spans)]
    out = list(map(Word, texts, own, x0, tops, x1, bottoms, bases.tolist(), styles, glued.tolist()))
    for number in special:
        place = slice(*spans[number])
        out[number].set_text(*_decode_text(codes[place].tolist(), lefts[place].tolist(), rights[place].tolist()))
    if (g.turn[runs] < 0).any():  # all are on a slant: no baseline says where their letters reach
        left, right = np.minimum.reduceat(lefts, starts), np.maximum.reduceat(rights, starts)
        for word, *box in zip(out, *(v.tolist() for v in (left, highest, right, lowest)), strict=True):
            word.x0, word.y0, word.x1, word.y1 = box
    return [word for word in out if word.text] if special else out


def _word_boundaries(
    lefts: npt.NDArray[np.float64],
    middles: npt.NDArray[np.float64],
    rights: npt.NDArray[np.float64],
    begins: npt.NDArray[np.bool_],
) -> list[float]:
    """The boundaries of plain words one after the other: each word has one more than characters."""
    starts = np.flatnonzero(begins)
    befores = lefts.copy()
    befores[1:][~begins[1:]] = middles[~begins[1:]]
    out = np.empty(len(lefts) + len(starts))
    out[np.arange(len(lefts)) + np.cumsum(begins) - 1] = befores
    behind = np.append(starts[1:], len(lefts))
    out[behind + np.arange(len(starts))] = rights[behind - 1]
    return out.tolist()


def _decode_text(codes: list[int], lefts: list[float], rights: list[float]) -> tuple[str, list[float]]:
    """Text and boundaries; between two characters the boundary is half-way between their ink."""
    said = [code_point_text(code) for code in _join_surrogates(codes)]
    n = len(said)
    joined = "".join(said)
    if not joined.isascii() and not unicodedata.is_normalized("NFC", joined):
        return _compose_marks(said, _character_edges(said, lefts, rights))
    if is_right_to_left(joined):
        lefts, rights = [-r for r in rights], [-x for x in lefts]
        edges = [-x for x in _character_edges(said, lefts, rights)]
    else:
        edges = _character_edges(said, lefts, rights)
    return (joined, edges) if n else ("", [])


def _compose_marks(said: list[str], edges: list[float]) -> tuple[str, list[float]]:
    """Letters and the marks on them as one character each."""
    out: list[str] = []
    kept = edges[:1]
    for at, character in enumerate("".join(said), 1):
        made = unicodedata.normalize("NFC", out[-1] + character) if out else character
        if out and len(made) == 1:
            out[-1], kept[-1] = made, edges[at]
        else:
            out.append(character)
            kept.append(edges[at])
    return "".join(out), kept


def _join_surrogates(codes: list[int]) -> list[int]:
    """Code points with surrogate pairs made one; the place of the second half goes to the first."""
    if not any(0xD800 <= code <= 0xDFFF for code in codes):
        return codes
    out: list[int] = []
    for i, code in enumerate(codes):
        low = 0xDC00 <= code <= 0xDFFF and i and 0xD800 <= codes[i - 1] <= 0xDBFF
        if low:
            out[-1] = 0x10000 + ((codes[i - 1] - 0xD800) << 10) + (code - 0xDC00)
        out.append(0 if low else code)
    return out


def _character_edges(said: list[str], lefts: list[float], rights: list[float]) -> list[float]:
    edges = [lefts[0]]
    last = len(said) - 1
    reach = lefts[0]
    for i, text in enumerate(said):
        left = edges[-1]
        if i == last:
            right = max(left, rights[i])
        else:
            right = max(left, min(max((rights[i] + lefts[i + 1]) / 2, reach), max(rights[i], lefts[i + 1])))
        reach = right
        if len(text) == 1:
            edges.append(right)
        else:
            edges += [left + (right - left) * k / len(text) for k in range(1, len(text) + 1)]
    return edges


def drop_doubles(g: Glyphs, keep: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """`keep` without characters that are drawn again at the same place, looked for on four shifted grids."""
    at = np.flatnonzero(keep & (g.x1 > g.x0) & (g.run >= 0))
    if len(at) < 2:
        return keep
    size = g.size[g.run[at]]
    cell = np.maximum(AGAIN * size, 0.2)
    kind = g.code[at] * 10_007 + np.rint(10 * size).astype(np.int64)
    x, y = (g.x0[at] + g.x1[at]) / (2 * cell), (g.y0[at] + g.y1[at]) / (2 * cell)
    again = np.zeros(len(at), dtype=np.bool_)
    columns = [(kind * 100_003 + np.floor(x + shift).astype(np.int64)) * 100_003 for shift in (0.0, 0.5)]
    rows = [np.floor(y + shift).astype(np.int64) for shift in (0.0, 0.5)]
    for column, row in product(columns, rows):
        key = column + row
        ordered = np.sort(key)  # a tenth of the time of `unique`, and most pages have no doubles
        if (ordered[1:] == ordered[:-1]).any():
            _, first = np.unique(key, return_index=True)
            own = np.ones(len(at), dtype=np.bool_)
            own[first] = False
            again |= own
    if not again.any():
        return keep
    out = keep.copy()
    out[at[again]] = False
    return out
