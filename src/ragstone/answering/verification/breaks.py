"""How deep the cuts between neighbouring words of a text are: the tree of its clauses, phrases and lists.

The deepest cut between two words says how far apart they stand: "12 euros for adults and 7 for children" cuts deeper
before "and" than before "for", so that 12 is nearer to the adults than to the children.
"""

from collections.abc import Sequence

from ragstone.answering.verification.fact_words import AUXILIARIES, PREPOSITIONS, PRONOUNS, VERBS, is_content, kind_of
from ragstone.core.comparable_words import Word
from ragstone.core.contrary_words import is_denial

# How deep a cut is: between sentences, at a semicolon, before "but"; before a clause with its own subject and verb,
# with a comma and without; before what has no verb ("and 7 for children"), before a verb without a subject, before
# a preposition; before a relative clause, between items of a list; before a noun that explains a name; before "if",
# before a preposition, at a colon; between any other two words. Only their order counts.
SENTENCE, SEMICOLON, CONTRAST, CLAUSE, LOOSE_CLAUSE, GAPPED, SHARED, ADDED = 8.0, 6.0, 5.0, 4.5, 4.0, 3.5, 3.0, 2.5
APART, LIST, APPOSITION, PART, PHRASE, COLON, NEXT = 2.0, 1.5, 1.3, 1.2, 0.8, 0.6, 0.1
LONG_ITEM = 0.3  # what an item of more than two words that say something adds
CONTRASTING = frozenset("but while whereas though although yet".split())
TIMED = frozenset("while though although yet".split())  # contrasting behind a comma only
POINTING = frozenset("it they he she both neither".split())
JOINING = frozenset("and or then nor".split())
RELATIVE = frozenset("which who whose where".split())
SUBORDINATE = RELATIVE | frozenset("if when whenever unless until till because since provided once that as".split())
INSTEAD = frozenset("instead rather".split())
DETERMINERS = frozenset("the a an its his her their this these those each every all both no any some".split())
FOLLOWS_VERB = DETERMINERS | frozenset("it them to by on in at for from with off out up only not never without".split())


def measure_breaks(words: Sequence[Word], piece: Sequence[int], gaps: Sequence[str]) -> list[float]:
    """The depth of the cut before each word; `piece` numbers its sentence, `gaps` are the marks before each.

    >>> from ragstone.core.comparable_words import parse_words
    >>> text = "Tickets cost 12 euros for adults and 7 for children."
    >>> words = parse_words(text)
    >>> gaps = [text[(words[i - 1].end if i else 0) : word.start] for i, word in enumerate(words)]
    >>> [depth for depth in measure_breaks(words, [0] * len(words), gaps) if depth > NEXT]
    [8.0, 0.8, 3.5, 0.8]
    """
    found = [SENTENCE if i == 0 else _measure_break(words, piece, gaps, i) for i in range(len(words))]
    _close_insertions(found, gaps)
    return found


def _close_insertions(found: list[float], gaps: Sequence[str]) -> None:
    """Raise the cut behind an insertion to the one before it: the words behind it go on with those before."""
    opened = 0.0
    for i in range(1, len(found)):
        if found[i] >= LOOSE_CLAUSE:
            opened = 0.0
        elif "," in gaps[i]:
            if found[i] == SHARED:
                found[i] = max(found[i], opened)
            opened = max(opened, found[i])


def _measure_break(words: Sequence[Word], piece: Sequence[int], gaps: Sequence[str], i: int) -> float:
    gap, low = gaps[i], words[i].lower
    if low in POINTING and (gap.strip() in (".", ";") or piece[i] != piece[i - 1]):
        return SHARED  # "It" goes on with what was said before
    if piece[i] != piece[i - 1] or any(c in gap for c in ".!?\n"):
        return SENTENCE
    if ";" in gap or "–" in gap or "—" in gap:
        return SEMICOLON
    comma = "," in gap
    if low in CONTRASTING and (comma or low not in TIMED):
        return CONTRAST
    if low in JOINING:
        return _measure_joint(words, piece, gaps, i + 1, comma=comma, joined=True)
    if words[i - 1].lower in JOINING | CONTRASTING:
        return NEXT
    if comma:
        return _measure_joint(words, piece, gaps, i, comma=True, joined=False)
    if ":" in gap or "(" in gap or ")" in gap:
        return COLON
    if low in SUBORDINATE or low in INSTEAD or low in TIMED:
        return PART
    return PHRASE if low in PREPOSITIONS and low not in ("of", "per") else NEXT


def _measure_joint(
    words: Sequence[Word], piece: Sequence[int], gaps: Sequence[str], i: int, *, comma: bool, joined: bool
) -> float:
    """The depth of a comma or an "and", by what stands behind it."""
    ahead = _look_ahead(words, piece, gaps, i)
    if not ahead:
        return LIST
    first = words[ahead[0]]
    if first.lower in (RELATIVE if joined else SUBORDINATE):
        return APART
    if begins_with_verb(words, ahead):
        return SHARED
    if any(_is_verb(words, ahead, n) for n in range(1, len(ahead))):
        return CLAUSE if comma else LOOSE_CLAUSE
    return _measure_item(words, i, ahead, joined=joined)


def _measure_item(words: Sequence[Word], i: int, ahead: Sequence[int], *, joined: bool) -> float:
    """The depth of a comma or an "and" before something without a verb."""
    content = sum(is_content(words[k]) for k in ahead)
    prepositions = {words[k].lower for k in ahead} & PREPOSITIONS
    closed = any(kind_of(words[k]) in ("number", "date") or is_denial(words[k]) for k in ahead)
    if closed and (content > 1 or prepositions):
        return GAPPED
    if words[ahead[0]].lower in PREPOSITIONS:
        return ADDED
    if joined and prepositions - {"of"}:
        return GAPPED
    if not joined and _is_apposition(words, i, ahead):
        return APPOSITION
    return LIST + (LONG_ITEM if content > 2 else 0.0)


def _is_apposition(words: Sequence[Word], i: int, ahead: Sequence[int]) -> bool:
    """Whether a noun explains the name before the comma, or a name the noun: "Tom Blix, captain of the Merlin"."""
    before = kind_of(words[i - 1]) == "name"
    names = [kind_of(words[k]) == "name" for k in ahead]
    return before != names[0] if before or all(names) else False


def _is_verb(words: Sequence[Word], ahead: Sequence[int], n: int) -> bool:
    """Whether word n of a part is a verb, by a list, or by its form and the words beside it."""
    word = words[ahead[n]]
    if word.lower in AUXILIARIES or (word.lower in VERBS and word.kind != "number"):
        return True
    if word.kind != "word" or n + 1 >= len(ahead) or not word.lower.endswith(("s", "ed")):
        return False
    after, before = words[ahead[n + 1]], words[ahead[n - 1]]
    follows = after.lower in FOLLOWS_VERB or after.kind in ("number", "name")
    return follows and before.lower not in DETERMINERS | PREPOSITIONS


def begins_with_verb(words: Sequence[Word], ahead: Sequence[int]) -> bool:
    """Whether a part, given by the places of its words, begins with a verb: it has no subject of its own."""
    first = words[ahead[0]]
    second = words[ahead[1]].lower if len(ahead) > 1 else ""
    if first.lower in AUXILIARIES or (is_denial(first) and second in AUXILIARIES):
        return True
    if first.lower in PREPOSITIONS | PRONOUNS | DETERMINERS or first.kind != "word":
        return False
    if first.lower in VERBS:
        return True
    return first.lower.endswith(("s", "ed")) and second in FOLLOWS_VERB


def _look_ahead(words: Sequence[Word], piece: Sequence[int], gaps: Sequence[str], i: int) -> list[int]:
    """The words from i to the next mark or conjunction."""
    out: list[int] = []
    for k in range(i, len(words)):
        joins = words[k].lower in CONTRASTING | JOINING
        if k > i and (joins or piece[k] != piece[k - 1] or any(c in gaps[k] for c in ",;:.!?\n")):
            break
        out.append(k)
    return out
