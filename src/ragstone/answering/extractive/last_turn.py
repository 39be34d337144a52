"""The last turn of a conversation, which an answer fits, beside the questions before it, which search needs too."""

from collections.abc import Mapping
from dataclasses import replace

from ragstone.answering.extractive.question_analysis import SHAPE_TERMS, QuestionAnalysis, analyze_question
from ragstone.core.analyzer import extract_terms
from ragstone.core.question_language import read_question, tell_language

EARLIER_WEIGHT = 0.5  # of a term that only the questions before say; .25 did the same (`benchmarks/answers/turns.py`)
# Beside words that shape a question, those that name nothing either: "And for how long?"
MEASURES = frozenset(extract_terms("long old large big far high tall fast often deep heavy wide more most else again"))


def find_last_turn(searched: str, asked: str) -> str:
    """The words asked, where they were searched for with the questions before them and name something; else nothing.

    >>> find_last_turn("What is a closure? And its scope?", "And its scope?")
    'And its scope?'
    >>> find_last_turn("How are samples kept? And for how long?", "And for how long?")
    ''
    """
    if not searched.endswith(f" {asked}"):
        return ""
    language = tell_language(searched, [])
    names = read_question(asked, language).words if language else {*extract_terms(asked)} - SHAPE_TERMS - MEASURES
    return asked if names else ""


def analyze_turn(
    own: str, whole: QuestionAnalysis, idf: Mapping[str, float], language: str | None = None
) -> QuestionAnalysis:
    """Read the last turn beside `whole`, which is read from the questions before and this one: it asks its own
    question, and the terms of those before count half.

    >>> whole = analyze_question("What is a closure? And its scope?", {})
    >>> sorted(analyze_turn("And its scope?", whole, {}).weights.items())
    [('closur', 0.5), ('scope', 1.0)]
    """
    last = analyze_question(own, idf, language)
    earlier = {term: EARLIER_WEIGHT * weight for term, weight in whole.weights.items()}
    return replace(last, weights=earlier | dict(last.weights), pairs=whole.pairs, own=whole.own)
