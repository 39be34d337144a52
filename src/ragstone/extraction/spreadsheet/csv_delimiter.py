"""The delimiter of a CSV file."""

import re
from collections import Counter
from itertools import islice

from ragstone.extraction.spreadsheet.csv_rows import parse_rows

# At a tie the first: a file between semicolons may have a comma in every number, hardly ever the other way.
DELIMITERS = ("\t", "|", ";", ",")
SAMPLE = 50  # rows that are looked at
LONGEST = 1 << 16  # characters of them
LEAST = 0.5  # of the rows have the same number of fields
NAMED = re.compile(r"sep=(.)\r?\n")


def detect_delimiter(text: str, *, tabs: bool = False) -> tuple[str, int]:
    """The delimiter ("" for a single column) and where the rows begin, behind a line `sep=;` that says so.

    >>> detect_delimiter("a;b\\n1,5;2\\n"), detect_delimiter("one\\ntwo\\n"), detect_delimiter("sep=|\\na,b|c")
    ((';', 0), ('', 0), ('|', 6))
    """
    if named := NAMED.match(text):
        return named[1], named.end()
    if tabs and "\t" in text:
        return "\t", 0
    sample = text[:LONGEST]
    judged = [(_measure_evenness(sample, one, whole=len(text) <= LONGEST), -i, one) for i, one in enumerate(DELIMITERS)]
    share, _, best = max(judged)
    return (best if share >= LEAST else ""), 0


def _measure_evenness(sample: str, mark: str, *, whole: bool) -> float:
    """The share of rows with the most usual number of fields, 0 where that is one."""
    found = [row for row in islice(parse_rows(sample, mark), SAMPLE + 1) if sample[row.start : row.end].strip()]
    counts = Counter(len(row.texts) for row in (found if whole or len(found) < 2 else found[:-1]))
    if not counts:
        return 0.0
    several = {n: times for n, times in counts.items() if n > 1}
    # One field beside many is a title or a remark, as long as the others are the most.
    return max(several.values()) / counts.total() if several else 0.0
