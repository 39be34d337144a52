"""Pages that are a scan with a little text of their own: read beside it, once, and never over a text layer."""

import numpy as np
import numpy.typing as npt
import pytest

from ragstone.core.types import Extraction
from ragstone.extraction.image.ocr_result import OcrLine
from ragstone.extraction.image.pdf_with_ocr import OcrReader
from ragstone.extraction.pdf.layout.mixed_scans import area_share, is_inked_paper, is_mixed
from ragstone.extraction.pdf.parse import parse_with_reader
from tests.extraction.pdf.sheets import paragraph, pdf, shown
from tests.extraction.pdf.test_ocr import Eyes

# Paper (F0) with one dark row in eight: what is drawn over most of a page is a scan to us.
ROWS = "".join("00" if n % 8 == 3 else "F0" for n in range(64))
SCAN = f"q 560 0 0 720 20 50 cm BI /W 1 /H 64 /CS /G /BPC 8 /F /AHx ID {ROWS}> EI Q"
PHOTO = (
    f"q 560 0 0 720 20 50 cm BI /W 1 /H 64 /CS /G /BPC 8 /F /AHx ID {''.join(f'{4 * n:02X}' for n in range(64))}> EI Q"
)
STAMP = shown(60, 30, "Received on 12 May 2024") + "\n" + shown(280, 780, "Page 7")
PRINT = paragraph(60, 100, [f"Row {n} of the text that everybody sees on this page of ours" for n in range(20)])
HIDDEN = "\n".join(shown(60, 100 + 12 * n, f"Line {n} of what the scan says itself", extra="3 Tr") for n in range(6))


def read(*pages: str, eyes: Eyes | None = None, wanted: bool | None = None, most: int = 10) -> Extraction:
    reader = OcrReader(
        "a.pdf", wanted, most, engine=eyes, choice={"engine": "tesseract", "program": "/nowhere/tesseract"}
    )
    return parse_with_reader(pdf(pages), path="a.pdf", password=None, reader=reader)


def test_a_stamped_scan_is_read_and_keeps_its_stamp() -> None:
    extraction = read(f"{SCAN}\n{STAMP}", eyes=Eyes())
    for text in ("Received on 12 May 2024", "A line that was seen", "Page 7"):
        assert extraction.record.count(text) == 1
    places = [extraction.record.index(text) for text in ("Received", "A line", "Page 7")]
    assert places == sorted(places)
    assert extraction.meta["ocr"]["pages"] == [1]


def test_words_that_are_there_already_are_not_said_twice() -> None:
    own = shown(140, 48, "line") + "\n" + shown(200, 48, "that")  # where these words are seen
    extraction = read(f"{SCAN}\n{own}", eyes=Eyes())
    assert sorted(extraction.record.split()) == sorted(["A", "line", "seen", "that", "was"])


def test_the_scan_is_looked_at_without_the_stamp() -> None:
    class Sharp(Eyes):
        def read(self, pixels: npt.NDArray[np.uint8]) -> list[OcrLine]:
            self.darkest = int(pixels[60:84].min())  # 22 to 30 points from the top, above the scan
            return super().read(pixels)

    eyes = Sharp()
    read(f"{SCAN}\n{STAMP}", eyes=eyes)
    assert eyes.darkest > 200


def test_a_scan_with_a_text_layer_is_not_read_again() -> None:
    eyes = Eyes()
    extraction = read(f"{SCAN}\n{HIDDEN}\n{shown(280, 780, 'Page 7')}", eyes=eyes)
    assert not eyes.sizes
    assert "Line 5 of what the scan says itself" in extraction.record


def test_a_scan_in_strips_keeps_its_text_layer_too() -> None:
    strips = [SCAN.replace("0 720 20 50", f"0 72 20 {50 + 72 * n}") for n in range(10)]
    eyes = Eyes()
    extraction = read("\n".join([*strips, HIDDEN]), eyes=eyes)
    assert not eyes.sizes
    assert "Line 5" in extraction.record


def test_words_hidden_over_the_ground_of_a_printed_page_stay_hidden() -> None:
    printed = paragraph(60, 300, [f"Row {n} of the text that everybody sees on this page of ours" for n in range(20)])
    extraction = read(f"{SCAN}\n{printed}\n{HIDDEN}", eyes=Eyes())
    assert "what the scan says" not in extraction.record
    assert any("invisible" in warning for warning in extraction.warnings)


@pytest.mark.parametrize("page", [
    f"{PHOTO}\n{STAMP}",
    f"{SCAN}\n{PRINT}",
    SCAN.replace("0 720 20 50", "0 200 20 50") + "\n" + STAMP,
])  # fmt: skip
def test_a_photograph_a_ground_and_a_small_picture_are_not_read(page: str) -> None:
    eyes = Eyes()
    extraction = read(page, eyes=eyes)
    assert not eyes.sizes
    assert not extraction.warnings


def test_without_an_engine_a_warning_says_what_is_missing() -> None:
    warnings = read(f"{SCAN}\n{STAMP}").warnings
    assert any("mostly a picture" in warning and "pip install" in warning for warning in warnings)


def test_beyond_the_limit_a_warning_names_the_setting() -> None:
    warnings = read(*[f"{SCAN}\n{STAMP}"] * 3, eyes=Eyes(), most=1).warnings
    assert any("page" in warning and "2, 3" in warning and "limits.ocr_pages" in warning for warning in warnings)
    assert not any("mostly a picture" in warning for warning in warnings)


def test_what_lies_over_one_another_is_counted_once() -> None:
    assert area_share([(0, 0, 300, 400), (0, 0, 300, 400)], 600, 800) == pytest.approx(0.25)
    assert area_share([(0, 80 * n, 600, 80 * n + 80) for n in range(10)], 600, 800) == 1
    assert is_mixed([(0, 0, 600, 800)], 40, 600, 800)
    assert not is_mixed([(0, 0, 600, 800)], 2000, 600, 800)


def test_paper_with_ink_is_told_from_a_photograph_whichever_is_dark() -> None:
    paper = np.full((200, 200, 3), 240, dtype=np.uint8)
    paper[::10] = 20
    ramp = np.repeat(np.arange(200, dtype=np.uint8)[:, None, None], 200, axis=1).repeat(3, axis=2)
    assert is_inked_paper(paper)
    assert is_inked_paper(255 - paper)
    assert not is_inked_paper(ramp)
    assert not is_inked_paper(np.full((200, 200, 3), 255, dtype=np.uint8))
