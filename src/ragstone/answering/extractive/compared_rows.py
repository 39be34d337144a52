"""Questions that compare two things of one table: "Which is cheaper, Solo or Team?" is answered by both rows, that with
the figure that is asked for first."""

import re
from collections import Counter
from collections.abc import Sequence

from ragstone.answering.extractive.column_values import Column, read_column
from ragstone.answering.extractive.comparatives import TAKES, find_comparatives
from ragstone.answering.extractive.passages import Passage
from ragstone.answering.extractive.question_analysis import SHAPE_TERMS, QuestionAnalysis
from ragstone.answering.extractive.superlatives import Superlative, choose_column
from ragstone.answering.extractive.whole_tables import Table
from ragstone.core.analyzer import extract_terms

NAMING = 2  # columns whose cells name a row
ASIDE = re.compile(r"\s?[(\[][^()\[\]]*[)\]]")
FILLERS = frozenset(extract_terms("one of two option cost costs price have has take takes get gets"))
HOW_FAST = frozenset(extract_terms(" ".join(TAKES.headers)))


def asks_for_comparison(question: QuestionAnalysis) -> bool:
    """Whether a question compares two things, in English."""
    return question.own is None and bool(find_comparatives(question.text))


def choose_compared_rows(question: QuestionAnalysis, tables: Sequence[Table]) -> list[Passage]:
    """The two rows that a question compares, where one table alone has rows of both names and a column of its
    comparative."""
    asked = find_comparatives(question.text)
    found = [rows for table in tables if asked and (rows := _choose_rows(question, asked, table))]
    return found[0] if len(found) == 1 else []


def _choose_rows(question: QuestionAnalysis, asked: Sequence[Superlative], table: Table) -> list[Passage]:
    wanted = frozenset(question.weights.keys() - asked[0].terms - SHAPE_TERMS - FILLERS)
    named = _find_named(wanted, table)
    if not table.is_whole or len(named) != 2:
        return []
    rows = [row for row, _ in named]
    said = frozenset(extract_terms(" ".join(table.header))).union(*(terms for _, terms in named))
    if not wanted <= said.union(*(above for row, above in table.rows if row in rows)):
        return []
    every = [[table.cell(row, place) for row, _ in table.rows] for place in range(len(table.header))]
    columns = [read_column(name, cells) for name, cells in zip(table.header, every, strict=True)]
    for one in asked:
        chosen = choose_column(one, table.header, columns, wanted)
        column = columns[chosen.place] if chosen else None
        if chosen is not None and column is not None:
            return _sort_rows(table, rows, column, highest=chosen.highest)
    takes = any(one.measure is TAKES for one in asked) and HOW_FAST.intersection(extract_terms(" ".join(table.header)))
    return rows if takes else []  # "next day" is no figure, but a reader sees it


def _sort_rows(table: Table, rows: Sequence[Passage], column: Column, *, highest: bool) -> list[Passage]:
    """The rows, that with the figure that is asked for first; none where one has no figure."""
    figures = {(row.hit, row.start): value for (row, _), value in zip(table.rows, column.values, strict=True)}
    known = [(value, row) for row in rows if (value := figures[row.hit, row.start]) is not None]
    order = sorted(known, key=lambda one: -one[0] if highest else one[0])
    return [row for _, row in order] if len(known) == len(rows) else []


def _find_named(wanted: frozenset[str], table: Table) -> list[tuple[Passage, frozenset[str]]]:
    """The rows of which the question says a whole cell that no other row has, of the first columns, each with its
    terms; where one name is part of another that is said too, the longer one."""
    found: list[tuple[Passage, frozenset[str]]] = []
    for place in range(min(NAMING, len(table.header))):
        cells = [ASIDE.sub("", table.cell(row, place)) for row, _ in table.rows]
        counts = Counter(cells)
        for (row, _), cell in zip(table.rows, cells, strict=True):
            terms = frozenset(extract_terms(cell)) - SHAPE_TERMS
            if counts[cell] == 1 and terms and terms <= wanted and all(row is not other for other, _ in found):
                found.append((row, terms))
    return [(row, own) for row, own in found if not any(own < other for _, other in found)]
