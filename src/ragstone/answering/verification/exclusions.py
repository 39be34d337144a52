"""Words that rule something out without a denial, and conditions that were turned into exceptions."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ragstone.core.comparable_words import Word

ONLY = "only|solely|alone|exclusively|no one but|nobody but|restricted to"
EXCEPT = "except|excepting|unless|excluding|apart from|other than|besides|exempt|exception|excused"
IF = "if|provided|providing|as long as|in case|on condition|when|whenever|once|during|while|including|even"
BEFORE = "until|till|before|by|prior to|earlier|ahead of|in advance"
SMALLER = "less|fewer|lower|smaller|shorter|lighter|cheaper|earlier|younger"
LARGER = "more|greater|higher|larger|longer|heavier|older|later"
BOUNDS = (
    "at most|no more than|not more than|up to|maximum|not exceed|within|under|below|limit|limited to|at least|no less "
    f"than|no fewer than|minimum|over|above|exceeds?|exceeding|beyond|(?:{SMALLER}|{LARGER}) than|or (?:{SMALLER}|"
    f"{LARGER}|above|below|over)|and over|no (?:later|\\w+er) than"
)
EXCLUSION = re.compile(rf"\b(?:{ONLY}|{EXCEPT}|{BEFORE}|{BOUNDS})\b")
EXCEPTION, CONDITION = re.compile(rf"\b(?:{EXCEPT})\b"), re.compile(rf"\b(?:{IF})\b")
MOST_TEXTS = 2048  # that are remembered


def rules_out(words: Sequence[Word]) -> bool:
    """Whether a text excludes something: a denial on the other side may then be the same said otherwise.

    >>> from ragstone.core.comparable_words import parse_words
    >>> [rules_out(parse_words(text)) for text in ("only on Sundays", "at most two", "on Sundays")]
    [True, True, False]
    """
    return _read_markers(" ".join(word.lower for word in words))[0]


def turns_condition(words: Sequence[Word], others: Sequence[Word]) -> bool:
    """Whether one text has a condition or an addition where the other has an exception: "if" for "unless"."""
    (_, excepts, has_if), (_, they_except, they_if) = (
        _read_markers(" ".join(word.lower for word in text)) for text in (words, others)
    )
    return excepts != they_except and has_if != they_if and excepts != has_if


@lru_cache(maxsize=MOST_TEXTS)
def _read_markers(text: str) -> tuple[bool, bool, bool]:
    return bool(EXCLUSION.search(text)), bool(EXCEPTION.search(text)), bool(CONDITION.search(text))
