"""Where a sentence's words stand in a passage: the longest runs of words first, wherever they moved to."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ragstone.answering.verification.word_families import match_families
from ragstone.core.comparable_words import Word, parse_words
from ragstone.core.sentences import split_sentences
from ragstone.core.types import Chunk

WINDOW = 100  # words; a longer sentence of a chunk is taken in pieces, so that no text costs more than linear time
MANY = 24  # places of one word that are looked at in a passage
SLOT = 8  # words between two neighbours, up to which what stands there can be compared
MOST = 4  # sentences that one sentence of an answer is compared with
WEIGHTS = {"number": 2.0, "month": 2.0, "name": 2.0, "code": 2.0, "word": 1.0, "light": 0.0}


@dataclass(frozen=True)
class SourceText:
    """A chunk, read: its words, and the ranges of words that are its sentences."""

    chunk: Chunk

    @cached_property
    def words(self) -> list[Word]:
        """All words of the chunk."""
        return parse_words(self.chunk.text)

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """Its sentences as ranges of characters."""
        return split_sentences(self.chunk.text)

    @cached_property
    def single_spaced(self) -> str:
        """Its text with single spaces."""
        return " ".join(self.chunk.text.split())

    @cached_property
    def marks(self) -> tuple[dict[int, int], dict[int, int]]:
        """Where in `plain` sentences begin and end, with the same places in the chunk's text."""
        starts: dict[int, int] = {}
        ends: dict[int, int] = {}
        at = 0
        for a, b in self.bounds:
            piece = " ".join(self.chunk.text[a:b].split())
            at = self.single_spaced.find(piece, at)
            starts[at] = a
            at += len(piece)
            ends[at] = b
        return starts, ends

    @cached_property
    def pieces(self) -> list[tuple[int, int]]:
        """Its sentences as ranges of words."""
        ends = [end for _, end in self.bounds]
        out: list[tuple[int, int]] = []
        first = at = 0
        for i, word in enumerate(self.words):
            while at < len(ends) and word.start >= ends[at]:
                at += 1
                if i > first:
                    out.append((first, i))
                first = i
            if i - first >= WINDOW:
                out.append((first, i))
                first = i
        return [*out, (first, len(self.words))] if first < len(self.words) else out

    @cached_property
    def pieces_by_word(self) -> dict[str, list[int]]:
        """In which pieces a word stands, by its key; light words are left out."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, (a, b) in enumerate(self.pieces):
            for key in {word.key for word in self.words[a:b] if word.kind != "light"}:
                found[key].append(number)
        return found

    @cached_property
    def heading_words(self) -> frozenset[str]:
        """The words of heading, title, path and table header."""
        chunk = self.chunk
        said = " ".join((*chunk.heading_path, chunk.document.title or "", chunk.document.path, chunk.header))
        return frozenset(word.key for word in parse_words(said))

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The words written as names inside a sentence."""
        return frozenset(word.key for word in self.words if word.kind == "name" and word.sure)


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """One sentence of a source: words `start` to `end` of it."""

    source: SourceText
    start: int
    end: int


@dataclass(frozen=True)
class Alignment:
    """A sentence's words beside those of the pieces: `to[i]` is the place of the claim's word i in `passage`, None
    where it has none; `piece[j]` is the number of the piece that the passage's word j belongs to."""

    claim: Sequence[Word]
    passage: Sequence[Word]
    pieces: Sequence[SourceSentence]
    piece: Sequence[int]
    to: Sequence[int | None]
    runs: int
    longest: float

    @cached_property
    def free(self) -> list[int]:
        """The places in the passage that no word of the claim stands at."""
        used = set(self.to)
        return [j for j in range(len(self.passage)) if j not in used]

    @cached_property
    def is_unbroken(self) -> bool:
        """Whether the claim stands in the passage as one run, so that nothing in it can have changed places."""
        said = [i for i, word in enumerate(self.claim) if word.kind != "light"]
        places = self.to[said[0] : said[-1] + 1] if said else []
        first = places[0] if places else None
        run = [] if first is None else [*range(first, first + len(places))]
        return bool(run) and list(places) == run and self.piece[run[0]] == self.piece[run[-1]]

    def slot(self, i: int) -> list[int]:
        """The passage's free words that stand where the claim's word i would stand, judged by the words beside it."""
        left, right = self._neighbour_places(i)
        places: set[int] = set()
        if left is not None and right is not None and 0 < right - left <= SLOT:
            places = {*range(left + 1, right)}
        else:
            if left is not None:
                places |= {*range(left + 1, min(len(self.passage), left + 4))}
            if right is not None:
                places |= {*range(max(0, right - 3), right)}
        near = {self.piece[j] for j in (left, right) if j is not None}
        return [j for j in self.free if j in places and self.piece[j] in near]

    def is_tight(self, i: int) -> bool:
        """Whether the claim's word i stands between two words that are nearly side by side in the passage."""
        left, right = self._neighbour_places(i)
        return left is not None and right is not None and 0 < right - left <= 4

    def is_displaced(self, i: int) -> bool:
        """Whether word i was found in another sentence than the words on both sides of it."""
        place = self.to[i]
        near = [self.piece[j] for j in self._neighbour_places(i) if j is not None]
        return place is not None and bool(near) and all(number != self.piece[place] for number in near)

    def _neighbour_places(self, i: int) -> tuple[int | None, int | None]:
        """Where the nearest words before and after, at most three away, stand; a name's other words are passed over."""
        return self._next_match(i, -1), self._next_match(i, 1)

    def _next_match(self, i: int, step: int) -> int | None:
        k = i + step
        if self.claim[i].kind in ("name", "code"):
            while 0 <= k < len(self.to) and self._continues_name(k, step):
                k += step
        for at in range(k, k + 3 * step, step):
            if 0 <= at < len(self.to) and self.to[at] is not None:
                return self.to[at]
        return None

    def _continues_name(self, k: int, step: int) -> bool:
        """Whether word k belongs to the same name as the one before it on the way: a name itself or, as in "Bank of
        England", a light word that stands beside it in the passage too."""
        here, before = self.to[k], self.to[k - step]
        together = here is not None and before is not None and here - before == step
        return (self.claim[k].kind == "name" and (together or here is None)) or (
            self.claim[k].kind == "light" and together
        )


def find_closest(claim: Sequence[Word], sources: Sequence[SourceText]) -> list[SourceSentence]:
    """The sentences of the sources that share most with the claim, at most four, in reading order."""
    weights = {word.key: WEIGHTS[word.kind] for word in claim if word.kind != "light"}
    shared: dict[tuple[int, int], set[str]] = defaultdict(set)
    for rank, source in enumerate(sources):
        for key in weights:
            for number in source.pieces_by_word.get(key, ()):
                shared[rank, number].add(key)
    chosen: list[tuple[int, int]] = []
    missing = dict(weights)
    least = max(1.0, 0.08 * sum(weights.values()))  # what a further sentence must add: set by hand
    while shared and len(chosen) < MOST:
        best = min(
            shared, key=lambda at: (-sum(missing.get(k, 0.0) for k in shared[at]) - _neighbour_bonus(at, chosen), at)
        )
        gain = sum(missing.get(key, 0.0) for key in shared[best])
        if gain < (least if chosen else 0.1):
            break
        for key in shared.pop(best):
            missing.pop(key, None)
        chosen.append(best)
    return [SourceSentence(sources[rank], *sources[rank].pieces[number]) for rank, number in sorted(chosen)]


def _neighbour_bonus(at: tuple[int, int], chosen: Sequence[tuple[int, int]]) -> float:
    """A little for the neighbours of what was chosen: sentences of one thought stand together."""
    return 0.5 * any(rank == at[0] and abs(number - at[1]) == 1 for rank, number in chosen)


def align_words(claim: Sequence[Word], pieces: Sequence[SourceSentence]) -> Alignment:
    """Greedy tiling: of all runs of equal words the weightiest is taken, then the weightiest of what is left.

    At most 24 places of a word are looked at, so the cost grows with the length of the claim and not with its square.
    """
    passage = [word for piece in pieces for word in piece.source.words[piece.start : piece.end]]
    number = [i for i, piece in enumerate(pieces) for _ in range(piece.end - piece.start)]
    at: dict[str, list[int]] = defaultdict(list)
    for j, word in enumerate(passage):
        if len(at[word.key]) < MANY:
            at[word.key].append(j)
    to: list[int | None] = [None] * len(claim)
    taken: set[int] = set()
    weights: list[float] = []
    runs = _find_runs(claim, passage, number, at)
    while runs:
        weight, i, j, length = runs.pop()
        free = [k for k in range(length) if to[i + k] is None and j + k not in taken]
        if len(free) < length:  # a part of it was taken by a weightier run: what is left may still stand alone
            runs = _split_run(runs, claim, i, j, free)
            continue
        if weight < 0.5 and not _is_anchored(i, j, length, to):
            continue
        for k in range(length):
            to[i + k] = j + k
            taken.add(j + k)
        weights.append(weight)
    match_families(claim, passage, to, taken)
    return Alignment(claim, passage, pieces, number, to, len([w for w in weights if w >= 1]), max(weights, default=0.0))


Run = tuple[float, int, int, int]


def _find_runs(
    claim: Sequence[Word], passage: Sequence[Word], number: Sequence[int], at: Mapping[str, list[int]]
) -> list[Run]:
    """Every longest run of equal words, the weightiest last."""
    found: list[Run] = []
    for i, word in enumerate(claim):
        for j in at.get(word.key, ()):
            if i and j and claim[i - 1].key == passage[j - 1].key and number[j] == number[j - 1]:
                continue
            length = 1
            while (
                i + length < len(claim)
                and j + length < len(passage)
                and claim[i + length].key == passage[j + length].key
                and number[j + length] == number[j]
            ):
                length += 1
            found.append((_run_weight(claim[i : i + length]), i, j, length))
    return sorted(found, key=_run_order)


def _run_order(run: Run) -> tuple[float, int, int, int]:
    weight, i, j, length = run
    return (weight, length, -i, -j)


def _run_weight(run: Sequence[Word]) -> float:
    """What a run counts: its words, and a bonus for standing together."""
    return sum(WEIGHTS[word.kind] + 0.2 for word in run) + 0.3 * (len(run) - 1)


def _split_run(runs: list[Run], claim: Sequence[Word], i: int, j: int, free: Sequence[int]) -> list[Run]:
    """The runs, with those that remain of one: its words at the places `free`, counted from its beginning."""
    starts = [k for n, k in enumerate(free) if not n or free[n - 1] != k - 1]
    new: list[Run] = []
    for k in starts:
        length = next(n for n in range(1, len(free) + 1) if k + n not in free)
        new.append((_run_weight(claim[i + k : i + k + length]), i + k, j + k, length))
    return sorted([*runs, *new], key=_run_order) if new else runs


def _is_anchored(i: int, j: int, length: int, to: Sequence[int | None]) -> bool:
    """Whether light words stand beside a word that was found where they stand."""
    before = any(to[i - d] is not None and abs((to[i - d] or 0) - j) <= 3 for d in (1, 2) if i >= d)
    end = i + length
    return before or any(
        to[end + d] is not None and abs((to[end + d] or 0) - j - length) <= 3 for d in (0, 1) if end + d < len(to)
    )
