"""What hangs on the cells of a worksheet: notes, comments, what pictures show, what charts are called."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from ragstone.extraction.archive import Archive
from ragstone.extraction.spreadsheet.marks import Survey
from ragstone.extraction.spreadsheet.package import BROKEN, Package, related
from ragstone.extraction.spreadsheet.survey import column

MOST = 10_000  # of one sheet
LONGEST = 32_767  # characters: as many as a cell may have
SAYS_NOTHING = frozenset(("", "picture", "image", "bild"))  # what programs write where nobody described a picture
THREADED = "[Threaded comment]"  # begins what older programs are shown in place of a comment
PLACE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")


class Attached(NamedTuple):
    """A text and the cell that it hangs on, row and column counted from 1."""

    row: int
    col: int
    text: str


def attached(package: Package, sheet: str, survey: Survey) -> list[Attached]:
    """All that hangs on the visible cells of a sheet, by row, then column; nothing where its parts cannot be read."""
    part = package.sheets.get(sheet)
    found: list[Attached] = []
    try:
        parts = related(package.archive, part) if part else {}
        for name in parts.values():
            if name not in package.archive.names or not name.endswith(".xml"):
                continue
            if "omments" in name:  # `comments1.xml`, `comments/comment1.xml`, `threadedComments/…`
                found += _comments(package.archive.xml(name))
            elif "/drawings/" in name:
                found += _drawn(package.archive, name)
            if len(found) > MOST:
                break
    except BROKEN:
        pass  # the cells are there all the same
    seen = (one for one in found[:MOST] if one.row not in survey.hidden_rows and one.col not in survey.hidden_cols)
    return sorted(seen, key=lambda one: one[:2])


def name_of(row: int, col: int) -> str:
    """
    >>> name_of(7, 28)
    'AB7'
    """
    letters = ""
    while col > 0:
        col, rest = divmod(col - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row}"


def _comments(root: etree._Element) -> Iterator[Attached]:
    """Notes have runs with a text each, comments (a thread of them at one cell) a text."""
    authors = [_text(author) for author in root.iterfind("{*}authors/{*}author")]
    for one in root.iter("{*}comment", "{*}threadedComment"):
        place = PLACE.match(one.get("ref") or "")
        whole = next(one.iterchildren("{*}text"), None)
        said = "" if whole is None else _text(whole)
        number = one.get("authorId") or ""
        author = authors[int(number)] if number.isdecimal() and int(number) < len(authors) else ""
        # Programs write who it was above the first line, too.
        said = said.removeprefix(f"{author}:").strip() if author else said
        if place and said and not said.startswith(THREADED):
            about = f"Note on {place[0].replace('$', '')}"
            yield Attached(int(place[2]), column(place[1]), f"{about}: {said}")


def _drawn(archive: Archive, name: str) -> Iterator[Attached]:
    """Pictures with a description, charts with a title."""
    parts = related(archive, name)
    for anchor in archive.xml(name).iterchildren("{*}oneCellAnchor", "{*}twoCellAnchor"):
        row, col = (_number(anchor.find(f"{{*}}from/{{*}}{way}")) + 1 for way in ("row", "col"))
        for about in anchor.iterfind("{*}pic/{*}nvPicPr/{*}cNvPr"):
            said = _line(about.get("descr") or about.get("title") or "")
            if said.lower() not in SAYS_NOTHING:
                yield Attached(row, col, f"Picture at {name_of(row, col)}: {said}")
        for chart in anchor.iter("{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"):
            part = parts.get(next((str(value) for key, value in chart.items() if str(key).endswith("}id")), ""), "")
            if part in archive.names and (said := _titles(archive.xml(part))):
                yield Attached(row, col, f"Chart at {name_of(row, col)}: {said}")


def _titles(root: etree._Element) -> str:
    """A chart's title and those of its axes."""
    titles = (_line("".join(_runs(title))) for title in root.iter("{*}title"))
    return ", ".join(dict.fromkeys(filter(None, titles)))


def _text(element: etree._Element) -> str:
    """The text in runs or right here, its lines kept."""
    lines = "".join(_runs(element) or [element.text or ""])[:LONGEST].split("\n")
    return "\n".join(filter(None, map(_line, lines)))


def _runs(element: etree._Element) -> list[str]:
    return [run.text or "" for run in element.iter("{*}t")]


def _line(text: str) -> str:
    return " ".join(text[:LONGEST].split())


def _number(element: etree._Element | None) -> int:
    said = "" if element is None else (element.text or "").strip()
    return int(said) if said.isdecimal() and len(said) < 8 else 0
