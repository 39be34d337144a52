"""CSV and TSV files: the text of record is the decoded file itself, its rows are the rows of tables in it."""

from collections.abc import Iterator, Sequence
from typing import Any

from ragstone.core.document_names import readable_name
from ragstone.core.errors import Refused
from ragstone.core.newlines import unify_newlines
from ragstone.core.plural import format_count
from ragstone.core.types import Block, Cell, Extraction, Span
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.gc_pause import pause_gc
from ragstone.extraction.record.line_index import LineIndex
from ragstone.extraction.spreadsheet.csv_delimiter import detect_delimiter
from ragstone.extraction.spreadsheet.csv_rows import CsvRow, parse_rows
from ragstone.extraction.spreadsheet.headers import count_headers, count_titles
from ragstone.extraction.spreadsheet.record import TITLE, is_prose, is_title
from ragstone.extraction.spreadsheet.rows import Line, split_bands
from ragstone.extraction.spreadsheet.tickets import is_list_of_records, write_sections
from ragstone.extraction.spreadsheet.values import classify_text

# Filled fields that are kept, as for workbooks.
MOST_CELLS = 1_000_000
MOST_COLUMNS = 16_384  # of a row: as many as Excel's sheets have


@pause_gc()
def parse_delimited(data: bytes, *, path: str) -> Extraction:
    """The rows of a CSV file, each with its characters in the file; empty rows set tables apart.

    Delimiter and header are found by what the rows have in common. A list of records with long texts, as of tickets, is
    written anew, a section for each. Raises `Refused`: encoding, empty.
    """
    text, warnings = decode_text(data, path=path)
    mark, start = detect_delimiter(text, tabs=path.lower().endswith((".tsv", ".tab")))
    limited = _LimitedRows(text, mark, start)
    found = list(split_bands(limited))
    if not found:
        raise Refused("empty", f"{path} holds no text")
    record, blocks = text, list[Block]()
    if len(found) == 1 and is_list_of_records(count_headers(found[0]), found[0]):
        record, sections = write_sections(found[0])
        blocks += sections
    else:
        lines = LineIndex(unify_newlines(text))
        for i, band in enumerate(found):
            blocks += _build_blocks(text, lines, band, below=found[i + 1 : i + 2])
    if limited.too_wide:
        warnings = (
            *warnings,
            f"columns from {MOST_COLUMNS + 1:,} on left out of {format_count(limited.too_wide, 'row')}; split the file",
        )
    if limited.stopped_at:
        warnings = (
            *warnings,
            f"rows from {limited.stopped_at:,} on left out: more than {MOST_CELLS:,} cells; split the file",
        )
    media_type = "text/tab-separated-values" if mark == "\t" else "text/csv"
    title = blocks[0].text if blocks[0].type == "heading" and record is text else readable_name(path) or None
    return Extraction(record, tuple(blocks), media_type, title, {}, warnings)


class _LimitedRows:
    """The filled rows of a file until there are too many cells; tells where it stopped, and how many rows were cut."""

    def __init__(self, text: str, mark: str, start: int) -> None:
        self._text, self._mark, self._start = text, mark, start
        self.stopped_at = self.too_wide = 0

    def __iter__(self) -> Iterator[Line]:
        left = MOST_CELLS
        for number, row in enumerate(
            parse_rows(self._text, self._mark, start=self._start), start=1 if not self._start else 2
        ):
            if len(row.texts) > MOST_COLUMNS:
                self.too_wide += 1
                places = row.places[:MOST_COLUMNS]
                row = CsvRow(row.start, places[-1][1], row.texts[:MOST_COLUMNS], places)  # noqa: PLW2901
            texts = [field.strip() for field in row.texts]
            places = row.places if texts == row.texts else list(map(_trim_place, row.texts, row.places))
            keep = [i for i, field in enumerate(texts) if field]
            left -= len(keep)
            if left < 0:
                self.stopped_at = number
                return
            if keep:
                yield _make_line(number, texts, keep, places, row.start, row.end)


def _trim_place(field: str, place: tuple[int, int]) -> tuple[int, int]:
    """The place of a field without the white space around it."""
    lead, trail = len(field) - len(field.lstrip()), len(field) - len(field.rstrip())
    return (place[0] + lead, place[1] - trail) if lead < len(field) else place


def _make_line(
    number: int, texts: list[str], keep: list[int], places: list[tuple[int, int]], start: int, end: int
) -> Line:
    whole = len(keep) == len(texts)
    filled = texts if whole else [texts[i] for i in keep]
    return Line(
        number,
        range(1, len(texts) + 1) if whole else [i + 1 for i in keep],
        filled,
        "".join(map(classify_text, filled)),
        places=places if whole else [places[i] for i in keep],
        start=start,
        end=end,
    )


def _build_blocks(
    text: str, lines: LineIndex, band: Sequence[Line], *, below: Sequence[Sequence[Line]]
) -> Iterator[Block]:
    if is_prose(band):
        table_below = bool(below) and not is_prose(below[0])
        yield from (_make_text_block(text, lines, line, title=table_below and len(band) == 1) for line in band)
        return
    above = count_titles(band)
    for i, line in enumerate(band[:above]):
        yield _make_text_block(text, lines, line, title=i == 0)
    yield _make_table(text, lines, band[above:])


def _make_text_block(text: str, lines: LineIndex, line: Line, *, title: bool) -> Block:
    said = line.texts[0]
    span = _row_span(text, lines, line, (line.cols[0],) * 2)
    if title and is_title(said):
        return Block("heading", said, (span,), level=TITLE)
    return Block("paragraph", said, (span,))


def _make_table(text: str, lines: LineIndex, band: Sequence[Line]) -> Block:
    head = count_headers(band)
    bounds = (min(line.cols[0] for line in band), max(line.cols[-1] for line in band))
    cells: list[Cell] = []
    for i, line in enumerate(band):
        first, header = bounds[0], i < head
        cells += [
            Cell(i, col - first, said, 1, 1, header, start, end)
            for col, said, (start, end) in zip(line.cols, line.texts, line.places, strict=True)
        ]
    spans = tuple(_row_span(text, lines, line, bounds) for line in band)
    return Block("table", "\n".join(map(_format_row, band)), spans, cells=tuple(cells))


def _row_span(text: str, lines: LineIndex, line: Line, cols: tuple[int, int]) -> Span:
    """The row without white space around it."""
    start, end = line.start, line.end
    while text[start].isspace():
        start += 1
    while text[end - 1].isspace():
        end -= 1
    place: dict[str, Any] = {"rows": (line.number, line.number), "cols": cols}
    return lines.span(start, end, **place)


def _format_row(line: Line) -> str:
    """The row between bars, for readers."""
    if len(line.cols) == line.cols[-1]:
        return f"| {' | '.join(line.texts)} |".replace("\r", " ").replace("\n", " ")
    parts: list[str] = []
    at = 1
    for col, said in zip(line.cols, line.texts, strict=True):
        parts.extend([""] * min(20, col - at))
        parts.append(" ".join(said.split()))
        at = col + 1
    return "| " + " | ".join(parts) + " |"
