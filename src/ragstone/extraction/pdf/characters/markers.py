"""The marks that list items begin with."""

import re

BULLETS = "•▪‣◦●○■□◆◇▶►➢➤✓✔❖∙·–—-*"
NUMBERED = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\(\d{1,3}\)|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2}){1,3}\.?")


def is_bullet(text: str) -> bool:
    """A lone sign that stands before an item."""
    return len(text) == 1 and text in BULLETS


def is_marker(text: str) -> bool:
    """A bullet, or a number or letter of a list: `1.`, `b)`, `(iv)`, `[12]`."""
    return is_bullet(text) or NUMBERED.fullmatch(text) is not None
