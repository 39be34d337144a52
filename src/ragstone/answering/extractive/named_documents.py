"""Of several documents those that a question names: a question about Globex is not answered from a page on ACME."""

from collections.abc import Sequence

from ragstone.answering.extractive.question_analysis import QuestionAnalysis
from ragstone.answering.extractive.selection import text_above
from ragstone.answering.verification.question_mismatch import holds_term
from ragstone.core.analyzer import extract_terms
from ragstone.core.document_names import list_path_words
from ragstone.core.types import Document, Hit

CAPITAL_NOUNS = "german"  # the language in which a capital letter tells no name


def part_by_names(question: QuestionAnalysis, hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    """The hits that may answer, and those that another one outdoes by the name of its document, each in their order.

    Title, folders and file name of that other document hold all names and numbers of the question that this one's hold,
    and one more, which neither this hit's passage nor its headings have: of "2023 Q1 NVDA.pdf" and "2023 Q2
    NVDA.pdf" the first where the question says Q1 (`benchmarks/answers/README.md`, "Documents that a question names").
    """
    names = question.names if question.own is None or question.own.language != CAPITAL_NOUNS else frozenset()
    asked = (names | question.numbers) & question.weights.keys()
    named = [_find_terms(question, _name_of(hit.chunk.document)) & asked for hit in hits] if asked else []
    kinds = set(named)
    if len(kinds) < 2:  # nothing tells them apart
        return list(hits), []
    kept: list[Hit] = []
    outdone: list[Hit] = []
    for hit, own in zip(hits, named, strict=True):
        further = (other - own for other in kinds if own < other)
        (outdone if any(_lacks(question, hit, more) for more in further) else kept).append(hit)
    return kept, outdone


def _lacks(question: QuestionAnalysis, hit: Hit, names: frozenset[str]) -> bool:
    found = _find_terms(question, f"{text_above(hit.chunk)} {hit.chunk.text}")
    return any(not holds_term(name, found) for name in names)


def _find_terms(question: QuestionAnalysis, text: str) -> frozenset[str]:
    return question.find_terms(frozenset(extract_terms(text)), text)


def _name_of(document: Document) -> str:
    return " ".join([document.title or "", *list_path_words(document.path, document.title)])
