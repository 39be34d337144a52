"""Pages whose text is not in the file but in what they show: drawn and read by OCR, if an engine is there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as raw

from ragstone.core.errors import Refused
from ragstone.extraction.pdf.layout.mixed_scans import build_word_filter, is_inked_paper, merge_scan_pieces
from ragstone.extraction.pdf.page import Page
from ragstone.extraction.sandbox import allowance

DPI = 200  # letters of 10 points are 28 pixels high: OCR gains nothing from more
SKETCH = 60  # enough to tell paper with ink from a photograph
PIXELS = 40_000_000  # of one page: an A0 poster at 150 dpi
UNMAPPED_SHARE = 0.2  # of a page's letters have no meaning in the file: then all of it is read as a picture
LEAST = 0.5  # of a page's own letters: where OCR sees fewer, the page keeps its own
MOST_DOUBTS = 20  # sentences about single pages
FORMS = 8  # deep: text in forms inside forms
PAGES_LISTED = 20  # pages that a warning names


class OcrEngine(Protocol):
    """What `extract.image.choice.chosen` gives."""

    name: str
    turned: bool

    def read(self, pixels: npt.NDArray[np.uint8]) -> list[Any]:
        """The lines of a picture."""
        ...


class OcrScan(Protocol):
    """What `extract.image.parse.read_scan` gives: a page with pieces in points, and how sure they are."""

    page: Page
    confidence: float
    letters: int


@dataclass(slots=True)
class OcrReader:
    """Reads the pages that need it, up to `most` of them and what the sandbox allows, and remembers which those were.

    `wanted` is False for never, None for where an engine is installed, True for one that must be there.
    The engine is looked for, and its room imported, when the first page needs it.
    """

    path: str
    wanted: bool | None
    most: int
    choice: Mapping[str, str] = field(default_factory=dict)  # what `extract.image.choice.chosen` takes
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
            from ragstone.extraction.image.engines import INSTALL_HINT, choose_engine

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
        from ragstone.extraction.image.parse import read_scan

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
        """What a document's `meta` says about the pages that were read."""
        if not self.scans or self.engine is None:
            return {}
        from ragstone.extraction.image.parse import ocr_meta

        read: list[Any] = list(self.scans)
        return ocr_meta(read, self.engine)

    def warnings(self) -> Iterator[str]:
        """Which pages were read and how surely, what is in doubt on them, and which were left."""
        read: list[Any] = list(self.scans)
        if read and self.engine is not None:
            from ragstone.extraction.image.parse import ocr_warnings

            letters = sum(scan.letters for scan in read)
            mean = sum(scan.confidence * scan.letters for scan in read) / max(1, letters)
            pages = format_pages([scan.page.number for scan in read])
            yield f"read by OCR ({self.engine.name}) with a mean confidence of {mean:.2f}, with errors maybe: {pages}"
            yield from islice(ocr_warnings(read, self.engine), 1, MOST_DOUBTS + 1)
        if self.over:
            most = len(self.tried)
            yield (
                f"not read by OCR, which stops after {most} page{'s' * (most != 1)} of a document: "
                f"{format_pages(self.over)}; "
                "raise limits.ocr_pages"
            )


def needs_ocr(page: Page) -> bool:
    """Whether a page shows something but gives no text, or letters without a meaning in the file."""
    silent = not page.pieces and page.pictured
    return not page.failed and (silent or page.unread > UNMAPPED_SHARE * max(1, page.letters))


def format_pages(numbers: list[int]) -> str:
    """Page numbers as a reader would say them, not too many."""
    shown = ", ".join(map(str, numbers[:PAGES_LISTED]))
    more = f" and {len(numbers) - PAGES_LISTED} more" if len(numbers) > PAGES_LISTED else ""
    return f"page{'s' if len(numbers) > 1 else ''} {shown}{more}"


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
