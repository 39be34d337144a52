"""Words of one family: forms and derivations that stand for each other."""

from collections import defaultdict
from collections.abc import Sequence

from ragstone.core.comparable_words import Word


def match_families(claim: Sequence[Word], passage: Sequence[Word], to: list[int | None], taken: set[int]) -> None:
    """Words of one family: `settled` and `settlement`, `Norman` and `Normandy`."""
    left = [
        j for j, word in enumerate(passage) if j not in taken and word.kind in ("word", "name") and len(word.key) >= 4
    ]
    by_start: dict[str, list[int]] = defaultdict(list)
    for j in left:
        by_start[passage[j].key[:4]].append(j)
    for i, word in enumerate(claim):
        if to[i] is None and word.kind in ("word", "name") and len(word.key) >= 4:
            for j in by_start.get(word.key[:4], ()):
                if j not in taken and is_related(word.key, passage[j].key):
                    to[i] = j
                    taken.add(j)
                    break


def is_related(one: str, other: str) -> bool:
    """Whether two stems begin alike: three quarters of the shorter one, at least four letters, and end soon after."""
    shorter, longer = sorted((one, other), key=len)
    shared = max(4, (3 * len(shorter) + 3) // 4)
    return len(shorter) >= 4 and shorter[:shared] == longer[:shared] and len(longer) - shared <= 4
