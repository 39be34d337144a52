"""Tables of contents and bare page numbers: they lead to text but are none, and never become chunks."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from ragstone.core.types import Block

SHARE = 0.6  # of the lines must look like an entry
LINES = 3  # fewer lines are no table of contents
NUMBER = r"(?:\d{1,4}|[ivxlcIVXLC]{1,7})"
# A title that leads to a page number by dots or a wide gap; or also a bare page number, which in a list is
# something else: an item such as `- 443`.
LEADING = re.compile(rf"\S[^\t]*?(?:\.{{3,}}|(?:\. ){{3,}}|…+|\t| {{4,}})[ .\t]*{NUMBER}\s*")
ENTRY = re.compile(rf"[-–—\s]*{NUMBER}[-–—\s]*|{LEADING.pattern}")
LONGEST = 300
ANCHOR = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+\[[^\]\n]{1,200}\]\(#[^)\s]*\)\s*")


def is_contents(text: str, *, entry: re.Pattern[str] = ENTRY) -> bool:
    """Whether at least three lines stand here and 60 % of them are entries: page numbers or what leads to one."""
    if len(text) < 2 * LINES - 1:  # so many lines have at least so many characters and ends: most blocks are short
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < LINES:
        return False
    return sum(len(line) <= LONGEST and entry.fullmatch(line) is not None for line in lines) >= SHARE * len(lines)


def mark_toc_blocks(blocks: Iterable[Block], record: str) -> Iterator[Block]:
    """The blocks, those that are a table of contents with the role `toc`.

    Paragraphs are judged by their lines; a run of list items together, which is also one when its
    items are nothing but links into the same document.
    """
    for is_list, group in groupby(blocks, key=lambda block: block.type == "list" and block.role == "body"):
        if not is_list:
            yield from (replace(block, role="toc") if _is_contents_block(block) else block for block in group)
            continue
        items = list(group)
        anchors = sum(_is_anchor_item(block, record) for block in items)
        text = "\n".join(block.text for block in items)
        if (len(items) >= LINES and anchors >= SHARE * len(items)) or is_contents(text, entry=LEADING):
            items = [replace(block, role="toc") for block in items]
        yield from items


def _is_contents_block(block: Block) -> bool:
    return block.type == "paragraph" and block.role == "body" and is_contents(block.text)


def _is_anchor_item(block: Block, record: str) -> bool:
    span = block.spans[0]
    if len(block.spans) > 1 or span.char_end - span.char_start > LONGEST:
        return False
    return ANCHOR.fullmatch(record, span.char_start, span.char_end) is not None
