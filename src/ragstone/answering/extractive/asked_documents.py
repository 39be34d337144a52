"""Of several documents those that a question asks about: a question about Globex is not answered from a page on ACME,
nor one about the latest report from an older one."""

import re
from collections.abc import Mapping, Sequence

from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.question_analysis import QuestionAnalysis
from ragstone.answering.verification.question_mismatch import holds_term
from ragstone.core.analyzer import extract_terms
from ragstone.core.dated_names import Moment, split_moment
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
YEAR = re.compile(r"(?:19|20)\d\d")  # a question that says one asks for a state by its date


def part_by_question(question: QuestionAnalysis, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """The hits that may answer, and those whose documents another one outdoes, each in their order: by what the
    question names, then by date where it asks for the latest."""
    named, outdone = _part_by_names(question, hits)
    latest, older = _part_by_date(question, named)
    return latest, [*outdone, *older]


def _part_by_names(question: QuestionAnalysis, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """A hit gives way where title, folders and file name of another document hold all names and numbers of the question
    that its own document's hold, and one more, which neither the hit's passage nor its headings have: "2023 Q2
    NVDA.pdf" to "2023 Q1 NVDA.pdf" where the question says Q1 (`benchmarks/answers/README.md`, "Documents that a
    question names")."""
    names = question.names if question.own is None or question.own.language != CAPITAL_NOUNS else frozenset()
    asked = (names | question.numbers) & question.weights.keys()
    if not asked:
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
    """Where a question asks for the latest, and says no year, a hit gives way to one of a later state of its
    document."""
    asks = LATEST.get(question.own.language if question.own else "english")
    if asks is None or not asks.search(question.text) or YEAR.search(question.text):
        return list(hits), []
    states = [_read_state(hit.chunk.document) for hit in hits]
    latest: dict[tuple[str, ...], Moment] = {}
    for series, moment in states:
        latest[series] = max(latest.get(series, ()), moment)
    is_latest = [moment == latest[series] for series, moment in states]
    return [hit for hit, last in zip(hits, is_latest, strict=True) if last], [
        hit for hit, last in zip(hits, is_latest, strict=True) if not last
    ]


def _read_state(document: Document) -> tuple[tuple[str, ...], Moment]:
    """What the states of a document have in common, and its date or version: source and path but for those in it; where
    it has none, the title, and the date that the document takes effect or bears."""
    series, moment = split_moment(document.path)
    said = document.effective_at or document.meta.get("date")
    if moment or not said or not document.title:
        return (document.source, series), moment
    return (document.source, "", split_moment(document.title)[0]), split_moment(str(said)[:10])[1]
