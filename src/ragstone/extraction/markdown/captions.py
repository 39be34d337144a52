"""The captions of tables in Markdown: a line right above or below that says so."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragstone.core.types import Block
from ragstone.extraction.record.caption_and_list_markers import LABEL, caption_kind

LONGEST = 300
PANDOC = re.compile(r"(?:Table)?: +(?=\S)")  # Pandoc's mark, in front of a caption below its table or above it


def tie_captions(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks, each table with the caption right above it, else right below it, that belongs to no other table."""
    captions: dict[int, int] = {}  # the place of a caption, the place of its table
    done: set[int] = set()
    for step in (-1, 1):
        for i, block in enumerate(blocks):
            beside = i + step
            free = block.type == "table" and i not in done and beside not in captions and 0 <= beside < len(blocks)
            if free and _is_caption(blocks[beside]):
                captions[beside] = i
                done.add(i)
    said = {table: blocks[caption].text.strip() for caption, table in captions.items()}
    for i, block in enumerate(blocks):
        if i in captions:
            yield replace(block, caption_of="table")
        elif i in said:
            yield replace(block, caption=block.caption or said[i])
        else:
            yield block


def _is_caption(block: Block) -> bool:
    if block.type != "paragraph" or block.role != "body" or block.caption_of or len(block.text) > LONGEST:
        return False
    named = LABEL.match(block.text) is not None and caption_kind(block.text) == "table"
    return "\n" not in block.text.strip() and (named or PANDOC.match(block.text) is not None)
