"""Hits for the tests of this folder."""

from collections.abc import Mapping
from typing import Any

from ragstone.core.types import Chunk, Document, Hit


def hit(
    text: str = "text",
    *,
    path: str = "a.md",
    ordinal: int = 0,
    score: float = 1.0,
    risk: float = 0.0,
    date: str | None = None,
    meta: Mapping[str, Any] | None = None,
    **signals: float,
) -> Hit:
    document = Document(f"docs/{path}", "docs", path, 1, "0", "r", effective_at=date, meta=meta or {})
    return Hit(Chunk(f"{path}#{ordinal}", document, ordinal, text, (), risk_score=risk), score, signals)
