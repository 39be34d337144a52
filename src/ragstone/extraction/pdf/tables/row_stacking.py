"""Which rows of text belong to one row of a table: cells whose text takes several lines."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from ragstone.extraction.pdf.characters.rows import Row, is_number, is_value
from ragstone.extraction.pdf.tables.anchored_rows import stack_around_figures
from ragstone.extraction.pdf.tables.centred_rows import stack_centred_rows
from ragstone.extraction.pdf.tables.text_groups import TextGroups
from ragstone.extraction.pdf.tables.wrapped_labels import stack_wrapped_labels

OVERLAP = 0.8  # letter heights: rows nearer than this cannot stand below each other
LONGEST = 60  # lines of one row: no cell has more, and each is compared with all of them
MOST = 5  # rows in a group that stand over one another: more are set with hardly any white between lines
TIGHT = 1.35  # letter heights between the lines of one cell, at the most
WIDER = 1.22  # the step between rows over the step between lines: below it they look the same
UNPARTED = 0.2  # of the rows with numbers have no wider step below them: then steps tell nothing
EACH = 0.7  # of the spaces between rules hold a line of figures
EVEN = 1.08  # of the smallest step: such steps are the same
FEWEST = 3  # numbers below each other that are cells of their own
SEVERAL = 3  # columns in which two numbers below each other are cells of their own
FULL = 0.8  # of the column: a line that reaches so far may go on in the next one


def stack_rows(
    rows: Sequence[Row], grid: Sequence[Sequence[tuple[int, int]]], bands: Sequence[float], columns: int
) -> list[list[int]]:
    """Groups of row numbers, one for each row of the table.

    Rules that run over the whole table part its rows where they do so for most of them. Else the
    spacing decides, and then what a row holds: one whose first column is empty or that only goes on
    with the text above belongs to the row above.
    """
    touching = _group_touching(rows, grid)
    ruled = _group_by_bands(rows, touching, bands)
    if ruled is not None:
        return [part for group in ruled for part in _split_band(rows, grid, group, columns)]
    measured = _measure_steps(rows, grid, touching)
    steps = [step for step, _ in measured]
    small = _line_step(rows, touching, measured)
    widths = _measure_reaches(rows, grid, columns)
    # Lines stand on the grid of a typewriter: those of one cell are no nearer than those of two rows.
    typed = min(steps, default=0.0) * EVEN if all(row.is_typed for row in rows) else 0.0
    body = next((n for n, row in enumerate(rows) if any(is_value(p.text) for p in row.phrases)), 0)
    near = [
        step <= (small * EVEN or max(TIGHT * rows[g[0]].size, typed))
        for step, g in zip(steps, touching[1:], strict=True)
    ]
    text = TextGroups(rows, grid, touching, [True, *near])
    pitch = min((step for step, shared in measured if shared), default=0.0) * EVEN
    evenly = TextGroups(
        rows, grid, touching, [True, *(a or step <= pitch for a, step in zip(near, steps, strict=True))]
    )
    wrapped = None if small else stack_wrapped_labels(text)
    start, anchored = (
        (len(touching), []) if small else wrapped or stack_centred_rows(evenly) or stack_around_figures(text)
    )
    groups: list[list[int]] = [list(touching[0])] if start else []
    for close, group in zip(near[: max(0, start - 1)], touching[1:start], strict=True):
        above = groups[-1]
        if (
            close
            and len(above) < LONGEST
            and (
                _continues_row(rows, grid, above, group, widths, spaced=small > 0)
                or (group[-1] < body and _continues_heading(rows, grid, above, group))
            )
        ):
            above.extend(group)
        else:
            groups.append(list(group))
    return groups + anchored


def _group_touching(rows: Sequence[Row], grid: Sequence[Sequence[tuple[int, int]]]) -> list[list[int]]:
    """Rows that overlap in height: a label of two lines beside a number set in its middle."""
    columns = [{c for first, last in places for c in range(first, last + 1)} for places in grid]
    groups: list[list[int]] = [[0]]
    for number in range(1, len(rows)):
        above, row = rows[number - 1], rows[number]
        beside = columns[number].isdisjoint(columns[number - 1])
        if row.base - above.base < OVERLAP * min(row.size, above.size) * 1.1 and (beside or len(groups[-1]) < MOST):
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _measure_steps(
    rows: Sequence[Row], grid: Sequence[Sequence[tuple[int, int]]], touching: Sequence[list[int]]
) -> list[tuple[float, bool]]:
    """The step between each group and the next, and whether it is one of two lines in the same column.

    Cells in the middle of their row stand half a line beside those of another column.
    """
    bases: list[dict[int, tuple[float, float]]] = []
    for group in touching:
        own: dict[int, tuple[float, float]] = {}
        for r in group:
            for phrase, (first, last) in zip(rows[r].phrases, grid[r], strict=True):
                base = phrase.words[0].base
                for c in range(first, last + 1):
                    low, high = own.get(c, (base, base))
                    own[c] = min(low, base), max(high, base)
        bases.append(own)
    return [
        (min(shared), True)
        if (shared := [below[c][0] - above[c][1] for c in below if c in above])
        else (rows[b[0]].base - rows[a[-1]].base, False)
        for (above, below), (a, b) in zip(pairwise(bases), pairwise(touching), strict=True)
    ]


def _split_band(
    rows: Sequence[Row], grid: Sequence[Sequence[tuple[int, int]]], group: list[int], columns: int
) -> list[list[int]]:
    """The rows between two rules: one, but where numbers stand below each other the spacing tells them."""
    stacked = _count_stacked_values(rows, grid, group)
    if max(stacked, default=0) < FEWEST and sum(count > 1 for count in stacked) < SEVERAL:
        named = stacked and len(group) > 1 and _stands_over_several(grid, group[:1], group[1:])
        return [group[:1], group[1:]] if named else [group]
    parts = stack_rows([rows[r] for r in group], [grid[r] for r in group], [], columns)
    return [[group[r] for r in part] for part in parts]


def _group_by_bands(
    rows: Sequence[Row], touching: Sequence[list[int]], bands: Sequence[float]
) -> list[list[int]] | None:
    inner = [at for at in bands if rows[0].base < at < rows[-1].base]
    if len(inner) < 2 or (len(inner) + 1 < 0.34 * len(touching) and not _has_value_each(rows, touching, inner)):
        return None
    groups: list[list[int]] = []
    last = -1
    for group in touching:
        middle = (rows[group[0]].y0 + rows[group[-1]].y1) / 2
        band = bisect_left(inner, middle)
        if band == last:
            groups[-1].extend(group)
        else:
            groups.append(list(group))
        last = band
    longest = max(len(group) for group in groups)
    return groups if longest <= 8 or len(groups) >= 0.5 * len(touching) else None


def _has_value_each(rows: Sequence[Row], touching: Sequence[list[int]], inner: Sequence[float]) -> bool:
    """Whether one line of figures stands between most neighbouring rules, and nowhere more."""
    counted = Counter(
        bisect_left(inner, (rows[group[0]].y0 + rows[group[-1]].y1) / 2)
        for group in touching
        if any(is_value(p.text) for r in group for p in rows[r].phrases)
    )
    return max(counted.values(), default=0) == 1 and len(counted) >= EACH * len(inner)


def _count_stacked_values(
    rows: Sequence[Row], grid: Sequence[Sequence[tuple[int, int]]], group: Sequence[int]
) -> list[int]:
    """How many numbers stand below each other between two rules, by column: many, or some in several columns, are no
    single cells."""
    columns = Counter(
        place for r in group for phrase, place in zip(rows[r].phrases, grid[r], strict=True) if is_value(phrase.text)
    )
    return list(columns.values())


def _line_step(rows: Sequence[Row], touching: Sequence[list[int]], measured: Sequence[tuple[float, bool]]) -> float:
    """The step between lines of one cell where it can be told from the step between rows, else 0."""
    steps = [step for step, shared in measured if shared]
    if len(steps) < 3:
        return 0.0
    size = median(rows[group[0]].size for group in touching)
    low = min(steps)
    tight = [step for step in steps if step <= low * 1.1]
    wide = [step for step in steps if step > low * WIDER]
    if not 0 < low <= TIGHT * size or not wide or len(tight) + len(wide) < 0.85 * len(steps) or len(wide) < 2:
        return 0.0
    valued = [n for n, group in enumerate(touching) if any(is_value(p.text) for r in group for p in rows[r].phrases)]
    unparted = sum(max(step for step, _ in measured[a:b]) <= low * WIDER for a, b in pairwise(valued))
    return max(tight) if unparted <= UNPARTED * max(1, len(valued) - 1) else 0.0


def _measure_reaches(
    rows: Sequence[Row], grid: Sequence[Sequence[tuple[int, int]]], columns: int
) -> list[tuple[float, float]]:
    """The reach of each column's text."""
    out = [(float("inf"), float("-inf"))] * columns
    for row, extents in zip(rows, grid, strict=True):
        for phrase, (first, last) in zip(row.phrases, extents, strict=True):
            if first == last:
                out[first] = (min(out[first][0], phrase.x0), max(out[first][1], phrase.x1))
    return out


def _continues_row(
    rows: Sequence[Row],
    grid: Sequence[Sequence[tuple[int, int]]],
    above: Sequence[int],
    group: Sequence[int],
    widths: Sequence[tuple[float, float]],
    *,
    spaced: bool,
) -> bool:
    """Whether a row's text continues the row above it."""
    if _stands_over_several(grid, above, group) or _stands_over_several(grid, group, above):
        return False
    own = {c for r in group for first, last in grid[r] for c in range(first, last + 1)}
    over = {c for r in above for first, last in grid[r] for c in range(first, last + 1)}
    phrases = [phrase for r in group for phrase in rows[r].phrases]
    numbers = [is_value(phrase.text) for phrase in phrases]
    before = [is_value(phrase.text) for r in above for phrase in rows[r].phrases]
    if any(numbers) and any(before):
        return False
    if spaced:
        return own <= over or over <= own or (not any(numbers) and not any(before))
    if any(numbers):
        # A label over two lines with the numbers beside the second.
        alone = all(len(grid[r]) == 1 and grid[r][0][0] == 0 for r in above)  # a long one reaches over the next column
        label = (alone or over == {0}) and 0 in own
        return label and _continues_sentence(rows[above[-1]].phrases[0].text, phrases[0].text)
    if 0 not in own and own <= over:
        return True
    if not own <= over:
        return False
    last = rows[above[-1]].phrases
    return all(
        any(abs(phrase.x0 - p.x0) < 3 and _fills_column(p.x1, p.x0, widths[c]) for p in last)
        or phrase.text[:1].islower()
        for phrase, c in ((phrase, grid[r][i][0]) for r in group for i, phrase in enumerate(rows[r].phrases))
    )


def _stands_over_several(grid: Sequence[Sequence[tuple[int, int]]], wide: Sequence[int], others: Sequence[int]) -> bool:
    """Whether a text runs over columns in which the other rows have several: it names them, or their unit."""
    places = [place for r in others for place in grid[r]]
    return any(
        len({place for place in places if first <= place[0] and place[1] <= last}) > 1
        for r in wide
        for first, last in grid[r]
        if first < last
    )


def _continues_heading(
    rows: Sequence[Row], grid: Sequence[Sequence[tuple[int, int]]], above: Sequence[int], group: Sequence[int]
) -> bool:
    """Whether headings go on below: words over words, each over one column; the last line has one of each column."""
    over = {place: phrase for r in above for place, phrase in zip(grid[r], rows[r].phrases, strict=True)}
    own = {place: phrase for r in group for place, phrase in zip(grid[r], rows[r].phrases, strict=True)}
    # On a typewriter, where steps tell nothing, two full rows of headings stay two.
    held = over.keys() < own.keys() if rows[group[0]].is_typed else over.keys() <= own.keys()
    if not held or any(first != last or not first for first, last in over):
        return False
    if any(is_number(phrase.text) for phrase in over.values()):
        return False
    return not any(
        is_number(phrase.text) and not (place in over and over[place].text.endswith(","))
        for place, phrase in own.items()
    )


def _fills_column(x1: float, x0: float, column: tuple[float, float]) -> bool:
    return x1 - column[0] >= FULL * (column[1] - column[0]) and x1 > x0


def _continues_sentence(above: str, below: str) -> bool:
    return below[:1].islower() or below[:1] in "(&" or above.rstrip().endswith(("-", ",", "and", "of", "the", "&"))
