"""Tables of contents: they lead to text but are none, and never become chunks."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from ragstone.core.contents import CONTENTS_TITLE, LINES, SHARE, is_contents
from ragstone.core.types import Block

LONGEST = 300
LEADER = re.compile(r"\.{3}|…|(?:\. ){3}")
ANCHOR = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+\[[^\]\n]{1,200}\]\(#[^)\s]*\)\s*")


def mark_toc_blocks(blocks: Iterable[Block], record: str) -> Iterator[Block]:
    """The blocks, those that are a table of contents with the role `toc`.

    Paragraphs are judged by their lines; a run of list items together, which is also one when its
    items are nothing but links into the same document.
    """
    titled = False
    for is_list, group in groupby(blocks, key=lambda block: block.type == "list" and block.role == "body"):
        if not is_list:
            for block in group:
                yield replace(block, role="toc") if _is_contents_block(block, record, titled=titled) else block
                titled = CONTENTS_TITLE.fullmatch(block.text.strip()) is not None
            continue
        items = list(group)
        anchors = sum(_is_anchor_item(block, record) for block in items)
        text = "\n".join(block.text for block in items)
        if (len(items) >= LINES and anchors >= SHARE * len(items)) or is_contents(text, titled=titled):
            items = [replace(block, role="toc") for block in items]
        yield from items
        titled = False


def _is_contents_block(block: Block, record: str, *, titled: bool) -> bool:
    """By its lines as they stand in the record: Markdown joins those of a paragraph to one."""
    if block.type != "paragraph" or block.role != "body":
        return False
    if is_contents(block.text, titled=titled):
        return True
    if not (titled or LEADER.search(block.text)):
        return False
    lines = "\n".join(record[span.char_start : span.char_end] for span in block.spans)
    return is_contents(lines, titled=titled)


def _is_anchor_item(block: Block, record: str) -> bool:
    span = block.spans[0]
    if len(block.spans) > 1 or span.char_end - span.char_start > LONGEST:
        return False
    return ANCHOR.fullmatch(record, span.char_start, span.char_end) is not None
