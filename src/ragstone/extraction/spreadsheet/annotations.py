"""Objects on the cells of a worksheet: notes, comments, boxes with text, texts of pictures, titles of charts."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from ragstone.extraction.archive import Archive
from ragstone.extraction.spreadsheet.package import BROKEN, XlsxPackage, read_relations
from ragstone.extraction.spreadsheet.survey import column_number
from ragstone.extraction.spreadsheet.survey_result import Survey

MOST = 10_000  # of one sheet
LONGEST = 32_767  # characters: as many as a cell may have
SAYS_NOTHING = frozenset(("", "picture", "image", "bild"))  # what programs write where nobody described a picture
THREADED = "[Threaded comment]"  # begins what older programs are shown in place of a comment
LETTER = re.compile(r"[^\W\d_]")
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # of a form for older programs
PLACE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")


class Annotation(NamedTuple):
    """A text and the cell that it hangs on, row and column counted from 1."""

    row: int
    col: int
    text: str


def read_cell_annotations(package: XlsxPackage, sheet: str, survey: Survey) -> list[Annotation]:
    """All that hangs on the visible cells of a sheet, by row, then column; nothing where its parts cannot be read."""
    part = package.sheets.get(sheet)
    found: list[Annotation] = []
    try:
        parts = read_relations(package.archive, part) if part else {}
        for name in parts.values():
            if name not in package.archive.names or not name.endswith(".xml"):
                continue
            if "omments" in name:  # `comments1.xml`, `comments/comment1.xml`, `threadedComments/…`
                found += _read_comments(package.archive.read_xml(name))
            elif "/drawings/" in name:
                found += _read_drawing(package.archive, name)
            if len(found) > MOST:
                break
    except BROKEN:
        pass  # the cells are there all the same
    seen = (one for one in found[:MOST] if one.row not in survey.hidden_rows and one.col not in survey.hidden_cols)
    return sorted(seen, key=lambda one: one[:2])


def cell_name(row: int, col: int) -> str:
    """
    >>> cell_name(7, 28)
    'AB7'
    """
    letters = ""
    while col > 0:
        col, rest = divmod(col - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row}"


def _read_comments(root: etree._Element) -> Iterator[Annotation]:
    """Notes have runs with a text each, comments (a thread of them at one cell) a text."""
    authors = [_read_text(author) for author in root.iterfind("{*}authors/{*}author")]
    for one in root.iter("{*}comment", "{*}threadedComment"):
        place = PLACE.match(one.get("ref") or "")
        whole = next(one.iterchildren("{*}text"), None)
        said = "" if whole is None else _read_text(whole)
        number = one.get("authorId") or ""
        author = authors[int(number)] if number.isdecimal() and int(number) < len(authors) else ""
        # Programs write who it was above the first line, too.
        said = said.removeprefix(f"{author}:").strip() if author else said
        if place and said and not said.startswith(THREADED):
            about = f"Note on {place[0].replace('$', '')}"
            yield Annotation(int(place[2]), column_number(place[1]), f"{about}: {said}")


def _read_drawing(archive: Archive, name: str) -> Iterator[Annotation]:
    """Boxes with text, pictures with a description, charts with a title."""
    parts = read_relations(archive, name)
    for anchor in archive.read_xml(name).iterchildren("{*}oneCellAnchor", "{*}twoCellAnchor"):
        row, col = (_parse_number(anchor.find(f"{{*}}from/{{*}}{way}")) + 1 for way in ("row", "col"))
        for about in anchor.iterfind("{*}pic/{*}nvPicPr/{*}cNvPr"):
            said = _squeeze_line(about.get("descr") or about.get("title") or "")
            if said.lower() not in SAYS_NOTHING:
                yield Annotation(row, col, f"Picture at {cell_name(row, col)}: {said}")
        for box in anchor.iter("{*}sp"):
            if said := _read_box(box):
                yield Annotation(row, col, said)
        for chart in anchor.iter("{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"):
            part = parts.get(next((str(value) for key, value in chart.items() if str(key).endswith("}id")), ""), "")
            if part in archive.names and (said := _join_titles(archive.read_xml(part))):
                yield Annotation(row, col, f"Chart at {cell_name(row, col)}: {said}")


def _read_box(box: etree._Element) -> str:
    """The text of a shape, a line a paragraph; nothing where it is hidden, shows a cell or says the same elsewhere."""
    about = box.find("{*}nvSpPr/{*}cNvPr")
    is_shown = about is None or about.get("hidden") not in ("1", "true")
    if box.get("textlink") or not is_shown or next(box.iterancestors(FALLBACK), None) is not None:
        return ""
    lines = ("".join(_read_runs(paragraph)) for paragraph in box.iterfind("{*}txBody/{*}p"))
    said = "\n".join(filter(None, map(_squeeze_line, lines)))[:LONGEST]
    return said if LETTER.search(said) else ""


def _join_titles(root: etree._Element) -> str:
    """A chart's title and those of its axes."""
    titles = (_squeeze_line("".join(_read_runs(title))) for title in root.iter("{*}title"))
    return ", ".join(dict.fromkeys(filter(None, titles)))


def _read_text(element: etree._Element) -> str:
    """The text in runs or right here, its lines kept."""
    lines = "".join(_read_runs(element) or [element.text or ""])[:LONGEST].split("\n")
    return "\n".join(filter(None, map(_squeeze_line, lines)))


def _read_runs(element: etree._Element) -> list[str]:
    return [run.text or "" for run in element.iter("{*}t")]


def _squeeze_line(text: str) -> str:
    return " ".join(text[:LONGEST].split())


def _parse_number(element: etree._Element | None) -> int:
    said = "" if element is None else (element.text or "").strip()
    return int(said) if said.isdecimal() and len(said) < 8 else 0
