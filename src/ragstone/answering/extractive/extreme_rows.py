"""Questions for the first of all rows: "Which plan is the cheapest?" is answered by its row, if the table is whole."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ragstone.answering.extractive.column_values import CURRENCY, is_blank, read_column
from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.passages import Passage, chunk_passages
from ragstone.answering.extractive.question_analysis import SHAPE_TERMS, QuestionAnalysis
from ragstone.answering.extractive.superlatives import Superlative, choose_column, find_superlative
from ragstone.answering.extractive.table_rows import RULE, find_row_lines, split_cells
from ragstone.core.analyzer import extract_terms
from ragstone.core.document_names import list_name_words
from ragstone.core.types import Chunk

SUMS = frozenset(
    extract_terms("total totals sum subtotal average summe gesamt insgesamt durchschnitt somme totale totaal suma soma")
)
WHOLLY = SUMS | frozenset(extract_terms("mean median all overall"))  # where the label has no other word
DIGIT = re.compile(r"\d")
WORD = re.compile(rf"(?<![^\W\d_])(?!{CURRENCY})[^\W\d_]{{3}}", re.IGNORECASE)
# Words beside a superlative that say nothing of what is compared.
FILLERS = frozenset(
    extract_terms(
        "offer offers take takes took last lasted lasting one ones buy choose option overall ever list all far work "
        "works working available"
    )
)
YES, NO = frozenset("yes true y x ✓ ✔ ✅".split()), frozenset("no false n ✗ ✘ ❌ - – —".split()) | {""}
FLAGS = 0.75  # of the cells of a column that says yes or no
DIFFERENT = 0.7  # of the labels in a first column that names the rows
FEWEST = 2  # rows that are compared
MOST = 2  # rows that are equal

Header = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of a document below headers that are the same, each with the terms above it."""

    header: Header
    rows: list[tuple[Passage, frozenset[str]]]

    def cell(self, row: Passage, place: int) -> str:
        """The text of a cell, empty where the row ends before it."""
        cells = row.row.cells if row.row else ()
        return cells[place] if place < len(cells) else ""

    @property
    def is_whole(self) -> bool:
        """Whether each cell has a header: a comma too many shifts the others."""
        return not any(row.row and any(row.row.cells[len(self.header) :]) for row, _ in self.rows)


def asks_for_extreme(question: QuestionAnalysis) -> bool:
    """Whether a question asks for the first of things by a superlative, in English."""
    return question.own is None and find_superlative(question.text) is not None


def holds_rows(chunk: Chunk) -> bool:
    """Whether a chunk has rows of a table."""
    return bool(find_row_lines(chunk.text, is_table=chunk.kind == "table"))


def choose_extreme_rows(question: QuestionAnalysis, chunks: Sequence[Chunk], first: int) -> list[Passage]:
    """The rows, one or two that are equal, which a superlative of the question names; none where no table has a column
    for it, or several have one that is as good. The chunks are those with rows of whole documents, each document by
    itself; `first` is the rank of a hit that the first one counts as."""
    asked = find_superlative(question.text)
    if asked is None or question.own is not None:
        return []
    found: list[tuple[tuple[int, float], list[Passage]]] = []
    for _, own in groupby(enumerate(chunks, start=first), key=lambda one: one[1].document.id):
        pieces = (chunk_passages(chunk, rank) for rank, chunk in own)
        found += [one for table in _gather_tables(pieces) if (one := _choose_rows(question, asked, table))]
    best = min((rating for rating, _ in found), default=None)
    chosen = [rows for rating, rows in found if rating == best]
    return chosen[0] if len(chosen) == 1 else []


def read_header(passage: Passage) -> Header:
    """The cells of the header of a row's table, its last line where it has several."""
    continued = passage.row is not None and passage.row.continued
    lines = (passage.chunk.header if continued else passage.header).splitlines()
    return next((split_cells(line.strip()) for line in reversed(lines) if not RULE.fullmatch(line)), ())


def _gather_tables(chunks: Iterable[Sequence[Passage]]) -> list[_Table]:
    tables: dict[Header, _Table] = {}
    for pieces in chunks:
        for passage, header, above in _iterate_rows(pieces):
            tables.setdefault(header, _Table(header, [])).rows.append((passage, above))
    return list(tables.values())


def _iterate_rows(pieces: Sequence[Passage]) -> Iterator[tuple[Passage, Header, frozenset[str]]]:
    """The rows of a chunk but sums, each with its header and the terms above."""
    before = ""  # the sentence above the table
    for passage in pieces:
        if passage.row is None:
            before = passage.text if passage.form in ("sentence", "heading") else before
            continue
        if passage.row.kind != "row":
            continue
        header = read_header(passage)
        if not header or _is_sum(passage.row.cells):
            continue
        document = passage.chunk.document
        names = list_name_words(document.path, document.title, document.meta)
        group = passage.chunk.text[slice(*passage.row.group)] if passage.row.group else ""
        above = " ".join((text_above(passage.chunk), *names, *passage.sections, before, group))
        yield passage, header, frozenset(extract_terms(above))


def _is_sum(cells: Sequence[str]) -> bool:
    """Whether a row sums up others: its label says so, or it has nothing but figures."""
    label = frozenset(extract_terms(cells[0]))
    if is_blank(cells[0]):
        return not any(WORD.search(cell) for cell in cells)
    return bool(label & SUMS) or (bool(label) and label <= WHOLLY)


def _choose_rows(
    question: QuestionAnalysis, asked: Superlative, table: _Table
) -> tuple[tuple[int, float], list[Passage]] | None:
    """The rows of a table that answer, and how well their column is what is compared."""
    wanted = question.weights.keys() - asked.terms - SHAPE_TERMS - FILLERS
    if not table.is_whole or not wanted & _name_rows(table):
        return None
    rows = _filter_rows(question, table, frozenset(wanted))
    cells = [[table.cell(row, place) for row in rows] for place in range(len(table.header))]
    columns = [read_column(name, values) for name, values in zip(table.header, cells, strict=True)]
    chosen = choose_column(asked, table.header, columns, frozenset(wanted)) if len(rows) >= FEWEST else None
    column = columns[chosen.place] if chosen else None
    if chosen is None or column is None:
        return None
    read = zip(column.values, cells[chosen.place], strict=True)
    if any(value is None and not is_blank(cell) and (chosen.highest or DIGIT.search(cell)) for value, cell in read):
        return None  # a price on request may be the highest, "(20)" the lowest
    known = [value for value in column.values if value is not None]
    best = max(known) if chosen.highest else min(known)
    winners = [row for row, value in zip(rows, column.values, strict=True) if value == best]
    return (chosen.rating, winners) if len(winners) <= MOST and len(winners) < len(known) else None


def _name_rows(table: _Table) -> frozenset[str]:
    """The terms that name what the rows are: those above the table, of labels, and of the headers of columns whose
    values are different: the oldest entry of a log of repairs is not that of the oldest building."""
    above = frozenset.intersection(*(above for _, above in table.rows))
    said: set[str] = set()
    for place, name in enumerate(table.header):
        values = [table.cell(row, place) for row, _ in table.rows]
        different = len(set(values)) >= len(values) * (1.0 if place else DIFFERENT)
        said.update(extract_terms(name if different else ""))
        said.update(extract_terms(" ".join(values)) if not place else ())
    return above | said


def _is_flag(values: Counter[str]) -> bool:
    """Whether a column says yes or no, but for some of its cells."""
    flags = [value for value in values.elements() if value.lower() in YES | NO]
    return len(flags) >= FLAGS * values.total() and any(value.lower() in YES for value in flags)


def _filter_rows(question: QuestionAnalysis, table: _Table, wanted: frozenset[str]) -> list[Passage]:
    """The rows of which all is said that a question says beside its superlative: by what stands above, by a label, by
    a value that several rows have, by a name or a number, and by a "yes" below a header that says it."""
    counts = [Counter(table.cell(row, place) for row, _ in table.rows) for place in range(len(table.header))]
    flags = [place for place, values in enumerate(counts) if _is_flag(values)]
    asked = [place for place in flags if wanted.intersection(extract_terms(table.header[place]))]
    headers = frozenset(extract_terms(" ".join(table.header)))
    kept = []
    for row, above in table.rows:
        cells = [table.cell(row, place) for place in range(len(table.header))]
        values = [cell for place, cell in enumerate(cells) if counts[place][cell] > 1]
        named = row.terms & (question.names | question.numbers)
        said = above | headers | named | frozenset(extract_terms(" ".join((table.cell(row, 0), *values))))
        if wanted <= said and all(table.cell(row, place).lower() in YES for place in asked):
            kept.append(row)
    return kept
