"""The filled rows of a sheet, and the tables that empty rows and columns set apart in it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ragstone.extraction.spreadsheet.values import TEXT

DEPTH = 4  # rounds of cutting by rows, then columns: tables beside tables below tables
SAMPLE = 20  # rows that are looked at to know what a column holds


@dataclass(frozen=True, slots=True)
class Line:
    """The filled cells of one row, left to right; numbers of rows and columns count from 1.

    `kinds` has one letter a cell (see `values`). `merged` gives how many rows and columns the cell of
    a column covers; `repeated` are columns whose text stands in a merged cell above. `places` are
    characters of the record where that is the file itself.
    """

    number: int
    cols: Sequence[int]
    texts: Sequence[str]
    kinds: str
    merged: Mapping[int, tuple[int, int]] | None = None
    repeated: frozenset[int] = frozenset()
    places: Sequence[tuple[int, int]] = ()
    start: int = 0
    end: int = 0

    @property
    def last_column(self) -> int:
        """The last column that is filled or covered."""
        return (
            max(self.cols[-1], *(col + cols - 1 for col, (_, cols) in self.merged.items()))
            if self.merged
            else self.cols[-1]
        )

    def cut_columns(self, left: int, right: int) -> "Line | None":
        """The cells of columns left to right (inclusive), None where there are none."""
        keep = [i for i, col in enumerate(self.cols) if left <= col <= right]
        if not keep or all(self.cols[i] in self.repeated for i in keep):
            return None
        return replace(
            self,
            cols=[self.cols[i] for i in keep],
            texts=[self.texts[i] for i in keep],
            kinds="".join(self.kinds[i] for i in keep),
            merged={col: span for col, span in (self.merged or {}).items() if left <= col <= right} or None,
        )


def split_regions(
    lines: Iterable[Line], *, unseen: Collection[int] = (), gone: Collection[int] = ()
) -> Iterator[list[Line]]:
    """The tables of a sheet from top to bottom, those side by side from left to right.

    `unseen` are hidden columns, `gone` hidden rows: they separate nothing.
    """
    waiting = [(band, 0) for band in split_bands(lines, gone=gone)][::-1]
    while waiting:
        band, depth = waiting.pop()
        parts = _find_column_ranges(band, unseen) if depth < DEPTH else []
        if len(parts) < 2:
            yield band
            continue
        inner = [(found, depth + 1) for part in parts for found in split_bands(_cut(band, *part), gone=gone)]
        waiting.extend(reversed(inner))


def split_bands(lines: Iterable[Line], *, gone: Collection[int] = ()) -> Iterator[list[Line]]:
    """Rows that belong together: a row apart begins anew, if it does not go on as the rows above did."""
    band: list[Line] = []
    left = right = 0
    for line in lines:
        if band:
            empty = line.number - band[-1].number - 1
            if empty and gone:
                empty = sum(n not in gone for n in range(band[-1].number + 1, min(line.number, band[-1].number + 1000)))
            beside = line.cols[0] > right or line.last_column < left
            if beside or empty > 1 or (empty and not _continues_band(band, line, left, right)):
                yield band
                band = []
        left, right = (
            (min(left, line.cols[0]), max(right, line.last_column)) if band else (line.cols[0], line.last_column)
        )
        band.append(line)
    if band:
        yield band


def _continues_band(band: Sequence[Line], line: Line, left: int, right: int) -> bool:
    """Whether a row behind an empty one is more of the same: numbers below numbers, or the first data below labels."""
    above = band[-1]
    if len(line.cols) < 2 or len(above.cols) < 2 or line.cols[0] < left or line.last_column > right:
        return False
    if set(above.kinds) == {TEXT}:
        first = len(band) == 1 or all(set(one.kinds) == {TEXT} for one in band[:SAMPLE])
        return (
            first
            and set(line.kinds) != {TEXT}
            and line.cols[0] == above.cols[0]
            and line.last_column == above.last_column
        )
    kinds = dict(zip(above.cols, above.kinds, strict=True))
    pairs = [
        (kinds[col], kind) for col, kind in zip(line.cols, line.kinds, strict=True) if kinds.get(col, TEXT) != TEXT
    ]
    return any(a == b for a, b in pairs) and all(b != TEXT for _, b in pairs)


def _find_column_ranges(band: Sequence[Line], unseen: Collection[int]) -> list[tuple[int, int]]:
    """The ranges of columns that hold a table each. Rows of one cell are titles: they bridge nothing."""
    filled: set[tuple[int, int]] = set()
    last: Sequence[int] = ()
    for line in band:
        if len(line.cols) > 1 or len(band) == 1:
            if line.cols != last:  # most rows are like the one above
                filled.update(zip(line.cols, line.cols, strict=True))
                last = line.cols
            filled.update((col, col + cols - 1) for col, (_, cols) in (line.merged or {}).items())
    ranges: list[tuple[int, int]] = []
    for left, right in sorted(filled):
        if ranges and all(between in unseen for between in range(ranges[-1][1] + 1, left)):
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], right))
        else:
            ranges.append((left, right))
    joined = _join_ranges(band, ranges) if len(ranges) > 1 else ranges
    # What stands outside every range goes with the one to its left.
    edges = [left for left, _ in joined]
    return [(edge if i else 1, edges[i + 1] - 1 if i + 1 < len(edges) else 1 << 20) for i, edge in enumerate(edges)]


def _join_ranges(band: Sequence[Line], ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """An empty column inside a table does not end it: a lone column, and columns without any text of their
    own, are read with the labels on their left."""
    out: list[tuple[int, int]] = [ranges[0]]
    for left, right in ranges[1:]:
        lone = left == right or out[-1][0] == out[-1][1]
        if lone or not (_has_text_column(band, left, right) or _starts_in_another_row(band, out[-1], (left, right))):
            out[-1] = (out[-1][0], right)
        else:
            out.append((left, right))
    return out


def _has_text_column(band: Sequence[Line], left: int, right: int) -> bool:
    """Whether a column of text stands here below the first row."""
    texts = others = 0
    for line in band[1 : SAMPLE + 1]:
        kinds = [kind for col, kind in zip(line.cols, line.kinds, strict=True) if left <= col <= right]
        texts += TEXT in kinds
        others += bool(kinds)
    return texts * 2 > others


def _starts_in_another_row(band: Sequence[Line], beside: tuple[int, int], own: tuple[int, int]) -> bool:
    """Whether columns begin in another row than those beside them, with a row of labels."""
    first, other = next(_cut(band, *own), None), next(_cut(band, *beside), None)
    return first is not None and other is not None and first.number != other.number and set(first.kinds) == {TEXT}


def _cut(band: Sequence[Line], left: int, right: int) -> Iterator[Line]:
    return (part for line in band if (part := line.cut_columns(left, right)) is not None)
