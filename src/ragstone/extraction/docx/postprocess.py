"""The last look at the blocks in order: lines of code become one block, captions come before their tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ragstone.extraction.record.builder import Draft


def ordered(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """The blocks as they are written."""
    yield from _captions_first(list(_joined(drafts)))


def _joined(drafts: Iterable[Draft]) -> Iterator[Draft]:
    code: list[Draft] = []
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


def _captions_first(drafts: Sequence[Draft]) -> Iterator[Draft]:
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
