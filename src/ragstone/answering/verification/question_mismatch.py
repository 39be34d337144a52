"""Where a question and a passage that shares its words still part: negation, opposites, numbers, extremes."""

import re
from collections.abc import Iterator, Sequence, Set

from ragstone.core.analyzer import extract_terms, extract_tokens
from ragstone.core.contrary_words import OPPOSITES, opposite_stems

NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|without|cannot|neither|nobody|nothing|unable|\w{1,20}n['’]t|fail(?:s|ed)?"
    r"|lack(?:s|ed|ing)?|refus(?:e|es|ed)|rarely|hardly|except|exclud(?:e|es|ed|ing))\b",
    re.IGNORECASE,
)
# A comma parts thousands before three digits alone: a row of a CSV file has one between numbers ("2008,76.34").
NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,]?\d)(?:\.\d+)*|\d+(?:\.\d+)*")
# "How can I … without …?" and "Why … not?" are answered by passages that deny nothing.
OF_MEANS = re.compile(r"\W*(?:how (?!many|much)|why|can|could|should|may|must)\b", re.IGNORECASE)
EXTREME = re.compile(
    r"(?:first|second|third|fourth|last|final|only|sole|always|never|best|worst|exactly|original(?:ly)?|\w{3,20}est)"
)
# Words in -est that are no superlatives.
NOT_EXTREME = frozenset(
    """
    west southwest northwest midwest forest afforest deforest interest disinterest request rest unrest arrest test
    contest protest attest detest pytest unittest backtest pretest retest guest quest conquest inquest bequest harvest
    digest ingest suggest congest nest latest invest divest manifest infest fest crest priest pest tempest vest wrest
    zest jest honest dishonest modest immodest earnest molest behest
    """.split()
)


def has_unmatched_denial(question: str, passage: str) -> bool:
    """Whether the question denies something, and the passage nothing at all.

    >>> has_unmatched_denial("Which exporter does not need root?", "The exporter needs root.")
    True
    """
    return not OF_MEANS.match(question) and bool(NEGATION.search(question)) and NEGATION.search(passage) is None


def find_opposed_words(question: str, passage: str) -> list[str]:
    """The question's words of which the passage has only the opposite, in order.

    >>> find_opposed_words("How do I disable the cache?", "Set `cache: on` to enable the cache.")
    ['disable']
    """
    asked, said = _lower_words(question), _lower_words(passage)
    return [word for word in asked if word not in said and _has_opposite_in(word, asked.keys(), said.keys())]


def _has_opposite_in(word: str, asked: Set[str], said: Set[str]) -> bool:
    opposite = OPPOSITES.get(word, frozenset())
    if opposite & said and not opposite & asked:
        return True
    return bool(opposite_stems(word) & said) or any(word in opposite_stems(other) for other in said)


def extract_numbers(text: str) -> set[str]:
    """The numbers written in digits, without their separators of thousands.

    >>> sorted(extract_numbers("Jul 1 2008,76.34 and $1,234,567.50, June 30,2024"))
    ['1', '1234567.50', '2008', '2024', '30', '76.34']
    """
    return {match[0].replace(",", "") for match in NUMBER.finditer(text)}


def has_other_number(question: str, passage: str) -> bool:
    """Whether the question names a number that the passage lacks, and the passage one that the question lacks."""
    asked, said = extract_numbers(question), extract_numbers(passage)
    return bool(asked - said) and bool(said - asked)


def find_extremes(question: str, passage: str) -> list[str]:
    """The question's "first", "only", "largest" and their kind that the passage does not have."""
    said = _lower_words(passage)
    return [w for w in _lower_words(question) if EXTREME.fullmatch(w) and w not in NOT_EXTREME and w not in said]


def holds_term(term: str, found: Set[str]) -> bool:
    """Whether a term, or one with the same beginning (`settl`, `settlement`), is among those found."""
    return term in found or (len(term) >= 4 and any(_share_beginning(term, other) for other in found))


def words_of_terms(question: str, lacking: Sequence[str]) -> tuple[str, ...]:
    """The words of a question, as they stand in it, that the given terms come from; each once.

    >>> words_of_terms("How are the Alertmanager's receivers configured?", ["configur", "alertmanag"])
    ('configured', "Alertmanager's")
    """
    written: dict[str, str] = {}
    for word in extract_tokens(question):
        for term in extract_terms(word):
            written.setdefault(term, word)
    return tuple(dict.fromkeys(written.get(term, term) for term in lacking))


def _share_beginning(term: str, other: str) -> bool:
    shared = max(4, (3 * len(term) + 3) // 4)  # three quarters of the term: set by hand
    return len(other) >= 4 and other[:shared] == term[:shared]


def _lower_words(text: str) -> dict[str, None]:
    return dict.fromkeys(_iterate_words(text))


def _iterate_words(text: str) -> Iterator[str]:
    return (token.lower() for token in extract_tokens(text))
