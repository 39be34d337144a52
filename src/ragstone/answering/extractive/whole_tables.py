"""Tables that are read to their end: their rows, what names these, and those that a question limits them to."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ragstone.answering.extractive.column_values import CURRENCY, is_blank
from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.passages import Passage, chunk_passages
from ragstone.answering.extractive.question_analysis import SHAPE_TERMS, QuestionAnalysis
from ragstone.answering.extractive.table_rows import RULE, find_row_lines, split_cells
from ragstone.answering.verification.spans import spans_at
from ragstone.core.analyzer import extract_terms
from ragstone.core.document_names import list_name_words
from ragstone.core.types import Chunk

SUMS = frozenset(
    extract_terms("total totals sum subtotal average summe gesamt insgesamt durchschnitt somme totale totaal suma soma")
)
WHOLLY = SUMS | frozenset(extract_terms("mean median all overall"))  # where the label has no other word
WORD = re.compile(rf"(?<![^\W\d_])(?!{CURRENCY})[^\W\d_]{{3}}", re.IGNORECASE)
LETTERS = re.compile(r"(?<=[^\W_] )[A-Z]{1,4}(?![^\W_])")
YES, NO = frozenset("yes true y x ✓ ✔ ✅".split()), frozenset("no false n ✗ ✘ ❌ - – —".split()) | {""}
FLAGS = 0.75  # of the cells of a column that says yes or no
DIFFERENT = 0.7  # of the labels in a first column that names the rows

Header = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
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


def holds_rows(chunk: Chunk) -> bool:
    """Whether a chunk has rows of a table."""
    return bool(find_row_lines(chunk.text, is_table=chunk.kind == "table"))


def gather_tables(chunks: Sequence[Chunk], first: int) -> list[Table]:
    """The tables of these chunks, which are those with rows of whole documents, each document by itself; `first` is
    the rank of a hit that the first chunk counts as."""
    out: list[Table] = []
    for _, own in groupby(enumerate(chunks, start=first), key=lambda one: one[1].document.id):
        out += _gather_rows(chunk_passages(chunk, rank) for rank, chunk in own)
    return out


def read_header(passage: Passage) -> Header:
    """The cells of the header of a row's table, its last line where it has several."""
    continued = passage.row is not None and passage.row.continued
    lines = (passage.chunk.header if continued else passage.header).splitlines()
    return next((split_cells(line.strip()) for line in reversed(lines) if not RULE.fullmatch(line)), ())


def _gather_rows(chunks: Iterable[Sequence[Passage]]) -> list[Table]:
    tables: dict[Header, Table] = {}
    before: list[tuple[int, int]] = []
    for pieces in chunks:
        own = []
        for passage, header, above in _iterate_rows(pieces):
            start, end = _find_place(passage)
            own.append((start, end))
            if not any(start < last and first < end for first, last in before):
                tables.setdefault(header, Table(header, [])).rows.append((passage, above))
        before = own
    return list(tables.values())


def _find_place(row: Passage) -> tuple[int, int]:
    """Where a row stands in the text of record: chunks that overlap have the same rows, or their ends."""
    spans = spans_at(row.chunk, row.start, row.end)
    return (spans[0].char_start, spans[-1].char_end) if spans else (0, 0)


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


def name_rows(table: Table) -> frozenset[str]:
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


def says_letters(question: QuestionAnalysis, row: Passage) -> bool:
    """Whether a row, or what stands above it, has the names of a question that weigh nothing: "IT", "US", "zone A"."""
    words = [
        word for word in LETTERS.findall(question.text) if word != "I" and SHAPE_TERMS.issuperset(extract_terms(word))
    ]
    said = " ".join((row.text, row.header, text_above(row.chunk), *row.sections)) if words else ""
    return all(re.search(rf"(?<![^\W_]){word}(?![^\W_])", said) for word in words)


def filter_rows(question: QuestionAnalysis, table: Table, wanted: frozenset[str]) -> list[Passage]:
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
        if (
            wanted <= said
            and says_letters(question, row)
            and all(table.cell(row, place).lower() in YES for place in asked)
        ):
            kept.append(row)
    return kept
