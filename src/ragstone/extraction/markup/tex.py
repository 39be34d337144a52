"""TeX: sections, paragraphs and listings of the document's body; comments and the preamble are left out."""

import re
from collections.abc import Iterator, Sequence

from ragstone.extraction.markup.lines import Line, MarkupPiece, find_line, make_code

GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"  # with one level of braces in it
SECTION = re.compile(rf"\s*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?(?:\[[^\]]*\])?{GROUP}.*")
LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
TITLE = re.compile(rf"\s*\\title{GROUP}.*")
VERBATIM = re.compile(r"\s*\\begin\{(verbatim|lstlisting|minted)\*?\}(?:\[[^\]]*\])?(?:\{(\w+)\})?.*")
DOCUMENT = re.compile(r"\s*\\begin\{document\}.*")
# Commands that show nothing themselves, alone on their line.
SILENT = re.compile(
    r"\s*(?:%.*|\\(?:begin|end|label|maketitle|tableofcontents|centering|newpage|clearpage|usepackage|documentclass"
    r"|bibliography|bibliographystyle|includegraphics|vspace|hspace|noindent|input|include|author|date|hline|toprule"
    r"|midrule|bottomrule)\b\*?(?:\[[^\]]*\]|\{[^{}]*\})*\s*)"
)
COMMAND = re.compile(r"\\(?:item|\w+\*?(?:\[[^\]]*\])?)\s?|[{}]|(?<!\\)%.*")


def read_tex(lines: Sequence[Line]) -> Iterator[MarkupPiece]:
    """The pieces of a file in order; of a file without a body, all of it."""
    body = find_line(lines, 0, DOCUMENT)
    at = body + 1 if body < len(lines) else 0
    for number in range(at):
        if title := TITLE.fullmatch(lines[number].text):
            yield MarkupPiece("heading", number, number + 1, 1, clean_commands(title[1]))
    while at < len(lines):
        text = lines[at].text
        if section := SECTION.fullmatch(text):
            yield MarkupPiece("heading", at, at + 1, LEVELS[section[1]], clean_commands(section[2]))
        elif title := TITLE.fullmatch(text):
            yield MarkupPiece("heading", at, at + 1, 1, clean_commands(title[1]))
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


def clean_commands(text: str) -> str:
    """A text without its commands: `\\emph{one} two` is `one two`."""
    return " ".join(COMMAND.sub("", text.replace("~", " ").replace("\\\\", " ")).split())


def _is_silent(line: Line) -> bool:
    return line.is_blank or SILENT.fullmatch(line.text) is not None


def _begins_other(text: str) -> bool:
    return any(pattern.fullmatch(text) for pattern in (SECTION, VERBATIM))


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
