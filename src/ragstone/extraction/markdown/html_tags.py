"""Tags of HTML in a text, and the text between them, one after another."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A quoted attribute never runs over a `<`: so each `<` is looked at once, however hostile the text.
TAG = re.compile(
    r"<!--"
    r"|<(/?)([A-Za-z][\w:.-]*)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>"
    r"|<(/?)([A-Za-z][\w:.-]*)([^<>]*+)>"
    r"|<[!?/][^<>]*+>"
)
UNSEEN = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("script", "style", "template", "head")}


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of the source: `kind` is text, gap (unseen), open, close, or table (a whole one)."""

    kind: str
    start: int
    end: int
    name: str = ""
    attributes: tuple[int, int] = (0, 0)

    @property
    def is_component(self) -> bool:
        """Whether this is a component's tag (`<Tab>`), not one of HTML."""
        return self.name[:1].isupper() and not self.name.isupper()


def tokenize_html(text: str, start: int, end: int, *, whole_tables: bool = True) -> Iterator[Token]:
    """The tags and texts in text[start:end], in order; a table is one token unless told."""
    at, endless = start, False
    while match := TAG.search(text, at, end):
        a, b = match.span()
        if a > at:
            yield Token("text", at, a)
        name = match[2] or match[5] or ""
        closing = bool(match[1] or match[4])
        attributes = match.span(3 if match[2] else 6)
        lower = name.lower()
        at = b
        if not name:
            if match[0] == "<!--":
                close = -1 if endless else text.find("-->", b, end)
                endless = close < 0
                # One that never ends hides a whole block; inside other text it is a slip, and the text is shown.
                at = close + 3 if close >= 0 else end if not text[start:a].strip() else b
            yield Token("gap", a, at)
        elif lower in UNSEEN and not closing:
            close_tag = UNSEEN[lower].search(text, b, end)
            at = close_tag.end() if close_tag else end
            yield Token("gap", a, at)
        elif lower == "table" and not closing and whole_tables:
            at = find_table_end(text, a, end) or end
            yield Token("table", a, at, name, attributes)
        else:
            yield Token("close" if closing else "open", a, b, name, attributes)
    if at < end:
        yield Token("text", at, end)


def find_table_end(text: str, start: int, end: int) -> int | None:
    """Where the table that opens in text[start:end] is closed again; None when it never is."""
    depth = 0
    for token in tokenize_html(text, start, end, whole_tables=False):
        if token.name.lower() == "table":
            depth += 1 if token.kind == "open" else -1
            if depth <= 0:
                return token.end
    return None
