"""RTF documents, by way of striprtf: their paragraphs and the cells of their tables."""

from collections.abc import Iterator

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.media_types import RTF
from ragstone.extraction.record.builder import BlockDraft, write_record
from ragstone.extraction.record.tables import RawCell, place_cells


def parse_rtf(data: bytes, *, path: str) -> Extraction:
    """The text of a document. Headings are not told apart: RTF has only larger letters.

    Raises `Refused`: broken, empty.
    """
    from striprtf.striprtf import rtf_to_text

    try:
        text = str(rtf_to_text(data.decode("latin-1"), encoding="cp1252", errors="replace"))  # type: ignore[no-untyped-call]
    except Exception as error:  # the library raises whatever a broken group leads to
        raise Refused("broken", f"{path} is not a readable RTF document: {error}; save it again") from error
    record, blocks = write_record(_build_drafts(text))
    if not blocks:
        raise Refused("empty", f"{path} holds no text")
    return Extraction(record, blocks, RTF, None, {}, ())


def _build_drafts(text: str) -> Iterator[BlockDraft]:
    """A paragraph a line; lines with bars, which part the cells of a row, are a table together."""
    rows: list[list[RawCell]] = []
    for line in [*text.replace("\r", "").replace("\0", "").split("\n"), ""]:
        if line.endswith("|") and line.count("|") > 1:
            rows.append([RawCell(" ".join(cell.split()), header=not rows) for cell in line[:-1].split("|")])
            continue
        if rows:
            yield BlockDraft("table", cells=place_cells(rows))
            rows = []
        yield BlockDraft("paragraph", " ".join(line.split()))
