"""`ragstone show --page`: a page as a picture, with boxes around the cited text."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragstone.cli.shared_options import SharedOptions, print_json, print_message
from ragstone.config.validation import BYTES, MANY, Numbers
from ragstone.core.errors import Refused, UsageError
from ragstone.core.plural import format_count
from ragstone.core.types import Span

# What a citation's numbers may be: every page and every point of one lies within.
PAGE = Numbers(1, MANY, whole=True)
CHARACTERS = Numbers(0, BYTES, whole=True)
POINTS = Numbers(-MANY, MANY)


def write_page(
    options: SharedOptions,
    path: str,
    page: int,
    *,
    source: str | None,
    citation: str | None,
    out: str | None,
    passwords: list[str] | None,
) -> int:
    """Write the PNG and say where it is."""
    from ragstone.cli.knowledge import open_knowledge

    spans = (
        [] if citation is None else [span for span in _parse_spans(_read_citation(citation), path) if span.page == page]
    )
    try:
        with open_knowledge(options, embed__model="none", passwords=passwords) as kb:
            picture = kb.page(path, page, source=source, spans=spans)
    except Refused as error:
        if error.reason != "unsupported":
            raise
        raise UsageError(str(error)) from error  # no such page: a wrong argument like any other
    file = Path(out) if out else Path(f"{Path(path).stem}-p{page}.png")
    try:
        file.write_bytes(picture)
    except OSError as error:
        raise UsageError(f"the picture cannot be written to {file}: {error.strerror}") from error
    if options.json:
        print_json({"schema": 1, "path": path, "page": page, "boxes": len(spans), "file": str(file)})
    else:
        print_message(f"{file}: page {page} of {path}, {format_count(len(spans), 'box', 'boxes')}")
    return 0


def _read_citation(citation: str) -> Any:
    try:
        text = sys.stdin.read() if citation == "-" else Path(citation).read_text(encoding="utf-8")
        return json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(
            f"--citation {citation!r} cannot be read ({error}): give the JSON of `ragstone ask --json`, or one citation"
        ) from error


def _parse_spans(data: Any, path: str) -> Iterator[Span]:
    """The boxes of the citations of this document: of an answer, a list of citations, or one."""
    citations = data.get("citations", [data]) if isinstance(data, dict) else data
    try:
        for citation in citations:
            if citation.get("document", {}).get("path", path) == path:
                placed = (span for span in citation["spans"] if None not in (span["page"], span["bbox"]))
                yield from map(_parse_span, placed)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError("invalid --citation: expected `spans` with `page` and `bbox`") from error


def _parse_span(span: Any) -> Span:
    start, end, page = span["char_start"], span["char_end"], span["page"]
    x0, y0, x1, y1 = span["bbox"]
    _check_number("page", PAGE, page)
    _check_number("char_start", CHARACTERS, start)
    _check_number("char_end", CHARACTERS, end)
    for edge in (x0, y0, x1, y1):
        _check_number("bbox number", POINTS, edge)
    if x1 < x0 or y1 < y0:
        raise UsageError(
            f"--citation: bbox is {[x0, y0, x1, y1]}; it must be left, top, right and bottom in this order"
        )
    return Span(start, end, 1, 1, page, (float(x0), float(y0), float(x1), float(y1)))


def _check_number(name: str, allowed: Numbers, value: Any) -> None:
    """Raise `UsageError` for what no span of ours holds: JSON may hold NaN, infinities and any number of digits."""
    if not allowed.holds(value):
        raise UsageError(f"--citation: {allowed.describe_error(name, value)}")
