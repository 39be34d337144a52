"""Images as documents: what is refused, what is told, and, with a real engine, what is read."""

import struct
import zlib
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction import sandbox
from ragstone.extraction.image import parse as parsing
from ragstone.extraction.image import tesseract
from ragstone.extraction.image.headers import read_header
from ragstone.extraction.image.parse import parse_image
from tests.extraction.image.made import Pixels, Told, blank, png, tiff
from tests.parts import lacking

LINES = ["The storage keeps samples for", "fifteen days and then deletes", "the oldest block on the disk."]
LEFT, FIRST, STEP = 60, 100, 44  # pixels: where the lines are drawn


@pytest.fixture
def vision() -> Any:
    if find_spec("cv2") is None:
        lacking("OpenCV (pip install 'ragstone[ocr]')")
    import cv2

    return cv2


@pytest.fixture
def rapid(vision: Any) -> Any:
    if find_spec("rapidocr") is None:
        lacking("rapidocr (pip install 'ragstone[ocr]')")
    return vision


def drawn(cv2: Any, lines: list[str], *, width: int = 800, height: int = 400) -> Pixels:
    """Lines in a plain font, the first at (LEFT, FIRST)."""
    page = blank(width, height)
    for number, line in enumerate(lines):
        place = (LEFT, FIRST + STEP * number)
        cv2.putText(page, line, place, cv2.FONT_HERSHEY_SIMPLEX, 1.0, (0, 0, 0), 2, cv2.LINE_AA)
    return page


def told(monkeypatch: pytest.MonkeyPatch, engine: Told) -> None:
    monkeypatch.setattr(parsing, "choose_engine", lambda *_, **__: engine)


def reason(data: bytes, **options: str) -> str:
    with pytest.raises(Refused) as caught:
        parse_image(data, path="scan.png", **options)
    return f"{caught.value.reason}: {caught.value}"


def quoted(made: Extraction, text: str) -> list[tuple[int, tuple[float, float, float, float]]]:
    assert made.layout is not None
    start = made.record.index(text)
    return [(page, box) for _, _, page, box in made.layout.line_boxes(start, start + len(text))]


def test_a_picture_of_too_many_pixels_is_refused_by_its_header_alone() -> None:
    head = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + head + struct.pack(">I", zlib.crc32(b"IHDR" + head))
    assert reason(bomb).startswith("too_large: scan.png has 20,000 x 20,000 pixels")


def test_a_damaged_header_is_broken() -> None:
    assert reason(b"\x89PNG\r\n\x1a\n").startswith("broken")


def test_no_engine_says_what_to_install() -> None:
    said = reason(png(blank(30, 20)), engine="tesseract", program="/nowhere/tesseract")
    assert said.startswith("unsupported")
    assert "pip install 'ragstone[ocr]' or install tesseract" in said


def test_a_page_without_text_is_no_success(monkeypatch: pytest.MonkeyPatch, vision: Any) -> None:
    told(monkeypatch, Told([]))
    assert reason(png(blank(300, 200))).startswith("no_text")


def test_who_read_the_text_and_how_surely_is_told(monkeypatch: pytest.MonkeyPatch, vision: Any) -> None:
    told(monkeypatch, Told([("hello there", 10, 10)], sure=0.7))
    made = parse_image(png(blank(300, 200)), path="scan.png")
    assert made.meta["ocr"] == {"engine": "told", "confidence": 0.7, "pages": [1]}
    assert "OCR (told) with a mean confidence of 0.70" in made.warnings[0]
    assert "page 1: in doubt are “hello there”" in made.warnings[1]


def test_what_nobody_can_be_sure_of_is_left_out_and_told(monkeypatch: pytest.MonkeyPatch, vision: Any) -> None:
    told(monkeypatch, Told([("hello there", 10, 10)], sure=0.2))
    assert reason(png(blank(300, 200))).startswith("no_text")


def test_a_moving_image_is_told_of(monkeypatch: pytest.MonkeyPatch, vision: Any) -> None:
    told(monkeypatch, Told([("hello there", 10, 10)]))
    control = b"acTL" + struct.pack(">II", 2, 0)
    moving = png(blank(300, 200), before=struct.pack(">I", 8) + control + struct.pack(">I", zlib.crc32(control)))
    assert any("only its first frame" in warning for warning in parse_image(moving, path="a.png").warnings)


def test_what_is_read_of_a_file_that_is_cut_off_comes_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, vision: Any
) -> None:
    # Whether anything is read of such a file depends on the version of OpenCV.
    told(monkeypatch, Told([("hello there", 10, 10)]))
    about = read_header(png(blank(300, 200)))
    assert about is not None
    cut = replace(about, whole=False)
    monkeypatch.setattr(parsing, "read_header", lambda data: cut)
    assert any("incomplete" in warning for warning in parse_image(png(blank(300, 200)), path="a.png").warnings)


def test_a_jpeg_that_is_cut_off_is_broken_and_says_so(monkeypatch: pytest.MonkeyPatch, vision: Any) -> None:
    told(monkeypatch, Told([("hello there", 10, 10)]))
    done, jpeg = vision.imencode(".jpg", np.random.default_rng(0).integers(0, 255, (200, 300, 3), dtype=np.uint8))
    assert done
    assert reason(jpeg.tobytes()[:-2000]).startswith("broken: scan.png cannot be decoded: the file is cut off")


def test_boxes_are_in_points_of_the_resolution(monkeypatch: pytest.MonkeyPatch, vision: Any) -> None:
    told(monkeypatch, Told([("hello there", 144, 288)]))
    made = parse_image(png(blank(1300, 800), dpi=144), path="scan.png")
    [(page, box)] = quoted(made, "hello there")
    assert page == 1
    assert box[:2] == pytest.approx((72.0, 144.0), abs=0.1)
    assert made.blocks[0].spans[0].bbox is not None


def test_each_page_of_a_tiff_is_a_page(monkeypatch: pytest.MonkeyPatch, vision: Any) -> None:
    told(monkeypatch, Told([("Hello there.", 10, 10)]))
    made = parse_image(tiff([blank(300, 200)[:, :, 0]] * 3), path="scan.tif")
    assert [block.spans[0].page for block in made.blocks] == [1, 2, 3]
    assert made.meta["pages"] == 3


def test_rapidocr_reads_lines_and_knows_where_they_stand(rapid: Any) -> None:
    made = parse_image(png(drawn(rapid, LINES)), path="scan.png", engine="rapidocr")
    assert made.record == " ".join(LINES)
    assert made.meta["ocr"]["confidence"] > 0.9
    for number, line in enumerate(LINES):
        for word in line.split():
            if made.record.count(word) > 1:
                continue
            (width, height), _ = rapid.getTextSize(word, rapid.FONT_HERSHEY_SIMPLEX, 1.0, 2)
            before = line[: line.index(word)]
            x0 = LEFT + rapid.getTextSize(before, rapid.FONT_HERSHEY_SIMPLEX, 1.0, 2)[0][0]
            base = FIRST + STEP * number
            [(_, box)] = quoted(made, word)
            assert box[0] == pytest.approx(x0, abs=10)
            assert box[2] == pytest.approx(x0 + width, abs=10)
            assert box[1] <= base - height / 2 <= box[3]


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_rapidocr_reads_a_page_that_lies_on_its_side(rapid: Any, turn: int) -> None:
    upright = drawn(rapid, LINES)
    lying = np.ascontiguousarray(np.rot90(upright, -turn))
    made = parse_image(png(lying), path="scan.png", engine="rapidocr")
    assert made.record.split() == " ".join(LINES).split()
    assert made.layout is not None
    assert all(0 <= at <= max(lying.shape) for _, box in quoted(made, "storage") for at in box)


def test_rapidocr_works_in_the_sandbox(rapid: Any) -> None:
    bounds = sandbox.Bounds(cpu_seconds=120, memory_bytes=3_000_000_000)
    made = sandbox.get_shared().run(
        "ragstone.extraction.image.parse:parse_image",
        png(drawn(rapid, LINES)),
        path="scan.png",
        options={"engine": "rapidocr"},
        bounds=bounds,
    )
    assert made.record == " ".join(LINES)


TABLE = """level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext
1\t1\t0\t0\t0\t0\t0\t0\t800\t400\t-1\t
5\t1\t1\t1\t1\t1\t60\t78\t70\t22\t96.1\tHello
5\t1\t1\t1\t1\t2\t140\t84\t90\t16\t91.5\tworld
5\t1\t1\t1\t2\t1\t60\t122\t70\t22\t95.0\tagain
"""


def script(path: Path, body: str) -> str:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def test_the_table_of_tesseract_becomes_lines(tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text(TABLE)
    program = script(tmp_path / "tesseract", f"cat > /dev/null; cat {table}")
    lines = tesseract.TesseractEngine(program).read(blank(800, 400))
    assert [line.text for line in lines] == ["Hello world", "again"]
    assert [word.confidence for word in lines[0].words] == pytest.approx([0.961, 0.915])
    assert lines[0].box[0] == 60


def test_a_tesseract_that_fails_says_why(tmp_path: Path) -> None:
    program = script(tmp_path / "tesseract", "cat > /dev/null; echo 'no such language' >&2; exit 1")
    with pytest.raises(Refused, match="no such language"):
        tesseract.TesseractEngine(program).read(blank(80, 40))


def test_tesseract_reads_lines(vision: Any) -> None:
    if not tesseract.find_program():
        lacking("tesseract")
    made = parse_image(png(drawn(vision, LINES)), path="scan.png", engine="tesseract")
    assert made.record == " ".join(LINES)
