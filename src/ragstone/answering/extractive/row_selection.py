"""Questions for a figure that tables answer: the row with the label that was asked for, or nothing."""

import re
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from ragstone.answering.extractive.column_names import find_abbreviated
from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.passages import Passage, split_passages
from ragstone.answering.extractive.question_analysis import SHAPE_TERMS, QuestionAnalysis
from ragstone.answering.extractive.row_dates import list_days
from ragstone.answering.extractive.scored_passages import ScoredPassage, place_of_passage
from ragstone.answering.extractive.table_rows import TableRow
from ragstone.core.analyzer import extract_terms
from ragstone.core.types import Hit

# Terms that say of which time a figure is: a table's header says it, and no label.
PERIOD_TERMS = frozenset(
    extract_terms(
        "january february march april may june july august september october november december year years month months "
        "quarter quarters quarterly week weeks end ended ending ends fiscal period first second third fourth "
        "three six nine twelve half annual date day beginning"
    )
)
# Words with which a figure is asked for, which no label repeats.
ASKING_TERMS = frozenset(
    extract_terms(
        "spend spent pay paid get got report reported record recorded amount amounts value figure high large total "
        "make made earn earned generate generated company hold held owe owed number"
    )
)
ASKING_WEIGHT = 0.3
SUM_TERMS = frozenset(extract_terms("total totals sum amount value"))  # a row of such a label is named by nothing
SHARE_TERMS = frozenset(extract_terms("percent percentage percentages share rate rates ratio margin yield"))
# "How much does the team plan cost?": what such a question asks for, no part of a name.
ASKS_PRICE = re.compile(r"^\W*how much\b.*\bcosts?\b\W*$", re.I | re.S)
PRICE_TERMS = frozenset(extract_terms("cost costs"))
# "How long is the warranty?" asks for a number of months, and no table says "long".
COUNTS = re.compile(r"^\W*how many\b", re.I)  # one of many rows says nothing of their number
ASKS_MEASURE = re.compile(r"^\W*how (long|old|large|big|far|high|tall|fast|often|deep|heavy|wide)\b", re.I)
CURRENCY = re.compile(r"[$€£¥]")
OTHER = re.compile(r"\bother\b", re.I)
OTHER_UNIT = 0.7  # a row of percentages, where an amount was asked for
LONGEST = 30  # terms of a sentence that answers such a question
ASKS_FIGURE = re.compile(r"^\W*(?:what (?:was|were)|how (?:much|many|high|large|big|low|long))\b", re.I)
MAY_ASK_FIGURE = re.compile(r"^\W*what(?:'s| is| are)\b", re.I)
DATE_TERMS = frozenset(
    extract_terms(
        "january february march april may june july august september october november december quarter quarters fiscal"
    )
)
YEAR = re.compile(r"(?:19|20)\d\d")
FIGURES = re.compile(r"\d[\d.,]*\d|\d")
LETTER = re.compile(r"[^\W\d_]")
CUT = re.compile(r"\s*(?:,|\(|:|;)")
AROUND = 0.4  # a term that heading or introduction says counts so much
BETA = 0.25  # as in F0.5: a word that the label has more than the question makes another thing of it
HEAD = 0.95  # a label read up to its first comma or bracket counts so much
STRONG = 0.75  # from here a row answers
COVERED = 0.85  # the share of what is asked that a sentence says where tables answer
SAME = 0.01  # rows that are as good as the best
PERIOD = 0.04  # less than a label that is read in part loses
OTHER_GROUP = 0.03  # what a row of a group loses that the question does not name
CELLS = 0.8
BEST = 3  # passages
TABULAR = 0.3  # the share of hits with tables of figures from which any question that may ask for a figure asks for one


class _Asked(NamedTuple):
    """A question's terms with their weights but those of time, its names, the terms of time, its wording and days."""

    subject: Mapping[str, float]
    names: frozenset[str]
    period: frozenset[str]
    share: bool
    other: bool
    figures: frozenset[str]
    days: frozenset[str]


def select_rows(
    question: QuestionAnalysis,
    hits: Sequence[Hit],
    scored: Sequence[ScoredPassage],
    *,
    most: int,
    barred: Set[tuple[int, int]] = frozenset(),
) -> list[ScoredPassage] | None:
    """The rows, best first, that answer a question for a figure; None where tables have no say.

    A question for a figure of some date that no label answers is answered by a sentence that says most of it, or not
    at all: the list is empty. So is one without a date among many tables of figures, unless a sentence with a figure
    is among the best passages. Rows that are `barred`, by hit and number, answer nothing.
    """
    pieces = split_passages(hits)
    tables = sum(sum(_is_figure_row(p) for p in found) > 1 for found in pieces)
    tabular = tables > 0 and tables >= TABULAR * len(hits)
    asks = ASKS_FIGURE.search(question.text) is not None
    if not tables or not (asks or (tabular and MAY_ASK_FIGURE.search(question.text))):
        return None
    asked = _read_question(question)
    allowed = _documents_named(asked, pieces)
    known = {(one.passage.hit, one.passage.index): one for one in scored}
    rows = sorted(
        (
            row
            for found in pieces
            if found and found[0].chunk.document.id in allowed
            for row in _score_rows(asked, question, found, allowed[found[0].chunk.document.id], known)
            if place_of_passage(row.passage) not in barred
        ),
        key=lambda one: (-one.score, one.passage.hit, one.passage.start),
    )
    if rows and rows[0].coverage >= STRONG:
        same = [one for one in rows if one.score >= rows[0].score - SAME]
        if len(same) <= most or not COUNTS.search(question.text):
            return same[:most]
    if not _is_dated(asked) and (not tabular or _has_figure_sentence(scored)):
        return None
    return [one for one in scored if _says_what_is_asked(asked, one, allowed)][:most]


def _has_figure_sentence(scored: Sequence[ScoredPassage]) -> bool:
    """Whether a sentence with a figure is among the passages that answer best."""
    return any(one.typed and one.passage.form in ("sentence", "item") for one in scored[:BEST])


def _is_dated(asked: _Asked) -> bool:
    return bool(DATE_TERMS & asked.period) or any(YEAR.fullmatch(figure) for figure in asked.figures)


def _is_figure_row(passage: Passage) -> bool:
    return passage.row is not None and passage.row.kind == "row" and passage.row.has_figures


def _read_question(question: QuestionAnalysis) -> _Asked:
    period = frozenset(t for t in question.weights if t in PERIOD_TERMS or t in question.numbers)
    subject = {
        term: weight * (ASKING_WEIGHT if term in ASKING_TERMS else 1.0)
        for term, weight in question.weights.items()
        if term not in period
    }
    text = question.text
    share, other = bool(SHARE_TERMS & question.weights.keys()), bool(OTHER.search(text))
    return _Asked(
        subject, question.names - period, period, share, other, frozenset(FIGURES.findall(text)), list_days(text)
    )


def _documents_named(asked: _Asked, pieces: Sequence[Sequence[Passage]]) -> dict[str, frozenset[str]]:
    """The documents that hold most of the question's names, each with the names that tell it from others: those that
    no label of its rows holds."""
    held: dict[str, set[str]] = {}
    labels: dict[str, set[str]] = {}
    for found in filter(None, pieces):
        document = found[0].chunk.document
        about = f"{text_above(found[0].chunk)} {document.path} {found[0].chunk.text}"
        held.setdefault(document.id, set()).update(asked.names & set(extract_terms(about)))
        rows = (passage.row.label for passage in found if passage.row and _may_be_row(passage.row))
        labels.setdefault(document.id, set()).update(extract_terms(" ".join(rows)))
        labels[document.id] -= set(extract_terms(document.title or ""))
    most = max(map(len, held.values()), default=0)
    return {name: frozenset(names - labels[name]) for name, names in held.items() if len(names) == most}


def _is_share(row: TableRow, before: bool) -> bool:
    """Whether a row's figures are percentages: statements write the sign of a unit in the first row only."""
    figures = [cell for cell in row.cells[1:] if any(c.isdigit() for c in cell)]
    if figures and all("%" in cell for cell in figures):
        return True
    return before and not any(CURRENCY.search(cell) for cell in figures)


def _may_be_row(row: TableRow) -> bool:
    """Whether a row says something beside its label, and more than the years of a header."""
    values = [cell for cell in row.cells[1:] if cell]
    return row.kind == "row" and bool(values) and not all(YEAR.fullmatch(cell) for cell in values)


def _score_rows(
    asked: _Asked,
    question: QuestionAnalysis,
    found: Sequence[Passage],
    named: frozenset[str],
    known: Mapping[tuple[int, int], ScoredPassage],
) -> list[ScoredPassage]:
    """The rows with figures of a chunk, scored by their label, the names of their group and what stands above."""
    out: list[ScoredPassage] = []
    above = frozenset(extract_terms(text_above(found[0].chunk)))
    around = above
    figures = any(_is_figure_row(passage) for passage in found)
    share = False  # the last mark of a unit was a percent sign
    for passage in found:
        if passage.row is None:
            around = above | passage.terms if passage.form in ("sentence", "item") else around
            share = share and passage.form == "noise"
            continue
        share = _is_share(passage.row, share)
        if not _may_be_row(passage.row) or (figures and not _is_figure_row(passage)):
            continue
        if asked.days and (days := list_days(passage.text)) and days.isdisjoint(asked.days):
            continue
        text = passage.chunk.text
        group = frozenset(extract_terms(text[slice(*passage.row.group)]) if passage.row.group else ())
        header = frozenset(extract_terms(passage.header))
        headers = [*passage.chunk.header.splitlines(), *passage.header.splitlines()]
        above_row = around | header | find_abbreviated(question.weights.keys(), headers)
        match = _match_label(asked, passage.row.label, group, above_row, named)
        match = max(match, STRONG * _is_named(asked, question, passage, above_row | named))
        match *= OTHER_UNIT if share and not asked.share else 1.0
        match = round(max(match, CELLS * _match_cells(question, passage, above_row | named)), 6)
        score = round(match + _compare_time_and_group(asked, passage, group, above_row), 6)
        one = known.get((passage.hit, passage.index))
        covered = frozenset(asked.subject.keys() & passage.terms)
        out.append(ScoredPassage(passage, score, covered, match, True, one.similar if one else None))
    return out


def _compare_time_and_group(asked: _Asked, passage: Passage, group: frozenset[str], above_row: frozenset[str]) -> float:
    """The points that decide between rows of one label: for the table's time, off for another group or time."""
    said = above_row | passage.terms
    period = len(asked.period & said) / len(asked.period) if asked.period else 0.0
    times = PERIOD_TERMS.intersection(extract_terms(passage.row.label if passage.row else ""))
    other = len(times - asked.period) / len(times) if times else 0.0
    apart = float(bool(group) and not group & asked.subject.keys())
    return PERIOD * period - OTHER_GROUP * max(apart, other)


def _match_label(
    asked: _Asked, label: str, group: frozenset[str], around: frozenset[str], named: frozenset[str]
) -> float:
    """How well a label is what was asked for, from 0 to 1: the weighted harmonic mean of the share of the label that
    the question says, and of the share of the question that the label says, with less weight what stands above."""
    best = 0.0
    for text, share in ((label, 1.0), (CUT.split(label, maxsplit=1)[0], HEAD)):
        terms = frozenset(extract_terms(text))
        both = terms & asked.subject.keys()
        if not both or (both <= ASKING_TERMS and not asked.subject.keys() <= ASKING_TERMS):
            continue
        wanted = {t: w for t, w in asked.subject.items() if t in terms or t not in named}
        full, part = _sum(wanted, both | group), _sum(wanted, around - both - group)
        recall = (full + AROUND * part) / sum(wanted.values())
        other = bool(OTHER.search(text)) and not asked.other  # the terms leave it out, and it makes all the difference
        precision = len(both) / (len(terms) + other)
        best = max(best, share * (1 + BETA) * precision * recall / (BETA * precision + recall))
    return best


def _is_named(asked: _Asked, question: QuestionAnalysis, passage: Passage, around: frozenset[str]) -> bool:
    """Whether a question without a date says the whole label, or another cell, and all else that it says stands above
    the row: a table of plans that has a column for storage answers how much storage the company plan has, one of staff
    that begins with numbers the extension of a person."""
    if _is_dated(asked):
        return False
    measured = ASKS_MEASURE.search(question.text)
    asking = PRICE_TERMS if ASKS_PRICE.search(question.text) else frozenset[str]()
    wanted = question.weights.keys() - asking - frozenset(extract_terms(measured[1]) if measured else ())
    if passage.row is None or not wanted - passage.terms <= around:
        return False
    for text in (passage.row.label, *passage.row.cells):
        terms = frozenset(extract_terms(text)) - SHAPE_TERMS
        if terms <= SUM_TERMS or (OTHER.search(text) and not asked.other):  # the terms leave it out
            continue
        rest = wanted - terms
        if terms <= question.weights.keys() and rest <= around and (rest or not measured):
            return True
    return False


def _match_cells(question: QuestionAnalysis, passage: Passage, around: frozenset[str]) -> float:
    """The share of what nothing above says, figures too, that a row says, where a cell beside its label says some of
    it: for questions by a value."""
    wanted = {t: w for t, w in question.weights.items() if t not in around and t not in ASKING_TERMS}
    text = passage.row.label if passage.row else ""
    label = extract_terms(text) if LETTER.search(text) else []  # a year alone in the first cell is a value
    if not wanted.keys() & passage.terms - {*label}:
        return 0.0
    return _sum(wanted, passage.terms) / sum(wanted.values())


def _sum(weights: Mapping[str, float], terms: frozenset[str] | set[str]) -> float:
    return sum(weights[term] for term in sorted(weights.keys() & terms))


def _says_what_is_asked(asked: _Asked, one: ScoredPassage, allowed: Mapping[str, frozenset[str]]) -> bool:
    """Whether a sentence with a figure says most of what is asked."""
    passage = one.passage
    figures = (figure for figure in FIGURES.findall(passage.text) if not YEAR.fullmatch(figure))
    if passage.row is not None or passage.chunk.document.id not in allowed or asked.figures.issuperset(figures):
        return False
    named = allowed[passage.chunk.document.id]
    wanted = {t: w for t, w in asked.subject.items() if t in passage.terms or t not in named}
    if len(passage.terms) > LONGEST or 2 * len(asked.period & passage.terms) < len(asked.period):
        return False
    return bool(wanted) and _sum(wanted, passage.terms) >= COVERED * sum(wanted.values())
