"""Columns that show in horizontal rules: programmes that draw the border of each cell begin a line with each cell."""

from collections.abc import Sequence
from statistics import median

from ragstone.extraction.pdf.characters.graphics import Rule
from ragstone.extraction.pdf.characters.rows import Phrase, Row

REACH = 6.0  # points that text may reach over the ends of the rules
SAME = 2.0  # points: joints of two rules that differ less are of one column
MOST = 40  # columns: more are dashes
CROSSING_SHARE = 0.1  # of the rows may hold a word over a joint


class CellRules:
    """The rules drawn cell by cell around `rows`, and the x where most of them were put together."""

    def __init__(self, rows: Sequence[Row], across: Sequence[Rule]) -> None:
        x0, x1 = min(row.x0 for row in rows), max(row.x1 for row in rows)
        top, bottom = rows[0].y0, rows[-1].y1 + rows[-1].size
        own = [r for r in across if top < r.at < bottom and r.start <= x0 + REACH and r.end >= x1 - REACH]
        self.rules = sorted(own) if sum(bool(r.joints) for r in own) >= max(2, 0.5 * len(own)) else []
        self.parts = self._find_parts(rows)

    def _find_parts(self, rows: Sequence[Row]) -> list[float]:
        groups: list[list[float]] = []
        for at in sorted(at for rule in self.rules for at in rule.joints):
            if groups and at - groups[-1][-1] <= SAME:
                groups[-1].append(at)
            else:
                groups.append([at])
        telling = sum(bool(rule.joints) for rule in self.rules)
        parts = [median(group) for group in groups if len(group) >= max(2, 0.5 * telling)]
        if not all(has_alike_joints(rule.joints, parts) for rule in self.rules):
            return []
        if len(parts) > MOST or sum(self._has_crossing_word(row, parts) for row in rows) > CROSSING_SHARE * len(rows):
            return []
        return parts

    def _has_crossing_word(self, row: Row, parts: Sequence[float]) -> bool:
        own = self.parts_of_row(row, parts)
        return any(w.x0 + 1 < at < w.x1 - 1 for line in row.lines for w in line.words for at in own)

    def parts_of_row(self, row: Row, parts: Sequence[float]) -> list[float]:
        """The parts that go through a row: those at which the rule below it was put together."""
        below = next((rule for rule in self.rules if rule.at > (row.y0 + row.y1) / 2), None)
        if below is None:
            return list(parts)
        return [at for at in parts if any(abs(at - joint) <= SAME for joint in below.joints)]


def has_alike_joints(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether at least half of the fewer joints have one of the others beside them; none are like all."""
    fewer, others = (a, b) if len(a) <= len(b) else (b, a)
    return 2 * sum(any(abs(at - other) <= SAME for other in others) for at in fewer) >= len(fewer)


def split_row(row: Row, parts: Sequence[float]) -> list[Phrase]:
    """The words of a row by the cells in which their middles lie."""
    cells: dict[int, list[Phrase]] = {}
    for phrase in row.phrases:
        for word in phrase.words:
            cell = cells.setdefault(sum(at < (word.x0 + word.x1) / 2 for at in parts), [])
            cell.append(Phrase([word], word.x0, word.x1))
    joined = [sorted((p.words[0] for p in cell), key=lambda word: word.x0) for _, cell in sorted(cells.items())]
    return [Phrase(words, words[0].x0, max(word.x1 for word in words)) for words in joined]


def find_cell_columns(phrase: Phrase, own: Sequence[float], parts: Sequence[float]) -> tuple[int, int]:
    """First and last column of the cell in which the middle of a phrase lies; `own` are the parts of its row."""
    middle = (phrase.x0 + phrase.x1) / 2
    left = max((at for at in own if at < middle), default=float("-inf"))
    right = min((at for at in own if at >= middle), default=float("inf"))
    return sum(at <= left for at in parts), sum(at < right for at in parts)
