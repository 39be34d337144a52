"""Questions for all rows of a kind, their number or the sum of their figures: "How many sites are in Germany?" is
answered by these rows, and how many they are, or what their figures add up to, is said beside them."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ragstone.answering.extractive.column_values import MONEY, NUMBER, read_column
from ragstone.answering.extractive.passages import Passage
from ragstone.answering.extractive.question_analysis import SHAPE_TERMS, QuestionAnalysis
from ragstone.answering.extractive.row_dates import extract_date_terms
from ragstone.answering.extractive.superlatives import DENIES, ORDINAL
from ragstone.answering.extractive.whole_tables import Table, filter_rows, says_letters
from ragstone.core.analyzer import extract_terms
from ragstone.core.late_pattern import compile_late

COUNTS = compile_late(r"\bhow many\b|\bnumber of\b|^\W*count\b", re.IGNORECASE)
SUMS = compile_late(r"\b(?:totals?|sum|altogether|add up|in all)\b", re.IGNORECASE)
LISTS = compile_late(
    r"^\W*(?:(?:which|what) (?!(?:is|was|are)\b)(?:\w+ ){1,3}?(?:are|were|have|has|do|did|is|was|need|belong)\b"
    r"|(?:list|show|name|give me)\b)",
    re.IGNORECASE,
)
FILLERS = frozenset(
    extract_terms(
        "total totals sum altogether add up overall all list number count still currently now exist got get received "
        "receive much together every one ones full amount amounts please"
    )
)
MOST = 12  # rows that an answer quotes
DECIMALS = re.compile(r"\d[.,](\d{1,2})(?!\d)")  # 1.250 may be a thousand
BOUNDS = compile_late(
    r"\b(?:after|before|since|until|over|under|above|below|than|at (?:least|most)|between|older|newer|larger|bigger"
    r"|smaller|longer|shorter|earlier|later|up to|exceed\w*|or (?:more|less)|per|average|mean|most|least|first|last)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ListedRows:
    """The rows of a kind, and a sentence on their number or the sum of their figures, where one is asked for."""

    rows: list[Passage]
    said: str = ""


def asks_for_rows(question: QuestionAnalysis) -> bool:
    """Whether a question asks for all rows of a kind, their number or a sum, in English; not for those above or below a
    figure or a day, which no words of a row tell."""
    text = question.text
    asks = any(pattern.search(text) for pattern in (COUNTS, SUMS, LISTS))
    return asks and question.own is None and not DENIES.search(text) and not BOUNDS.search(text)


def choose_listed_rows(question: QuestionAnalysis, tables: Sequence[Table]) -> ListedRows:
    """The rows of which all is said that a question says, of one table that is named by it; none where several tables
    have such rows, too many are such, or a further one may be."""
    found = [one for table in tables if asks_for_rows(question) and (one := _choose_rows(question, table))]
    if len(found) != 1:
        return ListedRows([])
    [(table, rows)] = found
    return ListedRows(rows, _say_figure(question, table, rows))


def _choose_rows(question: QuestionAnalysis, table: Table) -> tuple[Table, list[Passage]] | None:
    wanted = frozenset(question.weights.keys() - (SHAPE_TERMS - question.names) - FILLERS)
    above = frozenset.intersection(*(above for _, above in table.rows))
    named = above | frozenset(extract_terms(table.header[0]))
    figures = _find_figures(table, wanted - named)
    if not table.is_whole or not (wanted & named or figures is not None):
        return None
    rows = filter_rows(question, table, wanted)
    if not 0 < len(rows) <= min(MOST, len(table.rows) - 1):
        return None
    headers = [frozenset(extract_terms(name)) for name in table.header]
    limiting = wanted - named - frozenset[str]().union(*headers)
    columns = {_find_columns(table, row, limiting) for row in rows}
    asked = {place for place, header in enumerate(headers) if header & wanted - named} - {figures}
    # A row with these words elsewhere may be meant, too, and "due in June" is not said by another date of June.
    left = (row for row, _ in table.rows if all(row is not one for one in rows) and says_letters(question, row))
    unsure = any(limiting <= row.terms for row in left)
    if not limiting or len(columns) > 1 or unsure or (asked and asked.isdisjoint(*columns)):
        return None
    return table, rows


def _find_columns(table: Table, row: Passage, limiting: frozenset[str]) -> frozenset[int]:
    """The columns whose cell says why a row is such as the question asks for."""
    cells = ((place, table.cell(row, place)) for place in range(len(table.header)))
    return frozenset(place for place, cell in cells if limiting & (extract_date_terms(cell) | {*extract_terms(cell)}))


def _find_figures(table: Table, wanted: frozenset[str]) -> int | None:
    """The column of figures that the question names."""
    named = (at for at, name in enumerate(table.header) if at and wanted.intersection(extract_terms(name)))
    return next((place for place in named if _adds_up(table, place)), None)


def _adds_up(table: Table, place: int) -> bool:
    name = table.header[place]
    column = read_column(name, [table.cell(row, place) for row, _ in table.rows])
    adds = column is not None and column.kind in (MONEY, NUMBER) and not column.years
    return adds and column is not None and None not in column.values and not ORDINAL.search(name)


def _say_figure(question: QuestionAnalysis, table: Table, rows: Sequence[Passage]) -> str:
    """A sentence on the number of rows, or on what the figures add up to of the column that the question names, or that
    is the only one."""
    path, text = rows[0].chunk.document.path, question.text
    if _is_repeated(table, rows):
        return ""
    place = _find_figures(table, frozenset(question.weights))
    if SUMS.search(text) or (place is not None and COUNTS.search(text)):
        adding = [at for at in range(1, len(table.header)) if _adds_up(table, at)]
        place = adding[0] if place is None and len(adding) == 1 else place
        return _say_sum(table, place, rows, path) if place is not None and len(rows) > 1 else ""
    if not COUNTS.search(text):
        return ""
    return f"{len(rows)} rows of {path} say so" if len(rows) > 1 else f"one row of {path} says so"


def _is_repeated(table: Table, rows: Sequence[Passage]) -> bool:
    """Whether a label stands below several headings: the same office in the tables of two years is one."""
    places = {(table.cell(row, 0), row.sections) for row in rows}
    return len({label for label, _ in places}) < len(places)


def _say_sum(table: Table, place: int, rows: Sequence[Passage], path: str) -> str:
    cells = [table.cell(row, place) for row in rows]
    column = read_column(table.header[place], cells)
    if column is None or None in column.values or any(map(math.isinf, filter(None, column.values))):
        return ""
    total = sum((Decimal(str(value)) for value in column.values if value is not None), Decimal(0))
    places = max(len(f"{total.normalize():f}".partition(".")[2]), *map(_count_decimals, cells))
    return f'"{table.header[place]}" of these {len(rows)} rows of {path} adds up to {total:,.{places}f}'


def _count_decimals(cell: str) -> int:
    found = DECIMALS.search(cell)
    return len(found[1]) if found else 0
