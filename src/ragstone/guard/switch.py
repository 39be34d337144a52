"""Whether a text asks for something that has nothing to do with the rest of it: signs, and the odds that they give.

An e-mail or a table that ends with "Suggest a film for tonight." does not speak to its reader any more. Documentation
asks too, but of what it is about.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ragstone.guard.asked import Asked, sentences

WINDOW = 4000  # characters that are looked at together: a chunk, or a part of a longer text
MOST = 24  # sentences of a window that are weighed
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
TONGUES = {
    "en": frozenset("the of and to is that it you for with this are be how what".split()),
    "de": frozenset("der die das und ist nicht ein eine ich sie zu mit für von den wie auf".split()),
    "fr": frozenset("le les des et est une que vous pour dans pas du qui je ce".split()),
    "es": frozenset("el los las y es una que por para con no del lo se su".split()),
    "it": frozenset("il gli che è una per non con sono di della questo come".split()),
    "ru": frozenset("и в не на я что с ты как это вы по все для".split()),
}
LIST = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)]) ")
PRODUCT = re.compile(
    r"\b(?:poem|essay|story|joke|song|lyrics|script|code|program|recipe|letter|e-?mail|tweet|article|headline|speech"
    r"|summary|paragraph|sentence|list of|movie|film|book|restaurant|gift|ideas?|tips?|advice|opinion|translation"
    r"|slogan|review|manifesto|gedicht|aufsatz|witz|geschichte|artikel|überschrift|begründung|rede|brief|rezept"
    r"|poème|histoire|blague|recette|poema|historia|chiste|receta|стихотворени\w*|рассказ|историю|шутку|рецепт)\b",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[\"“«„'‘][^\"”»“'’\n]{8,300}[\"”»“'’]")


class Signs(NamedTuple):
    """What a sentence that asks is like, and how it stands in the text; each from 0 to 1."""

    question: float
    modal: float
    work: float
    role: float
    me: float
    product: float
    quoted: float
    long: float
    own_line: float
    own_block: float
    last: float
    first: float
    listed: float
    apart: float
    foreign: float
    stray: float
    tongue: float
    answered: float
    for_me: float
    before: float
    after: float
    alone: float
    asking: float
    tabular: float
    addressed: float
    rest: float


class _Model(NamedTuple):
    weights: tuple[float, ...]
    base: float
    cut: float


def beyond(text: str) -> float:
    """How far the log-odds that something in a text is asked of a model lie above the border; minus infinity where
    nothing is asked."""
    model = _model()
    odds = (model.base + sum(map(float.__mul__, model.weights, signs)) for _, signs in switches(text))
    return max(odds, default=-math.inf) - model.cut


@cache
def _model() -> _Model:
    data = json.loads(files(__package__).joinpath("switch.json").read_text("utf-8"))  # benchmarks/guard/fit_switch.py
    return _Model(tuple(float(data["weights"][name]) for name in Signs._fields), data["base"], data["cut"])


def switches(text: str) -> Iterator[tuple[Asked, Signs]]:
    """The sentences of a text that ask for something, with their signs."""
    for start, end in _windows(text):
        said = list(sentences(text, start, end))
        asking = [one for one in said if one.any]
        if asking:
            yield from _weighed(text, said, asking[: MOST // 2] + asking[MOST // 2 :][-MOST // 2 :])


def _windows(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = min(len(text), start + WINDOW)
        if end < len(text):
            end = text.rfind("\n", start + WINDOW // 2, end) + 1 or end
        yield start, end
        start = end


def _weighed(text: str, said: Sequence[Asked], asking: Sequence[Asked]) -> Iterator[tuple[Asked, Signs]]:
    topics = [_topics(one.words) for one in said]
    total = {stem: sum(stem in topic for topic in topics) for stem in set().union(*topics)}
    places = {one.start: n for n, one in enumerate(said)}
    share = sum(one.any for one in said) / len(said)
    start, end = said[0].start, said[-1].end
    cells = [line for line in text[start:end].split("\n") if line.count("|") + line.count("\t") > 1]
    tabular = min(1.0, sum(map(len, cells)) / (end - start))
    words = sum(len(one.words) for one in said)
    tongues = {name: sum(word in often for one in said for word in one.words) for name, often in TONGUES.items()}
    you = sum(1 for one in said for word in one.words if word in YOU)
    for one in asking:
        n = places[one.start]
        own = topics[n]
        shared = sum(total[stem] > 1 for stem in own)
        rest = words - len(one.words)
        mine = sum(word in YOU for word in one.words)
        line, block = _place(text, one)
        ends = float(not text[one.end : one.end + EDGE].strip())
        yield (
            one,
            Signs(
                question=float(one.question),
                modal=float(one.modal),
                work=float(one.work),
                role=float(one.role),
                me=float(any(word in ME for word in one.words)),
                product=float(PRODUCT.search(text, one.start, one.end) is not None),
                quoted=float(QUOTED.search(text, one.start, min(len(text), one.end + 120)) is not None),
                long=min(1.0, len(one.words) / 30),
                own_line=float(line),
                own_block=float(block),
                last=ends,
                first=float(not text[max(0, one.start - EDGE) : one.start].strip()),
                listed=float(LIST.match(text, text.rfind("\n", 0, one.start) + 1) is not None),
                apart=float(shared == 0 and len(own) > 0),
                foreign=1 - shared / max(1, len(own)),
                stray=ends * (1 - shared / max(1, len(own))),
                answered=float(one.question and any(own & topic for topic in topics[n + 1 : n + 1 + ANSWER])),
                tongue=float(_other_tongue(one.words, tongues)),
                for_me=float(one.any and any(word in ME for word in one.words) and (one.modal or one.work)),
                before=min(1.0, sum(len(other.words) for other in said[max(0, n - 6) : n]) / 50),
                after=min(1.0, sum(len(other.words) for other in said[n + 1 : n + 7]) / 50),
                alone=float(rest < 6),
                asking=share,
                tabular=tabular,
                addressed=min(1.0, 10 * (you - mine) / max(1, rest)),
                rest=min(1.0, math.log1p(rest) / 6),
            ),
        )


def _topics(words: Sequence[str]) -> frozenset[str]:
    return frozenset(word[:STEM] for word in words if len(word) >= SHORT)


def _other_tongue(words: Sequence[str], all_: Mapping[str, int]) -> bool:
    """Whether a sentence is in one language and most of the rest in another."""
    own = {name: sum(word in often for word in words) for name, often in TONGUES.items()}
    mine = max(own, key=own.__getitem__)
    rest = {name: all_[name] - own[name] for name in TONGUES if name != mine}
    return own[mine] > 1 and max(rest.values()) > max(2, 2 * (all_[mine] - own[mine]))


def _place(text: str, one: Asked) -> tuple[bool, bool]:
    """Whether it has its line, and its paragraph, for itself."""
    before, after = text[max(0, one.start - EDGE) : one.start], text[one.end : one.end + EDGE].replace("\r", "")
    above = before[len(before.rstrip()) :] if before.strip() else "\n\n"
    below = after[: len(after) - len(after.lstrip())] if after.strip() else "\n\n"
    return "\n" in above and "\n" in below, above.count("\n") > 1 and below.count("\n") > 1
