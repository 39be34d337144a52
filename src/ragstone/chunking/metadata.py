"""Metadata of a chunk that need no model: keywords, snippet, the keys that readers of chunks expect."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from ragstone.chunking.table import split_bars
from ragstone.core.analyzer import STOP_WORDS, extract_tokens
from ragstone.core.types import Piece, Span

KEYWORDS = 8
SNIPPET = 240  # characters
SHORTEST = 3


def describe_piece(piece: Piece) -> dict[str, Any]:
    """Summary and questions stay empty until a model writes them; the rest comes from the piece itself."""
    first = piece.spans[0]
    out: dict[str, Any] = {
        "summary": "",
        "keywords": extract_keywords(piece.text),
        "hypothetical_questions": [],
        "source": _source_place(first),
        "snippet": make_snippet(piece.text),
        "paragraph_id": f"{first.line_start}-{piece.spans[-1].line_end}",
    }
    if piece.kind == "table":
        rows = piece.table or _parse_rows(f"{piece.header}\n{piece.text}" if piece.header else piece.text)
        out["table"] = {"format": "markdown", "markdown": _render_markdown(rows), "csv": _render_csv(rows)}
    if piece.window:
        out["window"] = list(piece.window)
    if piece.byte_range:
        out["start_byte"], out["end_byte"] = piece.byte_range
    if piece.note:
        out["note"] = piece.note
    return out


def extract_keywords(text: str) -> list[str]:
    """The words that occur most, longer ones first among equals, then by alphabet."""
    counted: dict[str, int] = {}
    for token, times in Counter(extract_tokens(text)).items():
        word = token.casefold()
        if len(token) >= SHORTEST and word not in STOP_WORDS and not token.isdigit():
            counted[word] = counted.get(word, 0) + times
    ranked = sorted([(-times, -len(word), word) for word, times in counted.items()])
    return [word for _, _, word in ranked[:KEYWORDS]]


def make_snippet(text: str) -> str:
    """The beginning on one line, shortened at a word."""
    flat = " ".join(text[: SNIPPET * 2].split())
    return flat if len(flat) <= SNIPPET else f"{flat[:SNIPPET].rpartition(' ')[0] or flat[:SNIPPET]}…"


def _source_place(first: Span) -> dict[str, Any]:
    """Where the piece begins: page and box, or sheet, rows and columns; its spans say all of it."""
    out: dict[str, Any] = {"page": first.page, "bbox": list(first.bbox) if first.bbox else None}
    if first.rows:
        places = {"sheet": first.sheet, "rows": list(first.rows), "cols": list(first.cols) if first.cols else None}
        out |= {name: place for name, place in places.items() if place is not None}
    return out


def _parse_rows(text: str) -> Sequence[Sequence[str]]:
    """The cells of a table in Markdown, its rule of dashes left out: for pieces that know no cells."""
    rows = (split_bars(line) for line in text.splitlines() if line.strip())
    return [row for row in rows if any(cell.strip("-: ") for cell in row)]


def _render_markdown(rows: Sequence[Sequence[str]]) -> str:
    """Rows between bars with a rule below the first, all as wide as the widest; an empty row begins a new table."""
    out: list[str] = []
    for is_table, group in groupby(rows, key=bool):
        table = list(group)
        if not is_table:
            out.append("")
            continue
        width = max(map(len, table))
        lines = ["| " + " | ".join(_escape_cells(row, width)) + " |" for row in table]
        out += [lines[0], "|---" * width + "|", *lines[1:]]
    return "\n".join(out)


def _escape_cells(row: Sequence[str], width: int) -> list[str]:
    return [cell.replace("|", "\\|") for cell in row] + [""] * (width - len(row))


def _render_csv(rows: Sequence[Sequence[str]]) -> str:
    """The rows as comma separated values (RFC 4180), lines ended by a newline."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
