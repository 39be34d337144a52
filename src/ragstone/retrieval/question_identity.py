"""Whether two questions ask for the same: then the cache may serve one with the results of the other.

Only known variations count as equal: question words, the little words of a sentence, a few ways to put a question,
forms of a word, and a short list of synonyms. Any other word in only one of them makes them different, and so does
another order: names, numbers, negations and opposites are among those words.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.core.comparable_words import Word, parse_words

LONGEST = 500  # characters; a longer question is its own
FEW = 3  # words; in a shorter question what something is, a word may be the thing itself: a command, a keyword
NOT = "not"
# Little words that may stand in one of two like questions alone.
LITTLE = frozenset(
    "a an the is am are be been being do does doing i me my mine you your yours we us our ours it its "
    "there this that these those of in at to into on for as with within via per upon about please just exactly "
    "actually currently now any".split()
)
ASKING = frozenset("how what which who whom whose when where why".split())
DEGREES = {"frequently": "often", "big": "large"}
MODALS = {
    **dict.fromkeys("can could may might able".split(), "can"),
    **dict.fromkeys(("should", "ought"), "should"),
    **dict.fromkeys("will would shall".split(), "will"),
    "must": "must",
}
PAST = frozenset("did was were had".split())
DENIALS = frozenset("not no never none without cannot".split())
AUXILIARIES = frozenset("is are am was were do does did has have had".split()) | MODALS.keys()
SAME = {
    word: line.split()[0]
    for line in """
delete remove erase
create make
begin start commence
finish complete
show display
buy purchase bought
large big
small little
fast quick rapid
quickly rapidly
often frequently
usually normally typically
mainly mostly
entire whole
enough sufficient
allowed permitted
allow permit
needed required necessary
need require
maximum max maximal
minimum min minimal
configuration config
documentation docs
compute calculate
change modify alter
choose pick chosen
help assist
use utilize
get obtain
find locate found
try attempt
happen occur
fix repair
check verify
build construct built
enable activate
disable deactivate
mute silence
directory folder
repository repo
kubernetes k8s
when if
kind type
country nation
located situated
part portion
movie film
picture photo
car automobile
children kids
holiday vacation
phone telephone
goal aim objective
incorrect wrong
called named
keep kept
hold held
send sent
write written
take taken
give given
see seen
break broken
sell sold
pay paid
rebuild rebuilt
""".strip().splitlines()
    for word in line.split()
}
# Endings of forms of one word, behind a stem with a vowel; what looks like a form and is none.
ENDINGS = (frozenset(("", "s", "ed", "ing")), frozenset(("e", "es", "ed", "ing")), frozenset(("y", "ies", "ied")))
NO_FORMS = frozenset(
    "news goods customs arms means glasses string building meeting setting housing clothing wedding bearing painting "
    "training thing being".split()
)
SIGNS = frozenset("#@%&*/\\_[]{}")  # and what Unicode calls a symbol: they may be all the difference
LETTERS = re.compile(r"(?<![^\W_])(?<!['’])[b-zB-HJ-Z](?![^\W_])|\d+[^\W\d_]\w*")  # `-n` and `-N`, 5m and 5M
FRONTED = "default|in|on|at|for|with|without|when|if|under|during|after|before|from"
POLITE = "(?:please )?(?:(?:can|could|would) you )?(?:please )?"
MANNER = "can|could|should|may|might|must"
# Ways to put a question, in small letters, and how they are read. In this order.
READ_AS = [
    (re.compile(pattern), read)
    for pattern, read in (
        (r"[’`]", "'"),
        (r"\b(what|who|where|when|how|that|it|there)'s\b", r"\1 is"),
        (r"\b(\w+)n't\b", r"\1 not"),
        (r"\bwo not\b", "will not"),
        (r"\bca not\b|\bcannot\b", "can not"),
        (r"\bhow come\b", "why"),
        (r"\b(?:has|have|needs?|is required|are required) to\b", "must"),
        (r"\bis it possible to\b", "can i"),
        (rf"^{POLITE}(?:tell|explain|show|describe)(?: (?:to )?me)?\b,? ?", ""),
        (r"\bi (?:want|need|would like) to know\b", ""),
        (r"\bwhat (?:is|are) (?:the|a) ways? (?:to|of)\b", "how to"),
        (r"\bwhat (?:is|are) the (?:meaning|definition) of\b", "what is"),
        (r"\bwhat (?:does|do) (.+?) mean\b", r"what is \1"),
        (r"\bwhere (?:can|could|do|may) (?:i|we|you|one) find\b", "where is"),
        (r"\bwhere (?:can|could|may) (i|we|you|one)\b", r"where do \1"),
        (r"\b(?:at )?what time\b", "when"),
        (r"\bby default\b", "default"),
        (r"\b(?:turn|switch)(ed|ing|s|es)? off\b", "disable"),
        (r"\b(?:turn|switch)(ed|ing|s|es)? on\b", "enable"),
        (r"\bget(?:ting)? rid of\b", "remove"),
        (r"\b(?:sign|log) in(?:to)?\b", "login"),
        (r"\b(?:sign|log) (?:out|off)\b", "logout"),
        (r"\bset up\b", "setup"),
        (r"\bversions? (?=v?\d)", ""),
        # What stands in front, before a comma, stands behind.
        (rf"^((?:{FRONTED})\b[^,?]*), (.+?)\??$", r"\2 \1"),
        # "Rust's default edition" at the end: "default edition of Rust".
        (r"\b([\w.-]+)'s ((?:[\w.-]+ ?){1,4})\??$", r"\2 of \1"),
        # "How can a key be deleted" is "how can I delete a key"; who does it is not said.
        (rf"^how (?:{MANNER}) (?!i |we |you |one )([^,]*?) be (\w+)\b(?!.*\bby\b)", r"how to \2 \1"),
    )
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Read:
    """A question as it is compared: what it asks for, when it is, and what it says, in order."""

    asks: str
    modal: str
    past: bool
    said: Sequence[tuple[str, bool]]


def explain_difference(one: str, other: str) -> str | None:
    """Why two questions may ask for different things, in words; None when nothing is known to part them.

    >>> explain_difference("How do I enable the cache?", "How can I enable the cache?")
    >>> explain_difference("How do I enable the cache?", "How do I disable the cache?")
    "'enable' and 'disable'"
    """
    if max(len(one), len(other)) > LONGEST:
        return None if one.split() == other.split() else "both are long"
    if _list_symbols(one) != _list_symbols(other):
        return "signs and letters that only one of them has"
    a, b = _read(one), _read(other)
    if not (a.said and b.said) and one.split() != other.split():
        return "nothing that names a thing"
    for left, right in ((a.asks, b.asks), (a.modal, b.modal), ("past" * a.past, "past" * b.past)):
        if left != right:
            return f"{left or 'nothing'!r} and {right or 'nothing'!r}"
    for (left, exact), (right, also) in zip(a.said, b.said, strict=False):
        loosely = a.asks != "what" or len(a.said) > FEW
        if left != right and (exact or also or not _are_same_word(left, right, loosely=loosely)):
            return f"{left!r} and {right!r}"
    if len(a.said) != len(b.said):
        longer = max(a.said, b.said, key=len)
        return f"{longer[min(len(a.said), len(b.said))][0]!r} in one of them"
    return None


def _read(text: str) -> _Read:
    names = frozenset(word.lower for word in parse_words(text) if word.kind in ("name", "code") and word.sure)
    low = " ".join(text.lower().split())
    for pattern, read in READ_AS:
        low = pattern.sub(read, low).strip()
    found = parse_words(low)
    asks, at = _find_asked_thing(found)
    said: list[tuple[str, bool]] = []
    modal = ""
    for i, word in enumerate(found):
        if i in at or word.lower in LITTLE or word.lower in PAST:
            continue
        if word.lower in MODALS:
            modal = modal or ("" if asks == "how" else MODALS[word.lower])
        elif word.lower in DENIALS:
            said.append((NOT, True))
        else:
            said.append((_comparable_form(word, low), word.kind in ("number", "code", "month") or word.lower in names))
    return _Read(asks, modal, any(word.lower in PAST for word in found), said)


def _find_asked_thing(found: Sequence[Word]) -> tuple[str, set[int]]:
    """What is asked for, and which words say so; a text that is no question asks what something is."""
    for i, word in enumerate(found):
        if word.lower not in ASKING:
            continue
        asks = {"which": "what", "whom": "who"}.get(word.lower, word.lower)
        after = found[i + 1].lower if i + 1 < len(found) else "to"
        if asks != "how" or after in AUXILIARIES or after in LITTLE:
            return asks, {i}
        if any(one.lower in AUXILIARIES for one in found[i + 2 : i + 5]):  # "how many replicas are", "how long is"
            return f"how {DEGREES.get(after, after)}", {i, i + 1}
        return asks, {i}
    if found and found[0].lower in AUXILIARIES:
        return "whether", set()
    return "what", set()


def _comparable_form(word: Word, text: str) -> str:
    """A word as it is compared: of numbers the value, but 3.1 and 3.10 are two versions."""
    raw = text[word.start : word.end]
    if word.kind == "number":
        return raw if "." in raw else f"{word.key} {word.unit}".strip()
    return word.lower.removesuffix("'s") if word.kind != "month" else word.key


def _list_symbols(text: str) -> list[str]:
    """What is compared as it is written, in an order of its own."""
    symbols = [c for c in text if c in SIGNS or (unicodedata.category(c)[0] == "S" and c not in "`´")]
    return sorted([*symbols, *LETTERS.findall(text)])


def _are_same_word(one: str, other: str, *, loosely: bool = True) -> bool:
    """Whether two words are forms of one or, `loosely`, say the same."""
    if loosely and SAME.get(one, one) == SAME.get(other, other):
        return True
    if not (one + other).isalpha() or max(one, other, key=len) in NO_FORMS:
        return False
    shared = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return any(_are_endings_compatible(one[at:], other[at:], one[:at]) for at in (shared, shared - 1) if at >= 3)


def _are_endings_compatible(one: str, other: str, stem: str) -> bool:
    if not set("aeiouy") & set(stem) or (stem.endswith(("s", "ee")) and "s" in (one, other)):
        return False
    if "ed" in (one, other) and {"s", "es"} & {one, other}:
        return False  # "maintains" and "maintained": another time
    if {one, other} == {"", "es"}:
        return stem.endswith(("s", "x", "z", "ch", "sh"))
    doubled = {f"{stem[-1]}ed", f"{stem[-1]}ing"}  # "stop", "stopped"
    return {one, other} - doubled == {""} or any(one in ends and other in ends for ends in ENDINGS)
