"""Results as notebooks show them: HTML without scripts, everything in it escaped."""

from collections.abc import Iterable, Sequence
from html import escape

CELL = "text-align:left;vertical-align:top;padding:.2em .8em .2em 0"


def render_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; line breaks in its cells stay."""
    head = "".join(f'<th scope="col" style="{CELL}">{escape(name)}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(map(_render_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def render_paragraph(text: str) -> str:
    """A paragraph; line breaks in it stay."""
    return f'<p style="white-space:pre-wrap">{escape(text)}</p>'


def _render_cell(text: str) -> str:
    return f'<td style="{CELL};white-space:pre-wrap">{escape(text)}</td>'
