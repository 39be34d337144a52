"""A question laid beside a passage, word by word: which of its words the passage lacks, which it replaces by others."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from ragstone.answering.extractive.question_analysis import SHAPE_TERMS
from ragstone.answering.verification.question_mismatch import holds_term
from ragstone.core.analyzer import extract_terms, extract_tokens
from ragstone.core.question_language import QuestionWords, list_pieces

ASKS = re.compile(r"(?:what|which|who|whom|whose|where|when|why|how)", re.IGNORECASE)
LITTLE_WORDS = frozenset(
    "is are was were be been do does did has have had can could should would will may might must a an the of in on at "
    "to for from by with and or as that this these those it its their his her than".split()
)
VERBS = frozenset(
    "is are was were be been do does did has have had can could should would will may might must to".split()
)
KINDS = frozenset("type types kind kinds sort form forms name names word term other else of the a an".split())
INFLECTION = re.compile(
    r"\w+(?:ed|[^s]s)"
)  # the verb that ends what is asked for: "which show changed", "what law states"
LONGEST_PHRASE = 4
NUMBERS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion first "
    "second third fourth fifth half twice".split()
)


@dataclass(frozen=True, slots=True)
class TermWord:
    """A word as it is written, and the term that it gives."""

    text: str
    term: str
    is_small: bool = False  # in a language other than English

    @property
    def is_little(self) -> bool:
        return self.is_small or self.text.lower() in LITTLE_WORDS

    @property
    def is_number(self) -> bool:
        return self.text[0].isdigit() or self.text.lower() in NUMBERS


@dataclass(frozen=True, slots=True)
class WordComparison:
    """The part of a question that a passage lacks, in shares of the question's weight. Words that only name the kind of
    thing asked for ("which *law* …") are left out.

    covered: what the passage has. unsaid: the heaviest word that it and its heading lack. replaced: 0 to 3, how closely
    the words around one that is lacking stand around another word in the passage; `replaced_weight`
    is that times its share; `replaced_number`: 1 where both are numbers.
    """

    covered: float = 1.0
    unsaid: float = 0.0
    replaced: float = 0.0
    replaced_weight: float = 0.0
    replaced_number: float = 0.0


def compare_words(
    question: str, passage: str, weights: Mapping[str, float], *, above: Set[str], own: QuestionWords | None = None
) -> WordComparison:
    """Lay a question beside a passage. `weights` are those of terms, an unknown one weighs as the heaviest; `above`
    are the terms of its headings."""
    asking, said = split_words(question, own), split_words(passage, own)
    phrase, found = find_asked_phrase(asking), frozenset(word.term for word in said)
    subject = [i for i, w in enumerate(asking) if i not in phrase and not w.is_little and w.term not in SHAPE_TERMS]
    rarest = max(weights.values(), default=1.0)
    weight = {i: weights.get(asking[i].term, rarest) for i in subject}
    mass = sum(weight.values()) or 1.0
    unsaid = [i for i in subject if not holds_term(asking[i].term, found)]
    lacking = [i for i in unsaid if not holds_term(asking[i].term, above)]
    others = [(i, j, close) for i in unsaid for j, close in _find_replacements(asking, said, i, phrase)]
    heaviest = max((weight[i] for i in lacking), default=0.0)
    return WordComparison(
        covered=round(1 - sum(weight[i] for i in unsaid) / mass, 6),
        unsaid=round(heaviest / mass, 6),
        replaced=float(max((close for _, _, close in others), default=0)),
        replaced_weight=round(max((close * weight[i] for i, _, close in others), default=0.0) / mass, 6),
        replaced_number=float(any(asking[i].is_number and said[j].is_number for i, j, _ in others)),
    )


def split_words(text: str, own: QuestionWords | None = None) -> list[TermWord]:
    """The words of a text, in order, each with its first term; `own` reads words of another language than English."""
    if own is not None:
        return [word for token in extract_tokens(text) for word in _split_own(token, own)]
    return [TermWord(token, next(iter(extract_terms(token)), token.lower())) for token in extract_tokens(text)]


def _split_own(token: str, own: QuestionWords) -> list[TermWord]:
    """The subject's words in a token, each with the question's term for it, or the small word that it is."""
    pieces = list(list_pieces(token, own.language))
    if not pieces:
        return [TermWord(token, token.casefold(), is_small=True)]
    terms = [min(own.find(piece), default=next(iter(extract_terms(piece)), piece)) for piece in pieces]
    return [TermWord(piece, term) for piece, term in zip(pieces, terms, strict=True)]


def find_asked_phrase(question: Sequence[TermWord]) -> frozenset[int]:
    """The words that name the wanted kind of answer: the question word and the noun behind it, up to the verb.

    >>> found = split_words("Which American show changed the views of Romanians?")
    >>> [found[i].text for i in sorted(find_asked_phrase(found))]
    ['Which', 'American', 'show']
    """
    start = next((i for i, word in enumerate(question) if ASKS.fullmatch(word.text)), None)
    if start is None:
        return frozenset()
    phrase, end = {start}, start + 1
    most = {"what": LONGEST_PHRASE, "which": LONGEST_PHRASE, "whose": LONGEST_PHRASE, "how": 1}
    nouns = most.get(question[start].text.lower(), 0)
    while nouns and end < len(question) and not _ends_phrase(question[end].text.lower(), first=end == start + 1):
        phrase.add(end)
        nouns -= question[end].text.lower() not in KINDS
        end += 1
    return frozenset(phrase)


def _ends_phrase(word: str, *, first: bool) -> bool:
    return word in VERBS or (not first and word not in KINDS and INFLECTION.fullmatch(word) is not None)


def _find_replacements(
    asking: Sequence[TermWord], said: Sequence[TermWord], at: int, phrase: Set[int]
) -> list[tuple[int, int]]:
    """Where the passage has another word beside the neighbour that a lacking word has in the question, and how close:
    1 beside a little word, 2 beside any other, one more where both neighbours agree."""
    known = {word.term for word in asking}
    out = []
    for step in (-1, 1):
        near, far = at + step, at - step
        if not 0 <= near < len(asking) or near in phrase:
            continue
        for left, right in pairwise(range(len(said))):
            here, place = (left, right) if step < 0 else (right, left)
            other = said[place]
            if said[here].term != asking[near].term or other.term in known or other.is_little:
                continue
            beyond = place - step
            both = 0 <= far < len(asking) and 0 <= beyond < len(said) and asking[far].term == said[beyond].term
            out.append((place, (1 if asking[near].is_little else 2) + both))
    return out
