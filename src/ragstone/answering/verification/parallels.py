"""Words of a passage that stand in each other's place: figures of a unit, names, dates, and what parallel parts say."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, partial

from ragstone.answering.verification.breaks import CLAUSE, GAPPED, JOINING, LIST, NEXT, SENTENCE, begins_with_verb
from ragstone.answering.verification.contrast import OF_A_KIND, OTHER_KIND, OTHER_LIGHT, SAME, SAME_LIGHT, UNLIKE
from ragstone.answering.verification.fact_words import AUXILIARIES, COUNTS, PREPOSITIONS, PRONOUNS, VERBS
from ragstone.answering.verification.facts import FactualText
from ragstone.answering.verification.paired_words import Pairs, pair_words
from ragstone.answering.verification.word_similarity import compare_words, is_known
from ragstone.core.comparable_words import Word
from ragstone.core.contrary_words import is_opposite

PLAIN, BESIDE = 0.3, 0.4  # what a pair of plain words and an equal neighbour bring
NEAR_ADDS = 0.2  # to that similarity
NEAR = 0.45  # similarity from which two words anywhere are rivals
# How sure a pair of two parts is: by itself, by what the parts share, by sense, by equal neighbours; other kinds less.
ALIGNED, OF_PARALLEL, OF_NEAR, OF_NEIGHBOUR, OF_OTHER_KINDS = 0.35, 0.5, 0.4, 0.2, 0.7
OF_ONE_UNIT, BESIDE_ONE_WORD, UNIT_UNKNOWN, OF_OTHER_UNITS = 1.0, 0.9, 0.6, 0.3
SUBJECTS = 0.5  # how surely the subjects of two parts are rivals
OVER = 0.9  # how far a word stands from a part that shares it
LONGEST = 18  # words of a part that are compared
MOST_RIVALS = 16  # of a word
MOST_CUTS = 20  # of a passage
SIBLINGS = 2  # parts behind one that it is compared with
SINCE, UNTIL = 1500, 2100  # figures without a unit between which a year is meant


class Parallels:
    """The distances and the rivals of a passage's words, found when they are asked for."""

    def __init__(self, text: FactualText) -> None:
        self.text = text
        self.kinds = [_name_kind(word, kind) for word, kind in zip(text.counted, text.kinds, strict=True)]
        self._deepest: dict[int, list[float]] = {}
        self._rivals: dict[int, dict[int, float]] = {}

    def distance(self, j: int, k: int) -> float:
        """The deepest cut between two words; of lists that are said "respectively", whether their numbers agree."""
        if j == k:
            return 0.0
        one, two = self._places.get(j), self._places.get(k)
        if one and two and one[0] != two[0]:
            return NEXT if one[1] == two[1] else CLAUSE
        first, last = min(j, k), max(j, k)
        depth = self._cut(first, last)
        if depth > OVER and any(first in left and last in right for left, right in self._shared):
            return OVER
        return depth

    def _cut(self, first: int, last: int) -> float:
        """The deepest cut between a word and one behind it."""
        if first not in self._deepest:
            deepest, found = 0.0, []
            for depth in self.text.breaks[first + 1 :]:
                deepest = max(deepest, depth)
                found.append(deepest)
            self._deepest[first] = found
        return self._deepest[first][last - first - 1]

    def part(self, j: int, depth: float) -> range:
        """The words around word j up to cuts of a depth."""
        breaks = self.text.breaks
        start, end = j, j + 1
        while start > 0 and breaks[start] < depth:
            start -= 1
        while end < len(breaks) and breaks[end] < depth:
            end += 1
        return range(start, end)

    def rivals(self, j: int) -> Mapping[int, float]:
        """The words that could stand in the place of word j, each with how surely."""
        if j not in self._rivals:
            found = dict(self._aligned.get(j, {}))
            for k in self._candidates:
                if k != j and (sure := self._compete(j, k)) > found.get(k, 0.0):
                    found[k] = sure
            surest = sorted(found, key=lambda k: (-found[k], abs(j - k), k))[:MOST_RIVALS]
            self._rivals[j] = {k: found[k] for k in surest}
        return self._rivals[j]

    def are_alike(self, j: int, k: int) -> bool:
        """Whether a sentence that says two words says them of two things: figures without a unit may be of one."""
        figures = self.kinds[j] == self.kinds[k] == "number"
        return k in self.rivals(j) and not (figures and not self.text.counted[j].unit)

    @cached_property
    def _candidates(self) -> list[int]:
        return [k for k, says in enumerate(self.text.content) if says]

    def _compete(self, j: int, k: int) -> float:
        """How surely two words are rivals by what they are, wherever they stand."""
        word, other, kind = self.text.counted[j], self.text.counted[k], self.kinds[j]
        if kind != self.kinds[k] or word.key == other.key or kind == "unit":
            return 0.0
        if kind == "number":
            if word.unit and other.unit:
                return OF_ONE_UNIT if word.unit == other.unit else OF_OTHER_UNITS
            return BESIDE_ONE_WORD if _count_equal_neighbours(self.text.counted, j, k) else UNIT_UNKNOWN
        if kind == "name":
            return float(self._cut(min(j, k), max(j, k)) > NEXT)
        if kind != "word" or is_opposite(word, other):
            return 1.0
        near = compare_words(word, other)
        return min(1.0, near + NEAR_ADDS) if near >= NEAR and self._cut(min(j, k), max(j, k)) > NEXT else 0.0

    @property
    def _shared(self) -> list[tuple[frozenset[int], range]]:
        """Words that a part shares with one before it, each group with that part."""
        return self._laid[1]

    @property
    def _aligned(self) -> dict[int, dict[int, float]]:
        """The words in each other's place when neighbouring parts are laid side by side, each with how surely."""
        return self._laid[0]

    @cached_property
    def _laid(self) -> tuple[dict[int, dict[int, float]], list[tuple[frozenset[int], range]]]:
        """Each part laid beside those before it: rivals and shared words."""
        found: dict[int, dict[int, float]] = defaultdict(dict)
        shared: list[tuple[frozenset[int], range]] = []
        breaks = self.text.breaks
        for n in [n for n in range(1, len(breaks)) if breaks[n] >= LIST][:MOST_CUTS]:
            left = range(max(self.part(n - 1, breaks[n]).start, n - LONGEST), n)
            start = n
            for _ in range(SIBLINGS):
                whole = self.part(start, breaks[n])
                right = range(start, min(whole.stop, start + LONGEST))
                pairs, over = self._lay(left, right)
                if breaks[n] <= GAPPED and over:
                    shared.append((over, whole))
                for j, k, sure in self._align(left, right, pairs):
                    found[j][k] = max(found[j].get(k, 0.0), sure)
                    found[k][j] = max(found[k].get(j, 0.0), sure)
                start = whole.stop
                if start >= len(breaks) or breaks[start] > max(breaks[n], SENTENCE - 1):
                    break
        return found, shared

    def _lay(self, left: range, right: range) -> tuple[Pairs, frozenset[int]]:
        """The pairs of two parts, and the words of the left one that the right one shares: its head; its subject where
        the right one begins with a verb; and all without a pair where the right one has no verb."""
        words = self.text.words
        pairs = lay_side_by_side(self.text, left, right)
        said = [k for k in right if words[k].lower not in JOINING]
        over: set[int] = set()
        if said and begins_with_verb(words, said):
            over = {*range(left.start, 1 + max(self._list_subject(left), default=left.start - 1))}
            pairs = [(j, k) for j, k in pairs if j not in over]
        elif not any(words[k].lower in AUXILIARIES | VERBS for k in right):
            over = {*left} - {j for j, _ in pairs}
        return pairs, frozenset(over | {*range(left.start, pairs[0][0] if pairs else left.start)})

    def _align(self, left: range, right: range, pairs: Pairs) -> list[tuple[int, int, float]]:
        """The rivals among the pairs of two parts, surer the more the parts have in common."""
        text = self.text
        anchors = sum(
            text.counted[j].key == text.counted[k].key or (text.kinds[j] == text.kinds[k] != "word") for j, k in pairs
        )
        parallel = anchors / max(1, min(len(left), len(right)))
        out = []
        for j, k in pairs:
            if text.counted[j].key == text.counted[k].key or not (text.content[j] and text.content[k]):
                continue
            sure = (
                ALIGNED + OF_PARALLEL * parallel + OF_NEAR * max(0.0, compare_words(text.counted[j], text.counted[k]))
            )
            sure += OF_NEIGHBOUR * _count_equal_neighbours(text.counted, j, k)
            out.append((j, k, min(1.0, sure) * (1.0 if text.kinds[j] == text.kinds[k] else OF_OTHER_KINDS)))
        return out + [(j, k, SUBJECTS) for j in self._list_subject(left) for k in self._list_subject(right)]

    def _list_subject(self, part: range) -> list[int]:
        """The first words of a part that say something, up to a verb, a preposition or a figure."""
        found: list[int] = []
        for j in part:
            low = self.text.words[j].lower
            if low in AUXILIARIES | VERBS | PREPOSITIONS or self.kinds[j] not in ("word", "name") or len(found) == 2:
                break
            if self.text.content[j]:
                found.append(j)
        return found

    @cached_property
    def _places(self) -> dict[int, tuple[int, int]]:
        """Of words in lists that "respectively" joins: which list, and which place in it."""
        text = self.text
        out: dict[int, tuple[int, int]] = {}
        for i, word in enumerate(text.words):
            if word.lower == "respectively":
                lists = self._list_items(self.part(i, SENTENCE - 1))
                sizes = [len(items) for items in lists]
                orders = ((a, b) for b in reversed(range(len(lists))) for a in reversed(range(b)))
                for number in next((two for two in orders if sizes[two[0]] == sizes[two[1]]), ()):
                    out |= {j: (number, place) for place, item in enumerate(lists[number]) for j in item}
        return out

    def _list_items(self, part: range) -> list[list[list[int]]]:
        """The lists of a part: items of one kind, with nothing but light words, units and marks between."""
        lists: list[list[list[int]]] = []
        kind = ""
        for j in part:
            mine = self.kinds[j] if self.text.content[j] else "light"
            if mine in ("light", "unit"):
                continue
            if mine == "word" or mine != kind:
                kind = "" if mine == "word" else mine
                if kind:
                    lists.append([[j]])
            elif kind == "name" and self.text.breaks[j] <= NEXT and j - 1 in lists[-1][-1]:
                lists[-1][-1].append(j)
            else:
                lists[-1].append([j])
        return [items for items in lists if len(items) > 1]


def _name_kind(word: Word, kind: str) -> str:
    """The kind of a word: years and counts stand in other places than figures, and a name of unknown words is one."""
    if _is_year(word):
        return "year"
    if word.lower in COUNTS:
        return "count"
    return "name" if word.kind == "name" and not is_known(word) else kind


def _is_year(word: Word) -> bool:
    return word.kind == "number" and not word.unit and SINCE <= word.value <= UNTIL and word.value == int(word.value)


def lay_side_by_side(text: FactualText, left: Sequence[int], right: Sequence[int]) -> Pairs:
    """The pairs of the best alignment of two parts; the head of the left one may be left out, for both share it."""
    return pair_words(left, right, partial(_score_pair, text), head=0.0)


def _score_pair(text: FactualText, j: int, k: int) -> float:
    one, other = text.counted[j], text.counted[k]
    if one.key == other.key:
        return SAME if text.content[j] else SAME_LIGHT
    if text.content[j] != text.content[k]:
        return OTHER_LIGHT if {one.lower, other.lower} & PRONOUNS else UNLIKE
    if not text.content[j]:
        return OTHER_LIGHT
    beside = BESIDE * _count_equal_neighbours(text.counted, j, k)
    if text.kinds[j] != text.kinds[k]:
        return OTHER_KIND + beside
    return OF_A_KIND if text.kinds[j] != "word" else PLAIN + compare_words(one, other) + beside


def _count_equal_neighbours(words: Sequence[Word], j: int, k: int) -> int:
    before = j > 0 and k > 0 and words[j - 1].key == words[k - 1].key
    last = len(words) - 1
    return before + (j < last and k < last and words[j + 1].key == words[k + 1].key)
