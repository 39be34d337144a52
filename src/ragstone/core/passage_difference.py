"""Whether two texts that are nearly equal say different things: another figure, date, name, denial or opposite."""

from collections.abc import Sequence

from ragstone.core.comparable_words import Word, parse_words_once
from ragstone.core.contrary_words import is_denial, is_opposite

EXACT = frozenset(("number", "month", "name", "code"))
NOT = "not"
# Denials of other languages, and words that turn a condition.
TURNS = frozenset(
    """
    unless nicht kein keine keinen keinem keiner keines nie niemals ohne nichts pas ne jamais sans aucun aucune rien
    nunca sin ningun ninguna nada non mai senza nessun nessuna niet geen nooit zonder нет не без никогда ничего нельзя
    """.split()
)


def differ_in_facts(one: str, other: str) -> bool:
    """Whether two texts differ in a number, unit, date, name, denial or opposite, or have these in another order.

    A text that says more of these than the other differs too. Other words may differ.

    >>> differ_in_facts("Notice is 15 days for all staff.", "Notice is 30 days for all staff.")
    True
    >>> differ_in_facts("Notice is 15 days for all staff.", "Notice is 15 days for all employees.")
    False
    """
    first, second = parse_words_once(one), parse_words_once(other)
    exact = {word.key for word in (*first, *second) if word.kind in EXACT}
    if _list_facts(first, exact) != _list_facts(second, exact):
        return True
    left, right = {word.key for word in first}, {word.key for word in second}
    mine = [word for word in first if word.key not in right]
    theirs = [word for word in second if word.key not in left]
    return any(is_opposite(a, b) for a in mine for b in theirs)


def is_turning(word: Word) -> bool:
    """Whether a word denies, or turns a condition round, in one of several languages."""
    return word.lower in TURNS or is_denial(word)


def _list_facts(words: Sequence[Word], exact: set[str]) -> list[tuple[str, str]]:
    """What must be equal, in order; a word that is a name in one of both texts counts in both."""
    facts = ((NOT, "") if is_turning(word) else (word.key, word.unit) for word in words if _is_fact(word, exact))
    return list(facts)


def _is_fact(word: Word, exact: set[str]) -> bool:
    return word.key in exact or is_turning(word)
