"""Reading order: the columns of a page, each read to its end before the next."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from ragstone.core.page_layout import Box
from ragstone.extraction.pdf.characters.lines import Line, lowercase_share
from ragstone.extraction.pdf.characters.table import Table
from ragstone.extraction.record.caption_and_list_markers import LABEL, caption_kind

BIN = 2.0  # points: how finely white space is looked for
EDGE = 0.12  # of the width: a gutter does not lie nearer to the sides
CROSSING_SHARE = 0.35  # of the height of what stands beside a gutter may run over it: titles, wide tables
ROWS = 3  # lines on each side of a gutter
PROSE = 3.5  # words of a line, on the average, for text that runs in columns
FULL = 0.55  # of the column's width is filled by such lines
CUT = 1.2  # letter heights of white over the whole width part the page
NARROW = 6  # lines of a column so narrow that its lines hold few words
OPENS = 0.85  # of the lines of a column begin with a capital: entries, no running text
FEW = 3  # lines beside running text that are no text of their own: a heading, a caption
STRETCH, LONG, WHOLE = 5, 5, 0.8  # lines in a row, their words, and their width over the column's: running text
GOES_ON = 0.5  # of these begin with a small letter
DEEPEST = 8


@dataclass(slots=True)
class Item:
    """A line, a table or, where it has neither, a picture with its box."""

    x0: float
    y0: float
    x1: float
    y1: float
    line: Line | None = None
    table: Table | None = None


@dataclass(slots=True)
class Zone:
    """A part of the page that is read from the top down."""

    items: list[Item] = field(default_factory=list)


def split_zones(lines: Sequence[Line], tables: Sequence[Table], pictures: Sequence[Box] = ()) -> list[Zone]:
    """The zones of a page in reading order; pictures say where columns stand, and are left out."""
    items = [Item(*line.box, line=line) for line in lines] + [Item(*table.box, table=table) for table in tables]
    items += [Item(*box) for box in pictures]
    return _split_items(sorted(items, key=lambda item: (item.y0, item.x0)), 0)


def _split_items(items: list[Item], depth: int) -> list[Zone]:
    at = _find_gutter(items) if depth < DEEPEST else None
    if at is None:
        return [Zone(items)] if items else []
    out: list[Zone] = []
    for columns, band in _split_stretches(items, at):
        if not columns:
            out += _split_items(band, depth + 1)
            continue
        out += _split_items([item for item in band if _side_of(item, at) < 0], depth + 1)
        out += _split_items([item for item in band if _side_of(item, at) >= 0], depth + 1)
    return out


def _split_stretches(items: Sequence[Item], at: float) -> list[tuple[bool, list[Item]]]:
    """The page from the top down, parted into what runs in columns beside a gutter and what does not.

    What stands on one side only goes with the columns above it or, at the top, below it.
    """
    judged = _carry_captions([(_has_columns(band, at), band) for band in _split_bands(items, at)], at)
    out: list[tuple[bool, list[Item]]] = []
    waiting: list[Item] = []
    for columns, band in judged:
        if columns is None:
            if out and out[-1][0]:
                out[-1][1].extend(band)
            else:
                waiting += band
        elif out and out[-1][0] == columns and not waiting:
            out[-1][1].extend(band)
        elif columns:
            out.append((True, waiting + band))
            waiting = []
        else:
            out.append((False, waiting + band))
            waiting = []
    if waiting:
        out.append((False, waiting))
    return out


def _carry_captions(judged: list[tuple[bool | None, list[Item]]], at: float) -> list[tuple[bool | None, list[Item]]]:
    """The tables below captions that stand side by side do so too, as long as nothing runs over the gutter."""
    out: list[tuple[bool | None, list[Item]]] = []
    captioned = False
    for columns, band in judged:
        sides = {_side_of(item, at) for item in band}
        captioned = 0 not in sides and (captioned or _are_captioned(band, at))
        out.append((columns or len(sides) > 1 or None, band) if captioned else (columns, band))
    return out


def _are_captioned(band: Sequence[Item], at: float) -> bool:
    """Whether both sides of a gutter begin with the caption of a table: then two tables stand side by side."""
    for side in (-1, 1):
        first = next((item.line for item in band if _side_of(item, at) == side), None)
        if first is None or not LABEL.match(first.text) or caption_kind(first.text) != "table":
            return False
    return True


def _has_columns(band: Sequence[Item], at: float) -> bool | None:
    """Whether a band runs in columns; None where it stands on one side only."""
    sides = {_side_of(item, at) for item in band}
    if 0 in sides:
        return False
    if len(sides) == 1:
        return None
    left = [item for item in band if _side_of(item, at) < 0]
    right = [item for item in band if _side_of(item, at) > 0]
    runs = _is_running_text(left), _is_running_text(right)
    if any(runs) and not all(runs):
        other = right if runs[0] else left
        return None if _has_few_lines(other) else _has_running_stretch(other)
    return all(runs) or (_has_running_stretch(left) and _has_running_stretch(right))


def _has_few_lines(items: Sequence[Item]) -> bool:
    """Whether one side holds no more than a heading, a caption or a picture."""
    return sum(item.line is not None for item in items) <= FEW and all(item.table is None for item in items)


def _side_of(item: Item, at: float) -> int:
    """-1 left of a place, 1 right of it, 0 over it; a line that only just reaches over counts as beside."""
    slack = 0.25 * item.line.size if item.line else 1.0
    if item.x1 <= at + slack:
        return -1
    return 1 if item.x0 >= at - slack else 0


def _split_bands(items: Sequence[Item], at: float) -> list[list[Item]]:
    """Runs of items that all run over a place or none of which does, parted where nothing stands beside a gap."""
    bands: list[list[Item]] = []
    bottom = 0.0
    for item in items:
        wide = _side_of(item, at) == 0
        height = item.line.size if item.line else 8.0
        if bands and (_side_of(bands[-1][0], at) == 0) == wide and item.y0 - bottom < CUT * height:
            bands[-1].append(item)
        else:
            bands.append([item])
        bottom = max(bottom, item.y1) if len(bands[-1]) > 1 else item.y1
    return bands


def _find_gutter(items: Sequence[Item]) -> float | None:
    """The x of a white column that parts running text, or None."""
    texts = [item for item in items if item.line]
    if len(texts) < 2 * ROWS:
        return None
    x0, x1 = min(item.x0 for item in items), max(item.x1 for item in items)
    bins = max(1, int((x1 - x0) / BIN))
    covered = np.zeros(bins + 1)
    for item in items:
        covered[max(0, int((item.x0 - x0) / BIN)) : min(bins, int((item.x1 - x0) / BIN)) + 1] += item.y1 - item.y0
    cover: list[float] = covered.tolist()
    usual = median([value for value in cover if value])
    candidates = _find_white_runs(cover, CROSSING_SHARE * usual, int(EDGE * bins), bins - int(EDGE * bins))
    places = [(x0 + BIN * (first + last + 1) / 2, (last - first + 1) * BIN) for first, last in candidates]
    best: tuple[float, float] | None = None
    for at, white in [*places, *((at, BIN) for at in _find_caption_gutters(texts))]:
        score = _score_gutter(items, at, white)
        if score and (best is None or score > best[0]):
            best = (score, at)
    return best[1] if best else None


def _find_caption_gutters(items: Sequence[Item]) -> list[float]:
    """Left of the second of two captions of tables at the same height."""
    captions = [i.line for i in items if i.line and LABEL.match(i.line.text) and caption_kind(i.line.text) == "table"]
    pairs = ((a, b) for a in captions for b in captions if a.x1 < b.x0 and abs(a.base - b.base) < a.size / 2)
    return sorted({b.x0 - BIN for _, b in pairs})


def _find_white_runs(cover: Sequence[float], limit: float, first: int, last: int) -> list[tuple[int, int]]:
    """Runs of bins that little stands in: each run's emptiest part."""
    runs: list[tuple[int, int]] = []
    k = first
    while k <= last and k < len(cover):
        if cover[k] > limit:
            k += 1
            continue
        end = k
        while end + 1 <= last and end + 1 < len(cover) and cover[end + 1] <= limit:
            end += 1
        lowest = min(cover[k : end + 1])
        part = [j for j in range(k, end + 1) if cover[j] <= lowest * 1.05 + 0.1]
        runs.append((part[0], _contiguous_end(part)))
        k = end + 1
    return runs


def _contiguous_end(part: Sequence[int]) -> int:
    end = part[0]
    for j in part[1:]:
        if j != end + 1:
            break
        end = j
    return end


def _score_gutter(items: Sequence[Item], at: float, white: float) -> float:
    """How surely text runs in columns on both sides of a place; 0 where it does not."""
    shared = 0.0
    rows = 0
    for columns, band in _split_stretches(items, at):
        if columns:
            left = [item for item in band if _side_of(item, at) < 0]
            right = [item for item in band if _side_of(item, at) > 0]
            shared += min(max(i.y1 for i in left), max(i.y1 for i in right)) - max(
                min(i.y0 for i in left), min(i.y0 for i in right)
            )
            rows += min(len(left), len(right))
    return shared + white if rows >= ROWS and shared > 0 else 0.0


def _is_running_text(items: Sequence[Item]) -> bool:
    """Whether lines are running text: several, of several words, most of them as wide as their column."""
    lines = [item.line for item in items if item.line]
    if len(lines) < 2:
        return False
    words = sum(len(line.words) for line in lines) / len(lines)
    x0, x1 = min(line.x0 for line in lines), max(line.x1 for line in lines)
    full = sum(line.width >= FULL * (x1 - x0) for line in lines) / len(lines)
    if full < 0.5 or (len(lines) >= NARROW and _capital_share(lines) > OPENS):
        return False
    return words >= PROSE or (len(lines) >= NARROW and lowercase_share(line.text for line in lines) >= 0.5)


def _has_running_stretch(items: Sequence[Item]) -> bool:
    """Whether some lines in a row are running text: a table may stand above or below them in the same column."""
    lines = [item.line for item in items if item.line]
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines) if lines else 0.0
    run: list[Line] = []
    for line in lines:
        if len(line.words) >= LONG and line.width >= WHOLE * width:
            run.append(line)
            if len(run) >= STRETCH and lowercase_share(one.text for one in run) >= GOES_ON:
                return True
        else:
            run = []
    return False


def _capital_share(lines: Sequence[Line]) -> float:
    """The share of lines that begin with a capital or a digit, as entries of a list or a table do."""
    return sum(line.text[:1].isupper() or line.text[:1].isdigit() for line in lines) / len(lines)
