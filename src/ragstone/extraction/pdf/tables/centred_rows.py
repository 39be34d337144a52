"""Rows of a table whose cells are set in the middle of their row: as many lines stand above the figures as below them.

Browsers and many programs that print tables set cells so. Where lines and rows are equally far apart nothing else tells
to which row a line belongs, since lines go on both above and below the figures. The numbers of lines that fit all rows
at once do: each row has as many above as below, and lines left between two rows are the name of a group.
"""

from itertools import pairwise

from ragstone.extraction.pdf.tables.text_groups import TextGroups

FEWEST = 2  # rows of three lines or more
BOTH = 0.2  # of the lines that go on do so on the rarer side of the figures
MOST = 12  # lines above the figures
BROKEN, NO_NAME, APART = 1.0, 3.0, 3.0  # costs: a cell that begins small, a line that names nothing, a wide step
NAME, CAPITAL = 0.3, 0.2  # a group's name, a line that begins with a capital within a cell
WORST = 0.35  # of cost a row of several lines


def stack_centred_rows(text: TextGroups) -> tuple[int, list[list[int]]] | None:
    """How many groups stand above the first row, and the text rows of each row from there on; None where the lines do
    not stand evenly around figures."""
    anchors = [n for n in range(len(text.groups)) if text.has_value(n)]
    if len(anchors) < FEWEST or not _go_on_both_sides(text, anchors):
        return None
    cost, counts = _fit_rows(text, anchors)
    several = sum(count > 0 for count in counts)
    if several < FEWEST or cost > WORST * several:
        return None
    out: list[list[int]] = []
    at = start = anchors[0] - counts[0]
    for anchor, count in zip(anchors, counts, strict=True):
        out += _join_names(text, at, anchor - count)
        out.append(list(range(anchor - count, anchor + count + 1)))
        at = anchor + count + 1
    out += [[n] for n in range(at, len(text.groups))]
    return start, [[r for n in numbers for r in text.groups[n]] for numbers in out]


def _join_names(text: TextGroups, first: int, behind: int) -> list[list[int]]:
    """The names of groups between two rows, which may be over two lines."""
    out: list[list[int]] = []
    for n in range(first, behind):
        if out and _is_name(text, n, first):
            out[-1].append(n)
        else:
            out.append([n])
    return out


def _is_name(text: TextGroups, group: int, first: int) -> bool:
    """Whether a line goes on with the name above it."""
    return group > first and _begins_small(text, group) and set(text.cells(group)) == {0}


def _go_on_both_sides(text: TextGroups, anchors: list[int]) -> bool:
    """Whether cells go on with a small letter both below figures and beside them, or half a line below."""
    between = [(a, b) for a, b in pairwise(anchors) if b - a > 1]
    below = sum(_begins_small(text, a + 1) or (a + 2 < b and _begins_small(text, a + 2)) for a, b in between)
    beside = sum(_begins_small(text, b) or _begins_small(text, b - 1) for _, b in between)
    return min(below, beside) >= max(1, BOTH * (below + beside))


def _begins_small(text: TextGroups, group: int) -> bool:
    return text.close[group] and any(cell[:1].islower() for cell in text.cells(group).values())


def _fit_rows(text: TextGroups, anchors: list[int]) -> tuple[float, list[int]]:
    """The cheapest number of lines above and below the figures of each row, and the cost of all."""
    limits = [
        min(
            MOST,
            a if not i else a - anchors[i - 1] - 1,
            (anchors[i + 1] if i + 1 < len(anchors) else len(text.groups)) - a - 1,
        )
        for i, a in enumerate(anchors)
    ]
    best = [(_cost_of_row(text, anchors[0], k), [k]) for k in range(limits[0] + 1)]
    for i, anchor in enumerate(anchors[1:], 1):
        own = [_cost_of_row(text, anchor, k) for k in range(limits[i] + 1)]
        step: list[tuple[float, list[int]]] = []
        for k in range(limits[i] + 1):
            options = [
                (cost + own[k] + _cost_between(text, anchors[i - 1] + before + 1, anchor - k), before)
                for before, (cost, _) in enumerate(best)
                if anchors[i - 1] + before < anchor - k
            ]
            cost, before = min(options)
            step.append((cost, [before]))
        best = [(cost, [*best[before][1], k]) for k, (cost, [before]) in enumerate(step)]
    return min(best)


def _cost_of_row(text: TextGroups, anchor: int, count: int) -> float:
    """The cost of a row with so many lines above and below its figures: signs that speak against it."""
    cost = 0.0
    begun: set[int] = set()
    for n in range(anchor - count, anchor + count + 1):
        if n > anchor - count and not text.close[n]:
            cost += APART
        for column, cell in text.cells(n).items():
            if column not in begun and cell[:1].islower():
                cost += BROKEN
            elif column in begun and cell[:1].isupper():
                cost += CAPITAL
            begun.add(column)
    return cost


def _cost_between(text: TextGroups, first: int, behind: int) -> float:
    """The cost of lines that stand between two rows: names of groups are in the first column alone."""
    cost = 0.0
    for n in range(first, behind):
        cells = text.cells(n)
        named = set(cells) == {0} and (not cells[0][:1].islower() or _is_name(text, n, first))
        cost += NAME if named else NO_NAME
    return cost
