"""The warnings of a run, those that say the same of many documents in one line."""

import re
from collections.abc import Sequence

NUMBER = re.compile(r"\d[\d,.]*")
SHOWN = 3  # documents with the same warning that have a line of their own


def fold_warnings(warnings: Sequence[str]) -> list[str]:
    """Each kind of warning, `PATH: what` but for its numbers, with its first documents and the number of the others.

    >>> fold_warnings([f"{page}.html: 7 words were lost" for page in "abcde"])[3:]
    ['2 more documents: 7 words were lost (--json names them)']
    """
    kinds: dict[str, list[str]] = {}
    for warning in warnings:
        kinds.setdefault(NUMBER.sub("#", warning.partition(": ")[2] or warning), []).append(warning)
    lines = []
    for alike in kinds.values():
        most = len(alike) if len(alike) <= SHOWN + 1 else SHOWN
        lines += alike[:most]
        if rest := alike[most:]:
            lines.append(f"{len(rest):,} more documents: {rest[0].partition(': ')[2]} (--json names them)")
    return lines
