"""Where a sentence exchanges two parts of its passage: "raise the alarm before you warn" for "warn, then raise it",
"the landlord needs the consent of the tenant" for the reverse."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from ragstone.answering.verification.alignment import Alignment
from ragstone.answering.verification.contradictions import Disagreement
from ragstone.core.comparable_words import Word
from ragstone.core.contrary_words import is_denial

FAR = 12  # words on each side of a marker
FORWARD = frozenset("before then".split())  # "A before B", "A, then B": A comes first
MARKERS = FORWARD | {"after"}
NEAR = 3  # words beside a noun
JOINTS = frozenset("and or nor".split())
ENDS = frozenset("but while whereas although though because if unless".split())


@dataclass(frozen=True, slots=True)
class Succession:
    """Two parts of a sentence of which the first comes earlier, as places of their content words."""

    marker: int
    earlier: frozenset[int]
    later: frozenset[int]
    denied: bool


def find_turned_orders(found: Alignment) -> Iterator[Disagreement]:
    """Orders of two events that the passage puts the other way round."""
    there = list_successions(found.passage, found.piece)
    for mine in list_successions(found.claim, [0] * len(found.claim)):
        first, second = (frozenset(found.to[i] for i in side) for side in (mine.earlier, mine.later))
        for other in there:
            straight = len(first & other.earlier) * len(second & other.later)
            crossed = len(first & other.later) * len(second & other.earlier)
            if crossed > straight and mine.denied == other.denied:
                yield Disagreement("order", found.claim[mine.marker].lower, found.passage[other.marker].lower)
                return


def list_successions(text: Sequence[Word], piece: Sequence[int]) -> list[Succession]:
    """The pairs of events that a text puts in order by "before", "after" and "then"."""
    out: list[Succession] = []
    for i, word in enumerate(text):
        if word.lower not in MARKERS:
            continue
        behind = _list_content(text, piece, i, 1)
        before = _list_content(text, piece, i, -1)
        if not before:  # "After A, B"
            mark = next((k for k in sorted(behind) if text[k].start - text[k - 1].end > 1 and k > i + 1), None)
            before = frozenset(k for k in behind if mark is not None and k >= mark)
            behind -= before
        if not before or not any(text[k].kind != "number" for k in behind):
            continue
        denied = sum(is_denial(text[k]) for k in range(len(text)) if piece[k] == piece[i]) % 2 == 1
        sides = (before, behind) if word.lower in FORWARD else (behind, before)
        out.append(Succession(i, *sides, denied))
    return out


def find_exchanged_words(found: Alignment) -> Iterator[Disagreement]:
    """Two nouns of which each has the words beside it that the other has in the passage."""
    if any((word.lower == "by") for word in found.claim) != any((word.lower == "by") for word in found.passage):
        return  # the passive turns subject and object
    plain = [i for i, j in enumerate(found.to) if j is not None and found.claim[i].kind in ("word", "name")]
    for i, k in combinations(plain, 2):
        here, there = found.to[i], found.to[k]
        if here is None or there is None or here <= there or found.piece[here] != found.piece[there]:
            continue
        if any(word.lower in JOINTS for word in found.claim[i:k]):
            continue
        if _fits(found, i, there) and _fits(found, k, here):
            yield Disagreement("swapped", found.claim[i].lower, found.passage[there].lower)
            return


def _fits(found: Alignment, i: int, place: int) -> bool:
    """Whether the claim's word i has a neighbour of the passage's word at `place` on the same side, and none of its
    own."""
    own = found.to[i]
    assert own is not None
    sides = [(step, _next_places(found, i, step)) for step in (-1, 1)]
    return any(_is_beside(place, step, at) for step, at in sides) and not any(
        _is_beside(own, step, at) for step, at in sides
    )


def _next_places(found: Alignment, i: int, step: int) -> list[int]:
    """Where the next words on one side stand in the passage, up to the first content word."""
    out: list[int] = []
    for k in range(i + step, i + step * (NEAR + 1), step):
        if not 0 <= k < len(found.claim):
            break
        if (at := found.to[k]) is not None:
            out.append(at)
        if found.claim[k].kind != "light":
            break
    return out


def _is_beside(place: int, step: int, others: Sequence[int]) -> bool:
    return any(0 < (at - place) * step <= NEAR for at in others)


def _list_content(text: Sequence[Word], piece: Sequence[int], marker: int, step: int) -> frozenset[int]:
    """The content words on one side of a marker, up to another marker or the end of its sentence."""
    out: set[int] = set()
    for k in range(marker + step, marker + step * (FAR + 1), step):
        if not 0 <= k < len(text) or piece[k] != piece[marker] or text[k].lower in ENDS | MARKERS:
            break
        if text[k].kind != "light" and not is_denial(text[k]):
            out.add(k)
    return frozenset(out)
