"""Lists as Word counts them: which label a numbered paragraph carries."""

import re
from dataclasses import dataclass, field

from ragstone.extraction.docx.styles import Styles, read_indent
from ragstone.extraction.ooxml.elements import Element, W, child_switch, child_value, parse_number
from ragstone.extraction.record.numerals import format_numeral

STEP = 100  # twentieths of a point by which a list of its own must be further in to be nested
LEVELS = 9
PLACE = re.compile(r"%([1-9])")
INDENT = 360  # twentieths of a point a level, where the file gives no indent
HOPS = 8  # from list to list by their style


@dataclass(frozen=True, slots=True)
class Label:
    """The label before a list item's text: `-` for any bullet, "" for none.

    `family` is the list it counts in, `level` its level there (from 0), `read_indent` in twentieths of a point.
    """

    text: str
    family: str
    level: int
    indent: int


@dataclass(slots=True)
class _Level:
    """How one level of a list counts."""

    start: int = 1
    shape: str = "decimal"
    text: str | None = None
    restart: int | None = None
    legal: bool = False
    indent: int | None = None
    style: str | None = None


@dataclass(slots=True)
class _Count:
    """Where a list stands: a count for each level, None where it has not begun."""

    counts: list[int | None] = field(default_factory=lambda: [None] * LEVELS)


class Numbering:
    """The lists of a document, counted from its start on: ask `label` once a paragraph, in order."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstract: dict[str, Element] = {}
        self._nums: dict[str, Element] = {}
        self._levels: dict[str, tuple[str, list[_Level]]] = {}
        self._counts: dict[str, _Count] = {}
        self._begun: set[tuple[str, int]] = set()
        for element in root.iterchildren(W + "abstractNum") if root is not None else ():
            self._abstract.setdefault(element.get(W + "abstractNumId") or "", element)
        for element in root.iterchildren(W + "num") if root is not None else ():
            self._nums.setdefault(element.get(W + "numId") or "", element)

    def next_label(self, num: str | None, level: int | None, *, style: str = "") -> Label | None:
        """The label of the next paragraph in a list; None where the list does not exist (`numId` 0 takes out).

        Without a level, it is the one that names the paragraph's style, else the first.
        """
        if num is None or num not in self._nums:
            return None
        family, levels = self._load_list(num)
        if level is None:
            level = next((i for i, one in enumerate(levels) if style and one.style == style), 0)
        level = min(max(level, 0), LEVELS - 1)
        counts = self._advance(num, family, levels, level)
        about = levels[level]
        left = about.indent if about.indent is not None else INDENT * (level + 1)
        return Label(_format_label(levels, counts, level), family, level, left)

    def _advance(self, num: str, family: str, levels: list[_Level], level: int) -> list[int | None]:
        counts = self._counts.setdefault(family, _Count()).counts
        override = self._take_restart(num, level)
        if counts[level] is None or override is not None:
            counts[level] = override if override is not None else levels[level].start
        else:
            counts[level] = (counts[level] or 0) + 1
        for upper in range(level):
            if counts[upper] is None:
                counts[upper] = levels[upper].start
        for lower in range(level + 1, LEVELS):
            after = levels[lower].restart
            if after is None or (after and level < after):
                counts[lower] = None
        return counts

    def _take_restart(self, num: str, level: int) -> int | None:
        """The number at which this list begins anew at this level, the first time that it comes."""
        if (num, level) in self._begun:
            return None
        self._begun.add((num, level))
        for override in self._nums[num].iterchildren(W + "lvlOverride"):
            if parse_number(override.get(W + "ilvl")) == level:
                return parse_number(child_value(override, W + "startOverride"))
        return None

    def _load_list(self, num: str) -> tuple[str, list[_Level]]:
        if num not in self._levels:
            family, element = self._find_family(num)
            levels = [_Level() for _ in range(LEVELS)]
            _fill_levels(levels, element)
            for override in self._nums[num].iterchildren(W + "lvlOverride"):
                _fill_levels(levels, override)
            self._levels[num] = family, levels
        return self._levels[num]

    def _find_family(self, num: str) -> tuple[str, Element | None]:
        """The list that a number belongs to; a list may only name a style whose list it is."""
        family = child_value(self._nums[num], W + "abstractNumId") or ""
        for _ in range(HOPS):
            element = self._abstract.get(family)
            style = child_value(element, W + "numStyleLink")
            linked = self._styles.resolve(style).number[0] if style is not None else None
            if linked is None or linked not in self._nums:
                break
            family = child_value(self._nums[linked], W + "abstractNumId") or ""
        return family, self._abstract.get(family)


def _fill_levels(levels: list[_Level], element: Element | None) -> None:
    for lvl in element.iterchildren(W + "lvl") if element is not None else ():
        at = parse_number(lvl.get(W + "ilvl"))
        if at is None or not 0 <= at < LEVELS:
            continue
        start, text = parse_number(child_value(lvl, W + "start")), lvl.find(W + "lvlText")
        levels[at] = _Level(
            start if start is not None else 0,
            _number_shape(lvl),
            text.get(W + "val") if text is not None else "",
            parse_number(child_value(lvl, W + "lvlRestart")),
            bool(child_switch(lvl, W + "isLgl")),
            read_indent(lvl.find(W + "pPr")),
            child_value(lvl, W + "pStyle"),
        )


def _number_shape(lvl: Element) -> str:
    """The format of the count; newer ones stand in an alternative, with a plain one to fall back to."""
    found = next(lvl.iter(W + "numFmt"), None)
    return (found.get(W + "val") or "decimal") if found is not None else "decimal"


def _format_label(levels: list[_Level], counts: list[int | None], level: int) -> str:
    about = levels[level]
    if about.shape == "bullet":
        return "-"
    text = about.text if about.text is not None else f"%{level + 1}."

    def format_count(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        count, shape = counts[at], levels[at].shape
        if count is None or shape in ("none", "bullet"):
            return ""
        return format_numeral(count, "decimal" if about.legal and shape != "decimalZero" else shape)

    return " ".join(PLACE.sub(format_count, text).split())


@dataclass(slots=True)
class Nesting:
    """The items that are open above the next one.

    Levels count within one list; between lists the indent does, for many files nest by lists of one level each.
    """

    _open: list[Label] = field(default_factory=list)

    def enter_item(self, label: Label) -> int:
        """The depth (from 1) of the next item."""
        while self._open and not _contains_label(self._open[-1], label):
            self._open.pop()
        self._open.append(label)
        return len(self._open)

    def clear(self) -> None:
        """A heading or a table ends all lists."""
        self._open.clear()


def _contains_label(above: Label, label: Label) -> bool:
    if above.family == label.family:
        return above.level < label.level
    return above.indent + STEP < label.indent
