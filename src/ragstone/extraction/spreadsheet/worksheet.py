"""One worksheet after the other: read as fast as it can be, written to the record, what is lost of it noted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

from python_calamine import CalamineError, CalamineWorkbook

from ragstone.extraction.optional_steps import FailedStep, attempt_step, warn_failed_steps
from ragstone.extraction.spreadsheet.annotations import read_cell_annotations
from ragstone.extraction.spreadsheet.cells import LimitedRows, Range, build_sheet_lines, read_sheet_rows
from ragstone.extraction.spreadsheet.package import XlsxPackage
from ragstone.extraction.spreadsheet.record import SheetWriter, is_prose
from ragstone.extraction.spreadsheet.rows import Line, split_regions
from ragstone.extraction.spreadsheet.stream import SheetStream
from ragstone.extraction.spreadsheet.survey import survey_sheet
from ragstone.extraction.spreadsheet.survey_result import Survey

NAMED = 5  # sheets in one warning
# Filled cells of a workbook that are kept: one takes some 300 bytes on the way (benchmarks/extraction/sheets.md).
MOST_CELLS = 1_000_000
# Cells of the rectangle around a sheet's values, 32 bytes each in the quick reader.
MOST_AREA = 16_000_000


@dataclass(slots=True)
class SheetNotes:
    """Names of sheets by what is the matter with them; `others` are whole warnings."""

    hidden: list[str] = field(default_factory=list)
    charts: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    failed: list[FailedStep] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        if self.hidden:
            yield f"{_format_names(self.hidden, 'hidden sheet')} left out; unhide what should be found"
        if self.charts:
            yield f"{_format_names(self.charts, 'sheet')} left out that hold a chart or a macro, not cells"
        if self.broken:
            yield f"{_format_names(self.broken, 'sheet')} left out that could not be read; save the workbook anew"
        yield from self.others
        yield from warn_failed_steps(self.failed)


def _format_names(names: list[str], what: str) -> str:
    shown_names = ", ".join(repr(name) for name in names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{len(names)} {what}{'s' * (len(names) > 1)} ({shown_names}{more})"


class WorksheetReader:
    """Writes the sheets of a workbook to `record`, what is left out to `notes`."""

    def __init__(
        self,
        book: CalamineWorkbook,
        package: XlsxPackage | None,
        record: SheetWriter,
        notes: SheetNotes,
        merged: Mapping[str, list[Range]] = MappingProxyType({}),
    ) -> None:
        self._book, self._package = book, package
        self._stream = SheetStream(package) if package else None
        self._record, self._notes, self._merged = record, notes, merged
        self._left = MOST_CELLS

    def put(self, index: int, name: str) -> None:
        """Write a sheet and what hangs on its cells."""
        survey = survey_sheet(self._package, name) if self._package else Survey()
        read = self._read_fast(index, survey)
        if read is None:
            read = self._read_streamed(name, survey)
        if read is None:
            self._notes.broken.append(name)
            return
        found, limited = read
        self._left = limited.left
        self._notes.others.extend(list_warnings(name, survey, limited, any_table=bool(found)))
        hanging = (
            attempt_step(
                f"notes and drawings of sheet {name!r} were not read",
                partial(read_cell_annotations, self._package, name, survey),
                self._notes.failed,
            )
            if self._package
            else None
        ) or []
        if found or hanging:
            self._record.begin_sheet(name)
        for i, one in enumerate(found):
            follows = i + 1 < len(found) and not is_prose(found[i + 1])
            self._record.write_region(one, name, above_table=follows)
        for text in hanging:
            self._record.write_note(text.text, name, text.row, text.col)

    def _read_fast(self, index: int, survey: Survey) -> tuple[list[list[Line]], LimitedRows] | None:
        """The tables of a sheet by the quick reader, None where that fails or would hold too much."""
        if self._stream is not None and (survey.area > MOST_AREA or not survey.begins):
            return None
        try:
            sheet = self._book.get_sheet_by_index(index)
            limited = LimitedRows(
                build_sheet_lines(
                    read_sheet_rows(sheet), sheet.merged_cell_ranges or self._merged.get(sheet.name, []), survey
                ),
                self._left,
            )
            return _collect_tables(limited, survey), limited
        except (CalamineError, OSError, ValueError, OverflowError):
            return None
        except BaseException as error:
            if not is_panic(error):
                raise
            return None

    def _read_streamed(self, name: str, survey: Survey) -> tuple[list[list[Line]], LimitedRows] | None:
        """Read a sheet cell by cell; None if there is no stream."""
        if self._stream is None:
            return None
        sheet = self._stream.read(name, most=self._left)
        if sheet.damaged_behind is not None and not sheet.cells:
            return None
        if sheet.damaged_behind is not None:
            self._notes.others.append(
                f"sheet {name!r} is damaged: what follows row {sheet.damaged_behind:,} left out; save the workbook anew"
            )
        if sheet.lost:
            self._notes.others.append(
                f"sheet {name!r}: {sheet.lost:,} cell{'s' * (sheet.lost > 1)} left out whose text the workbook "
                "does not hold; save the workbook anew"
            )
        limited = LimitedRows(build_sheet_lines(sheet.rows(), sheet.merged, survey), self._left)
        return _collect_tables(limited, survey), limited


def is_panic(error: BaseException) -> bool:
    """Whether the native reader panicked, which does not raise an `Exception`."""
    return type(error).__name__ == "PanicException"


def _collect_tables(limited: LimitedRows, survey: Survey) -> list[list[Line]]:
    return list(split_regions(limited, unseen=survey.hidden_cols, gone=survey.hidden_rows))


def list_warnings(name: str, survey: Survey, limited: LimitedRows, *, any_table: bool) -> Iterator[str]:
    """The warnings about a sheet that was read."""
    if limited.stopped_at and not any_table:
        yield f"sheet {name!r} left out: the workbook has more than {MOST_CELLS:,} cells; split it"
        return
    if survey.uncomputed:
        yield (
            f"sheet {name!r} has {survey.uncomputed:,} formula{'s' * (survey.uncomputed > 1)} without a value; "
            "open the workbook in a spreadsheet program and save it"
        )
    rows = sum(row <= survey.last_row for row in survey.hidden_rows)
    cols = sum(col <= survey.last_col for col in survey.hidden_cols)
    hidden = [f"{n:,} hidden {what}{'s' * (n > 1)}" for n, what in ((rows, "row"), (cols, "column")) if n]
    if hidden and limited.any_row:
        yield f"sheet {name!r}: {' and '.join(hidden)} left out; unhide what should be found"
    if limited.stopped_at:
        yield (
            f"sheet {name!r}: rows from {limited.stopped_at:,} on left out: "
            f"the workbook has more than {MOST_CELLS:,} cells; split it"
        )
