"""The roles of words in a clause: figures, dates, units and names, prepositions and auxiliaries, denials."""

from collections.abc import Sequence

from ragstone.core.comparable_words import UNITS, Word
from ragstone.core.contrary_words import is_denial

PREPOSITIONS = frozenset(
    "for in on at by from to with without of under over above below until before after between through during into "
    "within behind beyond as than per towards against".split()
)
ARTICLES = frozenset(
    "a an the this that these those its their his her our your my both each every all any some".split()
)
AUXILIARIES = frozenset(
    "is are was were be been am may might can could must shall should will would has have had do does did cannot "
    "shan't isn't aren't wasn't weren't won't can't doesn't don't didn't need needs".split()
)
# Verbs that often stand without an auxiliary, in the forms in which they do.
VERBS = frozenset(
    "take takes took cost costs pay pays paid go goes went run runs ran get gets got give gives gave make makes "
    "made leave leaves left keep keeps kept hold holds held hear stay stays stayed stop stops stopped start "
    "starts started begin begins began end ends ended open opens opened close closes closed rise rises rose fall "
    "falls fell grow grows grew lead leads led win wins won lose loses lost buy buys bought sell sells sold send "
    "sends sent receive receives received reach reaches reached carry carries carried measure measures measured "
    "write writes wrote read reads pass passes passed approve approves approved reject rejects rejected see sees "
    "saw know knows knew use uses used last lasts lasted remain remains remained become becomes became work works "
    "worked serve serves served apply applies applied accept accepts accepted cover covers covered include "
    "includes included contain contains require requires required weigh weighs weighed deliver delivers delivered "
    "operate operates operated join joins joined flow flows flowed enter enters entered play plays played found "
    "built sets lies lay stands stood comes came travel travels travelled arrive arrives arrived depart departs "
    "departed sign signs signed decide decides decided report reports reported check checks checked choose "
    "chooses chose borrow borrows lend lends return returns returned replace replaces replaced examine examines "
    "examined handle handles handled melts boils moved proposed seconded cleaned repaired finishes finished "
    "teaches taught speaks spoke votes voted".split()
)
PRONOUNS = frozenset("it they them he she him this these those both neither which that one ones former latter".split())
DAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays "
    "sundays weekday weekdays weekend weekends".split()
)
SIDES = frozenset("before after above below under over inside outside within without during until up down".split())
CONTRASTS = frozenset("other others else rest remaining otherwise".split())
COUNTS = frozenset("half twice thrice double first second third".split())
FORBIDS = frozenset("forbidden prohibited banned disallowed nor".split())
PAYING = frozenset(
    "pay pays paid charge charged charges fee fees cost costs price extra fines fined duty ticket".split()
)
FREE = frozenset("free gratis included exempt".split())
SHORTEST_UNIT = 3  # letters; "m" and "s" are units behind a figure only


def unit_of(word: Word) -> str:
    """The unit that a word names by itself, "" for none."""
    return UNITS.get(word.lower, "") if len(word.lower) >= SHORTEST_UNIT else ""


def is_day(word: Word) -> bool:
    """Whether a word is a day of the week."""
    return word.lower in DAYS


def is_content(word: Word) -> bool:
    """Whether a word says something by itself: prepositions of place and time do, denials are counted apart."""
    return (word.kind != "light" or word.lower in SIDES | COUNTS | CONTRASTS) and not is_denial(word)


def kind_of(word: Word) -> str:
    """The kind of a word, as far as words of one kind stand in one place: number, unit, date, name or word."""
    if word.kind == "number" or word.lower in COUNTS or (word.kind in ("code", "name") and word.lower[0].isdigit()):
        return "number"
    if unit_of(word):
        return "unit"
    if word.kind == "month" or is_day(word):
        return "date"
    if word.kind == "code" or (word.kind == "name" and word.sure):
        return "name"
    return "word"


def previous_function(words: Sequence[Word], own: Sequence[int], i: int) -> str:
    """The preposition before word i of a clause, neighbours of its phrase passed over; "aux" behind an auxiliary, "#"
    behind a figure, "^" at the beginning."""
    place = own.index(i)
    for n in range(place - 1, max(-1, place - 5), -1):
        word = words[own[n]]
        if word.lower in PREPOSITIONS:
            return word.lower
        if word.lower in AUXILIARIES or is_denial(word):
            return "aux"
        if word.kind == "number":
            return "#"
    return "^" if place < 5 else ""


def next_noun(words: Sequence[Word], own: Sequence[int], i: int) -> str:
    """The key of the word right behind word i of a clause, where that may qualify it: "northern colony"."""
    place = own.index(i) + 1 if i in own else len(own)
    after = words[own[place]] if place < len(own) else None
    return after.key if after is not None and after.kind == "word" else ""


def count_denials(words: Sequence[Word], places: Sequence[int], *, free: bool = False) -> int:
    """How many words deny something: "no more than 5" and "not only" do not, and "no charge" does not where the other
    side says that something is `free`."""
    lows = {words[i].lower for i in places}
    if free and lows & PAYING:
        return 0
    out = 0
    for i in places:
        low = words[i].lower
        if not (is_denial(words[i]) or low in FORBIDS) or low.startswith(("exclud", "except")):
            continue
        behind = [word.lower for word in words[i + 1 : i + 4]]
        out += "than" not in behind and behind[:1] not in (["only"], ["just"], ["later"], ["necessarily"])
    return out
