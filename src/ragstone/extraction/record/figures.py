"""Whether the text of a cell is a figure: a number, an amount, a share, or a sign that stands for none."""

import re

LONGEST = 40  # characters
MARKS = r"[%‰)\]*†‡\s]*"
EXPONENT = r"[eE][-+−–]?\d{1,3}(?!\d)"  # as programs print 0.00012: 1.2e-04
# A unit has two letters at most. Each part is of one class of characters, so that none can be read in two ways.
FIGURE = re.compile(
    rf"[(\[<>≤≥~±+\-–—−$€£¥]{{0,3}}\s?\d[\d.,:/'’\s]*(?:{EXPONENT})?{MARKS}(?:[A-Za-z]{{1,2}}(?![A-Za-z]){MARKS})?|[-–—−*.…]+|n/?a|N/?A"
)
YEAR = re.compile(r"\(?(?:19|20)\d\d(?:\s*[/–-]\s*(?:19|20)?\d\d)?\)?\*?")


def is_figure(text: str) -> bool:
    """
    >>> is_figure("1,234.5"), is_figure("(12 %)"), is_figure("n/a"), is_figure("<2e-16"), is_figure("12 rivers")
    (True, True, True, True, False)
    """
    text = text.strip()
    return len(text) <= LONGEST and FIGURE.fullmatch(text) is not None


def is_year(text: str) -> bool:
    """
    >>> is_year("2021"), is_year("2021/22"), is_year("2150")
    (True, True, False)
    """
    return YEAR.fullmatch(text.strip()) is not None
