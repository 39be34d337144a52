"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS) to a text of record and tables that know sheet, row and column."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetMetadata,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from ragstone.errors import Refused
from ragstone.extract.archive import Archive
from ragstone.extract.collector import collecting_later
from ragstone.extract.dates import iso_date
from ragstone.extract.sheet.attached import attached
from ragstone.extract.sheet.package import PERCENT, opened
from ragstone.extract.sheet.record import Record, is_prose
from ragstone.extract.sheet.rows import Line, regions
from ragstone.extract.sheet.survey import Survey, marked, surveyed, text_of
from ragstone.extract.sheet.values import ERROR, NUMBER, TEXT, number, padded, percent, shown
from ragstone.types import Extraction

RECIPE = "workbook-2"
# Filled cells of a workbook that are kept: one takes some 300 bytes on the way (benchmarks/extraction/sheets.md).
MOST_CELLS = 1_000_000
# Cells of the rectangle around a sheet's values, 32 bytes each in the reader.
MOST_AREA = 16_000_000
REACHING = 64  # merged cells that reach into one row
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SEALED = "EncryptedPackage".encode("utf-16-le")
MANIFEST, KEYS = "META-INF/manifest.xml", b"encryption-data"  # of an encrypted OpenDocument file
NAMED = 5  # sheets in one warning


@dataclass(slots=True)
class _Notes:
    """What was left out, by kind."""

    hidden: list[str] = field(default_factory=list)
    charts: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    uncomputed: bool = False

    def lines(self) -> Iterator[str]:
        if self.hidden:
            yield f"{_counted(self.hidden, 'hidden sheet')} left out; unhide what should be found"
        if self.charts:
            yield f"{_counted(self.charts, 'sheet')} left out that hold a chart or a macro, not cells"
        if self.broken:
            yield f"{_counted(self.broken, 'sheet')} left out that could not be read; save the workbook anew"
        yield from self.others


@collecting_later()
def parse(data: bytes, *, path: str) -> Extraction:
    """The visible cells of a workbook and what hangs on them. The record has a heading a sheet, tables as rows
    between bars, and behind them notes, descriptions of pictures and titles of charts as paragraphs.

    Raises `Refused`: encrypted, broken, too_large, unsupported, empty. Left out, each with a warning: hidden
    sheets, rows and columns (a filter hides nothing), cells beyond the first million.
    """
    archive = Archive(data, path=path) if data.startswith(b"PK") else None
    book = _open(data, archive, path)
    package = opened(data, archive) if archive else None
    record, notes, left = Record(), _Notes(), MOST_CELLS
    for index, about in enumerate(book.sheets_metadata):
        if _is_left_out(about, package.sheets.get(about.name, "") if package else "", notes):
            continue
        survey = surveyed(package, about.name) if package else Survey()
        sheet = _sheet(book, index, about.name, survey, notes)
        if sheet is not None:
            before = len(record.blocks)
            left = _put(record, sheet, about.name, survey, notes, left)
            found = attached(package, about.name, survey) if package else []
            if found and len(record.blocks) == before:
                record.sheet(about.name)
            for one in found:
                record.note(one.text, about.name, one.row, one.col)
    if not record.blocks:
        raise Refused("empty", f"{path} has no cell to show; {'; '.join(notes.lines()) or 'its sheets are empty'}")
    properties = package.properties if package else {}
    return Extraction(
        record.text(),
        tuple(record.blocks),
        _media_type(data),
        properties.get("title"),
        _meta(properties),
        tuple(notes.lines()),
    )


def _open(data: bytes, archive: Archive | None, path: str) -> CalamineWorkbook:
    sealed = archive is not None and MANIFEST in archive.names and KEYS in archive.read(MANIFEST)
    if sealed or (data.startswith(OLE) and SEALED in data):
        raise _encrypted(path)
    try:
        return CalamineWorkbook.from_filelike(BytesIO(data))
    except PasswordError as error:
        raise _encrypted(path) from error
    except (CalamineError, OSError, ValueError) as error:
        raise Refused(
            "broken",
            f"{path} holds no workbook that can be read ({error}); open it in a spreadsheet program and save it anew",
        ) from error
    except BaseException as error:
        raise _panic(error, path) from error


def _encrypted(path: str) -> Refused:
    return Refused("encrypted", f"{path} is protected by a password; save a copy without one")


def _panic(error: BaseException, path: str) -> BaseException:
    """A panic of the native reader, which is no `Exception`, as a refusal; anything else as it is."""
    if type(error).__name__ != "PanicException":
        return error
    return Refused(
        "broken", f"{path} makes the reader of workbooks fail; open it in a spreadsheet program and save it anew"
    )


def _is_left_out(about: SheetMetadata, part: str, notes: _Notes) -> bool:
    """Whether a sheet is hidden or holds no cells; the reader takes a sheet of a chart for one of cells."""
    if about.typ is not SheetTypeEnum.WorkSheet or (part and "/worksheets/" not in part):
        notes.charts.append(about.name)
    elif about.visible is not SheetVisibleEnum.Visible:
        notes.hidden.append(about.name)
    else:
        return False
    return True


def _sheet(book: CalamineWorkbook, index: int, name: str, survey: Survey, notes: _Notes) -> CalamineSheet | None:
    if survey.area > MOST_AREA:
        notes.others.append(
            f"sheet {name!r} left out: its values are spread over {survey.last_row:,} rows "
            f"and {survey.last_col:,} columns; delete the lone cell far from the others"
        )
        return None
    try:
        return book.get_sheet_by_index(index)
    except (CalamineError, OSError, ValueError):
        notes.broken.append(name)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        notes.broken.append(name)
    return None


def _put(record: Record, sheet: CalamineSheet, name: str, survey: Survey, notes: _Notes, left: int) -> int:
    """Write a sheet; how many cells may still come."""
    if left <= 0 and sheet.height:
        notes.others.append(f"sheet {name!r} left out: the workbook has more than {MOST_CELLS:,} cells; split it")
        return left
    if survey.uncomputed:
        notes.others.append(
            f"sheet {name!r} has {survey.uncomputed:,} formula{'s' * (survey.uncomputed > 1)} without a value; "
            "open the workbook in a spreadsheet program and save it"
        )
    limited = _Limited(_lines(sheet, survey), left)
    found = list(regions(limited, unseen=survey.hidden_cols, gone=survey.hidden_rows))
    if found:
        record.sheet(name)
    for i, lines in enumerate(found):
        follows = i + 1 < len(found) and not is_prose(found[i + 1])
        record.region(lines, name, above_table=follows)
    notes.others.extend(_hidden_inside(name, survey, limited))
    if limited.stopped_at:
        notes.others.append(
            f"sheet {name!r}: rows from {limited.stopped_at:,} on left out: "
            f"the workbook has more than {MOST_CELLS:,} cells; split it"
        )
    return limited.left


def _hidden_inside(name: str, survey: Survey, seen: "_Limited") -> Iterator[str]:
    """A warning for hidden rows and columns that would have held something to show."""
    rows = sum(row <= survey.last_row for row in survey.hidden_rows)
    cols = sum(col <= survey.last_col for col in survey.hidden_cols)
    said = [f"{n:,} hidden {what}{'s' * (n > 1)}" for n, what in ((rows, "row"), (cols, "column")) if n]
    if said and seen.any_row:
        yield f"sheet {name!r}: {' and '.join(said)} left out; unhide what should be found"


class _Limited:
    """Passes rows on until so many cells were seen; tells where it stopped."""

    def __init__(self, lines: Iterable[Line], left: int) -> None:
        self._lines = lines
        self.left = left
        self.stopped_at = 0
        self.any_row = False

    def __iter__(self) -> Iterator[Line]:
        for line in self._lines:
            if self.left < len(line.cols):
                self.stopped_at, self.left = line.number, 0
                return
            self.left -= len(line.cols)
            self.any_row = True
            yield line


def _lines(sheet: CalamineSheet, survey: Survey) -> Iterator[Line]:
    """The filled rows of a sheet without what is hidden."""
    if sheet.start is None:
        return
    first_col = sheet.start[1] + 1
    merged = _Merged(sheet.merged_cell_ranges or [])
    marks = marked(survey)
    mark = next(marks, None)
    for row, values in enumerate(sheet.iter_rows(), start=1):
        while mark is not None and mark[0] < row:
            mark = next(marks, None)
        codes = mark[1] if mark is not None and mark[0] == row else None
        if row in survey.hidden_rows or (codes is None and values.count("") == len(values)):
            continue
        line = _line(row, first_col, values, codes, survey.hidden_cols)
        if line is not None:
            yield merged.applied(line)


def _line(
    row: int, first_col: int, values: list[Any], codes: Mapping[int, int] | None, hidden: set[int]
) -> Line | None:
    cols: list[int] = []
    texts: list[str] = []
    kinds: list[str] = []
    for col, value in enumerate(values, start=first_col):
        if codes is not None and col in codes:
            text, kind = _coded(value, *shown(value), codes[col])
        elif type(value) is str:  # most are
            text, kind = value.strip(), TEXT
        elif type(value) is float:
            text, kind = number(value), NUMBER
        else:
            text, kind = shown(value)
        if text and col not in hidden:
            cols.append(col)
            texts.append(text)
            kinds.append(kind)
    return Line(row, cols, texts, "".join(kinds)) if cols else None


def _coded(value: object, text: str, kind: str, code: int) -> tuple[str, str]:
    if error := text_of(code):
        return error, ERROR
    if isinstance(value, bool) or not isinstance(value, int | float):
        return text, kind
    return (percent(value) if code == PERCENT else padded(value, code)), kind


class _Merged:
    """The merged cells of a sheet, asked for row by row."""

    def __init__(self, ranges: Iterable[tuple[tuple[int, int], tuple[int, int]]]) -> None:
        self._begin: dict[int, list[tuple[int, int, int]]] = {}
        for (top, left), (bottom, right) in ranges:
            if bottom >= top and right >= left and (bottom > top or right > left):
                self._begin.setdefault(top + 1, []).append((left + 1, bottom + 1, right + 1))
        self._reaching: list[tuple[int, int, str, str]] = []  # last row, column, text, kind

    def applied(self, line: Line) -> Line:
        """The row with what its merged cells cover, and with the texts that reach down into it."""
        begin = self._begin.get(line.number)
        if begin is None and not self._reaching:
            return line
        texts = dict(zip(line.cols, zip(line.texts, line.kinds, strict=True), strict=True))
        covers = {
            left: (last - line.number + 1, right - left + 1) for left, last, right in begin or () if left in texts
        }
        self._reaching = [one for one in self._reaching if one[0] >= line.number]
        again = {col: (text, kind) for _, col, text, kind in self._reaching if col not in texts}
        for left, last, _ in begin or ():
            if last > line.number and left in texts and len(self._reaching) < REACHING:
                self._reaching.append((last, left, *texts[left]))
        every = sorted({**texts, **again}.items())
        return Line(
            line.number,
            [col for col, _ in every],
            [text for _, (text, _) in every],
            "".join(kind for _, (_, kind) in every),
            covers or None,
            frozenset(again),
        )


def _counted(names: list[str], what: str) -> str:
    shown_names = ", ".join(repr(name) for name in names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{len(names)} {what}{'s' * (len(names) > 1)} ({shown_names}{more})"


def _media_type(data: bytes) -> str:
    if data.startswith(OLE):
        return "application/vnd.ms-excel"
    start = data[:200]
    if b"opendocument.spreadsheet" in start:
        return "application/vnd.oasis.opendocument.spreadsheet"
    return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def _meta(properties: Mapping[str, str]) -> dict[str, Any]:
    said = {"author": properties.get("creator"), "description": properties.get("description")}
    date = next(
        filter(None, (iso_date(properties[name]) for name in ("modified", "created") if name in properties)), None
    )
    return {name: text for name, text in (*said.items(), ("date", date)) if text}
