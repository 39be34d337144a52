"""Of several documents those that a question asks about: a question about Globex is not answered from a page on ACME,
nor one about the latest report from an older one."""

import re
from collections.abc import Mapping, Sequence, Set

from ragstone.answering.extractive.alike_documents import has_another_name, tells_own_name
from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.question_analysis import CAPITAL_NOUNS, QuestionAnalysis
from ragstone.answering.verification.question_mismatch import holds_term
from ragstone.core.analyzer import extract_terms
from ragstone.core.dated_names import Mark, is_of, read_state, split_marks
from ragstone.core.document_names import list_name_words
from ragstone.core.late_pattern import compile_late
from ragstone.core.types import Document, Hit
from ragstone.retrieval.topics import list_elsewhere

LATEST: Mapping[str, re.Pattern[str]] = {
    language: compile_late(rf"(?i)\b(?:{words})\b")
    for language, words in {
        # "the current price", and not the current in a coil
        "english": r"latest|newest|most recent|up[- ]to[- ]date|currently"
        r"|current(?=\s(?!(?:in|of|through|at|from|on|between|flow\w*|is|was|does|can|may|must|should)\b)\w)",
        "german": "neu(?:e)?ste[nmrs]?|jüngste[nmrs]?|aktuell(?:e[nmrs]?|ste[nmrs]?)?|derzeit(?:ige[nmrs]?)?",
        "french": "derni(?:er|ère)s?|plus récente?s?|actuel(?:le)?s?|actuellement",
        "spanish": "últim[oa]s?|más recientes?|actual(?:es|mente)?",
        "italian": "ultim[oaie]|più recent[ei]|attual[ei]|attualmente",
        "portuguese": "últim[oa]s?|mais recentes?|atual|atuais|atualmente",
        "dutch": "nieuwste|laatste|meest recente|huidige",
    }.items()
}
# The share of a hit's words, by weight, that another document has which says as much; .5 does as well (named.py).
NEARLY = 0.67
State = tuple[tuple[str, ...], tuple[Mark, ...]]


def part_by_question(question: QuestionAnalysis, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """The hits that may answer, and those whose documents another one outdoes: by the document whose words on a topic
    the question asks for, by what else it names, then by the date or version that it says, or the latest where it asks
    for that."""
    elsewhere = list_elsewhere([hit.chunk for hit in hits], question.text)
    there = [hit for hit in hits if hit.chunk.id not in elsewhere]
    named, outdone = _part_by_names(question, there)
    latest, older = _part_by_date(question, named)
    return latest, [*(hit for hit in hits if hit.chunk.id in elsewhere), *outdone, *older]


def _part_by_names(question: QuestionAnalysis, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """A hit gives way where title, folders and file name of another document hold all names of the question that its
    own document's hold, and one more, which neither the hit's passage nor its headings have: "2023 Q2
    NVDA.pdf" to "2023 Q1 NVDA.pdf" where the question says Q1 (`benchmarks/answers/README.md`, "Documents that a
    question names"). The other one must be its like, or say as much of what is asked: a page on Docker does not answer
    for one on backups that says nothing of Docker."""
    tells = question.own is None or question.own.language != CAPITAL_NOUNS
    asked = question.names & question.weights.keys() if tells else frozenset()
    named = [_find_terms(question, _name_of(hit.chunk.document)) & asked for hit in hits] if asked else []
    if len(set(named)) < 2:  # nothing tells them apart
        return list(hits), []
    said = [_find_said(question, hit) for hit in hits]
    rest = question.weights.keys() - asked
    documents: dict[str, tuple[Document, frozenset[str], frozenset[str]]] = {}
    for hit, own, terms in zip(hits, named, said, strict=True):
        document = hit.chunk.document
        _, _, before = documents.get(document.id, (document, own, frozenset()))
        documents[document.id] = document, own, before | terms

    def says_as_much(its: frozenset[str], terms: frozenset[str]) -> bool:
        return _says_as_much(question, its & rest, terms & rest)

    kept: list[Hit] = []
    outdone: list[Hit] = []
    for hit, own, terms in zip(hits, named, said, strict=True):
        mine = hit.chunk.document
        its_own = tells_own_name(mine, hit.chunk.text, question.weights.keys())
        gives_way = any(
            own < other
            and any(not holds_term(name, terms) for name in other - own)
            and (
                its_own
                or has_another_name(mine, document, other - own, question.weights.keys())
                or says_as_much(its, terms)
            )
            for document, other, its in documents.values()
        )
        (outdone if gives_way else kept).append(hit)
    return kept, outdone


def _find_said(question: QuestionAnalysis, hit: Hit) -> frozenset[str]:
    return _find_terms(question, f"{text_above(hit.chunk)} {hit.chunk.text}")


def _says_as_much(question: QuestionAnalysis, its: Set[str], ours: Set[str]) -> bool:
    return sum(question.weights[term] for term in its) >= NEARLY * sum(question.weights[term] for term in ours)


def _find_terms(question: QuestionAnalysis, text: str) -> frozenset[str]:
    return question.find_terms(frozenset(extract_terms(text)), text)


def _name_of(document: Document) -> str:
    return " ".join([document.title or "", *list_name_words(document.path, document.title, document.meta)])


def _part_by_date(question: QuestionAnalysis, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """Of the states of one document a hit gives way to one of the date or version that the question says, unless its
    passage says that itself; where the question says none and asks for the latest, to a later one."""
    _, asked = split_marks(question.text)
    asks = LATEST.get(question.own.language if question.own else "english")
    if asked:
        return _part_by_marks(asked, hits)
    return _part_by_age(question, asks, hits) if asks and asks.search(question.text) else (list(hits), [])


def _part_by_marks(asked: Sequence[Mark], hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    states = [_read_state(hit.chunk.document) for hit in hits]
    named = {series for series, marks in states if any(is_of(marks, one) for one in asked)}
    kept: list[Hit] = []
    others: list[Hit] = []
    for hit, (series, marks) in zip(hits, states, strict=True):
        said = () if series not in named else (*marks, *split_marks(hit.chunk.text)[1])
        (others if said and not any(is_of(said, one) for one in asked) else kept).append(hit)
    return kept, others


def _part_by_age(question: QuestionAnalysis, asks: re.Pattern[str], hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """A hit gives way to a later state of its document, if the hits of that say as much of what is asked: today's note
    does not answer for an older one with the number."""
    states = [_read_state(hit.chunk.document) for hit in hits]
    asking = {term for match in asks.finditer(question.text) for term in extract_terms(match[0])}
    said = [_find_said(question, hit) & question.weights.keys() - asking for hit in hits]
    by_state: dict[State, frozenset[str]] = {}
    for state, terms in zip(states, said, strict=True):
        by_state[state] = by_state.get(state, frozenset()) | terms
    kept: list[Hit] = []
    older: list[Hit] = []
    for hit, (series, marks), terms in zip(hits, states, said, strict=True):
        later = (its for (other, its_marks), its in by_state.items() if other == series and its_marks > marks)
        (older if any(_says_as_much(question, its, terms) for its in later) else kept).append(hit)
    return kept, older


def _read_state(document: Document) -> State:
    """What the states of a document have in common, and its dates and versions: source and path but for those in it;
    where it has none, the title, and the date that the document takes effect or bears."""
    series, marks = read_state(document.path)
    said = document.effective_at or document.meta.get("date")
    if marks or not said or not document.title:
        return (document.source, series), marks
    return (document.source, "", split_marks(document.title)[0]), split_marks(str(said)[:10])[1]
