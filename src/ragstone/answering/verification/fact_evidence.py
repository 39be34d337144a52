"""Evidence for and against a sentence, fact by fact: how much of each of its facts stands in the passage's best
one, how much stands only in another one, and where the two say otherwise."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.answering.verification.alignment import WEIGHTS, Alignment
from ragstone.answering.verification.exclusions import rules_out, turns_condition
from ragstone.answering.verification.fact_words import (
    AUXILIARIES,
    FREE,
    PREPOSITIONS,
    count_denials,
    is_content,
    is_day,
    previous_function,
    unit_of,
)
from ragstone.answering.verification.facts import Fact, FactualText
from ragstone.answering.verification.quantities import is_same_quantity
from ragstone.answering.verification.word_families import is_related
from ragstone.answering.verification.word_similarity import compare_words
from ragstone.core.comparable_words import Word
from ragstone.core.contrary_words import is_opposite

Hits = Mapping[int, Mapping[int, float]]  # for each word of a sentence the words of the passage that say it
SOFT = 0.5  # similarity from which a word may be said in place of another
HELD = 0.35  # from which a word counts as found in a fact
SURE = 0.6  # from which a word of the passage counts as said
MOST_WORDS = 60  # of a sentence
FAMILY = 0.9  # from which a word stands there itself or in another form
START = 4  # letters with which words of one family begin
HALF = 0.5  # what a word counts that a clause of the sentence takes over from another one
CLOSED = frozenset("unit date number".split())  # kinds of which another word of the kind says something else


@dataclass(frozen=True, slots=True)
class FactMatch:
    """A fact of a sentence beside one of the passage, as shares or from 0 to 1: `covered` stands there, `stolen` only
    in other facts, `rival` is how surely a word stands in the place of another one, `denial` and `denied` say that only
    the sentence or only the passage denies, which is `explained` where one of them rules something out, `back` is the
    share of the passage's part that the sentence says, and `turned` tells "unless" for "if"."""

    covered: float
    stolen: float
    rival: float
    denial: float
    denied: float
    back: float
    explained: float
    turned: float

    @property
    def fit(self) -> float:
        """How well the two go together."""
        return self.covered - self.rival - 0.5 * max(self.denial, self.denied)


@dataclass(frozen=True, slots=True)
class FactEvidence:
    """The facts of a sentence together: the mean share covered, and the worst of the rest."""

    covered: float = 0.0
    low: float = 0.0
    stolen: float = 0.0
    rival: float = 0.0
    denial: float = 0.0
    denied: float = 0.0
    denial_sure: float = 0.0
    denied_sure: float = 0.0
    back: float = 0.0
    explained: float = 0.0
    turned: float = 0.0


LOW = 0.6  # what is covered of a fact, below which it is weak


def weigh_facts(claim: FactualText, passage: FactualText, found: Alignment, hits: Hits) -> FactEvidence:
    """Compare the claim's facts with those of the passage; `found` is the alignment of the two."""
    matches = FactComparison(claim, passage, found, hits).match_facts()
    if not matches:
        return FactEvidence()
    worst = min(matches, key=lambda one: one.fit)
    return FactEvidence(
        covered=sum(one.covered for one in matches) / len(matches),
        low=max(0.0, LOW - min(one.covered for one in matches)),
        stolen=max(one.stolen for one in matches),
        rival=max(one.rival for one in matches),
        denial=max(one.denial for one in matches),
        denied=max(one.denied for one in matches),
        denial_sure=max(one.denial * one.back * one.covered for one in matches),
        denied_sure=max(one.denied * one.back * one.covered for one in matches),
        back=worst.back,
        explained=max(one.explained for one in matches),
        turned=max(one.turned for one in matches),
    )


def match_words(word: Word, other: Word) -> float:
    """How surely one word stands for another: 1 for the same, less for one of its family or sense."""
    if word.key == other.key:
        return 1.0 if not (word.unit and other.unit and word.unit != other.unit) else 0.0
    if word.kind == "number" or other.kind == "number":
        return float(is_same_quantity(word, other))
    if word.kind in ("light", "month") or other.kind in ("light", "month"):
        return 0.0
    near = 0.95 if is_related(word.key, other.key) else compare_words(word, other)
    return near if near >= SOFT and not _is_other_sense(word, other) else 0.0


def _is_other_sense(word: Word, other: Word) -> bool:
    """Whether two words that are near in meaning exclude each other: opposites, days, units."""
    units = unit_of(word) and unit_of(other) and unit_of(word) != unit_of(other)
    return bool(units) or is_opposite(word, other) or (is_day(word) and is_day(other))


def find_hits(claim: FactualText, passage: FactualText) -> Hits:
    """For each word of the claim that says something, the words of the passage that say it, each with how surely.
    A word that stands there itself is not looked for in words of near sense."""
    content = [(j, other) for j, other in enumerate(passage.counted) if passage.content[j]]
    by_key: dict[str, list[tuple[int, Word]]] = defaultdict(list)
    by_start: dict[str, list[tuple[int, Word]]] = defaultdict(list)
    for j, other in content:
        by_key[other.key].append((j, other))
        by_start["#" if other.kind == "number" else other.key[:START]].append((j, other))
    hits: dict[int, dict[int, float]] = {}
    for i, word in enumerate(claim.counted[:MOST_WORDS]):
        if not claim.content[i]:
            continue
        stands = any(match_words(word, other) == 1.0 for _, other in by_key.get(word.key, ()))
        tried = by_start.get("#" if word.kind == "number" else word.key[:START], ()) if stands else content
        found = {j: sure for j, other in tried if (sure := match_words(word, other)) > 0}
        hits[i] = {j: sure for j, sure in found.items() if sure >= FAMILY or not stands}
    return hits


@dataclass(frozen=True, slots=True)
class HeldWords:
    """Words of a fact in one of the passage: `held` by the place where each stands, `lost` in other facts, `new`
    nowhere; `covered` and `missed` are the weights of those held and lost, of `total`."""

    fact: Fact
    held: Mapping[int, int]
    lost: Sequence[int]
    new: Sequence[int]
    covered: float
    missed: float
    total: float


class FactComparison:
    """The facts of a sentence beside those of a passage: each is compared with each, the best is taken."""

    def __init__(self, claim: FactualText, passage: FactualText, found: Alignment, hits: Hits) -> None:
        self._claim, self._passage, self._found, self._hits = claim, passage, found, hits

    def match_facts(self) -> list[FactMatch]:
        """The best match of each fact of the sentence that says something."""
        mine = [fact for fact in self._claim.facts if any(i in self._hits for i in fact.own)]
        return [self._match_fact(fact) for fact in mine] if self._passage.facts else []

    def _match_fact(self, mine: Fact) -> FactMatch:
        """The best match of a fact; those that cannot be better by what they hold are not looked at."""
        places = [i for i in (*mine.own, *(k for k, sure in mine.carried.items() if sure >= 1)) if i in self._hits]
        weight = {
            i: (WEIGHTS[self._claim.counted[i].kind] or 0.5) * (1 if n < len(mine.own) and i in mine.own else HALF)
            for n, i in enumerate(places)
        }
        found = [self._hold_words(weight, other) for other in self._passage.facts]
        first, *others = sorted(found, key=lambda one: -one.covered)
        best = self._compare(mine, weight, first)
        for one in others:
            if one.covered / one.total <= best.fit:
                break
            best = max(best, self._compare(mine, weight, one), key=lambda match: match.fit)
        return best

    def _hold_words(self, weight: Mapping[int, float], other: Fact) -> HeldWords:
        there = {**other.carried, **dict.fromkeys(other.own, 1.0)}
        held: dict[int, int] = {}
        covered = 0.0
        absent = []
        for i in weight:
            sure, place = max(((sure * there[j], j) for j, sure in self._hits[i].items() if j in there), default=(0, 0))
            if sure >= HELD:
                covered += weight[i] * sure
                held[i] = place
            else:
                absent.append(i)
        if held and self._found.is_unbroken:  # the passage itself joins these words, wherever its clauses end
            held |= {i: j for i in absent if (j := self._found.to[i]) is not None}
        lost = [i for i in absent if i not in held and any(sure >= FAMILY for sure in self._hits[i].values())]
        return HeldWords(
            fact=other,
            held=held,
            lost=lost,
            new=[i for i in absent if i not in held and i not in lost],
            covered=covered + sum(weight[i] for i in absent if i in held),
            missed=sum(weight[i] for i in lost),
            total=sum(weight.values()) or 1.0,
        )

    def _compare(self, mine: Fact, weight: Mapping[int, float], found: HeldWords) -> FactMatch:
        other, held = found.fact, found.held
        there = {**other.carried, **dict.fromkeys(other.own, 1.0)}
        said = {j for i in weight for j, sure in self._hits[i].items() if sure >= SURE}
        rest = [j for j in there if self._passage.content[j] and j not in said and there[j] >= SURE]
        places = {*held.values()}
        touched = {part for part, j in zip(other.parts, other.own, strict=True) if j in places}
        main = [j for part, j in zip(other.parts, other.own, strict=True) if part in touched]
        here, denials = self._count_both_denials(mine, main)
        content = [j for j in main if self._passage.content[j]]
        words = [self._claim.counted[i] for i in mine.own]
        its, part = ([self._passage.counted[j] for j in places] for places in (other.own, main))
        return FactMatch(
            covered=found.covered / found.total,
            stolen=found.missed / found.total,
            rival=self._find_rival(mine, other, found.lost, found.new, rest, held),
            denial=float(here > denials),
            denied=float(denials > here),
            back=sum(j in said for j in content) / len(content) if content else 0.0,
            explained=float(here != denials and (rules_out(words) or rules_out(its))),
            turned=float(turns_condition(words, part)),
        )

    def _count_both_denials(self, mine: Fact, main: Sequence[int]) -> tuple[int, int]:
        claim, passage = self._claim.counted, self._passage.counted
        here = count_denials(claim, mine.own, free=any(passage[j].lower in FREE for j in main))
        there = count_denials(passage, main, free=any(claim[i].lower in FREE for i in mine.own))
        return here % 2, there % 2

    def _find_rival(
        self, mine: Fact, other: Fact, lost: Sequence[int], new: Sequence[int], rest: Sequence[int],
        held: Mapping[int, int],
    ) -> float:  # fmt: skip
        """How surely a word of the sentence stands where the passage's fact has another one: a word that stands in
        another fact, or a figure, date or unit that stands nowhere."""
        kinds = {self._passage.kinds[j] for j in rest} & CLOSED
        strange = any(self._kind_here(i) in kinds for i in new)
        return max(
            (self._rivalry(mine, i, other, j, held) for i in lost for j in rest), default=0.0
        ) if not strange else 1.0  # fmt: skip

    def _kind_here(self, i: int) -> str:
        """The kind of a word of the sentence; a name also where it begins the sentence and is one in the passage."""
        kind = self._claim.kinds[i]
        if kind == "word" and self._claim.counted[i].kind == "name":
            return "name" if any(self._passage.kinds[j] == "name" for j in self._hits.get(i, ())) else kind
        return kind

    def _rivalry(self, mine: Fact, i: int, other: Fact, j: int, held: Mapping[int, int]) -> float:
        word, rival = self._claim.counted[i], self._passage.counted[j]
        one, two = self._kind_here(i), self._passage.kinds[j]
        if one != two:
            return 0.25 if "number" not in (one, two) and self._share_slot(mine, i, other, j, held) else 0.0
        if one == "number":
            return 1.0 if not word.unit or not rival.unit or word.unit == rival.unit else 0.4
        if one in ("date", "name"):
            return 1.0
        near = compare_words(word, rival)
        slot = self._share_slot(mine, i, other, j, held)
        return max(slot * (0.6 + near * 0.6), min(1.0, max(0.0, near - 0.2) * 1.6))

    def _share_slot(self, mine: Fact, i: int, other: Fact, j: int, held: Mapping[int, int]) -> float:
        """How surely two words stand at the same place: behind the same preposition, or beside the same word."""
        if j not in other.own or i not in mine.own:
            return 0.0
        function = previous_function(self._claim.counted, mine.own, i)
        same = bool(function) and function == previous_function(self._passage.counted, other.own, j)
        for step in (-1, 1):
            beside = _find_neighbour(self._claim.counted, mine.own, i, step)
            there = _find_neighbour(self._passage.counted, other.own, j, step)
            if beside is not None and there is not None and held.get(beside) == there:
                return 0.9
        return (0.8 if function in PREPOSITIONS else 0.5) if same else 0.0


def _find_neighbour(words: Sequence[Word], own: Sequence[int], i: int, step: int) -> int | None:
    """The next content word of a clause, up to a preposition or an auxiliary."""
    n = own.index(i) + step
    while 0 <= n < len(own):
        if is_content(words[own[n]]):
            return own[n]
        if words[own[n]].lower in PREPOSITIONS | AUXILIARIES:
            return None
        n += step
    return None
