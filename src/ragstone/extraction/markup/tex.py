"""TeX: sections, paragraphs and listings of the document's body; comments and the preamble are left out."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from ragstone.core.types import Cell
from ragstone.extraction.markup.lines import Line, MarkupPiece, find_line, make_code
from ragstone.extraction.markup.tables import MarkupRow, make_table, mark_header
from ragstone.extraction.markup.tex_tables import BEGIN, EDGE, find_table_end, read_cells
from ragstone.extraction.record.tables import RawCell

GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"  # with one level of braces in it
SECTION = re.compile(rf"\s*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]]*\])?{GROUP}.*")
SPANNING = re.compile(rf"\\multi(?:column|row)\*?\{{[^{{}}]*\}}\{{[^{{}}]*\}}{GROUP}")
LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
FRONT = re.compile(r"\s*\\(title|author|date)[ \t]*(?:\[[^\]]{0,1000}\])?\s*\{")
FRONT_BEGIN = re.compile(r"\s*\\(?:title|author|date)\b.*")
FRONT_LINES = 30  # of a list of authors
# What titles hold beside their words.
ASIDE = re.compile(
    r"\\(?:thanks|footnote|label|inst|orcid|email)\*?\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"  # two levels of braces
)
AND = re.compile(r" ?\\(?:and|And|AND)\b")
NEXT_LINE = re.compile(r" ?\\\\")
ESCAPED = re.compile(r"\\([&%$#_])")
VERBATIM = re.compile(r"\s*\\begin\{(verbatim|lstlisting|minted)\*?\}(?:\[[^\]]*\])?(?:\{(\w+)\})?.*")
DOCUMENT = re.compile(r"\s*\\begin\{document\}.*")
# Commands that show nothing themselves, alone on their line.
SILENT = re.compile(
    r"\s*(?:%.*|\\(?:begin|end|label|maketitle|tableofcontents|centering|newpage|clearpage|usepackage|documentclass"
    r"|bibliography|bibliographystyle|includegraphics|vspace|hspace|noindent|input|include|hline|toprule"
    r"|midrule|bottomrule)\b\*?(?:\[[^\]]*\]|\{[^{}]*\})*\s*)"
)
COMMAND = re.compile(r"\\(?:begin|end)\{[a-z*]{1,30}\}|\\(?:item|\w+\*?(?:\[[^\]]{0,1000}\]){0,2})\s?|[{}]|(?<!\\)%.*")
COMMENT = re.compile(r"(?<!\\)%")
CAPTION = re.compile(r"\\caption\*?\s*[\[{]")
SETTING = re.compile(r"\\[A-Za-z]+\*?(?:\[[^\[\]]{0,200}\]|\{[^{}]{0,200}\})*|(?<!\\)%.*")


def read_tex(lines: Sequence[Line]) -> Iterator[MarkupPiece]:
    """The pieces of a file in order; of a file without a body, all of it."""
    body = find_line(lines, 0, DOCUMENT)
    at = body + 1 if body < len(lines) else 0
    yield from (piece for number in range(at) for piece in _read_front(lines, number))
    while at < len(lines):
        text = lines[at].text
        if section := SECTION.fullmatch(text):
            yield MarkupPiece("heading", at, at + 1, LEVELS[section[1]], clean_commands(section[2]))
        elif front := list(_read_front(lines, at)):
            yield from front
            at = front[0].behind - 1
        elif begin := _find_table(text):
            pieces, at = _read_table(lines, at, begin)
            yield from pieces
        elif verbatim := VERBATIM.fullmatch(text):
            end = find_line(lines, at + 1, re.compile(rf"\s*\\end\{{{verbatim[1]}\*?\}}.*"))
            yield from make_code(lines, at + 1, end, verbatim[2])
            at = end
        elif not _is_silent(lines[at]):
            behind = at + 1
            while behind < len(lines) and not (_is_silent(lines[behind]) or _begins_other(lines[behind].text)):
                behind += 1
            yield from _read_paragraph(lines, at, behind)
            at = behind - 1
        at += 1


def _read_front(lines: Sequence[Line], at: int) -> Iterator[MarkupPiece]:
    """The title as heading, authors and date as paragraphs, from the line on which they begin."""
    if not FRONT_BEGIN.fullmatch(lines[at].text):
        return
    text = ""
    for behind in range(at + 1, min(len(lines), at + FRONT_LINES) + 1):
        text += f" {lines[behind - 1].text}"
        if text.count("{") <= text.count("}"):
            break
    if (front := FRONT.match(text)) and "}" in text[front.end() :]:
        said = AND.sub(";", ASIDE.sub("", text[front.end() :].rpartition("}")[0]))
        if front[1] == "title":
            yield MarkupPiece("heading", at, behind, 1, clean_commands(said))
        else:
            yield MarkupPiece("paragraph", at, behind, text=clean_commands(NEXT_LINE.sub(", ", said)))


def _find_table(text: str) -> re.Match[str] | None:
    """Where a table begins on a line, unless in a comment."""
    begin = BEGIN.search(text)
    return begin if begin and not COMMENT.search(text, 0, begin.start()) else None


def _read_table(lines: Sequence[Line], at: int, begin: re.Match[str]) -> tuple[list[MarkupPiece], int]:
    """The table that begins on this line, with what is said before and behind it on its lines, and its last line. One
    that is not closed ends above the next section."""
    last, depth = at, 0
    while last < len(lines) and not SECTION.fullmatch(lines[last].text):
        depth += sum(1 if edge[1] == "begin" else -1 for edge in EDGE.finditer(lines[last].text))
        last += 1
        if depth <= 0:
            break
    last = max(at, last - 1)
    start = lines[at].start + begin.end()
    body = "\n".join(line.text for line in lines[at : last + 1])[begin.end() :]
    close, behind = find_table_end(body)
    cells = tuple(
        Cell(row, column, shown, header=is_header, char_start=start + a, char_end=start + b)
        for row, column, a, b, is_header in read_cells(body, 0, close)
        if (shown := clean_commands(SPANNING.sub(r"{\1}", EDGE.sub("", BEGIN.sub("", body[a:b])))))
    )
    before = list(_read_beside(at, lines[at].start, lines[at].start + begin.start(), lines[at].text[: begin.start()]))
    after = list(_read_beside(last, start + behind, lines[last].end, body[behind:]))
    if not cells:
        return [*before, *after], last
    rows = list(_place_rows(cells, at, body, start))
    first, end = at + bool(before), last + 1 - bool(after)
    words_end = at + body.count("\n", 0, max(cell.char_end or 0 for cell in cells) - start)
    if rows[0].line < first or words_end >= end:  # other words on the lines of rows, which therefore stay as they are
        return [*before, MarkupPiece("table", at, last + 1, cells=cells), *after], last
    header = sum(1 for row, group in groupby(cells, key=lambda cell: cell.row) if next(group).header)
    return [*before, *make_table(mark_header(rows, header), first, end), *after], last


def _place_rows(cells: Sequence[Cell], at: int, body: str, start: int) -> Iterator[MarkupRow]:
    """The rows with the lines that they begin on; the body begins at character `start`, on line `at`."""
    line, seen = at, 0
    for _, group in groupby(cells, key=lambda cell: cell.row):
        row = {cell.col: cell for cell in group}
        begin = min(cell.char_start or 0 for cell in row.values()) - start
        line, seen = line + body.count("\n", seen, begin), begin
        yield MarkupRow(line, [RawCell(row[col].text if col in row else "") for col in range(max(row) + 1)])


def _read_beside(at: int, start: int, end: int, text: str) -> Iterator[MarkupPiece]:
    """Words beside a table on its line; what only sets it has none."""
    if CAPTION.search(text) or any(sign.isalpha() for sign in SETTING.sub("", text)):
        yield MarkupPiece("paragraph", at, at + 1, text=clean_commands(text), place=(start, end))


def clean_commands(text: str) -> str:
    """A text without its commands: `\\emph{one} two` is `one two`."""
    text = COMMAND.sub("", text.replace("~", " ").replace("\\\\", " "))
    return " ".join(ESCAPED.sub(r"\1", text).split())


def _is_silent(line: Line) -> bool:
    return line.is_blank or SILENT.fullmatch(line.text) is not None


def _begins_other(text: str) -> bool:
    return _find_table(text) is not None or any(pattern.fullmatch(text) for pattern in (SECTION, VERBATIM, FRONT_BEGIN))


def _read_paragraph(lines: Sequence[Line], first: int, behind: int) -> Iterator[MarkupPiece]:
    """A paragraph, or items of a list, with the text that a reader of the printed page sees."""
    start = first
    for number in range(first, behind + 1):
        if number == behind or (number > start and lines[number].text.lstrip().startswith("\\item")):
            is_item = lines[start].text.lstrip().startswith("\\item")
            text = clean_commands("\n".join(line.text for line in lines[start:number]))
            if text:
                yield MarkupPiece("list" if is_item else "paragraph", start, number, level=int(is_item), text=text)
            start = number
