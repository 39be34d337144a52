"""Contradictions between a sentence and its passage: figures, dates, names, opposites."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from ragstone.answering.verification.alignment import Alignment, SourceText
from ragstone.answering.verification.quantities import is_same_quantity
from ragstone.answering.verification.question_mismatch import EXTREME, NOT_EXTREME
from ragstone.answering.verification.word_families import is_related
from ragstone.core.comparable_words import Word
from ragstone.core.contrary_words import is_opposite

COMMON = ("s", "ing", "ly", "ed", "ion", "ment", "ity", "ness")  # endings of words that begin sentences
ABOUT = frozenset("about approximately roughly around nearly almost over some estimated circa under".split())


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A stable code (number, date, unit, name, negation, opposite, swapped, order, condition, bound, only), the word
    of the sentence and that of the passage."""

    code: str
    said: str
    stands: str = ""


def find_wrong_figures(found: Alignment, sources: Sequence[SourceText]) -> Iterator[Disagreement]:
    """Numbers and months that the passage does not have, or with another unit."""
    free = [j for j in found.free if found.passage[j].kind in ("number", "month")]
    for i, word in enumerate(found.claim):
        if word.kind not in ("number", "month"):
            continue
        hedged = any(before.lower in ABOUT for before in found.claim[max(0, i - 2) : i])
        j = found.to[i]
        if j is not None and found.is_displaced(i) and not _has_other_match(found, i):
            rival = next((found.passage[k] for k in found.slot(i) if found.passage[k].kind == word.kind), None)
            if rival is not None and not is_same_value(word, rival, hedged=hedged):
                yield Disagreement(_figure_code(word), word.lower, rival.lower)
                continue
        if j is None:
            j = next((k for k in free if is_same_value(word, found.passage[k], hedged=hedged)), None)
        if j is not None:
            other = found.passage[j]
            if word.unit and other.unit and word.unit != other.unit and not is_same_quantity(word, other):
                yield Disagreement("unit", f"{word.lower} {word.unit}", f"{other.lower} {other.unit}")
            continue
        rivals = [found.passage[k] for k in free if found.passage[k].kind == word.kind]
        if rivals or not _occurs_in_other_sources(word, sources):
            yield Disagreement(_figure_code(word), word.lower, rivals[0].lower if rivals else "")


def _has_other_match(found: Alignment, i: int) -> bool:
    """Whether the sentence in which a figure was found says something else of the claim too, such as what it is of."""
    place = found.to[i]
    return place is not None and any(
        j is not None
        and k != i
        and word.kind not in ("light", "number", "month")
        and found.piece[j] == found.piece[place]
        for k, (word, j) in enumerate(zip(found.claim, found.to, strict=True))
    )


def is_same_value(word: Word, other: Word, *, hedged: bool = False) -> bool:
    """Whether two numbers are one, or the first is the second rounded as it says: "about 83" for 82.9 and, where it is
    written in millions, 1.2 million for 1,234,567. Years are never rounded."""
    if word.kind != "number" or other.kind != "number" or word.key.endswith("s") != other.key.endswith("s"):
        return False
    if word.value == other.value or is_same_quantity(word, other):
        return True
    if not other.value or _is_year(word):
        return False
    off = abs(word.value - other.value) / abs(other.value)
    digits = len(f"{word.value:.0f}".rstrip("0"))
    rounded = abs(word.value) >= 1e5 and 2 <= digits <= 4 and float(f"{other.value:.{digits - 1}e}") == word.value
    return rounded or (hedged and off <= 0.05)


def _figure_code(word: Word) -> str:
    return "date" if word.kind == "month" or _is_year(word) else "number"


def _is_year(word: Word) -> bool:
    return word.kind == "number" and not word.unit and word.value == int(word.value) and 1000 <= word.value <= 2100


def _occurs_in_other_sources(word: Word, sources: Sequence[SourceText]) -> bool:
    return any(word.key in source.pieces_by_word or word.key in source.heading_words for source in sources)


def find_wrong_names(found: Alignment, sources: Sequence[SourceText]) -> Iterator[Disagreement]:
    """Names that stand where the passage has another one, and names that the chunks do not know."""
    if _is_all_capitals(found.claim):
        return
    sure = {key for source in sources for key in source.name_words}
    said = {word.key for word in found.passage}
    keys = {word.key for word in found.claim}
    for i, word in enumerate(found.claim):
        if word.kind not in ("name", "code") or (found.to[i] is not None and not found.is_displaced(i)):
            continue
        slot = [found.passage[j] for j in found.slot(i)]
        certain = word.kind == "code" or word.sure or word.key in sure or _begins_name(found.claim, i)
        rival = next(
            (one for one in slot if _is_rival_name(word, one, sure, certain=certain) and one.key not in keys), None
        )
        if rival is not None and not _is_same_name(word, rival, found):
            yield Disagreement("name", word.lower, rival.lower)
        elif found.to[i] is None and certain:
            known = (
                word.key in said
                or _occurs_in_other_sources(word, sources)
                or any(is_related(word.key, key) for key in said)
            )
            if not known and not _abbreviates_names(word, found.passage):
                yield Disagreement("name", word.lower)


def _is_rival_name(word: Word, other: Word, sure: Set[str], *, certain: bool) -> bool:
    """Whether the passage's word is another name: one of both is surely a name, or both begin their sentences and
    look like one (a plural or a word with a common ending may be any noun)."""
    if other.kind == "code" or (other.kind == "name" and (certain or other.sure or other.key in sure)):
        return True
    return other.kind == "name" and not word.lower.endswith(COMMON) and not other.lower.endswith(COMMON)


def _begins_name(claim: Sequence[Word], i: int) -> bool:
    """Whether another name follows at once, so that the sentence's first word is a part of it."""
    after = claim[i + 1] if i + 1 < len(claim) else None
    return after is not None and after.kind == "name" and after.start - claim[i].end == 1


def _is_same_name(word: Word, rival: Word, found: Alignment) -> bool:
    """Whether one is the other's short form, or a part of it: `Southeast`, `South East`."""
    parts = word.lower.startswith(rival.lower) or rival.lower.startswith(word.lower)
    return parts or _abbreviates_names(rival, found.claim) or _abbreviates_names(word, found.passage)


def _is_all_capitals(claim: Sequence[Word]) -> bool:
    """Whether nearly every word has a capital, so that capitals make no names."""
    content = [word for word in claim if word.kind in ("name", "word")]
    return len(content) >= 5 and sum(word.kind == "name" for word in content) > 0.9 * len(content)


def _abbreviates_names(word: Word, others: Sequence[Word]) -> bool:
    """Whether a word abbreviates names that stand in a row: `UN`, `United Nations`."""
    if not 2 <= len(word.lower) <= 6 or not word.key.isupper():
        return False
    letters = "".join(one.lower[0] for one in others if one.kind == "name" and one.lower)
    return word.lower in letters


def find_opposites(found: Alignment) -> Iterator[Disagreement]:
    """Words in whose place the passage has one that says the opposite, or more, or less."""
    said = {word.lower for word in found.claim}
    stands = {word.lower for word in found.passage}
    for i, word in enumerate(found.claim):
        if word.kind not in ("word", "light", "name") or found.to[i] is not None:
            continue
        tight = found.is_tight(i)
        for j in found.slot(i):
            other = found.passage[j]
            if (tight or (other.lower not in said and word.lower not in stands)) and is_opposite(word, other):
                yield Disagreement("opposite", word.lower, other.lower)
                break


def find_replacements(found: Alignment) -> list[tuple[str, str]]:
    """Pairs of a word of the sentence and the passage's single other word in its place: of one sense, or not."""
    out: list[tuple[str, str]] = []
    for i, word in enumerate(found.claim):
        if word.kind == "word" and found.to[i] is None and found.is_tight(i):
            slot = [found.passage[j] for j in found.slot(i) if found.passage[j].kind == "word"]
            if len(slot) == 1:
                out.append((word.lower, slot[0].lower))
    return out


def count_unsaid_extremes(found: Alignment) -> int:
    """How many words like "first", "only" and "largest" the passage does not have."""
    stands = {word.lower for word in found.passage}
    return sum(
        bool(EXTREME.fullmatch(word.lower)) and word.lower not in NOT_EXTREME and word.lower not in stands
        for word in found.claim
    )
