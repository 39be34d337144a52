"""Small workbooks, written part by part."""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts count="2"><numFmt numFmtId="170" formatCode="0.0%"/>'
    '<numFmt numFmtId="171" formatCode="00000"/></numFmts><cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="14"/>'
    '<xf numFmtId="22"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="46"/></cellXfs></styleSheet>'
)
DATE, MOMENT, PERCENT, ZEROS, HOURS = 1, 2, 3, 4, 5


def letters(col: int) -> str:
    """A column's letters, from 1."""
    out = ""
    while col:
        col, rest = divmod(col - 1, 26)
        out = chr(65 + rest) + out
    return out


def cell(row: int, col: int, value: object, style: int = 0) -> str:
    """A cell's element; a value that begins with `<` is taken as it is."""
    place = f'r="{letters(col)}{row}"' + (f' s="{style}"' if style else "")
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f"<c {place}><v>{value!r}</v></c>"
    text = str(value)
    if text.startswith("#"):
        return f'<c {place} t="e"><v>{escape(text)}</v></c>'
    if text.startswith("<"):
        return f"<c {place}>{text}</c>"
    return f'<c {place} t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def rows(values: Iterable[Any], *, top: int = 1, left: int = 1, attributes: Mapping[int, str] | None = None) -> str:
    """Rows of cells; None is an empty cell, a pair a value with its style."""
    out = []
    for number, line in enumerate(values, start=top):
        cells = [
            cell(number, col, *(value if isinstance(value, tuple) else (value,)))
            for col, value in enumerate(line, start=left)
            if value is not None
        ]
        out.append(f'<row r="{number}" {(attributes or {}).get(number, "")}>{"".join(cells)}</row>')
    return "".join(out)


def sheet(data: str, *, head: str = "", tail: str = "", merged: Sequence[str] = ()) -> str:
    """A worksheet's part around its rows."""
    covers = "".join(f'<mergeCell ref="{ref}"/>' for ref in merged)
    merges = f"<mergeCells>{covers}</mergeCells>" if covers else ""
    return f'<worksheet xmlns="{MAIN}">{head}<sheetData>{data}</sheetData>{tail}{merges}</worksheet>'


def book(
    sheets: Mapping[str, str], *, states: Mapping[str, str] | None = None, extra: Mapping[str, str] | None = None
) -> bytes:
    """An XLSX file of sheets by name; `states` may hide some, `extra` are further parts."""
    out = io.BytesIO()
    names = list(sheets)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        types = "".join(
            f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{KIND}.worksheet+xml"/>'
            for i in range(len(names))
        )
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>{types}</Types>',
        )
        archive.writestr("_rels/.rels", _relations([("officeDocument", "xl/workbook.xml")]))
        listed = "".join(
            f'<sheet name={quoteattr(name)} sheetId="{i + 1}" state="{state}" r:id="rId{i}"/>'
            for i, name in enumerate(names)
            for state in ((states or {}).get(name, "visible"),)
        )
        archive.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>'
        )
        parts = [("worksheet", f"worksheets/sheet{i}.xml") for i in range(len(names))]
        archive.writestr("xl/_rels/workbook.xml.rels", _relations([*parts, ("styles", "styles.xml")]))
        archive.writestr("xl/styles.xml", STYLES)
        for i, name in enumerate(names):
            archive.writestr(f"xl/worksheets/sheet{i}.xml", sheets[name])
        for name, text in (extra or {}).items():
            archive.writestr(name, text)
    return out.getvalue()


def _relations(parts: Sequence[tuple[str, str]]) -> str:
    ones = "".join(
        f'<Relationship Id="rId{i}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for i, (kind, target) in enumerate(parts)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{ones}</Relationships>'


def grid(values: Iterable[Any], *, merged: Sequence[str] = ()) -> bytes:
    """A workbook of one sheet named S."""
    return book({"S": sheet(rows(values), merged=merged)})
