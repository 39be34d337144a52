"""On which side of a limit a sentence stands, and what its "not" and "only" belong to, beside the passage."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragstone.answering.verification.facts import FactualText
from ragstone.core.contrary_words import is_denial

# "Not above 30" stands on the side of "below 30"; "unless" is to "if" as "before" is to "once".
UPPER = frozenset(
    "until till before under below within maximum less fewer lower smaller shorter lighter cheaper earlier younger "
    "unless first".split()
)
LOWER = frozenset(
    "from after over above exceeding exceed exceeds beyond minimum more greater higher larger longer heavier older "
    "later since once when if then".split()
)
AHEAD, BEHIND, SCOPE = 4, 3, 4  # words that are looked at
TOUCHING = 2  # words before one that is no figure
ONLY = frozenset("only solely alone exclusively".split())
FIGURES = frozenset(("number", "date"))
MOST = 2  # of a kind that count


@dataclass(frozen=True, slots=True)
class SideFindings:
    """Counts, two at most: words on `opposite` sides in sentence and passage, on a side in one of them only
    (`gained`, `dropped`), on the `same` side; "not" or "only" beside another word that both say (`moved`), beside the
    same one (`rests`)."""

    opposite: float = 0.0
    gained: float = 0.0
    dropped: float = 0.0
    same: float = 0.0
    moved: float = 0.0
    rests: float = 0.0


def compare_sides(claim: FactualText, passage: FactualText) -> SideFindings:
    """The sides of the words that both say.

    >>> from ragstone.answering.verification.facts import list_gaps
    >>> from ragstone.core.comparable_words import parse_words
    >>> def read(text):
    ...     return FactualText.read(words := parse_words(text), [0] * len(words), list_gaps(text, words))
    >>> record = read("Children under ten need no badge.")
    >>> compare_sides(read("Children over ten need no badge."), record).opposite
    1.0
    >>> compare_sides(read("A child under ten needs no badge."), record).same
    1.0
    """
    opposite = gained = dropped = same = 0
    its = _read_sides(passage)
    for key, sides in _read_sides(claim).items():
        there = its.get(key, frozenset())
        dropped += sides == {0} and len(there) == 1 and 0 not in there
        gained += 0 not in sides and there == {0}
        same += bool(sides & there - {0})
        opposite += 0 not in sides and not sides & there and any(-side in there for side in sides)
    moved, rests = _compare_scopes(claim, passage)
    return SideFindings(*(float(min(n, MOST)) for n in (opposite, gained, dropped, same, moved, rests)))


def _read_sides(text: FactualText) -> Mapping[str, frozenset[int]]:
    """For each word that says something the sides on which it stands: 1 is up to it, -1 from it on, 0 neither."""
    out: dict[str, frozenset[int]] = {}
    for fact in text.facts:
        for place, i in enumerate(fact.own):
            word = text.counted[i]
            if text.content[i] and word.lower not in UPPER | LOWER:
                out[word.key] = out.get(word.key, frozenset()) | {_read_side(text, fact.own, place)}
    return out


def _read_side(text: FactualText, own: Sequence[int], place: int) -> int:
    is_figure = text.kinds[own[place]] in FIGURES
    side, at = _read_side_before(text, own, place, is_figure)
    if not side and is_figure:
        side, at = _read_side_behind(text, own, place), place
    if side and is_figure:
        denials = sum(is_denial(text.counted[k]) for n, k in enumerate(own) if n != at)
        return -side if denials % 2 else side
    return side


def _read_side_before(text: FactualText, own: Sequence[int], place: int, is_figure: bool) -> tuple[int, int]:
    """The side that the closest word of a side before a word gives it, and the place of that word."""
    for n in range(place - 1, max(-1, place - 1 - AHEAD), -1):
        low = text.counted[own[n]].lower
        before = text.counted[own[n - 1]].lower if n else ""
        if (low == "to" and before == "up") or (low == "by" and is_figure) or (low == "most" and before == "at"):
            return 1, n
        if low in UPPER:
            return 1, n
        if low in LOWER or (low == "least" and before == "at"):
            return -1, n
        passed = is_figure and text.kinds[own[n]] in FIGURES | {"unit"}
        if text.content[own[n]] and not passed and (place - n > TOUCHING or not is_figure):
            break
    return 0, -1


def _read_side_behind(text: FactualText, own: Sequence[int], place: int) -> int:
    """The side of "30 degrees or less"."""
    behind = [text.counted[k].lower for k in own[place + 1 : place + 1 + BEHIND]]
    for one, two in pairwise(behind):
        if one == "or" and two in UPPER | LOWER:
            return 1 if two in UPPER else -1
    return 0


def _list_scopes(text: FactualText) -> Iterator[tuple[str, str]]:
    """Each "not" and "only" with the word that it belongs to: the next one that says something."""
    for i, word in enumerate(text.counted):
        kind = "only" if word.lower in ONLY else "not" if is_denial(word) else ""
        ahead = range(i + 1, min(i + 1 + SCOPE, len(text.counted))) if kind else ()
        key = next((text.counted[k].key for k in ahead if text.content[k] and text.counted[k].lower not in ONLY), "")
        if key:
            yield kind, key


def _compare_scopes(claim: FactualText, passage: FactualText) -> tuple[int, int]:
    mine, its = set(_list_scopes(claim)), set(_list_scopes(passage))
    said, stands = ({word.key for word in text.counted} for text in (claim, passage))
    moved = [
        (kind, key)
        for kind, key in mine - its
        if key in stands and any(other == kind and beside in said for other, beside in its)
    ]
    return len(moved), len(mine & its)
