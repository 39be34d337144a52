"""Rows of a table told by its figures: each row has one line with figures, its cells of several lines stand around it.

Where lines and rows are set equally far apart, spacing does not tell to which row a line without figures belongs. How
its text begins does: a small letter goes on. The table's habit decides the rest: figures stand beside the first or
the last line of a cell.
"""

from itertools import pairwise

from ragstone.extraction.pdf.tables.text_groups import TextGroups

FEWEST = 3  # lines with figures that show the habit
HABIT = 0.75  # of the cells that go on do so on the same side of the figures


def stack_around_figures(text: TextGroups) -> tuple[int, list[list[int]]]:
    """How many groups stand above the first row with figures, and the text rows of each row from there on.

    All groups stand above where figures do not tell rows.
    """
    anchors = [n for n in range(len(text.groups)) if text.has_value(n)]
    none = len(text.groups), list[list[int]]()
    if len(anchors) < FEWEST:
        return none
    between = [(a, b) for a, b in pairwise(anchors) if b - a > 1]
    up = sum(_goes_on(text, a, a + 1) for a, b in between)
    down = sum(_goes_on(text, b - 1, b) for a, b in between)
    if not any(c > 0 for a, b in between for n in range(a + 1, b) for c in text.cells(n)) or not up + down:
        return none
    habit = "first" if up >= HABIT * (up + down) else "last" if down >= HABIT * (up + down) else ""
    start = anchors[0]
    while start and habit != "first" and _goes_on(text, start - 1, start) and not _begins_cell(text, start):
        start -= 1
    out = [list(range(start, anchors[0] + 1))]
    for a, b in zip(anchors, [*anchors[1:], len(text.groups)], strict=True):
        _place_lines(text, a, b, habit, out)
    return start, [[r for n in numbers for r in text.groups[n]] for numbers in out]


def _goes_on(text: TextGroups, above: int, below: int) -> bool:
    """Whether a cell of one line goes on in the next: they share a column, in which it begins with a small letter."""
    over, own = text.cells(above), text.cells(below)
    return text.close[below] and any(own[c][:1].islower() for c in own if c in over)


def _begins_cell(text: TextGroups, group: int) -> bool:
    """Whether a text begins anew beside the figures."""
    return any(cell[:1].isupper() for cell in text.cells(group).values())


def _place_lines(text: TextGroups, a: int, b: int, habit: str, out: list[list[int]]) -> None:
    """Give the lines between two lines with figures to the row above, to the row below, or to rows of their own."""
    lines = list(range(a + 1, b))
    taken = 0
    if habit != "last" or b == len(text.groups):
        while taken < len(lines) and text.close[lines[taken]]:
            cells = text.cells(lines[taken])
            if not (all(c[:1].islower() for c in cells.values()) or (habit == "first" and 0 not in cells)):
                break
            out[-1].append(lines[taken])
            taken += 1
    entries: list[list[int]] = []
    for n in lines[taken:]:
        cells = text.cells(n)
        alone = not entries or not text.close[n] or (0 in cells and not cells[0][:1].islower())
        if alone and not (entries and 0 not in text.cells(entries[-1][0]) and text.close[n]):
            entries.append([n])
        else:
            entries[-1].append(n)
    if b == len(text.groups):
        out += entries
        return
    last = entries[-1] if entries else []
    head = text.cells(b).get(0, "")
    named = any(0 in text.cells(n) for n in last)
    joins = bool(last) and text.close[b] and habit != "first" and (not named or not head or head[:1].islower())
    if joins:
        out += [*entries[:-1], [*last, b]]
    else:
        out += [*entries, [b]]
