"""RTF documents, by way of striprtf: their headings, paragraphs and the cells of their tables."""

import re
from collections.abc import Iterator

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.media_types import RTF
from ragstone.extraction.record.builder import BlockDraft, write_record
from ragstone.extraction.record.tables import RawCell, place_cells

OUTLINE = re.compile(r"\\outlinelevel([0-8])(?![0-9])")
LENGTHLESS = re.compile(r"\\bin(?![0-9a-z])")  # the library asks each for its length
FIRST = 0xE000  # letters for private use, one for each level
MARKS = re.compile(f"[{chr(FIRST)}-{chr(FIRST + 8)}]")


def parse_rtf(data: bytes, *, path: str) -> Extraction:
    """The text of a document. Headings are paragraphs with a level of the outline, as word processors write it.

    Raises `Refused`: broken, empty.
    """
    from striprtf.striprtf import rtf_to_text

    try:
        marked = LENGTHLESS.sub("", OUTLINE.sub(_mark_level, data.decode("latin-1")))
        text = str(rtf_to_text(marked, encoding="cp1252", errors="replace"))  # type: ignore[no-untyped-call]
    except Exception as error:  # the library raises whatever a broken group leads to
        raise Refused("broken", f"{path} is not a readable RTF document: {error}; save it again") from error
    record, blocks = write_record(_build_drafts(text))
    if not blocks:
        raise Refused("empty", f"{path} holds no text")
    title = next((block.text for block in blocks if block.type == "heading"), None)
    return Extraction(record, blocks, RTF, title, {}, ())


def _mark_level(outline: re.Match[str]) -> str:
    """The level and a letter for it, which stands in front of the paragraph's text."""
    return f"{outline[0]}{{\\uc1\\u{FIRST + int(outline[1])}?}}"


def _build_drafts(text: str) -> Iterator[BlockDraft]:
    """A paragraph a line; lines with bars, which part the cells of a row, are a table together."""
    rows: list[list[RawCell]] = []
    for marked in [*text.replace("\r", "").replace("\0", "").split("\n"), ""]:
        line = MARKS.sub("", marked)
        if line.endswith("|") and line.count("|") > 1:
            rows.append([RawCell(" ".join(cell.split()), header=not rows) for cell in line[:-1].split("|")])
            continue
        if rows:
            yield BlockDraft("table", cells=place_cells(rows))
            rows = []
        level = MARKS.match(marked.lstrip())
        words = " ".join(line.split())
        if level is None:
            yield BlockDraft("paragraph", words)
        else:
            yield BlockDraft("heading", words, level=min(6, ord(level[0]) - FIRST + 1))
