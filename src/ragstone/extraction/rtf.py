"""RTF documents, by way of striprtf: headings, paragraphs, tables, notes and text boxes."""

import re
from collections.abc import Iterator
from typing import Any

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.media_types import RTF
from ragstone.extraction.ooxml.properties import MADE
from ragstone.extraction.record.builder import BlockDraft, write_record
from ragstone.extraction.record.confidentiality import KEY, is_confidentiality
from ragstone.extraction.record.tables import RawCell, place_cells
from ragstone.extraction.rtf_marks import ASIDE, ASIDE_END, CELL, HIDDEN, HIDDEN_END, LEVEL, ROW, ROW_END, mark_text

LEVELS = re.compile(f"[{chr(LEVEL)}-{chr(LEVEL + 8)}]")
ASIDES = re.compile(f"{ASIDE}([^{ASIDE}{ASIDE_END}]*){ASIDE_END}")
UNSEEN = re.compile(f"{HIDDEN}([^{HIDDEN_END}]*)(?:{HIDDEN_END}|\\Z)")
PLACE, PLACE_END = "\ue020", "\ue021"
PLACES = re.compile(f"{PLACE}([0-9]+){PLACE_END}")
DEEPEST = 5
UNKEPT = dict.fromkeys(map(ord, f"\r\0{PLACE}{PLACE_END}"))
SIGNS = re.compile(f"[{ASIDE}-{ROW_END}]")
PARTS = re.compile(f"([{ROW}{CELL}{ROW_END}])")
INFO_START = 100_000  # characters in which a document tells its properties
GROUP = r"(?:[^{}\\]|\\.){0,2000}"
INFO = re.compile(rf"\{{(?:\\\*)?\\(title|author|subject|keywords|doccomm|company)(?![a-z]) ?({GROUP})\}}", re.DOTALL)
OWN = re.compile(rf"\{{\\propname ?({GROUP})\}}\\proptype\d+\s*\{{\\staticval ?({GROUP})\}}", re.DOTALL)
PAGE = re.compile(r"\\ansicpg\d{1,5}")
NAMES = {"doccomm": "description"}


def parse_rtf(data: bytes, *, path: str) -> Extraction:
    """The text of a document. Headings are paragraphs with a level of the outline, as word processors write it; notes
    and text boxes stand behind their paragraph. Hidden text is left out with a warning.

    Raises `Refused`: broken, empty.
    """
    source = data.decode("latin-1")
    try:
        text = _read_text(mark_text(source))
    except Exception as error:  # the library raises whatever a broken group leads to
        raise Refused("broken", f"{path} is not a readable RTF document: {error}; save it again") from error
    hidden = sum(len(SIGNS.sub("", one[1]).strip()) for one in UNSEEN.finditer(text))
    record, blocks = write_record(_build_drafts(UNSEEN.sub(_keep_cells, text)))
    if not blocks:
        raise Refused("empty", f"{path} holds no text")
    meta = _read_info(source[:INFO_START])
    title = meta.pop("title", None) or next((block.text for block in blocks if block.type == "heading"), None)
    warnings = (f"{hidden:,} characters of hidden text were left out",) if hidden else ()
    return Extraction(record, blocks, RTF, title, meta, warnings)


def _keep_cells(unseen: re.Match[str]) -> str:
    """Of hidden text the ends of its paragraphs and cells, for what is seen around them."""
    return "".join(one for one in unseen[1] if one in f"\n{ROW}{CELL}{ROW_END}")


def _read_info(start: str) -> dict[str, Any]:
    """The properties that a document tells of itself; of its own ones the level of confidentiality."""
    page = found[0] if (found := PAGE.search(start)) else ""
    said: dict[str, Any] = {}
    for name, value in INFO.findall(start):
        if (text := _decode_value(value, page)) and not (name == "title" and MADE.fullmatch(text)):
            said.setdefault(NAMES.get(name, name), text)
    levels = [text for name, text in OWN.findall(start) if is_confidentiality(_decode_value(name, page))]
    return {**said, KEY: [_decode_value(level, page) for level in levels]} if levels else said


def _decode_value(value: str, page: str) -> str:
    return " ".join(_read_text(f"{{\\rtf1\\ansi{page} {value}}}").replace("\0", "").split())


def _read_text(rtf: str) -> str:
    """The text; halves of characters beyond 16 bits, as RTF writes them, are put together."""
    from striprtf.striprtf import rtf_to_text

    text = str(rtf_to_text(rtf, encoding="cp1252", errors="replace"))  # type: ignore[no-untyped-call]
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _build_drafts(text: str) -> Iterator[BlockDraft]:
    """Paragraphs, and rows of cells that are a table together."""
    rows: list[list[RawCell]] = []
    cells: list[str] | None = None  # of the row that is open
    waiting = ""
    for part in PARTS.split(text.translate(UNKEPT)):
        if part == ROW and cells is None:
            if waiting.strip():
                yield from _draft_table(rows)
                yield from _read_paragraphs(waiting)
            cells, waiting = [], ""
        elif part == CELL:
            cells = cells or []
            cells.append(waiting)
            waiting = ""
        elif part == ROW_END:
            if cells:
                cells[-1] += f" {waiting}"
                rows.append([RawCell(_clean_line(cell), header=not rows) for cell in cells])
                waiting = ""
            cells = None
        elif part != ROW:
            waiting += part
    yield from _draft_table(rows)
    yield from _read_paragraphs("\n".join([*(cells or ()), waiting]))


def _draft_table(rows: list[list[RawCell]]) -> Iterator[BlockDraft]:
    """The rows so far, which are taken away."""
    if rows:
        yield BlockDraft("table", cells=place_cells(rows))
        rows.clear()


def _read_paragraphs(text: str) -> Iterator[BlockDraft]:
    """A paragraph a line, a heading where a level says so; notes and boxes behind the line in which they stand."""
    asides: list[str] = []

    def take(aside: re.Match[str]) -> str:
        asides.append(aside[1])
        return f"{PLACE}{len(asides) - 1}{PLACE_END}"

    shown = text
    for _ in range(DEEPEST):  # a note may stand in a box
        if (left := ASIDES.sub(take, shown)) == shown:
            break
        shown = left
    yield from _read_lines(shown, asides)


def _read_lines(text: str, asides: list[str]) -> Iterator[BlockDraft]:
    for line in text.split("\n"):
        level, words = LEVELS.search(line), _clean_line(PLACES.sub("", line))
        if level is None:
            yield BlockDraft("paragraph", words)
        else:
            yield BlockDraft("heading", words, level=min(6, ord(level[0]) - LEVEL + 1))
        for place in PLACES.finditer(line):
            yield from _read_lines(asides[int(place[1])], asides)


def _clean_line(text: str) -> str:
    return " ".join(SIGNS.sub(" ", LEVELS.sub("", text)).split())
