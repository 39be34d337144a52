"""Tables of contents by their lines: titles that lead to rising page numbers, and no sentence among them."""

import re
from itertools import pairwise

LINES = 3  # fewer lines are no table of contents
SHARE = 0.6  # of the lines must look like an entry
RISING = 0.9  # of neighbouring page numbers must not fall: a menu or a list of ports has leaders or gaps too
LONGEST = 300
NUMBER = r"(\d{1,4}|[ivxlcIVXLC]{1,7})"
DOTTED = re.compile(rf"(?:\S[^\t]*?)?(?:(?<!\.)\.{{3,}}+|(?:\. ){{3,}}+|…++)[ .\t]*+{NUMBER}\s*")
SPACED = re.compile(rf"\S[^\t]*?(?:\t| {{4,}}+)[ .\t]*+{NUMBER}\s*")
BARE = re.compile(rf"[-–—\s]*{NUMBER}[-–—\s]*")
PAGE_OF = re.compile(rf"\s*page[ \t]+{NUMBER}(?:[ \t]*(?:of|/)[ \t]*\d{{1,4}})?\s*", re.IGNORECASE)
SENTENCE = re.compile(r"(?:\S+\s+){3,}\S+[.!?:]\W*")
CONTENTS_TITLE = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis|sübersicht)?|table des matières|sommaire|índice|indice|sommario|"
    r"contenido|conteúdo|inhoud(?:sopgave)?|spis treści|оглавление|содержание|目录|目次|index",
    re.IGNORECASE,
)


def is_contents(text: str, *, titled: bool = False) -> bool:
    """Whether most lines of a text lead to pages, and nothing else would be lost with them.

    A wide gap before a number counts only in a text with leaders or below a title such as "Contents", a bare number
    only beside such entries: on their own they are a table, a list of ports.

    >>> is_contents("Preface ....... iii\\nOne ........ 1\\nTwo ........ 17")
    True
    >>> is_contents("80\\n443\\n8080"), is_contents("Tea ... 4\\nCake ... 5\\nWater ... 1")
    (False, False)
    """
    if len(text) < 2 * LINES - 1:  # so many lines have at least so many characters and ends: most blocks are short
        return False
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < LINES:
        return False
    short = [line for line in lines if len(line) <= LONGEST]
    titled = titled or CONTENTS_TITLE.fullmatch(lines[0]) is not None
    dotted = [line for line in short if DOTTED.fullmatch(line)]
    leads = [
        entry for line in short if (entry := DOTTED.fullmatch(line) or ((titled or dotted) and SPACED.fullmatch(line)))
    ]
    named = [line for line in short if PAGE_OF.fullmatch(line) or (leads and BARE.fullmatch(line))]
    pages = [int(entry[1]) for entry in leads if entry[1].isdecimal()]
    rising = sum(a <= b for a, b in pairwise(pages)) >= RISING * (len(pages) - 1)
    entries = len(leads) + len(named)
    return entries >= SHARE * len(lines) and rising and not any(SENTENCE.fullmatch(line) for line in lines)
