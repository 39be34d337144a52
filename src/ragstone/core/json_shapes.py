"""Values as plain data, as they stand in JSON for programs and in artifacts."""

from collections.abc import Sequence
from typing import Any, TypedDict

from ragstone.core.types import Span


class SpanJson(TypedDict):
    """A place: characters from 0, lines from 1."""

    char_start: int
    char_end: int
    line_start: int
    line_end: int
    page: int | None
    bbox: list[float] | None
    sheet: str | None
    rows: list[int] | None
    cols: list[int] | None


def span_json(span: Span) -> SpanJson:
    """A place: characters from 0, lines from 1; page, box, sheet, rows and columns where there are such."""
    return {
        "char_start": span.char_start,
        "char_end": span.char_end,
        "line_start": span.line_start,
        "line_end": span.line_end,
        "page": span.page,
        "bbox": _list(span.bbox),
        "sheet": span.sheet,
        "rows": _list(span.rows),
        "cols": _list(span.cols),
    }


def _list(values: Sequence[Any] | None) -> list[Any] | None:
    return None if values is None else list(values)
