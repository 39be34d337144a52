"""Rows of text that belong to one row of a table."""

from ragstone.extraction.pdf.characters.glyphs import Style
from ragstone.extraction.pdf.characters.lines import Line
from ragstone.extraction.pdf.characters.rows import Phrase, Row
from ragstone.extraction.pdf.characters.words import Word
from ragstone.extraction.pdf.tables.row_stacking import stack_rows

STYLE = Style("Times", 10.0, bold=False, italic=True, mono=False)


def make_row(base: float, raised: float) -> Row:
    """A row at `base` whose only phrase stands higher by `raised`, as a power in a formula does."""
    at = base - raised
    word = Word("beta", [50.0, 90.0], 50.0, at - 8, 90.0, at + 2, at, STYLE)
    return Row([Line([word])], base - 8, base + 2, base, 10.0, [Phrase([word], 50.0, 90.0)])


def test_a_line_that_ends_above_the_one_before_tells_no_step() -> None:
    """In a formula over several lines a raised sign stands above the line before: such a paper was not read at all."""
    rows = [make_row(100.0 + 15 * n, raised=18.0 if n == 5 else 0.0) for n in range(6)]
    assert stack_rows(rows, [[(0, 0)]] * 6, [], 1) == [[0], [1], [2], [3], [4, 5]]
