"""Whether the words that a sentence joins stand together in the passage, or each of them nearer to another one.

"12 euros for adults and 7 for children": 7 and adults stand apart, and each has its rival beside the other, 12 beside
the adults and the children beside 7. A sentence that joins 7 and adults tears both from their own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import astuple, dataclass

from ragstone.answering.verification.breaks import SENTENCE
from ragstone.answering.verification.fact_evidence import Hits
from ragstone.answering.verification.fact_words import AUXILIARIES, VERBS
from ragstone.answering.verification.facts import Fact, FactualText
from ragstone.answering.verification.parallels import Parallels
from ragstone.core.comparable_words import Word
from ragstone.core.contrary_words import is_denial, is_opposite

HELD, SAID = 0.5, 0.9  # from which a word of the passage may be said by one of the sentence, and from which it is
MOST_WORDS = 20  # of a fact that are compared in pairs
MOST_PLACES = 6  # of one word in the passage
MOST = 3.0  # of a sum over pairs
SCOPE = 1.4  # depth of a cut over which a denial reaches no further
LIMIT = 3  # words behind "than", among which a figure is a limit
COMPARING = frozenset("more less fewer better worse".split())
SHORTEST_COMPARATIVE = 5  # letters


@dataclass(frozen=True, slots=True)
class Binding:
    """Pairs of words that a sentence joins: `torn` is the surest of which both stand nearer to the other's rival,
    `far` the same of pairs in two sentences, `tears` the sum of the first; `taken` and `takes` are the same of pairs
    of which one does, where its part has a verb of its own, and `drawn` where it has none; `bound` is the share of
    pairs with rivals of which neither does, `apart` the deepest cut between two words as a share of the depth between
    sentences. `denies` and `omits` say that only the sentence or only the passage denies near these words, `compares`
    that the sentence compares and the passage does not, `turns` that it does so the other way round (-1: as there)."""

    torn: float = 0.0
    far: float = 0.0
    tears: float = 0.0
    taken: float = 0.0
    takes: float = 0.0
    drawn: float = 0.0
    bound: float = 0.0
    apart: float = 0.0
    denies: float = 0.0
    omits: float = 0.0
    compares: float = 0.0
    turns: float = 0.0


def measure_binding(claim: FactualText, passage: FactualText, hits: Hits) -> Binding:
    """How the sentence's facts join the passage's words; of each sign the highest.

    >>> from ragstone.answering.verification.fact_evidence import find_hits
    >>> from ragstone.answering.verification.facts import list_gaps
    >>> from ragstone.core.comparable_words import parse_words
    >>> def read(text):
    ...     return FactualText.read(words := parse_words(text), [0] * len(words), list_gaps(text, words))
    >>> passage = read("Tickets cost 12 euros for adults and 7 for children.")
    >>> claims = [read(text) for text in ("Children pay 7 euros.", "Children pay 12 euros.")]
    >>> [round(measure_binding(claim, passage, find_hits(claim, passage)).torn, 1) for claim in claims]
    [0.0, 0.6]
    """
    there = Parallels(passage)
    found = [astuple(_bind_fact(claim, fact, there, hits)) for fact in claim.facts]
    return Binding(*map(max, zip(*found, strict=True))) if found else Binding()


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two words of the passage, how deep the cut between them is, how surely the sentence says both, and how sure the
    surest rival of each is that stands nearer to the other."""

    one: int
    other: int
    depth: float
    sure: float
    nearer: tuple[float, float]


def _bind_fact(claim: FactualText, fact: Fact, there: Parallels, hits: Hits) -> Binding:
    pairs = list(_list_pairs(fact, there, hits))
    asked = [pair.nearer for pair in pairs if there.rivals(pair.one) and there.rivals(pair.other)]
    torn = [(pair.depth < SENTENCE, pair.sure * pair.nearer[0] * pair.nearer[1]) for pair in pairs]
    half = [(_has_verb(there, pair), pair.sure * max(pair.nearer)) for pair in pairs if not all(pair.nearer)]
    near, far = ([sure for is_near, sure in torn if is_near == side] for side in (True, False))
    taken, drawn = ([sure for has_verb, sure in half if has_verb == side] for side in (True, False))
    denies, omits = _compare_denials(claim, fact, there, hits)
    compares, turns = _compare_sides(claim, fact, there, hits)
    return Binding(
        torn=max(near, default=0.0),
        far=max(far, default=0.0),
        tears=min(sum(near), MOST),
        taken=max(taken, default=0.0),
        takes=min(sum(taken), MOST),
        drawn=max(drawn, default=0.0),
        bound=sum(not any(nearer) for nearer in asked) / len(asked) if asked else 0.0,
        apart=max((pair.depth for pair in pairs), default=0.0) / SENTENCE,
        denies=denies,
        omits=omits,
        compares=compares,
        turns=turns,
    )


def _list_pairs(fact: Fact, there: Parallels, hits: Hits) -> Iterator[_Pair]:
    """Each pair of the fact's words where they stand; not words in each other's place."""
    places = (*fact.own, *(i for i, sure in fact.carried.items() if sure >= 1))
    held = [one for i in places if i in hits and (one := _list_surest(hits[i]))][:MOST_WORDS]
    said = {j for one in held for j, sure in one.items() if sure >= SAID}
    chosen = _choose_places(there, held)
    for n, (j, mine) in enumerate(chosen):
        for k, theirs in chosen[n + 1 :]:
            if j != k and not there.are_alike(j, k):
                depth = there.distance(j, k)
                nearer = _find_nearer(there, j, k, depth, said), _find_nearer(there, k, j, depth, said)
                yield _Pair(j, k, depth, mine * theirs, nearer)


def _choose_places(there: Parallels, held: Sequence[Mapping[int, float]]) -> list[tuple[int, float]]:
    """One place for each word: where it stands nearest to those whose place is settled, words with few places first."""
    chosen: dict[int, tuple[int, float]] = {}
    for n in sorted(range(len(held)), key=lambda n: (len(held[n]), n)):
        settled = [j for j, _ in chosen.values()] or [j for one in held for j in one if one is not held[n]]
        ways = ((sum(there.distance(j, k) for k in settled), -sure, j) for j, sure in held[n].items())
        _, unsure, place = min(ways)
        chosen[n] = place, -unsure
    return [chosen[n] for n in range(len(held))]


def _list_surest(hits: Mapping[int, float]) -> dict[int, float]:
    surest = sorted((-sure, j) for j, sure in hits.items() if sure >= HELD)[:MOST_PLACES]
    return {j: -sure for sure, j in surest}


def _find_nearer(there: Parallels, j: int, k: int, depth: float, said: Set[int]) -> float:
    """How sure the surest rival of word j is that the fact does not say and that stands nearer to word k."""
    rivals = there.rivals(j).items()
    return max((sure for r, sure in rivals if r not in said and there.distance(r, k) < depth), default=0.0)


def _has_verb(there: Parallels, pair: _Pair) -> bool:
    """Whether the part of the word whose rival is nearer has a verb of its own."""
    lone = pair.one if pair.nearer[0] else pair.other
    return any(there.text.words[i].lower in AUXILIARIES | VERBS for i in there.part(lone, pair.depth))


def _compare_denials(claim: FactualText, fact: Fact, there: Parallels, hits: Hits) -> tuple[float, float]:
    """How far only the sentence denies, and only the passage near the words of the fact."""
    places = [max(hits[i], key=lambda j: (hits[i][j], -j)) for i in fact.own if hits.get(i)]
    denials = _find_denials(there.text.words, range(len(there.text.words)))
    shares = [sum(there.distance(j, k) < SCOPE for k in places) / len(places) for j in denials] if places else []
    near, mine = max(shares, default=0.0), bool(_find_denials(claim.words, fact.own))
    return (1 - near) * mine, near * (not mine)


def _find_denials(words: Sequence[Word], places: Iterable[int]) -> list[int]:
    """The words that deny; "no more than" does not."""
    return [i for i in places if is_denial(words[i]) and "than" not in [word.lower for word in words[i + 2 : i + 3]]]


def _compare_sides(claim: FactualText, fact: Fact, there: Parallels, hits: Hits) -> tuple[float, float]:
    """Whether the passage has no such comparison, and whether the other side of it stands nearer to its word."""
    words = claim.words
    than = next((i for i in fact.own if words[i].lower == "than"), -1)
    at = max((i for i in fact.own if i < than and _is_comparative(words[i])), default=None)
    if at is None:
        return 0.0, 0.0
    mine = words[at]
    theirs = [(j, word) for j, word in enumerate(there.text.words) if word.key == mine.key or is_opposite(word, mine)]
    rest = [(i > than, _list_surest(hits[i])) for i in fact.own if hits.get(i) and i != at]
    turns: list[int] = []
    for j, word in theirs[:MOST_PLACES]:
        near = [
            max((min(there.distance(j, k) for k in found) for after, found in rest if after == side), default=None)
            for side in (False, True)
        ]
        if near[0] is not None and near[1] is not None:
            turned = (near[0] > near[1]) - (near[0] < near[1])
            turns.append(turned if word.key == mine.key else -turned)
    counts = any(word.kind == "number" for word in words[than + 1 : than + LIMIT])
    return float(not theirs and not counts), float(max(turns, default=0))


def _is_comparative(word: Word) -> bool:
    return word.lower in COMPARING or (word.lower.endswith("er") and len(word.lower) >= SHORTEST_COMPARATIVE)
