"""Sentences that say what a thing is, for a question that asks for no more than that."""

import re
from functools import cache, lru_cache

from ragstone.answering.extractive.definition_words import WORDS
from ragstone.core.analyzer import extract_terms
from ragstone.core.headings import name_heading
from ragstone.core.question_language import is_small

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
JOINS_NAMES = frozenset("de del du da do dos di des d'".split())  # within names: "bon de livraison"
LONGEST = 200  # characters of a question that asks for no more than a meaning


def find_subject(question: str, language: str | None = None) -> str | None:
    """The subject of a question that asks what it is, in English where no language is given; None where a question asks
    for more.

    >>> find_subject("What is a closure?"), find_subject("What is the default port of the server?")
    ('closure', None)
    >>> find_subject("What does WAL mean?"), find_subject("Who wrote it?")
    ('WAL', None)
    >>> find_subject("Qu'est-ce qu'un bon de livraison ?", "french"), find_subject("Was ist zu tun?", "german")
    ('bon de livraison', None)
    """
    if len(question) > LONGEST:
        return None
    if language is not None:
        return _find_own_subject(question.replace("’", "'"), language)
    match = ASKS.fullmatch(question)
    if match is None or re.search(r"\b(?:of|for|in|on|with|and|or|by|to|at|from)\b", match["subject"]):
        return None
    return match["subject"].strip(f".{SIGNS}") or None


def _find_own_subject(question: str, language: str) -> str | None:
    pattern = _compile_asks(language)
    match = pattern.fullmatch(question) if pattern else None
    subject = match["subject"].strip(f".:{SIGNS}") if match else ""
    small = (is_small(word.casefold(), language) for word in subject.split() if word not in JOINS_NAMES)
    return subject if subject and not any(small) else None


@cache
def _compile_asks(language: str) -> re.Pattern[str] | None:
    words = WORDS.get(language)
    if words is None:
        return None
    subject = r"(?P<subject>[^\s?!]+(?: [^\s?!]+){0,3}?)"
    behind = rf"(?:{words.behind})?" if words.behind else ""
    return re.compile(
        rf"\W*(?:{words.asks})(?:\s+|(?<=[\s']))(?:{words.article})?{subject}{behind}[\s?!.]*", re.IGNORECASE
    )


def defines(sentence: str, subject: str, language: str | None = None) -> bool:
    """Whether a sentence says what the subject is, or that something is called so.

    >>> defines("*Ownership* is a set of rules.", "ownership"), defines("Ownership is described below.", "ownership")
    (True, False)
    >>> defines("We call creating a reference *borrowing*.", "borrowing"), defines("Borrowing fails.", "borrowing")
    (True, False)
    >>> defines("Unter Taktzeit versteht man die Zeit für ein Teil.", "Taktzeit", "german")
    True
    """
    return _pattern_of(subject.casefold(), language).search(_fold(sentence)) is not None


def begins_with(sentence: str, subject: str, language: str | None = None) -> bool:
    """Whether a sentence speaks of the subject first.

    >>> begins_with("The recording rules precompute sums.", "recording rule"), begins_with("Rules record.", "record")
    (True, False)
    """
    name = _name_pattern(subject.casefold(), language)
    return re.match(rf"{_article_pattern(language)}{name}(?!\w)", _fold(sentence)) is not None


def is_named(heading: str, subject: str, language: str | None = None) -> bool:
    """Whether a heading is the subject's name, singular or plural, or a question for its meaning.

    >>> is_named("## Recording Rules", "recording rule"), is_named("What is ownership?", "ownership")
    (True, True)
    >>> is_named("Naming of recording rules", "recording rule")
    False
    """
    name = name_heading(heading)
    return extract_terms(find_subject(name, language) or name) == extract_terms(subject)


def _fold(sentence: str) -> str:
    return sentence.casefold().replace("’", "'")


@lru_cache(64)
def _pattern_of(subject: str, language: str | None) -> re.Pattern[str]:
    name = _name_pattern(subject, language)
    words = WORDS.get(language or "")
    aside = r"(?:\s*+\([^)]{0,80}\))?"
    verbs = words.verbs.replace("ß", "ss") if words else VERB
    begins = rf"^{_article_pattern(language)}{name}{aside}(?:,[^,.]{{1,80}},)?\s++(?:{verbs})"
    entry = rf"^[\W_]*+{name}{aside}{MARKS}(?::{MARKS}|[–—-]\s)\s*+\w+\s+\w+\s+\w"
    if words:
        return re.compile(rf"{begins}|{entry}|{words.called.replace('{name}', name)}")
    called = rf"\b(?:called|known as|termed|referred to as)\s{MARKS}(?:(?:an?|the)\s{MARKS})?{name}(?!\w)"
    return re.compile(rf"{begins}|{entry}|{called}|\bcalls?\b[^.]{{0,80}}[\s{re.escape(SIGNS)}]{name}\W*+$")


def _article_pattern(language: str | None) -> str:
    words = WORDS.get(language or "")
    return rf"[\W_]*+(?:(?:{words.article})[\W_]*+)?" if words else ARTICLE


def _name_pattern(subject: str, language: str | None) -> str:
    words = WORDS.get(language or "")
    endings = words.endings if words else "s|es"
    return rf"{MARKS.join(map(re.escape, subject.split()))}(?:{endings})?[{re.escape(SIGNS)}]*+"
