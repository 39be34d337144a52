"""Where on a page of a document its secrets stand, so that a drawn page shows none of them."""

from collections.abc import Sequence

from ragstone.core.errors import UsageError
from ragstone.core.page_layout import Box, Layout
from ragstone.core.types import Document, Secret


def find_secret_boxes(
    document: Document, layout: Layout | None, record: str, secrets: Sequence[Secret], *, page: int
) -> list[Box]:
    """The boxes of the secrets on a page (from 1), one a line; `secrets` are places in the text of record.

    Raises `UsageError` when the page may show a secret whose place is not known.
    """
    out: list[Box] = []
    for start, end, kind in secrets:
        strips = list(layout.strips(start, end)) if layout is not None else []
        placed = {at for strip in strips for at in range(max(start, strip.start), min(end, strip.end))}
        unplaced = any(at not in placed and not record[at].isspace() for at in range(start, end))
        if unplaced and (layout is None or _may_stand_on(layout, start, end, page)):
            raise UsageError(
                f"page {page} of {document.path} may show a secret ({kind}) whose place is not known; "
                f"ingest the document again with --refresh, or read its text with `ragstone show {document.path}`"
            )
        if layout is not None:
            out += [box for _, _, where, box in layout.line_boxes(start, end) if where == page]
    return out


def _may_stand_on(layout: Layout, start: int, end: int, page: int) -> bool:
    """Whether a page lies between what is known to stand before a place and what is known to stand behind it."""
    before = [strip.page for strip in layout.strips(0, start)][-1:]
    behind = [strip.page for strip in layout.strips(end)][:1]
    return min(before, default=page) <= page <= max(behind, default=page)
