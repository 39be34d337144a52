"""The last look at the blocks in order: lines of code become one block, captions come before their tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ragstone.extraction.record.builder import BlockDraft


def order_blocks(drafts: Iterable[BlockDraft]) -> Iterator[BlockDraft]:
    """The blocks as they are written."""
    yield from _move_captions_first(list(_join_code(drafts)))


def _join_code(drafts: Iterable[BlockDraft]) -> Iterator[BlockDraft]:
    code: list[BlockDraft] = []
    for draft in drafts:
        if code and (draft.type != "code" or draft.role != code[0].role):
            yield replace(code[0], text="\n".join(line.text for line in code).strip("\n"))
            code = []
        if draft.type == "code":
            code.append(draft)
        else:
            yield draft
    if code:
        yield replace(code[0], text="\n".join(line.text for line in code).strip("\n"))


def _move_captions_first(drafts: Sequence[BlockDraft]) -> Iterator[BlockDraft]:
    """A caption right behind a table that has none before it is set before it, for a table is read with its name."""
    at = 0
    captioned = False
    while at < len(drafts):
        draft = drafts[at]
        behind = drafts[at + 1] if at + 1 < len(drafts) else None
        after = drafts[at + 2] if at + 2 < len(drafts) else None
        if (
            draft.type == "table"
            and not captioned
            and behind is not None
            and behind.caption
            and (after is None or after.type != "table")
        ):
            yield behind
            yield draft
            at += 2
            captioned = False
            continue
        yield draft
        captioned = draft.caption
        at += 1
