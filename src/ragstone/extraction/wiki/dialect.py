"""The parts of a markup: code that is held back, beginnings of lines, and marks within a line."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ragstone.extraction.record.builder import BlockDraft

HELD = re.compile("\0(\\d+)\0")  # in place of what is no markup
Shown = str | Callable[[re.Match[str]], str]


class Item(NamedTuple):
    """An item of a list: how deep it stands, whether it is numbered, and its text."""

    level: int
    numbered: bool
    text: str


class WikiCell(NamedTuple):
    """A cell of a table as it is written."""

    text: str
    header: bool


@dataclass(slots=True)
class Held:
    """Code and other words without markup, while a page is read: a mark stands in their place."""

    drafts: list[BlockDraft] = field(default_factory=list)

    def hold(self, text: str, *, code: bool, language: str | None = None) -> str:
        """The mark for a text; one of code stands on a line of its own, and holds no other."""
        text = HELD.sub(lambda mark: self.drafts[int(mark[1])].text, text)
        kind = "code" if code else "paragraph"
        self.drafts.append(BlockDraft(kind, text.strip("\n") if code else text, language=language or None))  # type: ignore[arg-type]  # one of two
        mark = f"\0{len(self.drafts) - 1}\0"
        return f"\n{mark}\n" if code else mark


@dataclass(frozen=True, slots=True)
class Dialect:
    """A markup. `hold` takes code out of a text; `heading`, `item` and `row` read a line, None for any other;
    `inline` replaces marks within a line, one after the other. Where `continues`, the line below an item goes on
    with it."""

    hold: Callable[[str, Held], str]
    heading: Callable[[str], tuple[int, str] | None]
    item: Callable[[str], Item | None]
    row: Callable[[str], list[WikiCell] | None]
    inline: Sequence[tuple[re.Pattern[str], Shown]]
    skipped: re.Pattern[str]  # lines that show nothing
    quote: re.Pattern[str]  # what a line begins with whose text is a paragraph
    continues: bool = True


def emphasis(mark: str) -> re.Pattern[str]:
    """A word or more between two marks, as `*so*`; `2 * 3` and `a_b_c` have none."""
    one = re.escape(mark)
    return re.compile(
        rf"(?<![\w\\{mark[0]}]){one}(?![\s{re.escape(mark[0])}])([^\n]{{0,800}}?)(?<![\s\\]){one}(?![\w])"
    )


def take_last(path: str) -> str:
    """The page that a link without words leads to: `portal` of `hr:portal`.

    >>> take_last("hr:portal#top"), take_last("wp>Wiki"), take_last("https://x.org/a")
    ('portal', 'Wiki', 'https://x.org/a')
    """
    path = path if "://" in path else path.rpartition(">")[2]
    return path if "://" in path else path.partition("#")[0].rstrip(":/").rpartition(":")[2] or path


def read_row(line: str, *, parted: re.Pattern[str], head: str) -> list[WikiCell] | None:
    """The cells of a row that begins with `|`, or with `head` before a heading; `parted` finds these signs, and text
    that may hold them without parting cells. None for another line."""
    text = line.strip()
    if not text.startswith("|") or len(text) < 2:
        return None
    cells: list[WikiCell] = []
    at, mark = 0, ""
    for part in parted.finditer(text):
        if part[0] not in ("|", head):
            continue
        if mark:
            cells.append(WikiCell(text[at : part.start()], mark == head))
        at, mark = part.end(), part[0]
    if text[at:].strip():
        cells.append(WikiCell(text[at:], mark == head))
    return cells or None
