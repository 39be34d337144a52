"""The lines of a passage that fit a question best, with its words marked: what people read of a hit."""

import re
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragstone.answering.extractive.question_analysis import SHAPE_TERMS
from ragstone.core.analyzer import TOKEN, extract_terms, extract_tokens, find_languages, leave_out_unseen, stem_searched
from ragstone.core.escaping import MARK_END, MARK_START
from ragstone.core.languages import detect_language
from ragstone.core.question_language import list_pieces

WIDTH = 100  # characters of a line
LINES = 3
MARKS = str.maketrans("", "", MARK_START + MARK_END)  # no document sets any
HOW = re.compile(r"\bhow \w+", re.IGNORECASE)  # "how long": a shape of the question, not its subject
ELISION = re.compile(r"^[^\W\d_]{1,6}'(?=\w{3})")  # an article before a French or Italian word
RULE = re.compile(r"[\s|:=+_*-]+")  # a line of a table or a heading that has no words


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The terms of a question that are looked for, and the weight of each: 1, less where many of the passages hold it,
    since a term that all of them share tells none apart.

    A word of another language is also found by its stem there (`stems`), in passages of that language; in those that
    tell none, by a question that tells its own."""

    weights: Mapping[str, float]
    stems: Mapping[str, str] = field(default_factory=dict)
    languages: tuple[str, ...] = ()

    def for_passage(self, text: str) -> "QuestionTerms":
        """The terms as they are looked for in a passage: with the stems of its language."""
        if not self.stems:
            return self
        own = find_languages(text)
        asked = self.languages if len(self.languages) == 1 and detect_language(_list_words(text)) is None else ()
        return replace(self, languages=own or asked)

    def find(self, text: str) -> set[str]:
        """The terms that a text holds."""
        found = self.weights.keys() & set(extract_terms(text))
        if self.stems and self.languages:
            words = _list_words(text)
            stems = {stem for language in self.languages for stem in stem_searched(words, language)}
            found |= {self.stems[stem] for stem in self.stems.keys() & stems}
        return found

    def count_words(self, text: str, above: str = "") -> int:
        """The number of different terms that a passage holds, or the names above it."""
        return len(self.for_passage(text).find(f"{above}\n{text}"))


def _list_words(text: str) -> list[str]:
    return [ELISION.sub("", token.replace("’", "'").casefold()) for token in extract_tokens(text)]


def weigh_terms(question: str, passages: Collection[str]) -> QuestionTerms:
    """The terms of a question beside the passages that were found for it.

    >>> weigh_terms("How long are samples kept?", ["samples are kept", "samples"]).weights
    {'sampl': 0.5, 'kept': 0.75}
    >>> weigh_terms("Wie lange wird die Probe aufbewahrt?", ["Die Proben werden aufbewahrt."]).weights
    {'probe': 0.5, 'aufbewahrt': 0.5}
    """
    languages = find_languages(question, asked=True)
    own = languages[0] if len(languages) == 1 else None
    every = list(dict.fromkeys(extract_terms(question)))
    asked = _list_own_terms(question, own) if own else _list_terms(question, every)
    terms = [term for term in every if term in asked] or every
    plain = QuestionTerms(dict.fromkeys(terms, 1.0), _list_stems(question, terms, languages), languages)
    held = Counter(term for text in passages for term in plain.for_passage(text).find(text))
    return replace(plain, weights={term: 1 - held[term] / (2 * max(1, len(passages))) for term in terms})


def _list_terms(question: str, every: Collection[str]) -> set[str]:
    asked = extract_terms(HOW.sub("", question))
    return {term for term in every if term in asked and term not in SHAPE_TERMS}


def _list_own_terms(question: str, language: str) -> set[str]:
    words = (piece for token in extract_tokens(question) for piece in list_pieces(token, language))
    return {term for word in words for term in extract_terms(word)}


def _list_stems(question: str, terms: Collection[str], languages: Iterable[str]) -> dict[str, str]:
    """For each stem of a word in one of some languages the term of the word."""
    words = [(word, extract_terms(word)[:1]) for word in _list_words(question)] if languages else []
    return {
        stem: term
        for language in languages
        for word, first in words
        for term in first
        if term in terms
        for stem in stem_searched([word], language)
    }


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
    terms = terms.for_passage(text)
    held = [terms.find(row) for row in rows]
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
    """A line with each word of the question between `MARK_START` and `MARK_END`.

    A line does not tell its language: give the terms `for_passage`.
    """
    return TOKEN.sub(
        lambda word: f"{MARK_START}{word[0]}{MARK_END}" if terms.find(word[0]) else word[0],
        leave_out_unseen(line.translate(MARKS)),
    )
