"""The lines of a passage that fit a question best, with its words marked: what people read of a hit."""

import re
import textwrap
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ragstone.answering.extractive.question_analysis import SHAPE_TERMS
from ragstone.core.analyzer import TOKEN, extract_terms
from ragstone.core.escaping import MARK_END, MARK_START

WIDTH = 100  # characters of a line
LINES = 3
MARKS = str.maketrans("", "", MARK_START + MARK_END)  # no document sets any
HOW = re.compile(r"\bhow \w+", re.IGNORECASE)  # "how long": a shape of the question, not its subject
RULE = re.compile(r"[\s|:=+_*-]+")  # a line of a table or a heading that has no words


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The terms of a question that are looked for, and the weight of each: 1, less where many of the passages hold it,
    since a term that all of them share tells none apart."""

    weights: Mapping[str, float]

    def count_words(self, text: str) -> int:
        """The number of different terms that a text holds."""
        return len(self.weights.keys() & set(extract_terms(text)))


def weigh_terms(question: str, passages: Collection[str]) -> QuestionTerms:
    """The terms of a question beside the passages that were found for it.

    >>> weigh_terms("How long are samples kept?", ["samples are kept", "samples"]).weights
    {'sampl': 0.5, 'kept': 0.75}
    """
    every = list(dict.fromkeys(extract_terms(question)))
    asked = extract_terms(HOW.sub("", question))
    terms = [term for term in every if term in asked and term not in SHAPE_TERMS] or every
    held = Counter(term for text in passages for term in set(extract_terms(text)))
    return QuestionTerms({term: 1 - held[term] / (2 * max(1, len(passages))) for term in terms})


def choose_lines(text: str, terms: QuestionTerms, *, width: int = WIDTH, lines: int = LINES) -> list[str]:
    """The consecutive lines of a text that hold most of a question's terms; `…` where the text goes on.

    Long lines are wrapped; of equals the one whose words come first is taken. Of a text that fits, every line.
    """
    rows = [
        row
        for line in text.splitlines()
        if line.strip() and not RULE.fullmatch(line)
        for row in textwrap.wrap(" ".join(line.split()), width, break_long_words=True, break_on_hyphens=False)
    ]
    held = [terms.weights.keys() & set(extract_terms(row)) for row in rows]
    starts = range(max(1, len(rows) - lines + 1))
    best = max(starts, key=lambda at: (*_weigh_window(held[at : at + lines], terms), -at))
    taken = rows[best : best + lines]
    if best + lines < len(rows):
        taken[-1] += " …"
    return [("… " if best and not at else "") + row for at, row in enumerate(taken)]


def _weigh_window(held: Sequence[Collection[str]], terms: QuestionTerms) -> tuple[float, float]:
    """The weight of all terms of some lines, each counted once; then how early in them they are."""
    by_line = [sum(terms.weights[term] for term in sorted(found)) for found in held]
    whole = sum(terms.weights[term] for term in sorted(set().union(*held)))
    return whole, sum(weight / (at + 1) for at, weight in enumerate(by_line))


def mark_words(line: str, terms: QuestionTerms) -> str:
    """A line with each word of the question between `MARK_START` and `MARK_END`."""
    return TOKEN.sub(
        lambda word: (
            f"{MARK_START}{word[0]}{MARK_END}" if terms.weights.keys() & set(extract_terms(word[0])) else word[0]
        ),
        line.translate(MARKS),
    )
