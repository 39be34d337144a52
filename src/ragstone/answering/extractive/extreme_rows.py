"""Questions for the first of all rows: "Which plan is the cheapest?" is answered by its row, if the table is whole."""

import re
from collections.abc import Sequence

from ragstone.answering.extractive.column_values import is_blank, read_column
from ragstone.answering.extractive.passages import Passage
from ragstone.answering.extractive.question_analysis import SHAPE_TERMS, QuestionAnalysis
from ragstone.answering.extractive.superlatives import Superlative, choose_column, find_superlative
from ragstone.answering.extractive.whole_tables import Table, filter_rows, name_rows
from ragstone.core.analyzer import extract_terms

DIGIT = re.compile(r"\d")
# Words beside a superlative that say nothing of what is compared.
FILLERS = frozenset(
    extract_terms(
        "offer offers take takes took last lasted lasting one ones buy choose option overall ever list all far work "
        "works working available"
    )
)
FEWEST = 2  # rows that are compared
MOST = 2  # rows that are equal


def asks_for_extreme(question: QuestionAnalysis) -> bool:
    """Whether a question asks for the first of things by a superlative, in English."""
    return question.own is None and find_superlative(question.text) is not None


def choose_extreme_rows(question: QuestionAnalysis, tables: Sequence[Table]) -> list[Passage]:
    """The rows, one or two that are equal, which a superlative of the question names; none where no table has a column
    for it, or several have one that is as good."""
    asked = find_superlative(question.text)
    if asked is None or question.own is not None:
        return []
    found = [one for table in tables if (one := _choose_rows(question, asked, table))]
    best = min((rating for rating, _ in found), default=None)
    chosen = [rows for rating, rows in found if rating == best]
    return chosen[0] if len(chosen) == 1 else []


def _choose_rows(
    question: QuestionAnalysis, asked: Superlative, table: Table
) -> tuple[tuple[int, float], list[Passage]] | None:
    """The rows of a table that answer, and how well their column is what is compared."""
    wanted = question.weights.keys() - asked.terms - (SHAPE_TERMS - question.names) - FILLERS
    if not table.is_whole or not wanted & name_rows(table):
        return None
    rows = filter_rows(question, table, frozenset(wanted))
    cells = [[table.cell(row, place) for row in rows] for place in range(len(table.header))]
    columns = [read_column(name, values) for name, values in zip(table.header, cells, strict=True)]
    chosen = choose_column(asked, table.header, columns, frozenset(wanted)) if len(rows) >= FEWEST else None
    column = columns[chosen.place] if chosen else None
    if chosen is None or column is None:
        return None
    read = zip(column.values, cells[chosen.place], strict=True)
    if any(value is None and not is_blank(cell) and (chosen.highest or DIGIT.search(cell)) for value, cell in read):
        return None  # a price on request may be the highest, "20 or so, see below" the lowest
    known = [value for value in column.values if value is not None]
    best = max(known) if chosen.highest else min(known)
    winners = [row for row, value in zip(rows, column.values, strict=True) if value == best]
    return (chosen.rating, winners) if len(winners) <= MOST and len(winners) < len(known) else None
