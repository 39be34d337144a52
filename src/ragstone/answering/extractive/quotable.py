"""Which passages may be an answer: headings, captions, pictures and tables of contents lead to one and are none, and a
sentence that sends the reader elsewhere answers worse than others."""

import re
from collections.abc import Set

from ragstone.answering.extractive.passages import LONGEST_CODE, Passage
from ragstone.answering.extractive.question_analysis import SHAPE_TERMS, QuestionAnalysis
from ragstone.core.analyzer import extract_terms
from ragstone.core.headings import name_heading

STOPPED = re.compile(r"[.!?:;。！？：][\"'”’)\]*_`]*\Z")
PICTURE_ROW = re.compile(r"(?:[\s|]|!\[[^\]\n]*\](?:\([^)\n]*\))?)++")
ASKS_SOURCE = frozenset(extract_terms("source origin quelle fuente fonte bron"))
ANSWERED_BY_NUMBERS = ("how_many", "when", "where", "what_is")
ASKS_LIST = re.compile(r"^\W*what (?:are|were)\b", re.IGNORECASE)

PLACE = (
    r"(?:sections?|chapters?|appendix|pages?|documents?|documentation|manuals?|references?|guides?|tutorials?|articles?"
    r"|topics?|below|above|abschnitt|kapitel|chapitre|section|capítulo|sección|capitolo|sezione|hoofdstuk|paragraaf)"
)
REST = r"(?:[^.]|\.(?=\S)){1,150}\W*"  # of the same sentence: a number may have a point
# "For more on hints, see the section below.", "Hints may be found in chapter 3.", "The next section describes hints."
ELSEWHERE = re.compile(
    r"\W*(?:(?:for|to) [^.,]{1,80}, )?(?:please )?(?:also )?"
    rf"(?:see(?! to\b)|refer to|consult|siehe|vgl\.|voir|véase|vedi|zie|veja|см\.)(?: also)? {REST}"
    rf"|[^.]{{1,120}}\b(?:found|described|covered|explained|documented|discussed) in (?:the |this )?{PLACE}\b{REST}"
    rf"|\W*(?:in )?(?:this|the (?:next|following|previous|rest of this)) {PLACE}\b{REST}",
    re.IGNORECASE,
)
LONGEST_POINTER = 200  # characters


def sends_elsewhere(passage: Passage) -> bool:
    """Whether a sentence says nothing but where the answer stands.

    A longer one, or one with a second sentence, says something beside.
    """
    is_short = passage.form in ("sentence", "item") and passage.end - passage.start <= LONGEST_POINTER
    return is_short and ELSEWHERE.fullmatch(" ".join(passage.text.split())) is not None


def may_answer(question: QuestionAnalysis, passage: Passage, headings: Set[str]) -> bool:
    """Whether a passage may be quoted; `headings` are those of the found chunks, by `name_heading`."""
    if passage.form == "code":
        return question.kind in ("how_to", "other") and passage.end - passage.start <= LONGEST_CODE
    if passage.row is not None and (passage.row.kind == "header" or PICTURE_ROW.fullmatch(passage.text)):
        return False
    if passage.form == "source":
        return bool(ASKS_SOURCE & question.weights.keys())
    if passage.form in ("heading", "noise") or len(passage.terms) < 2:
        return False
    return not _is_pointer(question, passage, headings)


def _is_pointer(question: QuestionAnalysis, passage: Passage, headings: Set[str]) -> bool:
    """Whether a line only names one of these headings, as a table of contents does, or says nothing but the question,
    as a caption may: it leads to an answer and is none. Where a number may answer, that of a line says more. Names
    answer "yes" or "no", "which", and "what are"."""
    if passage.form not in ("sentence", "item") or STOPPED.search(passage.text):
        return False
    if question.kind in ("yes_no", "other") or ASKS_LIST.search(question.text):
        return False
    name = name_heading(passage.text)
    said = passage.terms if question.kind in ANSWERED_BY_NUMBERS else frozenset(extract_terms(name)) - SHAPE_TERMS
    return name in headings or question.weights.keys() >= said
