"""Sentences that say what a thing is, for a question that asks for no more than that."""

import re
from functools import lru_cache

from ragstone.answering.extractive.passages import name_heading
from ragstone.core.analyzer import extract_terms

# "What is a closure?", "Who was Ada Lovelace?", "What does WAL mean?": a subject of few words and nothing else.
ASKS = re.compile(
    r"\W*(?:(?:what|who)(?:['’]s| is| are| was| were)|define|explain|what (?:does|do)(?= .* (?:mean|stand for)\W*$))\s+"
    r"(?:an?\s+|the\s+)?(?P<subject>[^\s?!]+(?: [^\s?!]+){0,3}?)(?:\s+(?:mean|stand for))?[\s?!.]*",
    re.IGNORECASE,
)
# Behind "is" and "are" what stands before nouns: "is described below" and "are typically short" define nothing.
NOUN = r"(?:an?|the|one|another|any|some|each|every|how|what|where|when)\b"
SAYS = r"(?:means?|defines?|describes?|represents?|denotes?|provides?|lets?|allows?|enables?|refers? to|stands? for)\b"
VERB = rf"(?:(?:is|are|was|were)\s+{NOUN}|are\s+(?!\w+(?:ly|ed)\b)(?:\w+ )?\w+s\b|{SAYS})"
SIGNS = "*_`\"'“”‘’()[]"  # around words: quotation marks, and marks of Markdown
MARKS = rf"[\s{re.escape(SIGNS)}]*+"  # possessive, as all runs of blanks here: nothing behind them begins with one
ARTICLE = r"[\W_]*+(?:(?:an?|the|\w+[’']s)\s[\W_]*+)?"
LONGEST = 200  # characters of a question that asks for no more than a meaning


def find_subject(question: str) -> str | None:
    """The subject of a question that asks what it is; None where a question asks for more.

    >>> find_subject("What is a closure?"), find_subject("What is the default port of the server?")
    ('closure', None)
    >>> find_subject("What does WAL mean?"), find_subject("Who wrote it?")
    ('WAL', None)
    """
    match = ASKS.fullmatch(question) if len(question) <= LONGEST else None
    if match is None or re.search(r"\b(?:of|for|in|on|with|and|or|by|to|at|from)\b", match["subject"]):
        return None
    return match["subject"].strip(f".{SIGNS}") or None


def defines(sentence: str, subject: str) -> bool:
    """Whether a sentence says what the subject is, or that something is called so.

    >>> defines("*Ownership* is a set of rules.", "ownership"), defines("Ownership is described below.", "ownership")
    (True, False)
    >>> defines("We call creating a reference *borrowing*.", "borrowing"), defines("Borrowing fails.", "borrowing")
    (True, False)
    """
    return _pattern_of(subject.casefold()).search(sentence.casefold()) is not None


def begins_with(sentence: str, subject: str) -> bool:
    """Whether a sentence speaks of the subject first.

    >>> begins_with("The recording rules precompute sums.", "recording rule"), begins_with("Rules record.", "record")
    (True, False)
    """
    return re.match(rf"{ARTICLE}{_name_pattern(subject.casefold())}(?!\w)", sentence.casefold()) is not None


def is_named(heading: str, subject: str) -> bool:
    """Whether a heading is the subject's name, singular or plural, or a question for its meaning.

    >>> is_named("## Recording Rules", "recording rule"), is_named("What is ownership?", "ownership")
    (True, True)
    >>> is_named("Naming of recording rules", "recording rule")
    False
    """
    name = name_heading(heading)
    return extract_terms(find_subject(name) or name) == extract_terms(subject)


@lru_cache(64)
def _pattern_of(subject: str) -> re.Pattern[str]:
    name = _name_pattern(subject)
    aside = r"(?:\s*+\([^)]{0,80}\))?"
    begins = rf"^{ARTICLE}{name}{aside}(?:,[^,.]{{1,80}},)?\s++{VERB}"
    entry = rf"^[\W_]*+{name}{aside}{MARKS}(?::{MARKS}|[–—-]\s)\s*+\w+\s+\w+\s+\w"
    called = rf"\b(?:called|known as|termed|referred to as)\s{MARKS}(?:(?:an?|the)\s{MARKS})?{name}(?!\w)"
    return re.compile(rf"{begins}|{entry}|{called}|\bcalls?\b[^.]{{0,80}}[\s{re.escape(SIGNS)}]{name}\W*+$")


def _name_pattern(subject: str) -> str:
    return rf"{MARKS.join(map(re.escape, subject.split()))}(?:s|es)?[{re.escape(SIGNS)}]*+"
