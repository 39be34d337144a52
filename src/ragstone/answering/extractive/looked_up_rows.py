"""Questions that say a cell of a row and the header of a column, and nothing else: answered by that row."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.passages import Passage, split_passages
from ragstone.answering.extractive.question_analysis import SHAPE_TERMS, QuestionAnalysis, answers_kind
from ragstone.answering.extractive.superlatives import DENIES
from ragstone.answering.extractive.whole_tables import read_header
from ragstone.core.analyzer import extract_terms
from ragstone.core.types import Hit

UNASKED = ("why", "how_to")  # kinds of questions that no cell answers
FILLERS = frozenset(extract_terms("work works working available need needs"))
NAMING = 2  # columns whose cells name a row


def look_up_row(question: QuestionAnalysis, hits: Sequence[Hit]) -> list[Passage]:
    """The one row of which the question says a whole cell that no other row has, where all else that it says stands
    above the row, and something of it in the header of another column: "Is volunteering paid?". None where two rows
    are such."""
    if question.own is not None or question.kind in UNASKED or DENIES.search(question.text):
        return []
    found = [row for pieces in split_passages(hits) for row in _find_rows(question, pieces)]
    return found if len(found) == 1 else []


def _find_rows(question: QuestionAnalysis, pieces: Sequence[Passage]) -> Iterator[Passage]:
    rows = [(piece, piece.row.cells) for piece in pieces if piece.row is not None and piece.row.kind == "row"]
    counts = Counter((place, cell) for _, cells in rows for place, cell in enumerate(cells))
    wanted = question.weights.keys() - SHAPE_TERMS - FILLERS
    specific = question.names | question.numbers
    for row, cells in rows:
        header = read_header(row)
        if len(header) != len(cells):
            continue
        over = frozenset(extract_terms(" ".join((text_above(row.chunk), *row.sections, *header))))
        for place, cell in enumerate(cells):
            named = frozenset(extract_terms(cell)) - SHAPE_TERMS
            tells = counts[place, cell] == 1 and (place < NAMING or not named.isdisjoint(specific))
            rest = wanted - named
            if tells and named and named <= wanted and rest <= over:
                others = [(name, cells[at]) for at, name in enumerate(header) if at != place]
                if any(_answers(question, rest, name, value) for name, value in others):
                    yield row
                    break


def _answers(question: QuestionAnalysis, rest: Set[str], name: str, value: str) -> bool:
    """Whether a question says the name of a column, and the value below is of the kind that is asked for: who founded
    it is not told by the year below "Founded"."""
    said = frozenset(extract_terms(value))
    asked = rest & frozenset(extract_terms(name)) - SHAPE_TERMS
    return bool(asked and value) and answers_kind(question, f"{name}: {value}", said)
