"""`ragstone show --page`: a page as a picture, with the boxes of what is cited."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragstone.cli.shared import Shared, emit, say
from ragstone.errors import UsageError
from ragstone.types import Span


def drawn(
    options: Shared,
    path: str,
    page: int,
    *,
    source: str | None,
    citation: str | None,
    out: str | None,
    passwords: list[str] | None,
) -> int:
    """Write the PNG and say where it is."""
    from ragstone.cli.opened import opened

    spans = [] if citation is None else [span for span in _spans(_read(citation), path) if span.page == page]
    with opened(options, embed__model="none", passwords=passwords) as kb:
        picture = kb.page(path, page, source=source, spans=spans)
    file = Path(out) if out else Path(f"{Path(path).stem}-p{page}.png")
    try:
        file.write_bytes(picture)
    except OSError as error:
        raise UsageError(f"the picture cannot be written to {file}: {error.strerror}") from error
    if options.json:
        emit({"schema": 1, "path": path, "page": page, "boxes": len(spans), "file": str(file)})
    else:
        say(f"{file}: page {page} of {path}, {len(spans)} boxes")
    return 0


def _read(citation: str) -> Any:
    try:
        text = sys.stdin.read() if citation == "-" else Path(citation).read_text(encoding="utf-8")
        return json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(
            f"--citation {citation!r} cannot be read ({error}): give the JSON of `ragstone ask --json`, or one citation"
        ) from error


def _spans(data: Any, path: str) -> Iterator[Span]:
    """The boxes of the citations of this document: of an answer, a list of citations, or one."""
    citations = data.get("citations", [data]) if isinstance(data, dict) else data
    try:
        for citation in citations:
            if citation.get("document", {}).get("path", path) == path:
                yield from (_span(span) for span in citation["spans"] if span["page"] and span["bbox"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError("--citation holds no citation: it needs `spans` with `page` and `bbox`") from error


def _span(span: Any) -> Span:
    x0, y0, x1, y1 = map(float, span["bbox"])
    return Span(int(span["char_start"]), int(span["char_end"]), 1, 1, int(span["page"]), (x0, y0, x1, y1))
