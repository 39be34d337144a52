"""Where sentences begin and end: for chunking, for windows, for answers."""

import re

# Words before a full stop that does not end a sentence.
ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof sr jr st vs etc e.g i.e cf al fig figs eq no nos vol pp p ed eds inc ltd co corp dept est "
    "approx jan feb mar apr jun jul aug sep sept oct nov dec u.s u.k u.n a.m p.m ph.d".split()
)
# A run of stops is looked at once, from its beginning: a million dots must not take a million squared.
END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]*_`]*+(?=\s|$)|[。！？]++[」』”]?")
BREAK = re.compile(r"\n[ \t]*\n|\n(?=[ \t>]*(?:[-*+]|\d+[.)])[ \t])|\n(?=[ \t]*[|#])|(?<=\|)[ \t]*\n")
LAST_WORD = re.compile(r"[\w.]+$")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """The sentences of a text as (start, end) in characters: trimmed, in order, never overlapping.

    A blank line, a list item, a heading and a table row end a sentence as well.

    >>> text = "See Fig. 2 of v1.2. It works! - one\\n- two"
    >>> [text[a:b] for a, b in split_sentences(text)]
    ['See Fig. 2 of v1.2.', 'It works!', '- one', '- two']
    """
    out: list[tuple[int, int]] = []
    start = 0
    for cut in sorted({*_find_stops(text), *(m.start() for m in BREAK.finditer(text)), len(text)}):
        left = start + len(text[start:cut]) - len(text[start:cut].lstrip())
        right = left + len(text[left:cut].rstrip())
        if right > left:
            out.append((left, right))
        start = cut
    return out


def _find_stops(text: str) -> list[int]:
    return [m.end() for m in END.finditer(text) if not _is_abbreviation(text, m)]


def _is_abbreviation(text: str, stop: re.Match[str]) -> bool:
    """Whether this full stop belongs to an abbreviation, an initial or a list number."""
    if stop[0] != ".":
        return False
    word = LAST_WORD.search(text, max(0, stop.start() - 20), stop.start())
    if word is None:
        return False
    last = word[0].lower()
    initial = len(last) == 1 and last.isalpha() and word[0].isupper()
    numbered = last.isdigit() and (word.start() == 0 or text[word.start() - 1] == "\n")
    return last in ABBREVIATIONS or initial or numbered
