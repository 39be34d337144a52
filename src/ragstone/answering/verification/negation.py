"""Where a sentence denies what its passage says, or says what that denies."""

from collections.abc import Iterator, Sequence

from ragstone.answering.verification.alignment import Alignment
from ragstone.answering.verification.contradictions import Disagreement
from ragstone.core.comparable_words import Word
from ragstone.core.contrary_words import is_denial, is_opposite

# "not only", "not until" and their kind deny nothing that stands behind them.
HARMLESS = frozenset("only just merely until least necessarily yet longer more less later fewer".split())
STOPS = frozenset("but although though whereas while unless because".split())
JOINS = frozenset("and or which who whose that so".split())
NOBODY = frozenset("no none nobody nothing neither".split())  # the verb that they deny may stand further behind
CLAUSE = 15  # words of a clause that a "no" at its beginning denies
FAR = 6  # words between a denial and what it denies


def find_denials(found: Alignment) -> Iterator[Disagreement]:
    """A denial that only one side has: put in between words that stand together on the other, or before a word that
    the other does not deny."""
    claim, passage = found.claim, found.passage
    back = {j: i for i, j in enumerate(found.to) if j is not None}
    forth = {i: j for j, i in back.items()}
    for i in _denial_places(claim):
        if found.to[i] is None and (_is_inserted(i, forth) or _lacks_denial(claim, i, forth, passage, found.piece)):
            yield Disagreement("negation", _denial_phrase(claim, i))
    for j in _denial_places(passage):
        if j not in back and (_is_inserted(j, back) or _lacks_denial(passage, j, back, claim, [0] * len(claim))):
            yield Disagreement("negation", "", _denial_phrase(passage, j))


def _denial_places(text: Sequence[Word]) -> Iterator[int]:
    return (i for i, word in enumerate(text) if is_denial(word))


def _denial_phrase(text: Sequence[Word], at: int) -> str:
    return " ".join(word.lower for word in text[at : at + 2])


def _is_inserted(at: int, partner: dict[int, int]) -> bool:
    """Whether the words on both sides of a denial stand side by side in the other text."""
    left, right = partner.get(at - 1), partner.get(at + 1)
    return left is not None and right is not None and right == left + 1


def _lacks_denial(
    text: Sequence[Word], at: int, partner: dict[int, int], other: Sequence[Word], piece: Sequence[int]
) -> bool:
    """Whether what a denial denies stands in the other text without one."""
    if at + 1 < len(text) and text[at + 1].lower in HARMLESS:
        return False
    head = _denial_scope(text, at)
    for k in head:
        there = partner.get(k)
        if there is None:
            if _has_opposite(text[k], other):
                return False
            continue
        if any(word.key == text[k].key and not _has_denial_near(text, n) for n, word in enumerate(text)):
            return False  # said without a denial as well
        free = [j for j, word in enumerate(other) if word.key == text[k].key] or [there]
        after = FAR if text[at].lower in NOBODY else 3
        return not any(_is_denied(other, j, piece, after) for j in free) and not _has_opposite(text[k], other)
    return bool(head) and all(k in partner for k in (at - 1, at + 2)) and not any(is_denial(word) for word in other)


def _denial_scope(text: Sequence[Word], at: int) -> list[int]:
    """What a denial denies: the next two content words of its clause."""
    out: list[int] = []
    for k in range(at + 1, min(len(text), at + 1 + FAR)):
        if text[k].lower in STOPS or (out and text[k].lower in JOINS) or text[k].start - text[k - 1].end > 3:
            break
        if text[k].kind != "light":
            out.append(k)
        if len(out) == 2:
            break
    return out


def _is_denied(text: Sequence[Word], at: int, piece: Sequence[int], after: int) -> bool:
    """Whether a denial stands among the six words before, or close behind, in the same sentence; or a "no" or "nobody"
    anywhere before in the same clause."""
    near = range(max(0, at - FAR), min(len(text), at + after))
    if any(is_denial(text[k]) for k in near if piece[k] == piece[at]):
        return True
    for k in reversed(range(max(0, at - CLAUSE), at)):
        if piece[k] != piece[at] or text[k + 1].start - text[k].end > 1 or text[k].lower in STOPS:
            return False
        if text[k].lower in NOBODY:
            return True
    return False


def _has_denial_near(text: Sequence[Word], at: int) -> bool:
    return any(is_denial(word) for word in text[max(0, at - FAR) : at + 3])


def _has_opposite(word: Word, others: Sequence[Word]) -> bool:
    """Whether the others say the opposite word instead: "not supported" is "unsupported"."""
    return any(is_opposite(word, other) for other in others)
