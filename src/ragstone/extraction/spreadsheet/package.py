"""The parts of an XLSX file beside its values: the places of sheets, styles, the author."""

import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from posixpath import dirname, join, normpath

from lxml import etree

from ragstone.core.errors import Refused
from ragstone.extraction.archive import FAULTS, Archive

PERCENTS = (9, 10)  # number formats that need no text
MOMENTS, DURATIONS = (*range(14, 23), 45, 47), (46,)
ELAPSED, CLOCK = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE), re.compile(r"[dmyhs]", re.IGNORECASE)
LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
PERCENT = 0  # code of a style; 1 to 31 are widths of zeros (see `survey`)
WIDEST = 31
BROKEN = (Refused, *FAULTS)


@dataclass(frozen=True, slots=True)
class XlsxPackage:
    """`sheets` are the parts of worksheets by name; `codes` the styles by index that change how a number is shown,
    `moments` and `durations` those that show it as a date or time, or as hours. `since_1904`: days count from there.
    """

    archive: Archive
    stream: zipfile.ZipFile
    sheets: Mapping[str, str]
    codes: Mapping[int, int]
    moments: frozenset[int]
    durations: frozenset[int]
    since_1904: bool
    properties: Mapping[str, str]


def open_package(data: bytes, archive: Archive) -> XlsxPackage | None:
    """The package of an XLSX file, its archive checked before; None for other formats, and where it cannot be read."""
    try:
        if "xl/workbook.xml" not in archive.names:
            return None
        stream = zipfile.ZipFile(BytesIO(data))  # the archive gives members as a whole only
        book = archive.read_xml("xl/workbook.xml")
        said = next((one.get("date1904") for one in book.iter("{*}workbookPr")), None)
        formats = _read_formats(archive)
        return XlsxPackage(
            archive,
            stream,
            _find_sheets(archive, book),
            {i: code for i, one in enumerate(formats) if (code := _style_code(*one)) is not None},
            frozenset(i for i, one in enumerate(formats) if _clock_kind(*one) == "moment"),
            frozenset(i for i, one in enumerate(formats) if _clock_kind(*one) == "duration"),
            said in ("1", "true"),
            _read_properties(archive),
        )
    except BROKEN:
        return None


def read_relations(archive: Archive, name: str) -> dict[str, str]:
    """The parts that a part refers to, by the id of the relation."""
    folder, _, last = name.rpartition("/")
    relations = f"{folder}/_rels/{last}.rels"
    if relations not in archive.names:
        return {}
    tree = archive.read_xml(relations)
    targets = ((one.get("Id", ""), one.get("Target", "")) for one in tree)
    return {
        key: target.lstrip("/") if target.startswith("/") else normpath(join(dirname(name), target))
        for key, target in targets
    }


def _find_sheets(archive: Archive, book: etree._Element) -> dict[str, str]:
    parts = read_relations(archive, "xl/workbook.xml")
    return {one.get("name", ""): parts[key] for one in book.iter("{*}sheet") if (key := _relation_id(one)) in parts}


def _relation_id(sheet: etree._Element) -> str:
    """The relation's id, whichever of the two namespaces (transitional, strict) it has."""
    return next((str(value) for key, value in sheet.attrib.items() if str(key).endswith("}id")), "")


def _read_formats(archive: Archive) -> list[tuple[str, str | None]]:
    """The number format of each style: its id, and its text where the file has one."""
    if "xl/styles.xml" not in archive.names:
        return []
    tree = archive.read_xml("xl/styles.xml")
    own = {one.get("numFmtId"): one.get("formatCode", "") for one in tree.iter("{*}numFmt")}
    formats = (one.get("numFmtId", "0") for group in tree.iter("{*}cellXfs") for one in group)
    return [(key, own.get(key)) for key in formats]


def _style_code(key: str, text: str | None) -> int | None:
    """
    >>> _style_code("10", None), _style_code("170", "0.0%"), _style_code("171", "00000"), _style_code("172", '0" %"')
    (0, 0, 5, None)
    """
    if text is None:
        return PERCENT if key.isdecimal() and int(key) in PERCENTS else None
    first = LITERAL.sub("", text).split(";")[0].strip()
    if "%" in first:
        return PERCENT
    return len(first) if 1 < len(first) <= WIDEST and set(first) == {"0"} else None


def _clock_kind(key: str, text: str | None) -> str:
    """Whether a format shows a number as a "moment" or a "duration", "" for neither.

    >>> (_clock_kind("14", None), _clock_kind("170", "yyyy-mm-dd"), _clock_kind("171", "[h]:mm"),
    ...  _clock_kind("172", '0 "days"'))
    ('moment', 'moment', 'duration', '')
    """
    if text is None:
        number = int(key) if key.isdecimal() and len(key) < 9 else 0
        return "moment" if number in MOMENTS else "duration" if number in DURATIONS else ""
    first = text.split(";")[0]
    if ELAPSED.search(first):
        return "duration"
    return "moment" if CLOCK.search(LITERAL.sub("", text).split(";")[0]) else ""


def _read_properties(archive: Archive) -> dict[str, str]:
    """Title, author, description and dates, where the file has them."""
    if "docProps/core.xml" not in archive.names:
        return {}
    said = (
        (etree.QName(one).localname, (one.text or "").strip())
        for one in archive.read_xml("docProps/core.xml")
        if len(str(one.tag)) > 1
    )
    return {name: text for name, text in said if text}
