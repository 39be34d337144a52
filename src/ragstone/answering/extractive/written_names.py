"""Names in a question that is typed in small letters: words that the found passages write with a capital."""

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from ragstone.answering.extractive.question_analysis import CAPITAL_NOUNS, SPECIFIC_WEIGHT, QuestionAnalysis
from ragstone.core.analyzer import extract_terms, extract_tokens
from ragstone.core.types import Document, Hit

INSIDE = re.compile(r"[a-z][,;]? \Z")  # before a word inside a sentence


def add_written_names(question: QuestionAnalysis, hits: Sequence[Hit]) -> QuestionAnalysis:
    """The question with the names that it says in small letters: "leave at globex". A word is one where no passage
    writes it small, and one has it with a capital inside a sentence or in its folder, or with several capitals."""
    nouns = question.own is not None and question.own.language == CAPITAL_NOUNS
    if nouns or any(map(str.isupper, question.text[1:])):
        return question
    subject = question.weights.keys() - question.numbers
    words = {token for token in extract_tokens(question.text) if subject & set(extract_terms(token))}
    if not words:
        return question
    names = {term for word in _find_written(words, hits) for term in extract_terms(word)} & subject
    weights = {t: weight * (SPECIFIC_WEIGHT if t in names else 1.0) for t, weight in question.weights.items()}
    return replace(question, names=question.names | names, weights=weights)


def _find_written(words: Set[str], hits: Sequence[Hit]) -> frozenset[str]:
    """Those of the words that the hits write as names."""
    said = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words)))})\b", re.IGNORECASE)
    names, small = set[str](), set[str]()
    for hit in hits:
        folders, texts = _split_name(hit.chunk.document)
        names.update(word.casefold() for word in said.findall(folders) if word[0].isupper())
        for text in (hit.chunk.text, *texts):
            for found in said.finditer(text):
                word = found[0]
                if word[0].islower():
                    small.add(word.casefold())
                elif any(map(str.isupper, word[1:])) or INSIDE.search(text, max(0, found.start() - 3), found.start()):
                    names.add(word.casefold())
    return frozenset(names - small)


def _split_name(document: Document) -> tuple[str, tuple[str, str]]:
    """The folders of a document, its file's name and its title."""
    folders, _, file = document.path.replace("_", " ").rpartition("/")
    return folders, (file, document.title or "")
