"""The facts of a text: each coordinated clause with what it takes over from the clause before it.

"Tickets cost 12 euros for adults and 7 for children" holds two facts: the second has no verb and no subject of its own
and takes both from the first, but not the figure and not "adults", for which it has words in the same place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragstone.answering.verification.breaks import measure_breaks
from ragstone.answering.verification.carried_words import carry_pronoun, carry_words
from ragstone.answering.verification.fact_words import (
    ARTICLES,
    AUXILIARIES,
    PREPOSITIONS,
    PRONOUNS,
    is_content,
    kind_of,
    unit_of,
)
from ragstone.core.comparable_words import UNITS, Word
from ragstone.core.contrary_words import is_denial

SPLITTING = frozenset("but while whereas though although".split())
LISTING = frozenset("and or then nor".split())
SUBORDINATE = frozenset(
    "if when whenever unless until till because since provided once except before after where that which who".split()
)
RELATIVE = frozenset("which who whose".split())
MOST_FACTS = 16


@dataclass(frozen=True, slots=True)
class Fact:
    """Words of a text, by place: `own` stand in the clause, `carried` are taken over from another one, each with how
    surely; `parts` numbers the subordinate part that each own word belongs to."""

    own: tuple[int, ...]
    parts: tuple[int, ...]
    carried: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FactualText:
    """The words of a text, the same with "one" as a figure where it counts something, its facts, and for each word its
    kind, whether it says something, and the depth of the cut before it."""

    words: Sequence[Word]
    counted: Sequence[Word]
    facts: Sequence[Fact]
    kinds: Sequence[str]
    content: Sequence[bool]
    breaks: Sequence[float]

    @classmethod
    def read(cls, words: Sequence[Word], piece: Sequence[int], gaps: Sequence[str]) -> "FactualText":
        """A text by its words, the number of each one's sentence, and what stands before each.

        >>> from ragstone.core.comparable_words import parse_words
        >>> text = "Tickets cost 12 euros for adults and 7 for children."
        >>> read = FactualText.read(words := parse_words(text), [0] * len(words), list_gaps(text, words))
        >>> for fact in read.facts:
        ...     [words[i].lower for i in fact.own], [words[i].lower for i in fact.carried]
        (['tickets', 'cost', '12', 'euros', 'for', 'adults'], [])
        (['7', 'for', 'children'], ['tickets', 'cost', 'euros'])
        """
        counted = [_count_one(words, i) for i in range(len(words))]
        facts = _split_facts(counted, piece, gaps)
        kinds, content = [kind_of(word) for word in counted], [is_content(word) for word in counted]
        return cls(words, counted, facts, kinds, content, measure_breaks(counted, piece, gaps))


def list_gaps(text: str, words: Sequence[Word]) -> list[str]:
    """The marks and blanks before each word of a text."""
    return [text[(words[i - 1].end if i else 0) : word.start] for i, word in enumerate(words)]


def _count_one(words: Sequence[Word], i: int) -> Word:
    """ "One" as a figure where it counts something."""
    word = words[i]
    if word.lower != "one" or i + 1 >= len(words) or words[i + 1].kind != "word":
        return word
    if i and (words[i - 1].lower in ARTICLES | {"no", "another"} or words[i - 1].kind == "word"):
        return word
    unit = UNITS[words[i + 1].lower] if unit_of(words[i + 1]) else ""
    return replace(word, kind="number", key="#1", value=1.0, unit=unit)


def _split_facts(words: Sequence[Word], piece: Sequence[int], gaps: Sequence[str]) -> list[Fact]:
    facts: list[Fact] = []
    for own, joint in _split_clauses(words, piece, gaps)[:MOST_FACTS]:
        carried: dict[int, float] = {}
        if facts:
            last, over = facts[-1].own, dict(facts[-1].carried)
            same = joint != "start" and piece[own[0]] == piece[last[0]]
            carried = carry_words(words, last, over, own, joint) if same else carry_pronoun(words, last, over, own)
        facts.append(Fact(tuple(own), _number_parts(words, gaps, own), carried))
    return facts


def _split_clauses(words: Sequence[Word], piece: Sequence[int], gaps: Sequence[str]) -> list[tuple[list[int], str]]:
    """The clauses as places of words, each with how it is joined to the one before it."""
    out: list[tuple[list[int], str]] = []
    run: list[int] = []
    joint = "start"
    for i, word in enumerate(words):
        kind = _find_joint(words, piece, gaps, i, run)
        if kind and any(is_content(words[k]) or is_denial(words[k]) for k in run):
            out.append((run, joint))
            run, joint = [], kind
        elif kind and not run:
            joint = kind
        if not (kind and word.lower in LISTING | SPLITTING):
            run.append(i)
    return [*out, (run, joint)] if run else out


def _find_joint(words: Sequence[Word], piece: Sequence[int], gaps: Sequence[str], i: int, run: Sequence[int]) -> str:
    """How a new clause begins at word i: stop, semicolon, joint or comma; "" where none does."""
    if i == 0:
        return ""
    if piece[i] != piece[i - 1] or any(c in gaps[i] for c in ".!?\n"):
        return "stop"
    if ";" in gaps[i] or ": " in gaps[i] or "–" in gaps[i] or "—" in gaps[i]:
        return "semicolon"
    low = words[i].lower
    if low in SPLITTING:
        return "joint"
    if low not in LISTING and not ("," in gaps[i] and run):
        return ""
    ahead = _look_ahead(words, piece, gaps, i + 1 if low in LISTING else i)
    if low in LISTING:
        between = any(words[k].lower == "between" for k in run[-4:])
        return "joint" if ahead and not between and ("," in gaps[i] or _says_something(words, ahead)) else ""
    if ahead:
        kinds = {kind_of(words[k]) for k in run} & {kind_of(words[k]) for k in ahead} - {"word"}
        two = sum(is_content(words[k]) for k in ahead) > 1
        if (kinds and two and words[ahead[0]].lower not in RELATIVE) or _is_fronted(words, piece, run[0] - 1):
            return "comma"
    return ""


def _is_fronted(words: Sequence[Word], piece: Sequence[int], i: int) -> bool:
    """Whether word i opens its sentence as in "While A, B"."""
    return i >= 0 and words[i].lower in SPLITTING and (i == 0 or piece[i - 1] != piece[i])


def _look_ahead(words: Sequence[Word], piece: Sequence[int], gaps: Sequence[str], i: int) -> list[int]:
    """The words from i to the next mark or conjunction."""
    out: list[int] = []
    for k in range(i, len(words)):
        ends = (
            piece[k] != piece[k - 1] or any(c in gaps[k] for c in ",;:.!?\n") or words[k].lower in SPLITTING | LISTING
        )
        if k > i and ends:
            break
        out.append(k)
    return out


def _says_something(words: Sequence[Word], ahead: Sequence[int]) -> bool:
    """Whether words behind an "and" are more than a further noun of a list."""
    if any(kind_of(words[k]) in ("number", "date") or is_denial(words[k]) for k in ahead):
        return True
    lows = {words[k].lower for k in ahead}
    return bool(lows & (AUXILIARIES | PREPOSITIONS - {"of"} | PRONOUNS)) or sum(is_content(words[k]) for k in ahead) > 2


def _number_parts(words: Sequence[Word], gaps: Sequence[str], own: Sequence[int]) -> tuple[int, ...]:
    """Which part of a clause each word belongs to: a part begins at a subordinating word or behind a comma."""
    out: list[int] = []
    part = 0
    for n, i in enumerate(own):
        if n and (words[i].lower in SUBORDINATE or "," in gaps[i]):
            part += 1
        out.append(part)
    return tuple(out)
