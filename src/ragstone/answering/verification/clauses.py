"""Where a sentence takes a word of one clause and says it of another: "12 euros for adults and 7 for children".

Two clauses of a passage are parallel where they share words and differ in some places: then what differs belongs
together (12 with adults, 7 with children), and a sentence that takes one place from the first and one from the second
says something that the passage does not.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise, permutations, product

from ragstone.answering.verification.alignment import Alignment
from ragstone.answering.verification.contradictions import Disagreement
from ragstone.core.comparable_words import Word
from ragstone.core.contrary_words import is_denial

JOINTS = frozenset("and or but while whereas though although".split())
ALIKE = ("number", "month")
MOST_CLAUSES = 12  # of the closest sentences
MOST_WORDS = 40  # of a clause
MOST_APART = 2  # places between two clauses that are compared
MOST_OWN = 4  # content words that a clause does not share with the other
SHORT = 4  # content words of a clause that may lack its verb
TOGETHER = frozenset("respectively".split())
PRONOUNS = frozenset("it them they this these those him her".split())
SIDES = frozenset("before after above below with without inside outside during within over under".split())

Contrast = tuple[Word, Word]


@dataclass(frozen=True)
class Clause:
    """Words of a sentence between two joints; `sentence` is its number in the text, `place` its own in the sentence."""

    words: tuple[Word, ...]
    sentence: int = 0
    place: int = 0

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of its words."""
        return frozenset(word.key for word in self.words)

    @cached_property
    def content(self) -> tuple[Word, ...]:
        """Its words without the light ones."""
        return tuple(word for word in self.words if word.kind != "light")


def split_clauses(words: Sequence[Word], number: Sequence[int] | None = None) -> list[Clause]:
    """A text at its conjunctions and marks; `number` says which sentence a word belongs to."""
    out: list[Clause] = []
    run: list[Word] = []
    for i, word in enumerate(words):
        begins = number is not None and i > 0 and number[i] != number[i - 1]
        if run and (begins or word.lower in JOINTS or word.start - words[i - 1].end > 1):
            _close_clause(out, run, 0 if number is None else number[i - 1])
            run = []
        if word.lower not in JOINTS:
            run.append(word)
    if run:
        _close_clause(out, run, 0 if number is None else number[len(words) - 1])
    return out


def _close_clause(out: list[Clause], run: Sequence[Word], sentence: int) -> None:
    if any(word.kind != "light" for word in run):
        place = out[-1].place + 1 if out and out[-1].sentence == sentence else 0
        out.append(Clause(tuple(run), sentence, place))


@dataclass(frozen=True)
class ClauseFindings:
    """How a sentence uses parallel clauses: `mixed` are words taken from the wrong one, `settled` the keys of words
    that stand with their own, `agrees` says that it denies as its clause does: other checks skip these."""

    mixed: tuple[Disagreement, ...] = ()
    settled: frozenset[str] = frozenset()
    agrees: bool = False


def compare_clauses(found: Alignment) -> ClauseFindings:
    """Words of a sentence that belong to parallel clauses of the passage, one to each; and denials of one clause that
    the sentence makes of the other."""
    clauses = split_clauses(found.passage, found.piece)[:MOST_CLAUSES]
    claim = split_clauses(found.claim)
    said = [_list_said(found, clause) for clause in claim]
    whole = frozenset().union(*said) if said else frozenset()
    scopes = [whole] if any(word.lower in TOGETHER for word in found.claim) else [whole, *said]
    mixed: list[Disagreement] = []
    settled: set[str] = set()
    agrees, denied = False, any(is_denial(word) for word in found.claim)
    for one, other in combinations(clauses, 2):
        contrasts = pair_contrasts(one, other)
        for (a, b), (c, d) in permutations(contrasts, 2):
            if not _stand_together(a, d, clauses) and _mixes(found, (a, b), (c, d), scopes):
                mixed.append(Disagreement("swapped", a.lower, b.lower))
            if not {a.kind, c.kind} & set(ALIKE):
                continue
            if any(a.key in keys and c.key in keys and not {b.key, d.key} & keys for keys in scopes):
                settled |= {a.key, c.key}
            if any(b.key in keys and d.key in keys and not {a.key, c.key} & keys for keys in scopes):
                settled |= {b.key, d.key}
        if contrasts and is_denied(one) != is_denied(other):
            for mine, rival, clause in _list_sides(contrasts, one, other):
                if mine.key not in whole or rival.key in whole:
                    continue
                if is_denied(clause) == denied:
                    agrees = True
                elif not any(mine.key in each.keys and is_denied(each) == denied for each in clauses):
                    mixed.append(Disagreement("negation", mine.lower, rival.lower))
    return ClauseFindings(tuple(mixed[:1]), frozenset(settled), agrees and not mixed)


def _list_sides(contrasts: Sequence[Contrast], one: Clause, other: Clause) -> Iterator[tuple[Word, Word, Clause]]:
    """Each word of a contrast with its rival and its clause."""
    for a, b in contrasts:
        yield a, b, one
        yield b, a, other


def _mixes(found: Alignment, first: Contrast, second: Contrast, scopes: Sequence[Set[str]]) -> bool:
    """Whether a sentence says a place of one clause and another place of the other."""
    (a, b), (c, d) = first, second
    if any(a.key in keys and d.key in keys and b.key not in keys and c.key not in keys for keys in scopes):
        return True
    whole = scopes[0]
    both = a.key in whole and b.key in whole
    return both and (c.key in whole) != (d.key in whole) and _are_joined(found, a, b)


def is_denied(clause: Clause) -> bool:
    """Whether a clause denies something."""
    return any(is_denial(word) for word in clause.words)


def pair_contrasts(one: Clause, other: Clause) -> list[Contrast]:
    """The words in which two parallel clauses differ, place by place; none where they are not parallel.

    Where one side has more words in a place, each of them may be the counterpart.

    >>> from ragstone.core.comparable_words import parse_words
    >>> one, other = split_clauses(parse_words("Tickets cost 12 euros for adults and 7 euros for children."))
    >>> [(a.lower, b.lower) for a, b in pair_contrasts(one, other)]
    [('12', '7'), ('adults', 'children')]
    """
    if one.sentence != other.sentence or other.place - one.place > MOST_APART:
        return []
    first, second = one.words[:MOST_WORDS], other.words[:MOST_WORDS]
    shared = _find_shared(first, second)
    if not _are_parallel(one, other, shared):
        tail = _find_tail(one, other)
        return list(_pair_words(tail, second, Clause(tail), other)) if tail else []
    out: list[Contrast] = []
    edges = [(-1, -1), *shared, (len(first), len(second))]
    for (i, j), (k, n) in pairwise(edges):
        out += _pair_words(first[i + 1 : k], second[j + 1 : n], one, other)
    names = [[word for word in side.content if _is_name(word)] for side in (one, other)]
    left, right = ([word for word in side if not any(word in pair for pair in out)] for side in names)
    out += zip(left, right, strict=False)
    return out


def _find_tail(one: Clause, other: Clause) -> tuple[Word, ...]:
    """The end of a clause that a clause without its own verb repeats, from a figure on: "12 euros for adults" of
    "Admission costs 12 euros for adults and 7 for children"."""
    if other.content[0].kind != "number" or not 1 < len(other.content) <= SHORT or other.place != one.place + 1:
        return ()
    at = next((i for i in reversed(range(len(one.words))) if one.words[i].kind == "number"), len(one.words))
    tail = tuple(word for k, word in enumerate(one.words) if k >= at and not (k and one.words[k - 1].unit))
    return tail if 1 < sum(word.kind != "light" for word in tail) <= SHORT else ()


def _are_parallel(one: Clause, other: Clause, shared: Sequence[tuple[int, int]]) -> bool:
    """Whether two clauses say one thing of two: they share a content word, or the second is short and shares any, or
    both have one shape; and neither says much that the other has no place for."""
    common = {one.words[i].key for i, _ in shared}
    content = [word for i, _ in shared if (word := one.words[i]).kind != "light"]
    own = [[word for word in clause.content if word.key not in common] for clause in (one, other)]
    if max(map(len, own)) > MOST_OWN:
        return False
    short = len(other.content) <= SHORT
    return bool(content) or (short and bool(shared)) or (short and _have_one_shape(one, other))


def _have_one_shape(one: Clause, other: Clause) -> bool:
    """Whether two clauses have words of the same kinds in the same order; a pronoun stands for any."""
    shapes = [
        [word.kind in ALIKE for word in clause.words if word.kind != "light" or word.lower in PRONOUNS]
        for clause in (one, other)
    ]
    return len(shapes[0]) > 1 and shapes[0] == shapes[1]


def _pair_words(first: Sequence[Word], second: Sequence[Word], one: Clause, other: Clause) -> Iterator[Contrast]:
    """Words of one kind, in order where both sides have as many, else each with each; figures only with figures, a
    name only with a name where its clause's counterpart has one."""
    left = [word for word in first if _counts(word) and word.key not in other.keys]
    right = [word for word in second if _counts(word) and word.key not in one.keys]
    for figures in (True, False):
        mine = [word for word in left if (word.kind in ALIKE) == figures]
        theirs = [word for word in right if (word.kind in ALIKE) == figures]
        if len(mine) == len(theirs):
            yield from zip(mine, theirs, strict=True)
        else:
            yield from ((a, b) for a, b in product(mine, theirs) if not _has_own_rival(a, b, one, other))


def _has_own_rival(a: Word, b: Word, one: Clause, other: Clause) -> bool:
    """Whether one of two words is a name and the other none, though the other clause has a name for it."""
    names = [[word for word in clause.content if _is_name(word)] for clause in (one, other)]
    return _is_name(a) != _is_name(b) and bool(names[1] if _is_name(a) else names[0])


def _is_name(word: Word) -> bool:
    return word.kind == "name" and word.sure


def _counts(word: Word) -> bool:
    return (word.kind != "light" or word.lower in SIDES) and not is_denial(word)


def _find_shared(first: Sequence[Word], second: Sequence[Word]) -> list[tuple[int, int]]:
    """The longest common subsequence of two clauses, as pairs of places."""
    lengths = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in reversed(range(len(first))):
        for j in reversed(range(len(second))):
            equal = first[i].key == second[j].key
            lengths[i][j] = lengths[i + 1][j + 1] + 1 if equal else max(lengths[i + 1][j], lengths[i][j + 1])
    out: list[tuple[int, int]] = []
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i].key == second[j].key:
            out.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return out


def _list_said(found: Alignment, clause: Clause) -> frozenset[str]:
    """The keys of a sentence's clause, and those of the passage's words that stand for its words."""
    places = {word.start: i for i, word in enumerate(found.claim)}
    aligned = (found.to[places[word.start]] for word in clause.words)
    return clause.keys | {found.passage[j].key for j in aligned if j is not None}


def _stand_together(one: Word, other: Word, clauses: Sequence[Clause]) -> bool:
    """Whether a clause of the passage holds both words."""
    return any(one.key in clause.keys and other.key in clause.keys for clause in clauses)


def _are_joined(found: Alignment, one: Word, other: Word) -> bool:
    """Whether the sentence joins two words by a conjunction: "administrators and users"."""
    at = {word.key: i for i, word in enumerate(found.claim)}
    if one.key not in at or other.key not in at:
        return False
    first, last = sorted((at[one.key], at[other.key]))
    between = found.claim[first + 1 : last]
    return last - first <= 4 and any(word.lower in JOINTS for word in between)
