"""What a page draws, from PDFs written by hand."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.extraction.pdf.characters import pdfium
from ragstone.extraction.pdf.characters.glyphs import read_glyphs, read_view
from ragstone.extraction.pdf.characters.graphics import Graphics, read_graphics
from tests.extraction.pdf.sheets import pdf, shown


@contextmanager
def opened(content: str) -> Iterator[Graphics]:
    with pdfium.open_document(pdf([content]), path="x.pdf", password=None) as document:
        page = document[0]
        text = page.get_textpage()
        seen = read_view(page)
        g = read_glyphs(pdfium.address_of(text), text.count_chars(), seen)
        yield read_graphics(pdfium.address_of(page), seen, g.objects)
        text.close()
        page.close()


def stairs(x: float, y: float, steps: int) -> str:
    """A path along the axes, with twice as many sides as steps."""
    points = [(x + 10 * ((n + 1) // 2), y + 10 * (n // 2)) for n in range(2 * steps + 1)]
    return f"{points[0][0]} {points[0][1]} m " + " ".join(f"{a} {b} l" for a, b in points[1:]) + " S"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=8))
def test_paths_of_few_and_of_many_segments_give_all_their_sides(paths: list[int]) -> None:
    content = "\n".join(stairs(20, 20 + 60 * n, steps) for n, steps in enumerate(paths))
    with opened(content) as drawn:
        assert len(drawn.across) == len(drawn.down) == sum(paths)
        assert [rule.end - rule.start for rule in drawn.across] == [pytest.approx(10)] * sum(paths)


def test_a_curve_among_rectangles_is_a_curve_and_they_are_what_they_were() -> None:
    content = "0 g 50 50 100 80 re f 200 50 m 250 90 300 90 350 50 c 350 200 l 200 200 l h f 400 50 100 80 re S"
    with opened(content) as drawn:
        assert drawn.fills == [pytest.approx((50, 670, 150, 750))]
        assert [(round(x0), round(x1)) for x0, _, x1, _ in drawn.curves] == [(200, 350)]
        assert [len(drawn.across), len(drawn.down)] == [2, 2]


def test_white_paths_draw_nothing_and_text_is_no_path() -> None:
    content = "\n".join([shown(50, 50, "Text"), "1 g 50 50 100 80 re f 1 G 50 200 100 80 re S 0 G 50 400 100 80 re S"])
    with opened(content) as drawn:
        assert not drawn.fills
        assert [len(drawn.across), len(drawn.down)] == [2, 2]


def test_what_pdfium_does_not_answer_is_told_apart() -> None:
    with pdfium.open_document(pdf([shown(50, 50, "AB")]), path="x.pdf", password=None) as document:
        text = document[0].get_textpage()
        page = [pdfium.pointer(pdfium.address_of(text))] * 5
        found = pdfium.call_into_array(
            pdfium.box_of, "f8", 5, page, [0, 1, 7, 8, 9], columns=4, addresses=4, unknown=-1
        )
        assert (found[:2, 1] > found[:2, 0]).all()
        assert (found[2:] == -1).all()
