"""Merged cells of a sheet: what they cover, and where their text is said again."""

from collections.abc import Iterable

from ragstone.extraction.spreadsheet.rows import Line

REACHING = 64  # merged cells that reach into one row
Range = tuple[tuple[int, int], tuple[int, int]]


class MergedCells:
    """The merged cells of a sheet, asked for row by row; ranges count rows and columns from 0."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        self._begin: dict[int, list[tuple[int, int, int]]] = {}
        for (top, left), (bottom, right) in ranges:
            if bottom >= top and right >= left and (bottom > top or right > left):
                self._begin.setdefault(top + 1, []).append((left + 1, bottom + 1, right + 1))
        self._reaching: list[tuple[int, int, str, str]] = []  # last row, column, text, kind

    def apply(self, line: Line) -> Line:
        """The row with what its merged cells cover, and with the texts that reach down into it."""
        begin = self._begin.get(line.number)
        if begin is None and not self._reaching:
            return line
        texts = dict(zip(line.cols, zip(line.texts, line.kinds, strict=True), strict=True))
        covers = {
            left: (last - line.number + 1, right - left + 1) for left, last, right in begin or () if left in texts
        }
        self._reaching = [one for one in self._reaching if one[0] >= line.number]
        again = {col: (text, kind) for _, col, text, kind in self._reaching if col not in texts}
        for left, last, _ in begin or ():
            if last > line.number and left in texts and len(self._reaching) < REACHING:
                self._reaching.append((last, left, *texts[left]))
        every = sorted({**texts, **again}.items())
        return Line(
            line.number,
            [col for col, _ in every],
            [text for _, (text, _) in every],
            "".join(kind for _, (_, kind) in every),
            covers or None,
            frozenset(again),
        )
