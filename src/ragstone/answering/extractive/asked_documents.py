"""Of several documents those that a question asks about: a question about Globex is not answered from a page on ACME,
nor one about the latest report from an older one."""

import re
from collections.abc import Mapping, Sequence

from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.question_analysis import QuestionAnalysis
from ragstone.answering.verification.question_mismatch import holds_term
from ragstone.core.analyzer import extract_terms
from ragstone.core.dated_names import Mark, Moment, is_of, read_state, split_marks
from ragstone.core.document_names import list_name_words
from ragstone.core.late_pattern import compile_late
from ragstone.core.types import Document, Hit

CAPITAL_NOUNS = "german"  # the language in which a capital letter tells no name
LATEST: Mapping[str, re.Pattern[str]] = {
    language: compile_late(rf"(?i)\b(?:{words})\b")
    for language, words in {
        "english": "latest|newest|most recent|up[- ]to[- ]date|current|currently",
        "german": "neu(?:e)?ste[nmrs]?|jüngste[nmrs]?|aktuell(?:e[nmrs]?|ste[nmrs]?)?|derzeit(?:ige[nmrs]?)?",
        "french": "derni(?:er|ère)s?|plus récente?s?|actuel(?:le)?s?|actuellement",
        "spanish": "últim[oa]s?|más recientes?|actual(?:es|mente)?",
        "italian": "ultim[oaie]|più recent[ei]|attual[ei]|attualmente",
        "portuguese": "últim[oa]s?|mais recentes?|atual|atuais|atualmente",
        "dutch": "nieuwste|laatste|meest recente|huidige",
    }.items()
}


def part_by_question(question: QuestionAnalysis, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """The hits that may answer, and those whose documents another one outdoes, each in their order: by what the
    question names, then by date where it asks for the latest."""
    named, outdone = _part_by_names(question, hits)
    latest, older = _part_by_date(question, named)
    return latest, [*outdone, *older]


def _part_by_names(question: QuestionAnalysis, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """A hit gives way where title, folders and file name of another document hold all names of the question that its
    own document's hold, and one more, which neither the hit's passage nor its headings have: "2023 Q2
    NVDA.pdf" to "2023 Q1 NVDA.pdf" where the question says Q1 (`benchmarks/answers/README.md`, "Documents that a
    question names")."""
    asked = question.names & question.weights.keys()
    if not asked or (question.own is not None and question.own.language == CAPITAL_NOUNS):
        return list(hits), []
    named = [_find_terms(question, _name_of(hit.chunk.document)) & asked for hit in hits]
    said = [_find_said(question, hit, asked) for hit in hits]
    telling = asked - _find_common(hits, named, said)
    kinds = {own & telling for own in named}
    outdone = [
        any(own & telling < other and not other <= own | held for other in kinds)
        for own, held in zip(named, said, strict=True)
    ]
    return [hit for hit, out in zip(hits, outdone, strict=True) if not out], [
        hit for hit, out in zip(hits, outdone, strict=True) if out
    ]


def _find_said(question: QuestionAnalysis, hit: Hit, asked: frozenset[str]) -> frozenset[str]:
    """Those of the names that the passage or its headings have."""
    found = _find_terms(question, f"{text_above(hit.chunk)} {hit.chunk.text}")
    return frozenset(name for name in asked if holds_term(name, found))


def _find_common(
    hits: Sequence[Hit], named: Sequence[frozenset[str]], said: Sequence[frozenset[str]]
) -> frozenset[str]:
    """The names that tell no document, such as a product's in its manual: half of the documents that are not called so
    say them."""
    others: dict[str, dict[str, bool]] = {}
    for hit, own, held in zip(hits, named, said, strict=True):
        for name in frozenset().union(*named) - own:
            by_document = others.setdefault(name, {})
            by_document[hit.chunk.document.id] = by_document.get(hit.chunk.document.id, False) or name in held
    return frozenset(name for name, saying in others.items() if 2 * sum(saying.values()) >= len(saying))


def _find_terms(question: QuestionAnalysis, text: str) -> frozenset[str]:
    return question.find_terms(frozenset(extract_terms(text)), text)


def _name_of(document: Document) -> str:
    return " ".join([document.title or "", *list_name_words(document.path, document.title, document.meta)])


def _part_by_date(question: QuestionAnalysis, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """Of the states of one document a hit gives way to one of the date or version that the question says, and where it
    says none and asks for the latest, to one of the latest."""
    _, asked = split_marks(question.text)
    asks = LATEST.get(question.own.language if question.own else "english")
    if not asked and (asks is None or not asks.search(question.text)):
        return list(hits), []
    states = [_read_state(hit.chunk.document) for hit in hits]
    kept: list[Hit] = []
    outdone: list[Hit] = []
    for hit, (series, marks) in zip(hits, states, strict=True):
        others = [own for name, own in states if name == series]
        best = [own for own in others if any(is_of(own, one) for one in asked)] if asked else [max(others, key=_order)]
        (kept if not best or marks in best else outdone).append(hit)
    return kept, outdone


def _order(marks: Sequence[Mark]) -> list[Moment]:
    return [moment for _, moment in marks]


def _read_state(document: Document) -> tuple[tuple[str, ...], tuple[Mark, ...]]:
    """What the states of a document have in common, and its dates and versions: source and path but for those in it;
    where it has none, the title, and the date that the document takes effect or bears."""
    series, marks = read_state(document.path)
    said = document.effective_at or document.meta.get("date")
    if marks or not said or not document.title:
        return (document.source, series), marks
    return (document.source, "", split_marks(document.title)[0]), split_marks(str(said)[:10])[1]
