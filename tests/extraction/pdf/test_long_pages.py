"""One page with very many lines takes time as its lines grow, no faster."""

import pytest

from ragstone.extraction.image.pdf_with_ocr import parse_pdf
from tests.extraction.pdf.sheets import line, pdf, shown
from tests.speed import in_step

STEP = 12


def make_page(kind: str, rows: int) -> bytes:
    height = STEP * rows + 100
    cells = {
        "words": ("red rose", "old oak tree"),
        "figures": ("12.5", "1,304"),
        "ruled": ("12.5", "old oak tree"),
    }[kind]
    content = [
        shown(x, 20 + STEP * n, text, height=height)
        for n in range(rows)
        for x, text in zip((50, 200, 300), (f"Item {n}", *cells), strict=True)
    ]
    if kind == "ruled":
        content += [line(50, 24 + STEP * n, 380, 24 + STEP * n, height=height) for n in range(rows)]
    return pdf(["\n".join(content)], height=height)


@pytest.mark.parametrize("kind", ["words", "figures", "ruled"])
def test_time_grows_in_step_with_the_lines_of_a_page(kind: str) -> None:
    made = {rows: make_page(kind, rows) for rows in (500, 4000)}
    in_step(lambda rows: parse_pdf(made[rows], path="a.pdf", ocr=False), 500, 4000, most=18)


def test_time_grows_in_step_with_the_figures_of_a_line() -> None:
    lines = {count: " ".join(str(10 + k * 3 % 80) for k in range(count)) for count in (50, 400)}
    pages = {
        count: pdf(["\n".join(shown(20, 20 + STEP * n, text) for n in range(30))], width=20 * count)
        for count, text in lines.items()
    }
    in_step(lambda count: parse_pdf(pages[count], path="a.pdf", ocr=False), 50, 400, most=18)
