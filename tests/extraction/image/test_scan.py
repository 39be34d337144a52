import numpy as np
import pytest

from ragstone.core.page_layout import Layout
from ragstone.extraction.image.ocr_pieces import build_pieces
from ragstone.extraction.image.ocr_result import OcrLine
from ragstone.extraction.image.scan_reader import read_page
from ragstone.extraction.pdf.document.continuations import join_pieces
from ragstone.extraction.pdf.document.levels import mark_headings
from ragstone.extraction.pdf.document.record_writer import RecordWriter
from ragstone.extraction.pdf.page import Page
from tests.extraction.image.made import Pixels, Told, blank

COLUMNS = [
    (f"{side} line {n} goes on with more words", x, 100.0 + 14 * n)
    for n in range(12)
    for side, x in (("left", 50.0), ("right", 420.0))
]


def written(lines: list[OcrLine]) -> tuple[str, Layout]:
    page = Page(1, 800, 600)
    page.pieces = build_pieces(lines, page=1)
    writer = RecordWriter(frozenset())
    for piece in join_pieces([page]):
        writer.write_piece(piece)
    return writer.record(), writer.packing.build()


def test_columns_are_read_one_after_the_other() -> None:
    record, _ = written(read_page(blank(1300, 800), scale=1.0, engine=Told(COLUMNS)))
    assert record.index("left line 11") < record.index("right line 0")


def test_boxes_are_in_points_and_hold_their_words() -> None:
    engine = Told([("Hello world", 300, 200), ("and below it more", 300, 214)])
    record, layout = written(read_page(blank(1300, 800), scale=2.0, engine=engine))
    start = record.index("world")
    [(_, _, page, box)] = layout.line_boxes(start, start + 5)
    assert page == 1
    assert box == pytest.approx((165.0, 100.0, 177.5, 105.0), abs=0.6)


def test_a_page_askew_keeps_its_rows_and_its_places() -> None:
    slanted = [(f"row {n} holds several words of text", 60.0, 100.0 + 14 * n) for n in range(10)]
    slope = 0.05
    beside = [(text.replace("row", "beside"), x + 560, y + slope * 560) for text, x, y in slanted]
    engine = Told([*slanted, *beside], slope=slope)
    record, layout = written(read_page(blank(1300, 800), scale=1.0, engine=engine))
    assert record.index("row 9") < record.index("beside 0")
    start = record.index("beside 3")
    [(_, _, _, box)] = layout.line_boxes(start, start + 6)
    assert box[:2] == pytest.approx((620.0, 142.0 + slope * 560), abs=4.0)


def test_aligned_values_make_a_table() -> None:
    lines = [("Item", 60.0, 80.0), ("Price", 400.0, 80.0), ("Share", 600.0, 80.0)]
    for n in range(6):
        y = 94.0 + 14 * n
        lines += [(f"Thing {n}", 60.0, y), (f"{n}1.50", 400.0, y), (f"{n}.2%", 600.0, y)]
    record, _ = written(read_page(blank(1300, 800), scale=1.0, engine=Told(lines)))
    assert "| Thing 3 | 31.50 | 3.2% |" in record


def test_letters_scattered_over_a_drawing_make_none() -> None:
    lines = [("axis", 60.0, 80.0), ("peak", 500.0, 94.0), ("low", 300.0, 122.0), ("end", 700.0, 150.0)]
    record, _ = written(read_page(blank(1300, 800), scale=1.0, engine=Told(lines)))
    assert "|" not in record


def test_larger_lines_are_headings_only_where_they_are_clearly_larger() -> None:
    body = Told([(f"body text of line {n} with many words in it", 60, 200.0 + 14 * n) for n in range(8)])
    head, nearly = Told([("A clear heading", 60, 100)], size=20), Told([("Not a heading", 60, 150)], size=10.8)
    page = blank(1300, 800)
    lines = [line for engine in (head, nearly, body) for line in engine.read(page)]
    page_pieces = build_pieces(lines, page=1)
    mark_headings(page_pieces)
    assert [(piece.kind, piece.text) for piece in page_pieces[:2]] == [
        ("heading", "A clear heading"),
        ("paragraph", "Not a heading"),
    ]


def test_a_large_page_is_made_smaller_and_a_small_one_larger() -> None:
    large, small = Told([("word", 10, 10)]), Told([("word", 10, 10)])
    [line] = read_page(blank(3600, 4800), scale=4.0, engine=large)
    assert large.seen == [(2400, 1800, 3)]
    assert line.box[:2] == pytest.approx((5.0, 5.0))
    read_page(blank(450, 600), scale=1.0, engine=small)
    assert small.seen == [(1200, 900, 3)]


def test_a_long_roll_is_read_in_parts_cut_where_nothing_is_drawn() -> None:
    roll = blank(800, 6000)
    rng = np.arange(800)
    for top in range(0, 6000, 40):  # stripes of text, white between
        roll[top : top + 20, rng % 7 < 3] = 0
    engine = Told([("line", 10, 10)])
    lines = read_page(roll, scale=1.0, engine=engine)
    cuts = [round(line.box[1] - 10) for line in lines]
    assert len(cuts) > 3
    assert cuts == sorted(set(cuts))
    assert all(cut == 0 or cut % 40 >= 20 or cut % 40 == 0 for cut in cuts)


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_a_page_that_lies_on_its_side_is_turned_and_its_boxes_stay_on_the_page(turn: int) -> None:
    upright = blank(1200, 1600)
    upright[0, 0] = 0  # the corner that shows which way is up

    def sees(pixels: Pixels) -> bool:
        return not pixels[0, 0].any()

    engine = Told([("Dear reader of this page", 100, 40), ("we write to you today", 100, 54)], sees=sees, turned=False)
    lying = np.ascontiguousarray(np.rot90(upright, -turn))
    lines = read_page(lying, scale=1.0, engine=engine)
    assert {line.turn for line in lines} == {turn}
    height, width = lying.shape[:2]
    x0, y0, x1, y1 = lines[0].box
    at = {1: (y0, width - x1), 2: (width - x1, height - y1), 3: (height - y1, x0)}[turn]
    assert at == pytest.approx((100, 40))
    record, _ = written(lines)
    assert record == "Dear reader of this page we write to you today"


def test_no_pixels_hold_no_text() -> None:
    assert read_page(np.empty((0, 5, 3), dtype=np.uint8), scale=1.0, engine=Told([("x", 0, 0)])) == []
