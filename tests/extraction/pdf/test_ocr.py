"""Pages that only show their text: which are read, by whom, and what is said about it."""

import numpy as np
import numpy.typing as npt
import pytest

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.image.ocr_result import OcrLine, OcrWord
from ragstone.extraction.image.pdf_with_ocr import OcrReader, parse_pdf
from ragstone.extraction.pdf.parse import parse_with_reader
from tests.extraction.pdf.sheets import paragraph, pdf

PICTURE = "q 400 0 0 400 100 200 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q"
WORDS = [paragraph(50, 100, ["Words that the file says itself, as most pages do."])]


class Eyes:
    """Sees the same line on every page, at a twentieth of its height, as sure as it is told to be."""

    name = "eyes"
    turned = True

    def __init__(self, text: str = "A line that was seen", sure: float = 0.9) -> None:
        self.text, self.sure = text, sure
        self.sizes: list[tuple[int, int]] = []

    def read(self, pixels: npt.NDArray[np.uint8]) -> list[OcrLine]:
        height, width = pixels.shape[:2]
        self.sizes.append((width, height))
        top, left, step = height / 20, width / 10, width / 10
        words = tuple(
            OcrWord(text, (left + k * step, top, left + (k + 0.9) * step, top + 30), self.sure)
            for k, text in enumerate(self.text.split())
        )
        box = (left, top, words[-1].box[2] if words else left, top + 30)
        return [OcrLine(self.text, box, words, self.sure, 30.0)] if words else []


def read(*pages: str, eyes: Eyes, most: int = 10, wanted: bool | None = None) -> Extraction:
    data = pdf(pages)
    return parse_with_reader(data, path="a.pdf", password=None, reader=OcrReader("a.pdf", wanted, most, engine=eyes))


def test_only_a_page_without_text_is_read() -> None:
    eyes = Eyes()
    extraction = read(*WORDS, PICTURE, eyes=eyes)
    assert eyes.sizes == [(1667, 2223)]  # 600 x 800 points at 200 dpi
    assert "A line that was seen" in extraction.record
    assert extraction.meta["ocr"] == {"engine": "eyes", "confidence": 0.9, "pages": [2]}
    assert any("read by OCR (eyes), mean confidence 0.90" in w and "page 2" in w for w in extraction.warnings)


def test_what_was_seen_stands_where_it_was_seen() -> None:
    extraction = read(PICTURE, eyes=Eyes())
    at = extraction.record.index("line")
    assert extraction.layout is not None
    [(_, _, page, box)] = extraction.layout.line_boxes(at, at + len("line"))
    assert page == 1
    assert (box[0], box[2]) == pytest.approx((120, 174), abs=1)
    assert box[1] == pytest.approx(40, abs=4)


def test_nobody_reads_more_pages_than_allowed() -> None:
    eyes = Eyes()
    extraction = read(PICTURE, PICTURE, PICTURE, eyes=eyes, most=2)
    assert len(eyes.sizes) == 2
    assert any("stops after 2 pages of a document: page 3" in warning for warning in extraction.warnings)


def test_letters_without_a_meaning_are_read_as_a_picture() -> None:
    nothing = "BT /F1 10 Tf 1 0 0 1 50 700 Tm (" + "\\001\\003\\004\\005" * 8 + ") Tj ET"
    plain = parse_pdf(pdf([nothing]), path="a.pdf", ocr=False)
    assert any("letters without a meaning" in warning for warning in plain.warnings)
    extraction = read(nothing, eyes=Eyes())
    assert extraction.record.strip("# ") == "A line that was seen"
    assert not any("without a meaning" in warning for warning in extraction.warnings)


def test_a_page_on_which_nothing_is_seen_is_named() -> None:
    extraction = read(*WORDS, PICTURE, eyes=Eyes(text=""))
    assert any("page 2" in warning and "OCR read nothing there" in warning for warning in extraction.warnings)
    assert "ocr" not in extraction.meta


def test_nobody_reads_where_it_is_not_wanted() -> None:
    eyes = Eyes()
    with pytest.raises(Refused) as refused:
        read(PICTURE, eyes=eyes, wanted=False)
    assert refused.value.reason == "no_text"
    assert not eyes.sizes


def test_without_an_engine_the_refusal_says_what_to_install() -> None:
    def without(ocr: bool | None) -> Extraction:
        return parse_pdf(pdf([PICTURE]), path="a.pdf", ocr=ocr, engine="tesseract", program="/nowhere/tesseract")

    with pytest.raises(Refused) as refused:
        without(None)
    assert refused.value.reason == "no_text"
    assert "pip install" in str(refused.value)
    with pytest.raises(Refused) as refused:
        without(True)
    assert refused.value.reason == "unsupported"
