"""Signs of a sentence that requests something, and of its place in the text: each from 0 to 1."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ragstone.guard.requests import RequestSentence

ANSWER = 3  # sentences behind a question that answer it where they speak of the same
EDGE = 200  # characters beside a sentence that tell whether it stands by itself
STEM = 5  # letters by which forms of a word are told to be the same
SHORT = 4  # letters of a word that says what a text is about
ME = frozenset(
    "i me my mine myself us mir mich mein meine meinen ich uns moi mon ma mes je mi mis yo mio mia io "
    "мне меня мой моя я".split()
)
YOU = frozenset(
    "you your yourself du dich dir dein deine deinen deiner sie ihnen ihre tu ton ta tes vous votre tú te tus usted su "
    "ты тебя твой вы вам ваш".split()
)
# The words that a language cannot do without, and its neighbours do.
LANGUAGE_WORDS = {
    "en": frozenset("the of and to is that it you for with this are be how what".split()),
    "de": frozenset("der die das und ist nicht ein eine ich sie zu mit für von den wie auf".split()),
    "fr": frozenset("le les des et est une que vous pour dans pas du qui je ce".split()),
    "es": frozenset("el los las y es una que por para con no del lo se su".split()),
    "it": frozenset("il gli che è una per non con sono di della questo come".split()),
    "ru": frozenset("и в не на я что с ты как это вы по все для".split()),
}
END = re.compile(r"[.!?…:。！？][\"”»)']{0,3}\s*$")  # of a sentence; a label or a name has none
TITLE = 0.5  # of its words with a capital, behind the first
WORD = re.compile(r"[^\W\d_]+")
SEPARATORS = frozenset("|\t")  # of cells
LIST = re.compile(r"[ \t]*(?:[-*+•]|\d{1,2}[.)]) ")
PRODUCT = re.compile(
    r"\b(?:poem|essay|story|joke|song|lyrics|script|code|program|recipe|letter|e-?mail|tweet|article|headline|speech"
    r"|summary|paragraph|sentence|list of|movie|film|book|restaurant|gift|ideas?|tips?|advice|opinion|translation"
    r"|slogan|review|manifesto|gedicht|aufsatz|witz|geschichte|artikel|überschrift|begründung|rede|brief|rezept"
    r"|poème|histoire|blague|recette|poema|historia|chiste|receta|стихотворени\w*|рассказ|историю|шутку|рецепт)\b",
    re.IGNORECASE,
)
QUOTATION = re.compile(r"[\"“«„'‘][^\"”»“'’\n]{8,300}[\"”»“'’]")
# How a line begins that somebody says: a dash, a quotation mark, the name of who speaks.
SPOKEN = re.compile(r"[ \t]{0,8}(?:[->–—\"„“”«»‘'`「『*]|[^\W\d_][\w .]{0,24}: )")
QUOTES = re.compile(r"[\"„“”«»「『]|(?<!\w)['‘`]")
# Scripts without blanks between words: two letters stand for a word.
UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


class OwnSigns(NamedTuple):
    """The signs of the sentence itself."""

    question: float
    modal: float
    work: float
    role: float
    told: float
    me: float
    for_me: float
    product: float
    quoted: float
    long: float
    colon: float
    spoken: float
    capitals: float
    open: float
    label: float


class PlaceSigns(NamedTuple):
    """Where it stands."""

    own_line: float
    own_block: float
    last: float
    first: float
    listed: float
    cell: float


class ContextSigns(NamedTuple):
    """How it goes with the rest of the text."""

    apart: float
    foreign: float
    stray: float
    answered: float
    tongue: float
    before: float
    after: float
    alone: float
    asking: float
    tabular: float
    addressed: float
    rest: float
    inquiry: float
    dialogue: float
    quotes: float


NAMES = (*OwnSigns._fields, *PlaceSigns._fields, *ContextSigns._fields)
SignValues = tuple[float, ...]  # in the order of NAMES


class TextScene:
    """A text, or a part of one, whose sentences were read: the input of the signs of each."""

    def __init__(self, text: str, said: Sequence[RequestSentence]) -> None:
        self._text, self._said = text, said
        self._topics = [_topic_stems(one.words) for one in said]
        self._held = Counter(stem for topic in self._topics for stem in topic)
        self._places = {one.start: n for n, one in enumerate(said)}
        self._asking = sum(one.is_request for one in said) / len(said)
        self._tabular = _table_share(text[said[0].start : said[-1].end])
        part = text[said[0].start : said[-1].end]
        lines = [line for line in part.split("\n") if line.strip()]
        self._dialogue = sum(SPOKEN.match(line) is not None for line in lines) / max(1, len(lines))
        self._quotes = min(1.0, len(QUOTES.findall(part)) / (2 * len(said)))
        self._words = sum(len(one.words) for one in said)
        self._you = sum(_count_you(one) for one in said)
        self._tongues = Counter(name for one in said for name in _word_languages(one.words))

    def measure_signs(self, one: RequestSentence) -> SignValues:
        """The signs of one of its sentences."""
        place = _place_signs(self._text, one)
        return (*_own_signs(self._text, one), *place, *self._context_signs(one, ends=place.last))

    def _context_signs(self, one: RequestSentence, *, ends: float) -> ContextSigns:
        n = self._places[one.start]
        topic = self._topics[n]
        shared = sum(self._held[stem] > 1 for stem in topic)
        foreign = 1 - shared / max(1, len(topic))
        rest = self._words - len(one.words)
        return ContextSigns(
            apart=float(shared == 0 and len(topic) > 0),
            foreign=foreign,
            stray=ends * foreign,
            answered=float(one.question and any(topic & other for other in self._topics[n + 1 : n + 1 + ANSWER])),
            tongue=float(self._is_other_language(one.words)),
            before=_word_share(self._said[max(0, n - 6) : n]),
            after=_word_share(self._said[n + 1 : n + 7]),
            alone=float(rest < 6),
            asking=self._asking,
            tabular=self._tabular,
            addressed=min(1.0, 10 * (self._you - _count_you(one)) / max(1, rest)),
            rest=min(1.0, math.log1p(rest) / 6),
            inquiry=one.question * self._asking,
            dialogue=self._dialogue,
            quotes=self._quotes,
        )

    def _is_other_language(self, words: Sequence[str]) -> bool:
        """Whether a sentence is in one language and most of the rest in another."""
        own = Counter(_word_languages(words))
        mine = max(LANGUAGE_WORDS, key=own.__getitem__)
        others = max(self._tongues[name] - own[name] for name in LANGUAGE_WORDS if name != mine)
        return own[mine] > 1 and others > max(2, 2 * (self._tongues[mine] - own[mine]))


def _own_signs(text: str, one: RequestSentence) -> OwnSigns:
    me = not ME.isdisjoint(one.words)
    capitals, is_open = _share_capitals(text[one.start : one.end]), END.search(text, one.start, one.end) is None
    return OwnSigns(
        question=float(one.question),
        modal=float(one.modal),
        work=float(one.work),
        role=float(one.role),
        told=float(one.told),
        me=float(me),
        for_me=float(me and (one.modal or one.work)),
        product=float(PRODUCT.search(text, one.start, one.end) is not None),
        quoted=float(QUOTATION.search(text, one.start, min(len(text), one.end + 120)) is not None),
        long=min(1.0, len(one.words) / 30),
        colon=float(text[one.start : one.end].rstrip().endswith(":")),
        spoken=float(_is_spoken(text, one.start)),
        capitals=capitals,
        open=float(is_open),
        label=float(is_open and capitals > TITLE),
    )


def _share_capitals(sentence: str) -> float:
    """The share of its words behind the first one that begin with a capital letter, as those of names and titles do."""
    words = WORD.findall(sentence)[1:]
    return sum(word[0].isupper() for word in words) / len(words) if words else 0.0


def _is_spoken(text: str, at: int) -> bool:
    """Whether somebody in the text says it: in quotes, or on a line that begins as speech does."""
    line = text.rfind("\n", max(0, at - EDGE), at + 1) + 1
    return SPOKEN.match(text, line) is not None or QUOTES.search(text, max(0, at - 2), at + 2) is not None


def _place_signs(text: str, one: RequestSentence) -> PlaceSigns:
    before, after = text[max(0, one.start - EDGE) : one.start], text[one.end : one.end + EDGE].replace("\r", "")
    above = before[len(before.rstrip()) :] if before.strip() else "\n\n"
    below = after[: len(after) - len(after.lstrip())] if after.strip() else "\n\n"
    line_after = after.partition("\n")[0]
    return PlaceSigns(
        own_line=float("\n" in above and "\n" in below),
        own_block=float(above.count("\n") > 1 and below.count("\n") > 1),
        last=float(not after.strip()),
        first=float(not before.strip()),
        listed=float(LIST.match(text, text.rfind("\n", max(0, one.start - EDGE), one.start) + 1) is not None),
        cell=float(not SEPARATORS.isdisjoint(before.rpartition("\n")[2]) and not SEPARATORS.isdisjoint(line_after)),
    )


def _topic_stems(words: Sequence[str]) -> frozenset[str]:
    found = {word[:STEM] for word in words if len(word) >= SHORT and not UNSPACED.match(word)}
    return frozenset(found.union(*(map("".join, pairwise(word)) for word in words if UNSPACED.match(word))))


def _word_languages(words: Sequence[str]) -> list[str]:
    """The languages of which each of the words is one of the most frequent."""
    return [name for word in words for name, often in LANGUAGE_WORDS.items() if word in often]


def _count_you(one: RequestSentence) -> int:
    return sum(word in YOU for word in one.words)


def _word_share(said: Sequence[RequestSentence]) -> float:
    return min(1.0, sum(len(one.words) for one in said) / 50)


def _table_share(text: str) -> float:
    """The share of a text that is rows of a table."""
    rows = [line for line in text.split("\n") if line.count("|") + line.count("\t") > 1]
    return min(1.0, sum(map(len, rows)) / len(text))
