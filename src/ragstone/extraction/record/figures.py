"""Whether the text of a cell is a figure: a number, an amount, a share, or a sign that stands for none."""

import re

LONGEST = 40  # characters
# What follows the digits is one class of characters: a choice of units between optional letters takes exponential time.
FIGURE = re.compile(r"[(\[<>≤≥~±+\-–—−$€£¥]{0,3}\s?\d[\d.,:/'’\s]*[%‰)\]*A-Za-z†‡]*|[-–—−*.…]+|n/?a|N/?A")
YEAR = re.compile(r"\(?(?:19|20)\d\d(?:\s*[/–-]\s*(?:19|20)?\d\d)?\)?\*?")


def is_figure(text: str) -> bool:
    """
    >>> is_figure("1,234.5"), is_figure("(12 %)"), is_figure("n/a"), is_figure("12 rivers")
    (True, True, True, False)
    """
    text = text.strip()
    return len(text) <= LONGEST and FIGURE.fullmatch(text) is not None


def is_year(text: str) -> bool:
    """
    >>> is_year("2021"), is_year("2021/22"), is_year("2150")
    (True, True, False)
    """
    return YEAR.fullmatch(text.strip()) is not None
