"""An image's bytes to a text of record, blocks and layout: what OCR reads in it."""

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ragstone.core.errors import Refused
from ragstone.core.page_layout import Box, bounding_box
from ragstone.core.types import Extraction
from ragstone.extraction.image.decode import decode_pictures
from ragstone.extraction.image.engines import AUTO, choose_engine
from ragstone.extraction.image.headers import Header, read_header
from ragstone.extraction.image.ocr_pieces import build_pieces
from ragstone.extraction.image.ocr_result import OcrEngine, OcrLine, Pixels, mean_confidence
from ragstone.extraction.image.scan_reader import find_rules, read_page
from ragstone.extraction.optional_steps import warn_failed_steps
from ragstone.extraction.pdf.document.compose import compose_document
from ragstone.extraction.pdf.page import Page
from ragstone.extraction.sandbox import allowance

MOST = 100_000_000  # pixels of one picture: 300 MB once decoded
PAGES = 2000  # of one file
UNREADABLE = 0.5  # confidence: what an engine is less sure of is noise, and left out with a warning
DOUBTFUL = 0.8  # confidence of a line that a warning tells of
LINES_QUOTED = 5  # lines that it quotes


@dataclass(slots=True)
class OcrScan:
    """A page that was read: its pieces, and what a reader should know about it."""

    page: Page
    confidence: float
    letters: int
    doubtful: list[str] = field(default_factory=list)
    left: int = 0  # lines that were left out because nobody can be sure of them


def parse_image(data: bytes, *, path: str, engine: str = AUTO, languages: str = "eng", program: str = "") -> Extraction:
    """Extract the text of a PNG, JPEG, GIF, WebP, BMP or TIFF (one page per picture) by OCR.

    Boxes are points of the picture as a reader sees it: pixels x 72 / dpi, pixels where no resolution is
    said. `engine` is auto, rapidocr or tesseract; `languages` and `program` are tesseract's. The text is what the
    engine believes it sees: `meta` and a warning say so, with the mean confidence.
    Raises `Refused`: broken, too_large (more than 100 million pixels), no_text, unsupported (no engine).
    """
    about = check_header(data, path=path)
    reader = choose_engine(engine, path=path, languages=languages, program=program)
    scans = list(_read_scans(data, about, path, reader))
    pages = [scan.page for scan in scans]
    if not any(page.pieces for page in pages):
        raise Refused("no_text", f"{path} shows no text that {reader.name} can read")
    made = compose_document(pages)
    meta = {"pages": len(pages), **ocr_meta(scans, reader)}
    warnings = (
        *_collect_warnings(about, len(scans)),
        *ocr_warnings(scans, reader),
        *warn_failed_steps(made.failed),
    )
    return Extraction(made.record, made.blocks, about.media_type, made.title, meta, warnings, made.layout)


def _read_scans(data: bytes, about: Header, path: str, reader: OcrEngine) -> Iterator[OcrScan]:
    """Page after page. The first is within the usual limits, each further one asks for its time before that."""
    decoded = decode_pictures(data, about, path=path)
    for number in range(1, len(about.frames) + 1):
        if number > 1 and not allowance.request_page():
            return
        pixels, scale = next(decoded)
        yield read_scan(pixels, scale=scale, number=number, engine=reader)


def read_scan(
    pixels: Pixels, *, scale: float, number: int, engine: OcrEngine, wanted: Callable[[str, Box], bool] | None = None
) -> OcrScan:
    """Read one page of pixels to pieces in points; `scale` is pixels a point, `number` counts from 1.

    `wanted` tells of a word and its box in points whether it is kept; None keeps all.
    """
    found = read_page(pixels, scale=scale, engine=engine)
    gc.collect()  # an engine leaves cycles that hold its pictures: 8 MB a page, for 24 pages measured
    if wanted is not None:
        found = [line for line in (_filter_words(line, wanted) for line in found) if line.words]
    kept = [line for line in found if line.confidence >= UNREADABLE]
    height, width = pixels.shape[:2]
    page = Page(number, width / scale, height / scale, pictured=True, scanned=True)
    if kept:
        page.pieces = build_pieces(kept, page=number, rules=find_rules(pixels, scale=scale))
    page.letters = sum(len(word.text) for line in kept for word in line.words)
    doubtful = [line.text for line in kept if line.confidence < DOUBTFUL]
    return OcrScan(page, mean_confidence(kept), page.letters, doubtful, len(found) - len(kept))


def _filter_words(line: OcrLine, wanted: Callable[[str, Box], bool]) -> OcrLine:
    """The line with the words that are wanted."""
    words = tuple(word for word in line.words if wanted(word.text, word.box))
    if len(words) in (0, len(line.words)):
        return replace(line, words=words)
    text = " ".join(word.text for word in words)
    return replace(line, text=text, words=words, box=bounding_box(word.box for word in words))


def ocr_meta(scans: Sequence[OcrScan], engine: OcrEngine) -> dict[str, object]:
    """The entries of a document's `meta` about pages read by OCR."""
    letters = sum(scan.letters for scan in scans)
    mean = sum(scan.confidence * scan.letters for scan in scans) / max(1, letters)
    return {"ocr": {"engine": engine.name, "confidence": round(mean, 3), "pages": [scan.page.number for scan in scans]}}


def ocr_warnings(scans: Sequence[OcrScan], engine: OcrEngine) -> Iterator[str]:
    """Warnings about text read by OCR: its confidence and the doubtful places."""
    letters = sum(scan.letters for scan in scans)
    mean = sum(scan.confidence * scan.letters for scan in scans) / max(1, letters)
    yield f"text was read by OCR ({engine.name}) with a mean confidence of {mean:.2f}: it may hold errors"
    for scan in scans:
        if scan.doubtful:
            quoted = "; ".join(f"“{text[:60]}”" for text in scan.doubtful[:LINES_QUOTED])
            more = f" and {len(scan.doubtful) - LINES_QUOTED} more" if len(scan.doubtful) > LINES_QUOTED else ""
            yield f"page {scan.page.number}: in doubt are {quoted}{more}"
        if scan.left:
            yield f"page {scan.page.number}: {scan.left} marks that may be text could not be read"


def check_header(data: bytes, *, path: str) -> Header:
    """The header, of pictures that may be decoded; nothing is decoded here. Raises `Refused`: broken, too_large."""
    about = read_header(data)
    if about is None:
        raise Refused("broken", f"{path} is not a readable image: its header is damaged; save it again as PNG")
    for frame in about.frames:
        if frame.width * frame.height > MOST:
            raise Refused(
                "too_large",
                f"{path} has {frame.width:,} x {frame.height:,} pixels, more than the {MOST:,} allowed; shrink it",
            )
    if len(about.frames) > PAGES:
        raise Refused("too_large", f"{path} has {len(about.frames):,} pages, more than the {PAGES:,} allowed; split it")
    return about


def _collect_warnings(about: Header, read: int) -> Iterator[str]:
    if read < len(about.frames):
        yield f"pages {read + 1} to {len(about.frames)} were not read; raise limits.ocr_pages"
    if about.moving:
        yield "the image is animated: only its first frame was read"
    if not about.whole:
        yield "the file is incomplete: its last part is missing"


__all__ = ["OcrLine", "OcrScan", "ocr_meta", "ocr_warnings", "parse_image", "read_page", "read_scan"]
