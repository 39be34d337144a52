"""Facts of a passage that share their frame: which words stand in each other's place, and which fact a sentence takes.

"12 euros for adults and 7 for children" says the same of two groups: 12 stands where 7 stands, adults where children
stand. A sentence that takes 7 from one fact and adults from the other mixes the two; one that takes all of its words
from one keeps to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from ragstone.answering.verification.alignment import WEIGHTS
from ragstone.answering.verification.fact_evidence import Hits
from ragstone.answering.verification.facts import Fact, FactualText
from ragstone.answering.verification.paired_words import pair_words
from ragstone.answering.verification.word_similarity import compare_words

Rivals = Mapping[int, tuple[int, float]]  # for each word of two facts the one in its place, and how surely
MOST_PAIRS = 8  # facts that the best one is compared with
LONGEST = 24  # words of a fact that are compared
NEAR = 0.4  # similarity from which two words compete for one place
HELD = 0.3  # from which a word counts as found in a fact
SAID = 0.9  # from which a word of the passage counts as said
ALONE, ANCHORED, LOOSE = 0.4, 0.9, 0.6  # what a word counts without a rival, with a sure one, with another one
# What two words bring when two facts are laid side by side.
SAME, SAME_LIGHT, OTHER_LIGHT, OTHER_KIND, UNLIKE, OF_A_KIND, PLAIN = 2.0, 1.2, -0.2, -0.3, -0.8, 1.0, 0.3
MOST_MIXED, MOST_KEPT = 2.0, 3.0


@dataclass(frozen=True, slots=True)
class Contrast:
    """How a sentence chooses between facts that share their frame, each from 0: `mix` is taken from two of them,
    `kept` from one alone, `both` says the words of both."""

    mix: float = 0.0
    kept: float = 0.0
    both: float = 0.0


def measure_contrast(claim: FactualText, passage: FactualText, hits: Hits) -> Contrast:
    """How the sentence's facts choose; the one that mixes most counts."""
    aligned: dict[tuple[int, int], Rivals] = {}
    found = []
    for mine in claim.facts:
        places = (*mine.own, *(k for k, sure in mine.carried.items() if sure >= 1))
        words = {i: hits[i] for i in places if i in hits}
        if words:
            found.append(_contrast_fact(claim, passage, words, aligned))
    return max(found, key=lambda one: (one.mix, -one.kept), default=Contrast())


def _contrast_fact(
    claim: FactualText, passage: FactualText, words: Hits, aligned: dict[tuple[int, int], Rivals]
) -> Contrast:
    held = [_hold_words(fact, words) for fact in passage.facts]
    weight = {i: WEIGHTS[claim.counted[i].kind] or 0.5 for i in words}
    total = [sum(weight[i] * sure for i, (_, sure) in one.items()) for one in held]
    best, *others = sorted(range(len(held)), key=lambda n: (-total[n], n)) or [0]
    if not held or not total[best]:
        return Contrast()
    said = {j for found in words.values() for j, sure in found.items() if sure >= SAID}
    mix = kept = both = 0.0
    for n in others[:MOST_PAIRS]:
        pair = min(best, n), max(best, n)
        if pair not in aligned:
            aligned[pair] = align_facts(passage, passage.facts[pair[0]], passage.facts[pair[1]])
        mine, other, two = _count_choices(words, held[best], held[n], aligned[pair], said)
        mix, both = max(mix, min(mine, other)), max(both, two)
        if not other and aligned[pair]:
            kept = max(kept, mine)
    return Contrast(min(mix, MOST_MIXED), min(kept, MOST_KEPT), min(both, MOST_MIXED))


def _hold_words(fact: Fact, words: Hits) -> dict[int, tuple[int, float]]:
    """For each word of the sentence that a fact says or takes over, the place where, and how surely."""
    there = {**fact.carried, **dict.fromkeys(fact.own, 1.0)}
    out = {}
    for i, hits in words.items():
        sure, j = max(((sure * there[j], j) for j, sure in hits.items() if j in there), default=(0.0, -1))
        if sure >= HELD:
            out[i] = (j, sure)
    return out


def _count_choices(
    words: Hits,
    held: Mapping[int, tuple[int, float]],
    there: Mapping[int, tuple[int, float]],
    rivals: Rivals,
    said: set[int],
) -> tuple[float, float, float]:
    """What the sentence takes from one of two facts, from the other one, and of which it says the rival too."""
    mine = other = both = 0.0
    for i in words:
        (j, one), (k, two) = held.get(i, (-1, 0.0)), there.get(i, (-1, 0.0))
        rival, sure = rivals.get(j if one > two else k, (-1, ALONE))
        gain = abs(one - two) * sure
        if rival in said:
            both += gain
        elif one > two:
            mine += gain
        else:
            other += gain
    return mine, other, both


def align_facts(passage: FactualText, one: Fact, other: Fact) -> Rivals:
    """The content words of two facts that stand in each other's place when the two are laid side by side.

    >>> from ragstone.answering.verification.facts import list_gaps
    >>> from ragstone.core.comparable_words import parse_words
    >>> text = "Tickets cost 12 euros for adults and 7 for children."
    >>> read = FactualText.read(words := parse_words(text), [0] * len(words), list_gaps(text, words))
    >>> [(words[j].lower, words[k].lower) for j, (k, _) in align_facts(read, *read.facts).items() if j < k]
    [('12', '7'), ('adults', 'children')]
    """
    pairs = pair_words(one.own[:LONGEST], other.own[:LONGEST], partial(_score_pair, passage))
    out: dict[int, tuple[int, float]] = {}
    for n, (j, k) in enumerate(pairs):
        if passage.counted[j].key == passage.counted[k].key or not (passage.content[j] and passage.content[k]):
            continue
        sure = _judge_rivals(passage, j, k, pairs[n - 1] if n else None)
        out[j], out[k] = (k, sure), (j, sure)
    return out


def _judge_rivals(passage: FactualText, j: int, k: int, before: tuple[int, int] | None) -> float:
    """How surely two words stand in each other's place; `before` is the pair in front of them."""
    if passage.kinds[j] == passage.kinds[k] != "word":
        return 1.0
    words = passage.counted
    follows = before == (j - 1, k - 1) and words[j - 1].lower == words[k - 1].lower
    return ANCHORED if follows or compare_words(words[j], words[k]) >= NEAR else LOOSE


def _score_pair(passage: FactualText, j: int, k: int) -> float:
    one, other = passage.counted[j], passage.counted[k]
    if one.key == other.key:
        return SAME if passage.content[j] else SAME_LIGHT
    if passage.content[j] != passage.content[k]:
        return UNLIKE
    if not passage.content[j]:
        return OTHER_LIGHT
    if passage.kinds[j] != passage.kinds[k]:
        return OTHER_KIND
    return OF_A_KIND if passage.kinds[j] != "word" else PLAIN + compare_words(one, other)
