"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS) to a text of record and tables that know sheet, row and column."""

import re
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from python_calamine import (
    CalamineError,
    CalamineWorkbook,
    PasswordError,
    SheetMetadata,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from ragstone.core.errors import Refused
from ragstone.core.filters import RESTRICTED
from ragstone.core.types import Extraction
from ragstone.extraction.archive import Archive
from ragstone.extraction.gc_pause import pause_gc
from ragstone.extraction.media_types import ENCRYPTED_PACKAGE, OLE_MARK
from ragstone.extraction.ooxml.properties import read_levels
from ragstone.extraction.optional_steps import attempt_step
from ragstone.extraction.record.confidentiality import KEY
from ragstone.extraction.record.dates import iso_date
from ragstone.extraction.spreadsheet.ods import read_merged_cells
from ragstone.extraction.spreadsheet.package import open_package
from ragstone.extraction.spreadsheet.record import SheetWriter
from ragstone.extraction.spreadsheet.worksheet import SheetNotes, WorksheetReader, is_panic

# The record FILEPASS behind the first one, in a workbook of Excel 97 or before (MS-XLS).
SEALED = re.compile(rb"\x09\x08(?:\x10\0.{16}|\x08\0.{8})(?:\x86\0\0\0)?\x2f\0", re.DOTALL)
MANIFEST, KEYS = "META-INF/manifest.xml", b"encryption-data"  # of an encrypted OpenDocument file


@pause_gc()
def parse_workbook(data: bytes, *, path: str) -> Extraction:
    """The visible cells of a workbook and what hangs on them. The record has a heading a sheet, tables as rows
    between bars, and behind them notes, descriptions of pictures and titles of charts as paragraphs.

    Raises `Refused`: encrypted, broken, too_large, unsupported, empty. Left out, each with a warning: hidden
    sheets, rows and columns (a filter hides nothing), cells beyond the first million.
    """
    archive = Archive(data, path=path) if data.startswith(b"PK") else None
    book = _open_workbook(data, archive, path)
    package = open_package(data, archive) if archive else None
    record, notes = SheetWriter(), SheetNotes()
    sheets = WorksheetReader(
        book, package, record, notes, read_merged_cells(archive) if archive and not package else {}
    )
    for index, about in enumerate(book.sheets_metadata):
        if not _is_left_out(about, package.sheets.get(about.name, "") if package else "", notes):
            sheets.put(index, about.name)
    if not record.blocks:
        raise Refused(
            "broken" if notes.broken else "empty",
            f"{path} has no visible cell; {'; '.join(notes.lines()) or 'its sheets are empty'}",
        )
    properties = package.properties if package else {}
    levels = (
        attempt_step("the file's properties were not read", lambda: read_levels(archive), notes.failed)
        if archive
        else []
    )
    return Extraction(
        record.text(),
        tuple(record.blocks),
        _detect_media_type(data),
        properties.get("title"),
        _collect_meta(properties) | ({KEY: [RESTRICTED] if levels is None else levels} if levels != [] else {}),
        tuple(notes.lines()),
    )


def _open_workbook(data: bytes, archive: Archive | None, path: str) -> CalamineWorkbook:
    sealed = archive is not None and MANIFEST in archive.names and KEYS in archive.read(MANIFEST)
    if sealed or (data.startswith(OLE_MARK) and ENCRYPTED_PACKAGE.encode("utf-16-le") in data):
        raise _password_refusal(path)
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(data))
    except PasswordError as error:
        raise _password_refusal(path) from error
    except (CalamineError, OSError, ValueError) as error:
        if SEALED.search(data):
            raise _password_refusal(path) from error
        raise _damage_refusal(path, f"holds no workbook that can be read ({error})") from error
    except BaseException as error:
        if not is_panic(error):
            raise
        raise _damage_refusal(path, "makes the reader of workbooks fail") from error
    if not book.sheets_metadata:
        raise _damage_refusal(path, "names no sheet")
    return book


def _password_refusal(path: str) -> Refused:
    return Refused("encrypted", f"{path} is protected by a password; save a copy without one")


def _damage_refusal(path: str, what: str) -> Refused:
    return Refused("broken", f"{path} {what}; open it in a spreadsheet program and save it anew")


def _is_left_out(about: SheetMetadata, part: str, notes: SheetNotes) -> bool:
    """Whether a sheet is hidden or holds no cells; the reader takes a sheet of a chart for one of cells."""
    if about.typ is not SheetTypeEnum.WorkSheet or (part and "/worksheets/" not in part):
        notes.charts.append(about.name)
    elif about.visible is not SheetVisibleEnum.Visible:
        notes.hidden.append(about.name)
    else:
        return False
    return True


def _detect_media_type(data: bytes) -> str:
    if data.startswith(OLE_MARK):
        return "application/vnd.ms-excel"
    start = data[:200]
    if b"opendocument.spreadsheet" in start:
        return "application/vnd.oasis.opendocument.spreadsheet"
    return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def _collect_meta(properties: Mapping[str, str]) -> dict[str, Any]:
    said = {"author": properties.get("creator"), "description": properties.get("description")}
    date = next(
        filter(None, (iso_date(properties[name]) for name in ("modified", "created") if name in properties)), None
    )
    return {name: text for name, text in (*said.items(), ("date", date)) if text}
