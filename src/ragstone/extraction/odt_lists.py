"""Numbers of lists and headings in OpenDocument texts, counted from their styles."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ragstone.extraction.archive import Element
from ragstone.extraction.feed.elements import element_name
from ragstone.extraction.record.numerals import format_numeral

SHAPES = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
DEEPEST = 10  # levels that a style tells apart
DIGITS = 9  # of a number that are read: Python refuses one of thousands
MANY = 1000  # what an attribute may repeat: hostile files name billions
OUTLINE = ""  # the name of the style of headings


def read_attribute(element: Element, name: str) -> str:
    """An attribute by its name without its namespace; "" for none."""
    return next((str(value) for key, value in element.attrib.items() if str(key).rpartition("}")[2] == name), "")


def read_number(element: Element, name: str) -> int:
    """The number in an attribute, `MANY` at most; 0 for none."""
    text = read_attribute(element, name)
    return min(int(text[:DIGITS]), MANY) if text.isdecimal() else 0


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list is numbered; `shape` "" for bullets and for none."""

    shape: str = ""
    prefix: str = ""
    suffix: str = ""
    start: int = 1
    shown: int = 1


PLAIN = _Level()


@dataclass(slots=True)
class ListNumbers:
    """The lists of a document, counted from its start on: ask once an item, in order."""

    _styles: dict[str, Mapping[int, _Level]] = field(default_factory=dict)
    _of_paragraphs: dict[str, str] = field(default_factory=dict)
    _counts: dict[str, list[int]] = field(default_factory=dict)

    def add_styles(self, root: Element) -> None:
        """The styles of a part of the document."""
        for element in root.iter("{*}list-style", "{*}outline-style", "{*}style"):
            name = read_attribute(element, "name")
            if element_name(element) == "style":
                self._of_paragraphs[name] = read_attribute(element, "list-style-name")
            else:
                key = name if element_name(element) == "list-style" else OUTLINE
                self._styles[key] = {read_number(level, "level"): _read_level(level) for level in element}

    def begin_list(self, element: Element, outer: str) -> str:
        """The style of a list; it counts anew unless it continues another or lies within one."""
        style = read_attribute(element, "style-name") or outer or self._find_style(element)
        goes_on = read_attribute(element, "continue-numbering") == "true" or read_attribute(element, "continue-list")
        if not outer and not goes_on:
            self._counts.pop(style, None)
        return style

    def next_number(self, style: str, level: int, start: int = 0) -> str:
        """The number of the next item, as it is shown; "" for bullets. `start` is where it begins anew."""
        levels = self._styles.get(style, {})
        about = levels.get(level, PLAIN)
        if not 1 <= level <= DEEPEST:
            return ""
        counts = self._counts.setdefault(style, [0] * (DEEPEST + 1))
        counts[level] = start or (counts[level] + 1 if counts[level] else about.start)
        counts[level + 1 :] = [0] * (DEEPEST - level)
        if not about.shape:
            return ""
        shown = range(max(1, level - about.shown + 1), level + 1)
        parts = [(levels.get(at, PLAIN), counts[at]) for at in shown]
        said = ".".join(format_numeral(count or one.start, one.shape) for one, count in parts if one.shape)
        return " ".join(f"{about.prefix}{said}{about.suffix}".split())

    def next_heading(self, heading: Element, level: int) -> str:
        """The number of a heading that stands in no list."""
        if read_attribute(heading, "is-list-header") == "true":
            return ""
        return self.next_number(OUTLINE, level, read_number(heading, "start-value"))

    def _find_style(self, element: Element) -> str:
        """The style of a list that its first paragraph names."""
        paragraph: Iterable[Element] = element.iter("{*}p", "{*}h")
        return next((self._of_paragraphs.get(read_attribute(one, "style-name"), "") for one in paragraph), "")


def _read_level(level: Element) -> _Level:
    shape = SHAPES.get(read_attribute(level, "num-format"), "")
    prefix, suffix = (read_attribute(level, f"num-{name}") for name in ("prefix", "suffix"))
    start, shown = (read_number(level, name) or 1 for name in ("start-value", "display-levels"))
    return _Level(shape, prefix, suffix, start, shown)
