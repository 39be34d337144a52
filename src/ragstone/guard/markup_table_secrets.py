"""Columns of secrets in the tables of TeX, AsciiDoc, reStructuredText, HTML and wikis."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragstone.guard.listed_judgement import is_listed_secret
from ragstone.guard.pipe_table_secrets import CELL_LENGTH, VALUE, SecretValue, find_line_end, match_heading

Cell = tuple[int, int]
Row = list[Cell]
ROW_LENGTH = 2000  # characters between two marks of a row, or before the name
MOST = 60  # cells of a row
TEX_MARK = re.compile(r"(?<!\\)&|\\\\(?:\[[^\]\n]{0,20}\])?|\\tabularnewline\b|\\end\{")
TEX_RULE = re.compile(r"(?:\s|\\(?:hline|toprule|midrule|bottomrule|cline\{[^{}\n]{0,20}\}|endhead|endfirsthead))*+")
TEX_COMMAND = re.compile(
    r"\\(?:text\w{2,8}|verb|lstinline|emph|mbox|code|url|path)\*?(?:\{|\|)(?P<inside>[^{}|]*+)[}|]"
)
DOC_CELL = re.compile(r"(?<!\\)(?:(?<=[\s\d+*.<^>])|^)[\d+*.<^>aehlmsd]{0,8}\|(?P<cell>[^|\n]*)", re.MULTILINE)
BLANK = re.compile(r"\n[ \t]*\r?\n")
SIMPLE_RULE = re.compile(r"[ \t]*=+(?:[ ]+=+)+[ \t]*\r?$")
ITEM = re.compile(r"[ \t]+(?P<row>\*[ \t]+)?-[ \t]+(?P<cell>[^\n]*)")
HTML_CELL = re.compile(
    r"<t[hd](?P<spans>\s[^<>]{0,200})?>(?P<cell>(?:[^<]|<(?!/?t[hdr]\b))*+)|(?P<row></?tr\b)|(?P<end></table)",
    re.IGNORECASE,
)
HTML_SPAN = re.compile(r"(?P<way>row|col)span=[\"']?(?P<cells>\d{1,3})", re.IGNORECASE)
HTML_INSIDE = re.compile(r"(?:\s|<[^<>]{1,100}>)*+(?P<inside>[^<>]*)")
WIKI_MARK = re.compile(
    r"\n[ \t]*(?P<row>\|-)|\n[ \t]*(?P<end>\|\})|(?:(?:\n|\A)[ \t]*[|!]|\|\||!!)"
    r"(?:[ ]*(?:[\w-]{1,20}=[\"'][^\"'\n]{0,80}[\"'][ ]*){1,4}\|(?!\|))?(?P<cell>(?:[^\n|!]|!(?!!))*+)"
)
BARRED = re.compile(r"\|{1,2}(?P<cell>[^|\n]*)(?=\|)")


class Place(NamedTuple):
    """Where a suspicious word stands, and the line around it; `lower` is the text in lower case."""

    text: str
    lower: str
    at: int
    start: int
    end: int

    def find_before(self, mark: str, until: int) -> int:
        """Where the last such mark before a place stands, not far; below zero if there is none."""
        return self.lower.rfind(mark, max(0, until - ROW_LENGTH), until)


class Table(NamedTuple):
    """The first row of a table, its end, and the rows below it, each with the place behind it."""

    head: Row
    end: int
    rows: Iterator[tuple[Row, int]]


def find_values(text: str, lower: str, names: Sequence[int]) -> Iterator[SecretValue]:
    """Each value in a column whose heading names secrets; `names` are places of suspicious words, in order. Each row is
    looked at once."""
    done = 0
    for at in names:
        if at < done:
            continue
        place = Place(text, lower, at, lower.rfind("\n", 0, at) + 1, find_line_end(lower, at))
        done = place.end
        for table in filter(None, (read(place) for read in READERS)):
            columns = ((i, match_heading(text, cell, names)) for i, cell in enumerate(table.head))
            wanted = {i: found["password"] is not None for i, found in columns if found}
            if wanted and len(table.head) > 1:
                done = max(done, table.end)
                for row, end in table.rows:
                    yield from _pick_values(text, row, wanted)
                    done = max(done, end)
                break


def _pick_values(text: str, row: Row, wanted: dict[int, bool]) -> Iterator[SecretValue]:
    for i, password in wanted.items():
        match = VALUE.fullmatch(text, *row[i]) if i < len(row) and row[i][1] - row[i][0] <= CELL_LENGTH else None
        if match and is_listed_secret(match["value"], password=password, strict=True):
            yield SecretValue(*match.span("value"), password)


def _take_head(rows: Iterator[tuple[Row, int]]) -> Table | None:
    """The table whose first row these rows begin with."""
    first = next(rows, None)
    return Table(*first, rows) if first else None


def _find_near(pattern: re.Pattern[str], text: str, at: int, row: Row) -> Iterator[re.Match[str]]:
    """The marks from a place on, each not far from the one before, while the row that grows is not too long."""
    while len(row) < MOST and (mark := pattern.search(text, at, at + ROW_LENGTH)):
        yield mark
        at = mark.end()


def _read_tex(place: Place) -> Table | None:
    """Cells between `&`, rows that `\\\\` ends."""
    line = place.lower[place.start : place.end]
    return _take_head(_tex_rows(place.text, place.start)) if "&" in line and "\\" in line else None


def _tex_rows(text: str, at: int) -> Iterator[tuple[Row, int]]:
    row: Row = []
    for mark in _find_near(TEX_MARK, text, at, row):
        if mark[0] == "\\end{":
            return
        row.append(_trim_tex(text, at, mark.start()))
        at = mark.end()
        if mark[0] != "&":
            yield list(row), at
            row.clear()


def _trim_tex(text: str, start: int, end: int) -> Cell:
    """A cell without the rules and the command of TeX around it."""
    rules = TEX_RULE.match(text, start, end)
    start = rules.end() if rules else start
    end = start + len(text[start:end].rstrip())
    command = TEX_COMMAND.fullmatch(text, start, end)
    return command.span("inside") if command else (start, end)


def _read_asciidoc(place: Place) -> Table | None:
    """Cells behind `|` on as many lines as they like, between two lines of `|===`. The heading is one line, or, where
    that has a single cell, goes on to a blank line."""
    text, lower, above = place.text, place.lower, place.find_before("|===", place.start)
    if above < 0 or "|" not in lower[place.start : place.end]:
        return None
    head = find_line_end(lower, above) + 1
    if head > place.at or BLANK.search(text, head, place.at):  # the name stands in a row below the first ones
        return None
    below = find_line_end(lower, head)
    if len(DOC_CELL.findall(text, head, below)) == 1 and (blank := BLANK.search(text, below, head + ROW_LENGTH)):
        below = blank.end()
    cells = [cell.span("cell") for cell in DOC_CELL.finditer(text, head, below)]
    return Table(cells, below, _asciidoc_rows(text, below, len(cells))) if cells else None


def _asciidoc_rows(text: str, at: int, width: int) -> Iterator[tuple[Row, int]]:
    end = text.find("|===", at)
    end = len(text) if end < 0 else end
    row: Row = []
    for cell in DOC_CELL.finditer(text, at, end):
        row.append(cell.span("cell"))
        if len(row) == width:
            yield row, cell.end()
            row = []
    yield row, end


def _read_simple(place: Place) -> Table | None:
    """Columns below lines of `====  ====`."""
    below = find_line_end(place.lower, place.end + 1)
    if not SIMPLE_RULE.match(place.text, place.end + 1, below):
        return None
    columns = [rule.span() for rule in re.finditer("=+", place.text[place.end + 1 : below])]
    return Table(_cut_line(place.start, place.end, columns), below, _simple_rows(place.text, below + 1, columns))


def _simple_rows(text: str, at: int, columns: list[Cell]) -> Iterator[tuple[Row, int]]:
    while at < len(text):
        end = find_line_end(text, at)
        if SIMPLE_RULE.match(text, at, end) or not text[at:end].strip():
            return
        yield _cut_line(at, end, columns), end
        at = end + 1


def _cut_line(start: int, end: int, columns: list[Cell]) -> Row:
    """The cells of a line in these columns; the last goes on to the line's end."""
    edges = [*columns[:-1], (columns[-1][0], end - start)]
    return [(min(start + first, end), min(start + last, end)) for first, last in edges]


def _read_items(place: Place) -> Table | None:
    """Lists of lists: `* -` begins a row, `-` the next cell."""
    if not ITEM.match(place.text, place.start, place.end):
        return None
    first = place.find_before("* -", place.at)
    return _take_head(_item_rows(place.text, place.lower.rfind("\n", 0, first) + 1)) if first >= 0 else None


def _item_rows(text: str, at: int) -> Iterator[tuple[Row, int]]:
    row: Row = []
    while at < len(text):
        end = find_line_end(text, at)
        item = ITEM.match(text, at, end)
        if text[at:end].strip() and not text[at].isspace():
            break
        if item and item["row"] and row:
            yield row, at
            row = []
        if item:
            row.append(item.span("cell"))
        at = end + 1
    if row:
        yield row, at


def _read_html(place: Place) -> Table | None:
    """Elements `td` and `th` in `tr`."""
    first = place.find_before("<tr", place.at)
    if first < 0:
        return None
    table = place.find_before("<table", place.at)
    rows = _html_rows(place.text, first if table < 0 else table)
    return _take_head((row, end) for row, end in rows if end > place.at)


def _html_rows(text: str, at: int) -> Iterator[tuple[Row, int]]:
    row: Row = []
    below: dict[int, int] = {}  # rows that a cell of a column goes on in
    for cell in _find_near(HTML_CELL, text, at, row):
        if cell["end"]:
            break
        at = cell.end()
        if cell["row"] and row:
            yield list(row), at
            row.clear()
        elif not cell["row"]:
            _skip_covered(row, below, at)
            inside = HTML_INSIDE.match(text, *cell.span("cell"))
            spans = {span["way"].lower(): int(span["cells"]) for span in HTML_SPAN.finditer(cell["spans"] or "")}
            width = min(spans.get("col", 1), MOST)
            below |= dict.fromkeys(range(len(row), len(row) + width), spans.get("row", 1) - 1)
            row += [inside.span("inside") if inside else cell.span("cell"), *[(at, at)] * (width - 1)]
    if row:
        yield row, at


def _skip_covered(row: Row, below: dict[int, int], at: int) -> None:
    """Put an empty cell wherever one of a row above goes on."""
    while below.get(len(row), 0) > 0:
        below[len(row)] -= 1
        row.append((at, at))


def _read_wiki(place: Place) -> Table | None:
    """`!` or `!!` before a heading, `|` or `||` before a cell, `|-` between rows."""
    if not place.lower[place.start : place.end].lstrip().startswith("!"):
        return None
    first = max(place.find_before("{|", place.at), place.find_before("|-", place.at))
    return _take_head(
        _wiki_rows(place.text, max(0, place.start - 1) if first < 0 else find_line_end(place.lower, first))
    )


def _wiki_rows(text: str, at: int) -> Iterator[tuple[Row, int]]:
    row: Row = []
    for mark in _find_near(WIKI_MARK, text, at, row):
        if mark["end"]:
            break
        if mark["row"] and row:
            yield list(row), mark.start()
            row.clear()
        elif not mark["row"]:
            row.append(mark.span("cell"))
        at = mark.end()
    if row:
        yield row, at


def _read_barred(place: Place) -> Table | None:
    """`||` between headings, `|` between the cells of the lines below."""
    if not place.lower[place.start : place.end].lstrip().startswith("||"):
        return None
    return Table(_cut_bars(place.text, place.start, place.end), place.end, _barred_rows(place.text, place.end + 1))


def _barred_rows(text: str, at: int) -> Iterator[tuple[Row, int]]:
    while at < len(text):
        end = find_line_end(text, at)
        if not text[at:end].lstrip().startswith("|"):
            return
        yield _cut_bars(text, at, end), end
        at = end + 1


def _cut_bars(text: str, start: int, end: int) -> Row:
    return [cell.span("cell") for cell in BARRED.finditer(text, start, end)]


READERS = (_read_tex, _read_asciidoc, _read_simple, _read_items, _read_html, _read_wiki, _read_barred)
