"""How near a passage comes to each word of a question: late interaction, which sees a word that one vector of the whole
sentence drowns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.answering.extractive.question_analysis import QuestionAnalysis
from ragstone.core.analyzer import TOKEN, extract_terms
from ragstone.core.ports import TokenMatches

# A word of a question to which no token of a passage comes nearer than this is not said there. Of .3 to .5 in steps of
# .05, this and .35 decide best (`benchmarks/answers/README.md`).
UNSAID = 0.4


@dataclass(frozen=True, slots=True)
class WordMatch:
    """matched: the mean over the question's words of the nearest token's cosine, headings left out. weakest: the
    smallest of them, headings included. unmatched: the share of words that stay below `UNSAID`, headings included."""

    matched: float
    weakest: float
    unmatched: float


def locate_words(question: QuestionAnalysis) -> list[tuple[int, int]]:
    """Where the words of a question's subject stand in it; all words where it names none.

    >>> from ragstone.answering.extractive.question_analysis import analyze_question
    >>> text = "How long does the pump run?"
    >>> [text[start:end] for start, end in locate_words(analyze_question(text, {}))]
    ['long', 'pump', 'run']
    """
    words = [match.span() for match in TOKEN.finditer(question.text)]
    return [span for span in words if question.weights.keys() & extract_terms(question.text[slice(*span)])] or words


def summarize_matches(found: TokenMatches) -> list[WordMatch | None]:
    """A match for each text; None where the question has no words."""
    if not found.near.shape[1]:
        return [None] * len(found.near)
    return [
        WordMatch(round(float(own.mean()), 6), round(float(near.min()), 6), round(float((near < UNSAID).mean()), 6))
        for near, own in zip(found.near, found.own, strict=True)
    ]


def lead_over_mean(best: WordMatch | None, others: Sequence[WordMatch]) -> float | None:
    """By how much the best passage's words match better than those of all compared ones on average."""
    if best is None or not others:
        return None
    return round(best.matched - sum(one.matched for one in others) / len(others), 6)


Matches = Mapping[tuple[int, int], WordMatch]  # by the rank of a passage's hit and its number there
