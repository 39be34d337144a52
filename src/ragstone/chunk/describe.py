"""What is known about a piece without a model: keywords, snippet, the keys that readers of chunks expect."""

import csv
import io
from collections import Counter
from typing import Any

from ragstone.types import Piece
from ragstone.words import STOP_WORDS, tokens

KEYWORDS = 8
SNIPPET = 240  # characters
SHORTEST = 3


def metadata(piece: Piece) -> dict[str, Any]:
    """Summary and questions stay empty until a model writes them; the rest comes from the piece itself."""
    first = piece.spans[0]
    out: dict[str, Any] = {
        "summary": "",
        "keywords": keywords(piece.text),
        "hypothetical_questions": [],
        "source": {"page": first.page, "bbox": list(first.bbox) if first.bbox else None},
        "snippet": snippet(piece.text),
        "paragraph_id": f"{first.line_start}-{piece.spans[-1].line_end}",
    }
    if piece.kind == "table":
        text = f"{piece.header}\n{piece.text}" if piece.header else piece.text
        out["table"] = {"format": "markdown", "csv": _csv(text)}
    if piece.note:
        out["note"] = piece.note
    return out


def keywords(text: str) -> list[str]:
    """The words that occur most, longer ones first among equals, then by alphabet."""
    counted: dict[str, int] = {}
    for token, times in Counter(tokens(text)).items():
        word = token.casefold()
        if len(token) >= SHORTEST and word not in STOP_WORDS and not token.isdigit():
            counted[word] = counted.get(word, 0) + times
    ranked = sorted([(-times, -len(word), word) for word, times in counted.items()])
    return [word for _, _, word in ranked[:KEYWORDS]]


def snippet(text: str) -> str:
    """The beginning on one line, cut at a word."""
    flat = " ".join(text[: SNIPPET * 2].split())
    return flat if len(flat) <= SNIPPET else f"{flat[:SNIPPET].rpartition(' ')[0] or flat[:SNIPPET]}…"


def _csv(table: str) -> str:
    """Rows of a table in Markdown as CSV; its rule of dashes is left out."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if any(cell.strip("-: ") for cell in cells):
            writer.writerow(cells)
    return out.getvalue()
