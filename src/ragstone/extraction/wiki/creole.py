"""Creole (http://www.wikicreole.org), the markup that several wikis share."""

import re
from functools import partial

from ragstone.extraction.wiki.dialect import Dialect, Held, Item, read_row, take_last

CODE = re.compile(r"^\{\{\{[ \t]*\n((?:(?!\}\}\}|\{\{\{[ \t]*$).*\n)*+)\}\}\}[ \t]*$", re.MULTILINE)
VERBATIM = re.compile(r"\{\{\{((?:[^{}]|\{(?!\{\{)|\}(?!\}\})){0,2000}+\}?)\}\}\}")
HEADING = re.compile(r"[ \t]*(={1,6})[ \t]*([^=\s].{0,300}?)[ \t]*=*[ \t]*")
ITEM = re.compile(r"[ \t]*(\*{1,6}|#{1,6})(?:[ \t]+|(?<=^[*#]))(?![*#])(\S.*)")
PARTED = re.compile(r"\[\[[^\]\n]{0,1000}+\]\]|\{\{[^}\n]{0,1000}+\}\}|~.|\|=?")
LINK = re.compile(r"\[\[([^\]|\n]{1,1000})(?:\|([^\]\n]{0,1000}))?\]\]")
IMAGE = re.compile(r"\{\{([^}|\n]{1,1000})(?:\|([^}\n]{0,1000}))?\}\}")


def _hold(text: str, held: Held) -> str:
    text = CODE.sub(lambda found: held.hold(found[1], code=True), text)
    return VERBATIM.sub(lambda found: held.hold(found[1], code="\n" in found[1]), text)


def _read_heading(line: str) -> tuple[int, str] | None:
    found = HEADING.fullmatch(line)
    return (len(found[1]), found[2]) if found else None


def _read_item(line: str) -> Item | None:
    found = ITEM.fullmatch(line)
    return Item(len(found[1]), found[1][0] == "#", found[2]) if found else None


CREOLE = Dialect(
    hold=_hold,
    heading=_read_heading,
    item=_read_item,
    row=partial(read_row, parted=PARTED, head="|="),
    inline=(
        (IMAGE, lambda found: (found[2] or "").strip()),
        (LINK, lambda found: (found[2] or "").strip() or take_last(found[1].strip())),
        (re.compile(r"\\\\"), "\n"),
        (re.compile(r"(?<!~)\*\*(?!\s)([^\n]{1,800}?)(?<!~)\*\*"), r"\1"),
        (re.compile(r"(?<![:~])//(?!\s)([^\n]{1,800}?)(?<![:~])//"), r"\1"),
        (re.compile(r"~(?=[^\w\s])"), ""),
    ),
    skipped=re.compile(r"-{4,}|<<[^<>\n]{1,200}>>"),
    quote=re.compile(r">+[ \t]*"),
)
