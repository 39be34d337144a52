"""The warnings of a run, those that say the same of many documents in one line."""

import re
from collections.abc import Sequence

NUMBER = re.compile(r"\d[\d,.]*")
SHOWN = 3  # documents with the same warning that have a line of their own


def fold_warnings(warnings: Sequence[str]) -> list[str]:
    """Each kind of warning, `PATH: what` but for its numbers, with its first documents and the number of the others;
    one that names no document once.

    >>> fold_warnings([f"{page}.html: 7 words were lost" for page in "abcde"])[3:]
    ['2 more documents: 7 words were lost (--json names them)']
    >>> fold_warnings([f"{page}.html: {page} words were lost" for page in range(5)])[3:]
    ['2 more documents: … words were lost (--json names them)']
    >>> fold_warnings(["no vectors were made"] * 5)
    ['no vectors were made']
    """
    kinds: dict[str, list[str]] = {}
    for warning in warnings:
        _, colon, said = warning.partition(": ")
        kinds.setdefault(NUMBER.sub("#", said) if colon else warning, []).append(warning)
    lines = []
    for kind, alike in kinds.items():
        if kind == alike[0]:  # it names no document
            lines.append(kind)
            continue
        most = len(alike) if len(alike) <= SHOWN + 1 else SHOWN
        lines += alike[:most]
        if rest := alike[most:]:
            sayings = {warning.partition(": ")[2] for warning in rest}
            said = sayings.pop() if len(sayings) == 1 else NUMBER.sub("…", sayings.pop())
            lines.append(f"{len(rest):,} more documents: {said} (--json names them)")
    return lines
