"""Tables of TeX: the cells between `&`, row by row."""

import re
from typing import NamedTuple

BRACED = r"\{(?:[^{}]|\{[^{}]*\})*\}"
BEGIN = re.compile(
    rf"\\begin\{{(?:(?:tabular|longtable)\}}(?:\[[^\[\]]{{0,100}}\])?{BRACED}"
    rf"|(?P<wide>tabular[*xy]|tabulary)\}}{BRACED}(?:\[[^\[\]]{{0,100}}\])?{BRACED})"
)
EDGE = re.compile(r"\\(begin|end)\{(?:tabular[*xy]?|tabulary|longtable)\}")
# Commands that show nothing beside the cells: rules, what repeats on further pages.
SILENT = (
    r"\\(?:hline|toprule|midrule|bottomrule|cline|cmidrule|endhead|endfirsthead|endfoot|endlastfoot|addlinespace"
    r"|rowcolor|label|centering)\b(?:\([^()]{0,20}\)|\[[^\[\]]{0,400}\]|\{[^{}]{0,400}\})*+"
)
ROW_END = r"\\\\(?:\*?\[[^\[\]]{0,40}\])?|\\tabularnewline\b"
TOKEN = re.compile(rf"(?P<row>{ROW_END})|(?P<edge>{EDGE.pattern})|(?P<silent>{SILENT}|(?<!\\)%[^\n]*)|\\.|[&{{}}]")
MOST_HEADERS = 3  # rows


class TexCell(NamedTuple):
    """A cell: its row and column, and its characters without white space around them."""

    row: int
    column: int
    start: int
    end: int
    is_header: bool = False


def find_table_end(body: str) -> tuple[int, int]:
    """Where the body of a table ends, and where the text behind it begins; tables within it are of it."""
    depth = 1
    for edge in EDGE.finditer(body):
        depth += 1 if edge[1] == "begin" else -1
        if depth == 0:
            return edge.span()
    return len(body), len(body)


def read_cells(text: str, start: int, end: int) -> list[TexCell]:
    """The cells with text in the body [start, end) of a table. Rows above its first inner rule are headers."""
    cells: list[TexCell] = []
    row = column = depth = header = 0
    at = start

    def close_cell(behind: int) -> None:
        said = text[at:behind]
        if said.strip():
            left = at + len(said) - len(said.lstrip())
            cells.append(TexCell(row, column, left, left + len(said.strip())))

    for token in TOKEN.finditer(text, start, end):
        sign = token[0]
        if sign in "{}" or token["edge"]:
            depth = max(0, depth + (1 if sign == "{" or sign.startswith("\\b") else -1))
        elif token["silent"] and not text[at : token.start()].strip():
            at = token.end()
            if sign.startswith(("\\hline", "\\midrule")) and not (header or column) and 0 < row <= MOST_HEADERS:
                header = row
        elif depth == 0 and (sign == "&" or token["row"]):
            close_cell(token.start())
            at, column = token.end(), column + 1
            if token["row"]:
                row, column = row + bool(cells and cells[-1].row == row), 0
    close_cell(end)
    header = header if cells and header <= cells[-1].row else 0
    return [cell._replace(is_header=cell.row < header) for cell in cells]
