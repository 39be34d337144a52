"""Where a sentence turns a condition, a bound or "only" of its passage: "even if" for "unless"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragstone.answering.verification.alignment import Alignment
from ragstone.answering.verification.contradictions import Disagreement
from ragstone.core.comparable_words import Word
from ragstone.core.contrary_words import is_denial

FAR = 8  # words between a marker and what it governs
IF = frozenset("if when whenever provided once".split())
UNTIL = frozenset("until till".split())
UNLESS = frozenset("unless except excluding save".split())
EVEN = frozenset("even although though despite regardless including".split())
STOPS = frozenset("and or but while whereas".split())
JOINTS = frozenset("and or".split())
ONLY = frozenset("only solely exclusively".split())
AUXILIARIES = frozenset("may can could must should will would shall is are was were be been has have had".split())
# Words before a figure that make it a bound, upwards or downwards; then those behind it.
UP = frozenset("""
at least/minimum of/minimum/no less than/not less than/no fewer than/no earlier than/not before/more than/over/above
exceeding/exceeds/greater than/larger than/longer than/older than/higher than/later than/from/starting at/after
""".strip().replace("\n", "/").split("/"))  # fmt: skip
DOWN = frozenset("""
at most/maximum of/maximum/up to/no more than/not more than/no longer than/no later than/not exceeding/not over
less than/under/below/fewer than/shorter than/younger than/smaller than/lower than/earlier than/within/not above
not after/before
""".strip().replace("\n", "/").split("/"))  # fmt: skip
UP_BEHIND = (
    "or more",
    "or longer",
    "or older",
    "or later",
    "or above",
    "or over",
    "or higher",
    "or greater",
    "minimum",
)
DOWN_BEHIND = ("or less", "or fewer", "or younger", "or earlier", "or below", "or under", "or lower", "maximum")
LONGEST_PHRASE = 3
DENIED = 3  # words between a denial and the bound that it turns
Bound = tuple[str, str]  # "up" or "down", and the words that say so

BEHIND = 4  # words behind a figure in which "or more" may stand


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition in a text: its marker, the words that it governs, and its sign: +1 where the rest of the sentence
    holds with it, -1 where it holds without it, 0 where it holds in any case."""

    marker: int
    governed: tuple[int, ...]
    sign: int


def find_turned_conditions(found: Alignment) -> Iterator[Disagreement]:
    """Conditions that the passage puts the other way round; each is compared with its first one there."""
    first = {mine.marker: (mine, other) for mine, other in reversed(_pair_conditions(found))}
    for mine, other in reversed(first.values()):
        if other.sign != mine.sign:
            yield Disagreement("condition", found.claim[mine.marker].lower, found.passage[other.marker].lower)


def rewords_condition(found: Alignment) -> bool:
    """Whether a sentence says a condition of its passage in other words ("only if" for "not … unless"): then its
    denials belong to the condition."""
    pairs = _pair_conditions(found)
    reworded = any(found.claim[mine.marker].key != found.passage[other.marker].key for mine, other in pairs)
    return reworded and all(mine.sign == other.sign for mine, other in pairs)


def _pair_conditions(found: Alignment) -> list[tuple[Condition, Condition]]:
    """Each condition of a sentence with each of its passage that governs the same words."""
    there = find_conditions(found.passage, found.piece)
    return [
        (mine, other)
        for mine in find_conditions(found.claim, [0] * len(found.claim))
        for other in there
        if {found.to[i] for i in mine.governed} & set(other.governed)
    ]


def find_conditions(text: Sequence[Word], piece: Sequence[int]) -> list[Condition]:
    """The conditions of a text, by its markers ("if", "unless", "except", "even when", "only if")."""
    out: list[Condition] = []
    for i, word in enumerate(text):
        if word.lower not in IF | UNLESS | UNTIL and not (word.lower in EVEN and _stands_alone(text, i)):
            continue
        before = text[i - 1].lower if i and piece[i - 1] == piece[i] else ""
        governed = _list_governed(text, piece, i)
        if not governed:
            continue
        if word.lower in EVEN or before == "even":
            out.append(Condition(i, tuple(governed), 0))
            continue
        sign = -1 if word.lower in UNLESS | UNTIL else 1
        if any(is_denial(text[k]) for k in range(i + 1, governed[-1] + 1)):
            sign = -sign
        rest = _list_main_clause(text, piece, i) if word.lower in UNTIL else range(len(text))
        inside = range(i, governed[-1] + 1)
        denials = (k for k in rest if piece[k] == piece[i] and k not in inside and is_denial(text[k]))
        if any(text[k].lower not in UNLESS for k in denials):
            sign = -sign
        out.append(Condition(i, tuple(governed), sign))
    return out


def _list_main_clause(text: Sequence[Word], piece: Sequence[int], marker: int) -> range:
    """The words that an "until" belongs to: those before it in its clause, else the clause behind its own."""

    def ends(k: int) -> bool:
        return text[k].start - text[k - 1].end > 1 or piece[k] != piece[k - 1] or text[k].lower in STOPS

    first = next((k for k in range(marker, 0, -1) if ends(k)), 0)
    if first < marker:
        return range(first, marker)
    behind = [k for k in range(marker + 1, len(text)) if ends(k)]
    return range(behind[0], behind[1] if len(behind) > 1 else len(text)) if behind else range(0)


def _stands_alone(text: Sequence[Word], i: int) -> bool:
    """Whether "even" and its kind mark something by themselves, and not "even if"."""
    return i + 1 < len(text) and text[i + 1].lower not in IF | UNLESS


def _list_governed(text: Sequence[Word], piece: Sequence[int], at: int) -> list[int]:
    """The content words behind a marker, up to the next mark or conjunction."""
    out: list[int] = []
    for k in range(at + 1, min(len(text), at + 1 + FAR)):
        apart = text[k].start - text[k - 1].end > 1 or piece[k] != piece[at]
        if apart or text[k].lower in STOPS:
            break
        if text[k].kind != "light" and not is_denial(text[k]):
            out.append(k)
    return out


def find_turned_bounds(found: Alignment) -> Iterator[Disagreement]:
    """Figures whose bound the passage puts the other way round: "at least 12" for "at most 12"."""
    for i, mine, j, other in _pair_bounds(found):
        if mine[0] != other[0]:
            said, stands = found.claim[i].lower, found.passage[j].lower
            yield Disagreement("bound", f"{mine[1]} {said}", f"{other[1]} {stands}")


def list_bound_words(found: Alignment) -> frozenset[str]:
    """The words by which a sentence says the bounds of its passage in another way: "at most" for "no more than"."""
    return frozenset(
        word for _, mine, _, other in _pair_bounds(found) if mine[0] == other[0] for word in mine[1].split()
    )


def _pair_bounds(found: Alignment) -> Iterator[tuple[int, Bound, int, Bound]]:
    """The bounded figures of a sentence with the bounds that they have in the passage."""
    for i, word in enumerate(found.claim):
        j = found.to[i]
        if word.kind != "number" or j is None:
            continue
        mine, other = find_bound(found.claim, i), find_bound(found.passage, j)
        if mine and other:
            yield i, mine, j, other


def find_bound(text: Sequence[Word], at: int) -> Bound | None:
    """How a figure bounds something, None where nothing says so."""
    for length in range(LONGEST_PHRASE, 0, -1):
        for back in range(2):  # "at least [about] 12"
            first = at - length - back
            if first < 0:
                continue
            phrase = " ".join(word.lower for word in text[first : first + length])
            for direction, phrases in (("up", UP), ("down", DOWN)):
                if phrase in phrases:
                    return _deny_bound(text, first, (direction, phrase))
    behind = " ".join(word.lower for word in text[at + 1 : at + 1 + BEHIND])
    for direction, endings in (("up", UP_BEHIND), ("down", DOWN_BEHIND)):
        for ending in endings:
            if f" {ending} " in f" {behind} ":
                return direction, ending
    return None


def _deny_bound(text: Sequence[Word], first: int, bound: Bound) -> Bound:
    """The bound of a phrase that begins at `first`, or the other one: "do not take more than four" is at most four."""
    direction, phrase = bound
    denial = next((k for k in range(max(0, first - DENIED), first) if is_denial(text[k])), None)
    if denial is None or not phrase.endswith((" than", "over", "above", "below", "under", "exceed")):
        return bound
    if any(text[k].start - text[k - 1].end > 1 for k in range(denial + 1, first)):
        return bound
    words = " ".join(word.lower for word in text[denial:first])
    return "down" if direction == "up" else "up", f"{words} {phrase}"


def rewords_bound(found: Alignment) -> bool:
    """Whether a sentence says a bound of its passage with a denial where the passage has none, or the reverse."""
    pairs = [(mine, other) for _, mine, _, other in _pair_bounds(found) if mine[1] != other[1]]
    return bool(pairs) and all(mine[0] == other[0] for mine, other in pairs)


def find_widened_limits(found: Alignment) -> Iterator[Disagreement]:
    """Words that a sentence joins to one of which the passage says "only" or "alone"."""
    held = {j: i for i, j in enumerate(found.to) if j is not None}
    here = {word.key for word in found.passage}
    for j, word in enumerate(found.passage):
        if word.kind == "light" or j not in held or not _is_alone(found, j):
            continue
        i = held[j]
        for step in (-1, 1):
            k = i + step
            while 0 <= k < len(found.claim) and abs(k - i) <= 2 and found.claim[k].kind == "light":
                k += step
            if not 0 <= k < len(found.claim):
                continue
            between = found.claim[min(i, k) + 1 : max(i, k)]
            if any(one.lower in JOINTS for one in between) and found.claim[k].key not in here:
                yield Disagreement("only", found.claim[k].lower, word.lower)
                return


def find_moved_only(found: Alignment) -> Iterator[Disagreement]:
    """An "only" that a sentence puts before other words than its passage does: "only maps may be read in the hall" for
    "maps may be read only in the hall"."""
    there = [
        {j for j in _list_limited(found.passage, at) if found.piece[j] == found.piece[at]}
        for at, word in enumerate(found.passage)
        if word.lower in ONLY
    ]
    said = {*found.to}
    for i, word in enumerate(found.claim):
        mine = {found.to[k] for k in _list_limited(found.claim, i)} - {None} if word.lower in ONLY else set()
        if mine and there and not any(mine & limited for limited in there) and all(one <= said for one in there):
            yield Disagreement("only", word.lower, word.lower)
            return


def _list_limited(text: Sequence[Word], only: int) -> list[int]:
    """The content words that an "only" limits: behind an auxiliary verb all that follow, else the next two."""
    after = [k for k in range(only + 1, min(len(text), only + 1 + FAR)) if text[k].kind != "light"]
    loose = only > 0 and text[only - 1].lower in AUXILIARIES
    return after if loose else after[:2]


def _is_alone(found: Alignment, j: int) -> bool:
    """Whether a word of the passage stands behind "only" or before "alone"."""
    before = found.passage[j - 1].lower if j else ""
    after = found.passage[j + 1].lower if j + 1 < len(found.passage) else ""
    return before in ONLY or after in ("alone", "only", "exclusively")
