"""Analysis of a question: its terms with their weights, its names and numbers, the kind of answer."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, cast

from ragstone.answering.extractive.definitions import find_subject
from ragstone.answering.extractive.question_words import PERSON, find_answers, find_kind
from ragstone.core.analyzer import extract_terms, extract_tokens
from ragstone.core.late_pattern import compile_late
from ragstone.core.question_language import QuestionWords, find_own, read_question
from ragstone.retrieval.topics import find_topic, is_headed

Kind = Literal["who", "when", "where", "how_many", "how_to", "why", "yes_no", "what_is", "other"]

# Words that shape a question and say nothing about its subject.
SHAPE_TERMS = frozenset(
    extract_terms(
        "what what's who who's whom whose when where which why how do does did done doing is are was were be"
        " been am has have "
        "had having can could should would will may might must i me my mine you your we our us he she its it's them "
        "there any some so about please tell explain describe give show get many much kind type name called from "
        "than also during after before between which whether"
    )
)
# Characters of Chinese question words, pronouns, auxiliaries and particles: a pair of characters with one of them says
# little of a question's subject. So does a pair of hiragana, which in Japanese write endings and particles.
FUNCTION_CHARACTERS = frozenset("的了是在和与或及吗呢吧啊我你他她它们这那哪什么怎样如何谁几多少没有不要该把被从到给让")
FUNCTION_PAIRS = frozenset("请问 时候 可以 能否 会否".split())
HIRAGANA = re.compile("[\u3041-\u3096]+")
KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "how_many",
        compile_late(
            r"\bhow (?:many|much|long|old|large|big|far|high|tall|fast|often|deep|heavy|wide)\b"
            r"|\bwhat (?:percent|number|amount|fraction|population|distance|size|length|height)"
            r"|\b(?:percentage|number) of\b",
            re.I,
        ),
    ),
    (
        "when",
        compile_late(
            r"\bwhen\b|\b(?:what|which|in what|in which) (?:year|date|day|month|century|decade|time|period"
            r"|age|era)\b|\bsince when\b",
            re.I,
        ),
    ),
    (
        "where",
        compile_late(
            r"\bwhere\b|\b(?:what|which) (?:\w+ )?(?:country|countries|city|cities|place|location|state"
            r"|region|continent|river|directory|folder|file|area|town|county)\b",
            re.I,
        ),
    ),
    (
        "who",
        compile_late(
            r"\bwho(?:m|se|'s)?\b|\b(?:what|which) (?:person|people|king|queen|president|author|company"
            r"|organi[sz]ation|scientist|group|team|ruler|leader)\b",
            re.I,
        ),
    ),
    (
        "why",
        compile_late(r"\bwhy\b|\bwhat (?:is|are|was|were) the (?:reasons?|causes?|purpose)\b|\bwhat causes?d?\b", re.I),
    ),
    (
        "how_to",
        compile_late(
            r"\bhow (?:to|do|does|can|should|could|would|did|is|are|must|might)\b|\bwhat command\b"
            r"|\bsteps? to\b|\bway to\b",
            re.I,
        ),
    ),
    (
        "yes_no",
        compile_late(
            r"^\W*(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had|may|must|am)\b", re.I
        ),
    ),
    (
        "what_is",
        compile_late(
            r"^\W*what(?:'s| is| are| was| were| does)\b|^\W*(?:define|definition|explain|describe|meaning of)\b", re.I
        ),
    ),
)
NUMBER = re.compile(r"\d[\d.,:/%-]*")
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
COUNT_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred|"
    "hundreds|thousand|thousands|million|millions|billion|half|third|quarter|dozen|twice|once|none|several"
    "|few|both|single|double"
)
ANSWER_PATTERNS: Mapping[Kind, re.Pattern[str]] = {
    "when": compile_late(
        rf"\b(?:1[0-9]|20)\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)\b|\b(?:{MONTHS})\b|\b\d{{1,4}} (?:BC|AD|BCE|CE)\b"
        rf"|(?i:\b(?:century|centuries|decades?|years? (?:ago|later)|"
        r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|noon|midnight|a\.m\.|p\.m\.|spring|summer"
        r"|autumn|winter|after|before|during|until|every \w+)\b)"
    ),
    "how_many": compile_late(rf"\d|(?i:\b(?:{COUNT_WORDS})\b)"),
    "where": compile_late(
        r"\b(?:in|at|near|from|to|on|of|across|throughout|into|under|within|outside|north|south|east"
        r"|west)\b (?:the )?[`A-Z/~]|[/~][\w.-]+/"
    ),
    "why": compile_late(
        r"(?i)\b(?:because|since|due to|owing to|thanks to|as a result|result of|result in|caused? by|reason"
        r"|in order to|so that|to avoid|to prevent|to ensure|therefore|so as|led to|allow|help|for)\b"
    ),
    "how_to": compile_late(
        r"(?i)`|\b(?:use|using|run|set|call|add|create|install|type|click|select|by|must|should|need|can"
        r"|first|then|to)\b|^\s*(?:\d+[.)]|[-*]) "
    ),
    "what_is": compile_late(
        r"(?i)\b(?:is|are|was|were|means?|refers? to|called|known as|defined|represents?|describes?"
        r"|consists? of|allows?|provides?|lets?|returns?)\b"
    ),
}
STANDS = frozenset(extract_terms("stand stands"))
CAPITAL_NOUNS = "german"  # the language in which a capital letter tells no name
NAME = re.compile(r"[A-Z][\w’'-]*")
# The month, which is else the verb.
MAY = re.compile(
    r"\b(?:in|of|for|since|until|till|by|from|before|after|during|last|this|next|and|to) May\b|\bMay \d|\d\.? May\b"
)


@dataclass(frozen=True, slots=True)
class QuestionAnalysis:
    """A question's subject: the weight of each term (IDF, names and numbers more), and the wanted kind of answer; `own`
    are its words where it is in another language than English, `defined` is what an English one asks the meaning of,
    `topic` what it asks to be told about, which may be the whole question."""

    text: str
    weights: Mapping[str, float]
    names: frozenset[str]
    numbers: frozenset[str]
    kind: Kind
    pairs: frozenset[tuple[str, str]]
    own: QuestionWords | None = None
    defined: str | None = None
    topic: str = ""

    def find_terms(self, terms: Set[str], text: str) -> frozenset[str]:
        """The terms of a text, with those of the question of which it has another form."""
        return find_own(self.own, terms, text)

    def is_heading(self, heading: str) -> bool:
        """Whether a heading is the question, or what it asks to be told about; a question for a person, a time, a
        number or a reason is not told by a heading unless that asks the same."""
        if not is_headed(heading, self.topic):
            return False
        language = self.own.language if self.own else None
        return self.kind not in FACTS or classify_question(heading, language) == self.kind

    @property
    def total_weight(self) -> float:
        """The sum of all weights."""
        return sum(self.weights.values())


SPECIFIC_WEIGHT = 1.5
FACTS = frozenset(("who", "when", "where", "how_many", "why"))


def analyze_question(text: str, idf: Mapping[str, float], language: str | None = None) -> QuestionAnalysis:
    """Read a question, in English where no other language is given. `idf` gives the weight of its terms; an unknown
    term weighs as the rarest known.

    >>> analyze_question("When did Rollo reach Normandy?", {}).kind
    'when'
    """
    numbers = frozenset(
        term for token in extract_tokens(text) if NUMBER.fullmatch(token) for term in extract_terms(token)
    )
    names = _find_names(text) - numbers
    topic = find_topic(text)
    own = read_question(topic or text, language) if language else None
    all_terms = list(dict.fromkeys(extract_terms(" ".join(own.words) if own and own.words else topic or text)))
    names &= set(all_terms)
    subject = [term for term in all_terms if not _shapes(term) or term in numbers or term in names] or all_terms
    if defined := find_subject(text, language):  # "What does POD stand for?" asks about no stand
        subject = [term for term in subject if term not in STANDS or term in extract_terms(defined)] or subject
    rarest = max((idf[term] for term in subject if term in idf), default=1.0)
    kind = "other" if topic else classify_question(text, language)
    weights = {t: idf.get(t, rarest) * (SPECIFIC_WEIGHT if t in names or t in numbers else 1.0) for t in subject}
    return QuestionAnalysis(
        text, weights, names, numbers, kind, frozenset(pairwise(subject)), own, defined, topic or text
    )


def _shapes(term: str) -> bool:
    if term in SHAPE_TERMS or term in FUNCTION_PAIRS:
        return True
    return not FUNCTION_CHARACTERS.isdisjoint(term) or HIRAGANA.fullmatch(term) is not None


def classify_question(text: str, language: str | None = None) -> Kind:
    """The kind of answer that a question asks for, in English where no other language is given."""
    if language is not None:
        return cast(Kind, find_kind(text, language) or "other")
    return next((name for name, pattern in KINDS if pattern.search(text)), "other")


def _find_names(text: str) -> frozenset[str]:
    """Terms written with a capital or as an identifier, the first word of the question left out."""
    words = list(extract_tokens(text))
    title = sum(word[0].isupper() for word in words) > 0.8 * len(words)
    found = {term for word in words[1:] if _is_name(word) and not title for term in extract_terms(word)}
    return frozenset(found - SHAPE_TERMS).union(extract_terms("May") if MAY.search(text) else ())


def _is_name(word: str) -> bool:
    return word[0].isupper() or any(c.isupper() for c in word[1:]) or any(c in "_-." for c in word[1:-1])


def answers_kind(asked: QuestionAnalysis, sentence: str, found: frozenset[str]) -> bool:
    """Whether a sentence holds something of the kind asked for, beyond what the question itself says.

    `found` are the terms of the sentence. Yes-or-no questions and others ask for nothing special.
    """
    if asked.kind == "who":
        return _names_someone(asked, sentence)
    if asked.kind in ("how_many", "when"):
        numbers = {term for token in extract_tokens(sentence) if NUMBER.match(token) for term in extract_terms(token)}
        if numbers - asked.numbers:
            return True
    if asked.own is not None:
        said = find_answers(asked.own.language)
        return said is None or said.hold(asked.kind, sentence)
    if asked.kind == "how_many":
        return any(
            not set(extract_terms(word)) <= asked.weights.keys()
            for word in ANSWER_PATTERNS["how_many"].findall(sentence)
            if not NUMBER.match(word)
        )
    pattern = ANSWER_PATTERNS.get(asked.kind)
    return pattern is None or (pattern.search(sentence) is not None and bool(found - asked.weights.keys()))


def _names_someone(asked: QuestionAnalysis, sentence: str) -> bool:
    """Whether a sentence has a name that the question has not."""
    pattern = PERSON if asked.own is not None and asked.own.language == CAPITAL_NOUNS else NAME
    names = (match for match in pattern.finditer(sentence) if extract_terms(match[0]))
    return any(
        (match.start() > 0 or pattern is PERSON) and not set(extract_terms(match[0])) & asked.weights.keys()
        for match in names
    )
