"""A later mail or dated document that corrects what an earlier one says, and answers in its place."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.question_analysis import QuestionAnalysis
from ragstone.answering.extractive.rivals import list_figures
from ragstone.answering.extractive.scored_passages import ScoredPassage
from ragstone.core.analyzer import extract_terms
from ragstone.core.comparable_words import Word, parse_words_once
from ragstone.core.document_names import date_in_name
from ragstone.core.late_pattern import compile_late
from ragstone.core.types import Document
from ragstone.retrieval.boosting import parse_moment

LOOKED_AT = 16  # passages, best first
UNDATED = datetime.min.replace(tzinfo=UTC)
ALIKE = 0.6  # share of the words of the shorter sentence that the other says too
FEWEST = 2  # of these words
UNCORRECTED = ("why", "how_to", "yes_no")  # kinds of questions that no single figure or name answers
# Words of a sentence, or of the subject above it, which say that it is new.
TELLS_CHANGE = compile_late(
    r"\b(?:instead|no longer|anymore|from now on|corrections?|corrected|mistake|mixed up|changes?|new|now|moved?"
    r"|moves|changed|postponed|delayed|brought forward|another|different|earlier|later|updated?|replac(?:es|ed)|raised"
    r"|lowered|increas(?:e|es|ed)|reduced"
    r"|(?:go|goes|went|gets?|is|are) (?:up|down|dearer|cheaper|more|less|longer|shorter)"
    r"|and not|rather than|as of|as from|with effect from)\b|\bfrom (?:\d{1,2} )?[A-Z][a-z]+ on\b",
    re.IGNORECASE,
)
# Of what is only thought, proposed or denied.
UNSURE = compile_late(
    r"\b(?:rumou?rs?|some (?:people )?(?:think|say)|perhaps|maybe|might|proposals?|proposes?|suggests?"
    r"|(?:is|was|been) (?:proposed|suggested)|(?:is|are) (?:wrong|false|untrue|not true)[.!]*$)",
    re.IGNORECASE,
)
LETTER = re.compile(r"(?<=[a-z] )[A-HJ-Z](?![\w'’])")  # the name of one of several things


def put_correction_first(question: QuestionAnalysis, ranked: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """The passages, best first. The best one gives its place to one of a later document that says of a change, is about
    as much of the question, and says the same with another figure or name of the kind that is asked for."""
    if not ranked or question.kind in UNCORRECTED:
        return list(ranked)
    best = ranked[0]
    found = [one for one in ranked[1:LOOKED_AT] if _corrects(question, one, best)]
    if not found:
        return list(ranked)
    latest = max(found, key=lambda one: _date_of(one.passage.chunk.document))
    rest = [one for one in ranked[1:] if one is not latest]
    return [replace(latest, score=best.score), *rest]


def _corrects(question: QuestionAnalysis, later: ScoredPassage, earlier: ScoredPassage) -> bool:
    new, old = later.passage, earlier.passage
    if not (new.is_prose and old.is_prose) or (earlier.typed and not later.typed):
        return False
    if _date_of(new.chunk.document) <= _date_of(old.chunk.document):
        return False
    if UNSURE.search(new.text) or not TELLS_CHANGE.search(f"{new.chunk.document.title or ''}. {new.text}"):
        return False
    before, after = (one.covered | frozenset(extract_terms(text_above(one.passage.chunk))) for one in (earlier, later))
    return question.weights.keys() & before <= after and _replaces(question, new.text, old.text)


def _date_of(document: Document) -> datetime:
    """The day of a document; where none can be read, one before all others."""
    said = document.effective_at or document.meta.get("date")
    return parse_moment(said) or parse_moment(date_in_name(document.path)) or UNDATED


def _replaces(question: QuestionAnalysis, new: str, old: str) -> bool:
    """Whether two sentences say the same but for a figure of one form, or a name, where no figure is asked for."""
    words, others = parse_words_once(new), parse_words_once(old)
    mine, theirs = _content(words), _content(others)
    if set(LETTER.findall(new)) != set(LETTER.findall(old)):
        return False  # building A is not building B
    if len(mine & theirs) < max(FEWEST, ALIKE * min(len(mine), len(theirs))):
        return False
    figures, its = list_figures(words, new), list_figures(others, old)
    forms = {_form(key) for key in figures.keys() - its.keys()} & {_form(key) for key in its.keys() - figures.keys()}
    if _list_months(parse_words_once(question.text)) and not _list_months(words) <= _list_months(others):
        return False  # of another month than is asked for
    if question.kind == "when":
        return "date" in forms
    if question.kind == "how_many":
        return bool(forms - {"date"})
    names = [{w.key for w in side if w.kind in ("name", "code") and w.sure} for side in (words, others)]
    return bool(forms) or bool(names[0] - names[1] and names[1] - names[0])


def _content(words: Sequence[Word]) -> set[str]:
    return {word.key for word in words if word.kind == "word"}


def _list_months(words: Sequence[Word]) -> set[str]:
    return {word.key for word in words if word.kind == "month"}


def _form(figure: tuple[str, ...]) -> str:
    """The form of a figure: a date, or the unit of a number."""
    return "date" if any(part.startswith("month ") for part in figure) else figure[-1].partition(" ")[2]
