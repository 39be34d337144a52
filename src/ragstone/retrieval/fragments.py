"""The parts of a question that asks for several things: each is searched for by itself."""

import re

from ragstone.core.sentences import is_abbreviation

# A full stop ends a fragment only before white space: never inside a number, a version or the name of a file.
STOP = re.compile(r"[?;](?!\S{0,200}[=&/])[.?;!]*+|(?<![.?;])\.++(?=[?;\s]|$)")
MOST = 20  # fragments; what follows stays one piece
WORD = re.compile(r"\w")


def split_fragments(text: str) -> tuple[str, ...]:
    """The fragments of a question, cut at `.`, `?` and `;`, each once, in order; not inside numbers or abbreviations.

    >>> split_fragments("What is RRF? e.g. with k = 60.5; who uses v1.2 of a.md")
    ('What is RRF', 'e.g. with k = 60.5', 'who uses v1.2 of a.md')
    """
    pieces, start = [], 0
    for stop in STOP.finditer(text):
        if is_abbreviation(text, stop):
            continue
        pieces.append(text[start : stop.start()].strip())
        start = stop.end()
        if len(pieces) == MOST - 1:
            break
    pieces.append(text[start:].strip(" \t\r\n.?;"))
    return tuple(dict.fromkeys(piece for piece in pieces if WORD.search(piece)))
