"""Lines of a wiki's page to blocks, by its dialect."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape

from ragstone.core.types import Cell
from ragstone.extraction.record.builder import BlockDraft
from ragstone.extraction.wiki.dialect import HELD, Dialect, Held, WikiCell

TAG = re.compile(
    r"</?(?:a|abbr|b|big|blockquote|br|center|cite|code|del|div|em|font|hr|html|i|img|ins|kbd|li|ol|p|pre|q|s|samp"
    r"|small|span|strike|strong|su[bp]|table|tbody|t[dhr]|thead|tt|u|ul|var|wbr)(?![\w-])[^<>\n]{0,500}>",
    re.IGNORECASE,
)


def read_wiki(text: str, dialect: Dialect, *, above: int = 0) -> Iterator[BlockDraft]:
    """The blocks of a page; its headings stand `above` levels deeper."""
    held = Held()
    text = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    text = dialect.hold(text, held)
    said: list[str] = []
    rows: list[list[WikiCell]] = []
    counts: dict[int, int] = {}
    item: BlockDraft | None = None
    for line in [*text.split("\n"), ""]:
        draft, cells = _read_line(line, dialect, held, counts, above), dialect.row(line)
        if item is not None and cells is None and draft is None and line.strip() and dialect.continues:
            item = replace(item, text=f"{item.text} {_clean(line, dialect, held)}")
            continue
        if rows and cells is None:
            yield _draft_table(rows, dialect, held)
            rows = []
        if item is not None:
            yield item
            item = None
        if cells is None and draft is None and line.strip():
            said.append(line)
            counts = {}
            continue
        yield from _draft_paragraph(said, dialect, held)
        said = []
        if cells is not None:
            rows.append(cells)
        elif draft is not None and draft.type == "list":
            item = draft
        elif draft is not None:
            yield draft
            counts = {}


def _read_line(line: str, dialect: Dialect, held: Held, counts: dict[int, int], above: int) -> BlockDraft | None:
    """The block that a line is by itself; of a line that shows nothing an empty one, None for one of a paragraph."""
    if code := HELD.fullmatch(line.strip()):
        return held.drafts[int(code[1])]
    if dialect.skipped.fullmatch(line.strip()):
        return BlockDraft("paragraph")
    if heading := dialect.heading(line):
        return BlockDraft("heading", _clean(heading[1], dialect, held), level=min(6, heading[0] + above))
    if item := dialect.item(line):
        for level in [level for level in counts if level > item.level]:
            del counts[level]
        counts[item.level] = counts.get(item.level, 0) + 1 if item.numbered else 0
        mark = f"{counts[item.level]}." if item.numbered else "-"
        return BlockDraft("list", f"{mark} {_clean(item.text, dialect, held)}", level=item.level)
    if quote := dialect.quote.match(line):
        return BlockDraft("paragraph", _clean(line[quote.end() :], dialect, held))
    return None


def _draft_paragraph(lines: Sequence[str], dialect: Dialect, held: Held) -> Iterator[BlockDraft]:
    if lines:
        yield BlockDraft("paragraph", _clean("\n".join(lines), dialect, held))


def _draft_table(rows: Sequence[Sequence[WikiCell]], dialect: Dialect, held: Held) -> BlockDraft:
    return BlockDraft(
        "table",
        cells=tuple(
            Cell(number, column, " ".join(_clean(cell.text, dialect, held).split()), header=cell.header)
            for number, row in enumerate(rows)
            for column, cell in enumerate(row)
        ),
    )


def _clean(text: str, dialect: Dialect, held: Held) -> str:
    """The words of a text without its marks, a line for each that it breaks."""
    for pattern, shown in dialect.inline:
        text = pattern.sub(shown, text)
    text = unescape(TAG.sub("", text))
    text = HELD.sub(lambda mark: held.drafts[int(mark[1])].text, text)
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))
