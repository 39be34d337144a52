"""Tables of manual pages, in the language of tbl."""

import re
from collections.abc import Iterator, Sequence

from ragstone.extraction.record.tables import RawCell


def split_table(lines: Sequence[str]) -> list[list[RawCell]]:
    """The rows of a table of tbl below its format."""
    start = next((n for n, line in enumerate(lines) if line.rstrip().endswith(".")), -1) + 1
    options = " ".join(lines[:start])
    found = re.search(r"tab\s*\((.)\)", options)
    rows = list(_join_cells(lines[start:], found[1] if found else "\t"))
    return [[RawCell(" ".join(cell.split()), header=not n) for cell in row] for n, row in enumerate(rows)]


def _join_cells(lines: Sequence[str], tab: str) -> Iterator[list[str]]:
    """The cells of each row; text between `T{` and `T}` is one."""
    row: list[str] | None = None
    is_format = False
    for line in lines:
        if is_format or line.rstrip() == ".T&":  # another format, up to a point
            is_format = not line.rstrip().endswith(".")
            continue
        if row is None:
            if not line.strip() or set(line.strip()) <= set("_=-"):
                continue
            row = line.split(tab)
        elif line.startswith("T}"):
            row += line[2:].split(tab)[1:]
        else:
            row[-1] += f" {line}"
            continue
        if row[-1].strip() == "T{":
            row[-1] = ""
        else:
            yield row
            row = None
    if row is not None:
        yield row
