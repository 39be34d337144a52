"""What a sentence says otherwise than the passage that it was found in: figures, dates, names, denials, opposites."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from ragstone.answer.align import Aligned, Source, related
from ragstone.answer.figures import Word
from ragstone.answer.wording import EXTREME, NOT_EXTREME, OPPOSITES, opposite_stems

NEGATIONS = frozenset(
    """not no never none nor without cannot neither nobody nothing unable fail fails failed lack lacks lacked lacking refuse
    refuses refused rarely hardly except exclude excludes excluded excluding""".split()
)
# "not only", "not until" and their kind deny nothing that stands behind them.
HARMLESS = frozenset("only just merely until least necessarily yet longer more less later fewer".split())
BOUNDARY = re.compile(r"[;:()]|,(?= (?:but|and|which|who|while|although|so|or)\b)")
STOPS = frozenset("but although though whereas while unless because".split())
# Words that stand in each other's place on one scale: "some" is not "all".
SCALES = [
    frozenset(line.split())
    for line in """
all every most many some several few no none both any
always usually often sometimes rarely never typically generally frequently
must should may might
million billion trillion thousand hundred
daily weekly monthly yearly annually hourly quarterly
north south east west northern southern eastern western northeast northwest southeast southwest
red blue green yellow black white brown orange purple grey gray pink
first second third last
father mother son daughter brother sister husband wife
""".strip().splitlines()
]
ABOUT = frozenset("about approximately roughly around nearly almost over some estimated circa under".split())
REACH = 3  # content words to each side that say what a number or a name is about
SURE = 0.9  # by how much another's surroundings must fit better: fitted by hand on the training articles


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A stable code (number, date, unit, name, negation, opposite, swapped), the sentence's word, the passage's."""

    code: str
    said: str
    stands: str = ""


def disagreements(found: Aligned, sources: Sequence[Source]) -> list[Disagreement]:
    """All of them, in the order of the sentence within each kind."""
    return [
        *_figures(found, sources),
        *_names(found, sources),
        *_denials(found),
        *_opposites(found),
        *_swapped(found),
    ]


# Figures


def _figures(found: Aligned, sources: Sequence[Source]) -> Iterator[Disagreement]:
    used = found.used
    free = [j for j, word in enumerate(found.passage) if word.kind in ("number", "month") and j not in used]
    for i, word in enumerate(found.claim):
        if word.kind not in ("number", "month"):
            continue
        j = found.to[i]
        if j is None:
            j = next((k for k in free if _same_value(word, found.passage[k], _hedged(found.claim, i))), None)
        if j is not None:
            other = found.passage[j]
            if word.unit and other.unit and word.unit != other.unit:
                yield Disagreement("unit", f"{word.lower} {word.unit}", f"{other.lower} {other.unit}")
            continue
        rivals = [found.passage[k] for k in free if found.passage[k].kind == word.kind]
        elsewhere = any(word.key in source.places or word.key in source.above for source in sources)
        if rivals or not elsewhere:
            code = "date" if word.kind == "month" or _is_year(word) else "number"
            yield Disagreement(code, word.lower, rivals[0].lower if rivals else "")


def _same_value(word: Word, other: Word, hedged: bool) -> bool:
    """Whether two numbers are one, or the first is the second rounded as it says."""
    if word.kind != "number" or other.kind != "number" or word.key.endswith("s") != other.key.endswith("s"):
        return False
    if word.value == other.value:
        return True
    if not other.value or _is_year(word):
        return False
    off = abs(word.value - other.value) / abs(other.value)
    digits = len(f"{word.value:.10g}".rstrip("0").replace(".", ""))
    scaled = abs(word.value) >= 1e5 and digits >= 2 and float(f"{other.value:.{digits}g}") == word.value
    return scaled or (hedged and off <= 0.05)


def _hedged(claim: Sequence[Word], i: int) -> bool:
    return any(word.lower in ABOUT for word in claim[max(0, i - 2) : i])


def _is_year(word: Word) -> bool:
    return word.kind == "number" and not word.unit and word.value == int(word.value) and 1000 <= word.value <= 2100


# Names


def _names(found: Aligned, sources: Sequence[Source]) -> Iterator[Disagreement]:
    if _shouted(found.claim):
        return
    sure = {key for source in sources for key in source.names}
    said = {word.key for word in found.passage}
    for i, word in enumerate(found.claim):
        if word.kind not in ("name", "code") or found.to[i] is not None or word.key in said:
            continue
        if _initials(word, found.passage) or any(related(word.key, key) for key in said):
            continue
        rivals = [found.passage[j] for j in _slot(found, i) if found.passage[j].kind in ("name", "code")]
        rival = next((one for one in rivals if one.sure or one.key in sure), None)
        known = any(word.key in source.places or word.key in source.above for source in sources)
        certain = word.kind == "code" or word.sure or word.key in sure
        if rival is not None and not _initials(rival, found.claim):
            yield Disagreement("name", word.lower, rival.lower)
        elif certain and not known:
            yield Disagreement("name", word.lower)


def _shouted(claim: Sequence[Word]) -> bool:
    """Whether nearly every word has a capital, so that capitals make no names."""
    content = [word for word in claim if word.kind in ("name", "word")]
    return len(content) >= 5 and sum(word.kind == "name" for word in content) > 0.75 * len(content)


def _initials(word: Word, others: Sequence[Word]) -> bool:
    """Whether a word abbreviates names that stand in a row: `UN`, `United Nations`."""
    if not 2 <= len(word.key) <= 6 or not word.key.isalpha():
        return False
    letters = "".join(one.lower[0] for one in others if one.kind == "name" and one.lower)
    return word.lower in letters


def _slot(found: Aligned, i: int) -> list[int]:
    """The passage's words without a partner that stand where the claim's word i would stand."""
    used = found.used
    left = next((found.to[k] for k in range(i - 1, max(-1, i - 4), -1) if found.to[k] is not None), None)
    right = next((found.to[k] for k in range(i + 1, min(len(found.to), i + 4)) if found.to[k] is not None), None)
    places: list[int] = []
    if left is not None and right is not None and 0 < right - left <= 8:
        places = [*range(left + 1, right)]
    else:
        places += range(left + 1, min(len(found.passage), left + 4)) if left is not None else ()
        places += range(max(0, right - 3), right) if right is not None else ()
    return [j for j in places if j not in used]


# Denials


def _denials(found: Aligned) -> Iterator[Disagreement]:
    back = {j: i for i, j in enumerate(found.to) if j is not None}
    claim, passage = found.claim, found.passage
    for i in _negations(claim):
        head = _head(claim, i, range(len(claim)))
        for k in head:
            j = found.to[k]
            if j is None:
                continue
            if not _denied(passage, j, found.piece) and not _reversed(claim[k], passage):
                yield Disagreement("negation", f"{claim[i].lower} {claim[k].lower}", passage[j].lower)
            break
        else:
            if head and not any(True for _ in _negations(passage)) and not any(_reversed(claim[k], passage) for k in head):
                yield Disagreement("negation", claim[i].lower)
    for j in _negations(passage):
        for k in _head(passage, j, [n for n in range(len(passage)) if found.piece[n] == found.piece[j]]):
            partner = back.get(k)
            if partner is None:
                continue
            if not _denied(claim, partner, None) and not _reversed(passage[k], claim):
                yield Disagreement("negation", claim[partner].lower, f"{passage[j].lower} {passage[k].lower}")
            break


def _negations(text: Sequence[Word]) -> Iterator[int]:
    for i, word in enumerate(text):
        if (word.lower in NEGATIONS or word.lower.endswith(("n't", "n’t"))) and not (
            i + 1 < len(text) and text[i + 1].lower in HARMLESS
        ):
            yield i


def _head(text: Sequence[Word], at: int, allowed: Sequence[int]) -> list[int]:
    """What a denial denies: the next two content words of its clause."""
    out: list[int] = []
    for k in range(at + 1, min(len(text), at + 7)):
        if k not in allowed or text[k].lower in STOPS or text[k].start - text[k - 1].end > 3:
            break
        if text[k].kind != "light":
            out.append(k)
        if len(out) == 2:
            break
    return out


def _denied(text: Sequence[Word], at: int, piece: Sequence[int] | None) -> bool:
    """Whether a denial stands among the six words before, in the same sentence, or right behind."""
    near = [k for k in range(max(0, at - 6), min(len(text), at + 3)) if piece is None or piece[k] == piece[at]]
    return any(text[k].lower in NEGATIONS or text[k].lower.endswith(("n't", "n’t")) for k in near)


def _reversed(word: Word, others: Sequence[Word]) -> bool:
    """Whether the others say the opposite word instead: "not supported" is "unsupported"."""
    said = {other.lower for other in others}
    against = OPPOSITES.get(word.lower, frozenset()) | opposite_stems(word.lower)
    return bool(against & said) or any(word.lower in opposite_stems(other) for other in said)


# Opposites


def _opposites(found: Aligned) -> Iterator[Disagreement]:
    said = {word.lower for word in found.claim}
    stands = {word.lower for word in found.passage}
    for i, word in enumerate(found.claim):
        if word.kind not in ("word", "light", "name") or word.lower in stands:
            continue
        for j in _slot(found, i):
            other = found.passage[j].lower
            if other not in said and opposite(word.lower, other):
                yield Disagreement("opposite", word.lower, other)
                break


def opposite(one: str, other: str) -> bool:
    """Whether one word cannot stand for the other: opposites, or other places on one scale."""
    return (
        other in OPPOSITES.get(one, frozenset())
        or other in opposite_stems(one)
        or one in opposite_stems(other)
        or any(one in scale and other in scale for scale in SCALES)
    )


def unsaid_extremes(found: Aligned) -> int:
    """How many words like "first", "only" and "largest" the passage does not have."""
    stands = {word.lower for word in found.passage}
    return sum(
        bool(EXTREME.fullmatch(word.lower)) and word.lower not in NOT_EXTREME and word.lower not in stands
        for word in found.claim
    )


# Exchanged


def _swapped(found: Aligned) -> Iterator[Disagreement]:
    """Numbers and names that stand where the passage has another one."""
    directed = _by(found.claim) == _by(found.passage)
    about: dict[int, dict[tuple[int, str], float]] = {}
    for i, word in enumerate(found.claim):
        kind = _entity(word)
        if not kind or _inside_name(found.claim, i):
            continue
        rivals = [j for j, other in enumerate(found.passage) if _entity(other) == kind]
        own = [j for j in rivals if found.passage[j].key == word.key]
        if not own or len(own) == len(rivals):
            continue
        here = _around(found.claim, i, directed)
        for j in rivals:
            about.setdefault(j, _around(found.passage, j, directed))
        best_own = max(_alike(here, about[j]) for j in own)
        others = [j for j in rivals if found.passage[j].key != word.key]
        rival = max(others, key=lambda j: _alike(here, about[j]))
        if _alike(here, about[rival]) > best_own + SURE:
            yield Disagreement("swapped", word.lower, found.passage[rival].lower)


def _entity(word: Word) -> str:
    if word.kind in ("number", "month"):
        return word.kind
    return "name" if word.kind in ("name", "code") else ""


def _inside_name(text: Sequence[Word], i: int) -> bool:
    """Whether the name before goes on in this word."""
    return bool(i) and text[i].kind == "name" and text[i - 1].kind == "name" and text[i].start - text[i - 1].end == 1


def _by(text: Sequence[Word]) -> int:
    return sum(word.lower == "by" for word in text)


def _around(text: Sequence[Word], i: int, directed: bool) -> dict[tuple[int, str], float]:
    """The words around a place and what they weigh, nearer ones more; other names and figures are passed over."""
    out: dict[tuple[int, str], float] = {}
    for step in (-1, 1):
        seen = 0.0
        k = i + step
        while 0 <= k < len(text) and seen < REACH and abs(k - i) <= 9:
            word = text[k]
            if not _entity(word):
                light = word.kind == "light"
                weight = (0.35 if light else 1.0) / (1 + 0.5 * seen)
                key = (step if directed else 0, word.key)
                out[key] = max(out.get(key, 0.0), weight)
                seen += 0.34 if light else 1.0
            k += step
    return out


def _alike(one: dict[tuple[int, str], float], other: dict[tuple[int, str], float]) -> float:
    return sum(min(weight, other[key]) for key, weight in one.items() if key in other)
