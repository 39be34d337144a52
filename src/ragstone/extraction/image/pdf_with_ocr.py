"""Pages whose text is not in the file but in what they show: drawn and read by OCR, if an engine is there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as raw

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.image.engines import INSTALL_HINT, choose_engine
from ragstone.extraction.image.ocr_result import OcrEngine
from ragstone.extraction.image.parse import OcrScan, ocr_meta, ocr_warnings, read_scan
from ragstone.extraction.pdf.layout.mixed_scans import build_word_filter, is_inked_paper, merge_scan_pieces
from ragstone.extraction.pdf.ocr import format_pages, needs_ocr
from ragstone.extraction.pdf.page import Page
from ragstone.extraction.pdf.parse import PAGES, parse_with_reader
from ragstone.extraction.sandbox import allowance

DPI = 200  # letters of 10 points are 28 pixels high: OCR gains nothing from more
SKETCH = 60  # enough to tell paper with ink from a photograph
PIXELS = 40_000_000  # of one page: an A0 poster at 150 dpi
LEAST = 0.5  # of a page's own letters: where OCR sees fewer, the page keeps its own
MOST_DOUBTS = 20  # sentences about single pages
FORMS = 8  # deep: text in forms inside forms


def parse_pdf(
    data: bytes,
    *,
    path: str,
    password: str | None = None,
    ocr: bool | None = None,
    ocr_pages: int = PAGES,
    engine: str = "auto",
    languages: str = "eng",
    program: str = "",
) -> Extraction:
    """Text of record, blocks with pages and boxes, and the layout of all characters.

    Raises `Refused`: encrypted (no or a wrong password), broken (not readable, no page), empty (pages that show
    nothing), no_text (pages that show pictures or drawings, but no text to read). Invisible text is left out with a
    warning, and a page that shows something but gives no text is named in one. Such pages, and those whose letters have
    no meaning in the file, are read by `ocr`: None where an engine is installed, True or `Refused` (unsupported), False
    never; no more than `ocr_pages` of them, and in the sandbox than its bounds allow. `engine`, `languages` and
    `program` are those of `ragstone.extraction.image.parse.parse_image`.
    """
    reader = OcrReader(path, ocr, ocr_pages, {"engine": engine, "languages": languages, "program": program})
    return parse_with_reader(data, path=path, password=password, reader=reader)


@dataclass(slots=True)
class OcrReader:
    """Reads the pages that need it, up to `most` of them and what the sandbox allows, and remembers which those were.

    `wanted` is False for never, None for where an engine is installed, True for one that must be there.
    The engine is looked for when the first page needs it.
    """

    path: str
    wanted: bool | None
    most: int
    choice: Mapping[str, str] = field(default_factory=dict)  # the arguments of `choose_engine`
    engine: OcrEngine | None = None
    scans: list[OcrScan] = field(default_factory=list)  # of pages whose text is what was seen
    tried: list[int] = field(default_factory=list)  # pages that were drawn and looked at
    over: list[int] = field(default_factory=list)  # pages beyond `most`
    missing: str = ""  # what to do to have an engine
    _looked: bool = False

    def add_ocr(self, drawn: Any, page: Page) -> Page:
        """The page, with what OCR reads on it if its own text is missing, has no meaning or only lies on a scan.

        `drawn` is the page as pdfium has it. Raises `Refused` (unsupported) where an engine must be there.
        """
        mixed = bool(page.scan) and not needs_ocr(page)
        if mixed and self.wanted is not False and not _has_writing(drawn):
            page.scan = []
        if not (needs_ocr(page) or page.scan) or not self._has_engine():
            return page
        if len(self.tried) >= self.most or not allowance.request_page():
            self.over.append(page.number)
            return page
        scan = self._scan_page(drawn, page, mixed=mixed)
        if scan is None:
            return page
        self.tried.append(page.number)
        page.scan = []
        seen = scan.page.pieces
        if seen and mixed:
            page.pieces, page.letters, page.scanned = (
                merge_scan_pieces(page.pieces, seen),
                page.letters + scan.letters,
                True,
            )
            self.scans.append(scan)
        elif seen and scan.letters >= LEAST * page.letters:
            page.pieces, page.letters, page.unread, page.scanned = seen, scan.letters, 0, True
            self.scans.append(scan)
        return page

    def _has_engine(self) -> bool:
        if self.wanted is False:
            return False
        if self.engine is None and not self._looked:
            self._looked = True
            try:
                self.engine = choose_engine(path=self.path, **self.choice)
            except Refused:
                if self.wanted:
                    raise
                self.missing = INSTALL_HINT
        return self.engine is not None

    def _scan_page(self, drawn: Any, page: Page, *, mixed: bool) -> OcrScan | None:
        """What is read on a page, of a mixed one in its pictures only; None where it cannot be."""
        assert self.engine is not None
        try:
            pixels, scale = _render_pixels(drawn)
            wanted = build_word_filter(page.pieces, page.scan) if mixed else None
            return read_scan(pixels, scale=scale, number=page.number, engine=self.engine, wanted=wanted)
        except pypdfium2.PdfiumError:
            return None
        except Refused:
            if self.wanted:
                raise
            return None

    def meta(self) -> Mapping[str, object]:
        """The entries of a document's `meta` about the pages read by OCR."""
        if not self.scans or self.engine is None:
            return {}
        read = list(self.scans)
        return ocr_meta(read, self.engine)

    def warnings(self) -> Iterator[str]:
        """Which pages were read and how surely, what is in doubt on them, and which were left."""
        read = list(self.scans)
        if read and self.engine is not None:
            letters = sum(scan.letters for scan in read)
            mean = sum(scan.confidence * scan.letters for scan in read) / max(1, letters)
            pages = format_pages([scan.page.number for scan in read])
            yield f"read by OCR ({self.engine.name}), mean confidence {mean:.2f}, possibly with errors: {pages}"
            yield from islice(ocr_warnings(read, self.engine), 1, MOST_DOUBTS + 1)
        if self.over:
            most = len(self.tried)
            yield (
                f"not read by OCR, which stops after {most} page{'s' * (most != 1)} of a document: "
                f"{format_pages(self.over)}; "
                "raise limits.ocr_pages"
            )


def _has_writing(drawn: Any) -> bool:
    """Whether the pictures of a page show paper with ink; from here on it shows them without its own text.

    So a scan is read as it was before it was stamped.
    """
    for one in drawn.get_objects(filter=(raw.FPDF_PAGEOBJ_TEXT,), max_depth=FORMS):
        raw.FPDFTextObj_SetTextRenderMode(one, raw.FPDF_TEXTRENDERMODE_INVISIBLE)
    try:
        return is_inked_paper(_render_pixels(drawn, dpi=SKETCH)[0])
    except pypdfium2.PdfiumError:
        return False


def _render_pixels(drawn: Any, *, dpi: float = DPI) -> tuple[npt.NDArray[np.uint8], float]:
    """The page as red, green, blue, and how many pixels make a point."""
    area = max(1.0, drawn.get_width() * drawn.get_height())
    scale = min(dpi / 72, (PIXELS / area) ** 0.5)
    bitmap = drawn.render(scale=scale, rev_byteorder=True, maybe_alpha=False)
    try:
        return np.ascontiguousarray(bitmap.to_numpy()[:, :, :3]), scale
    finally:
        bitmap.close()
