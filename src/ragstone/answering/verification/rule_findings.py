"""The contradictions that rules find in a sentence: none decides alone, all are weighed."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from ragstone.answering.verification.alignment import Alignment, SourceText
from ragstone.answering.verification.clauses import ClauseFindings, compare_clauses
from ragstone.answering.verification.conditions import (
    find_moved_only,
    find_turned_bounds,
    find_turned_conditions,
    find_widened_limits,
    list_bound_words,
    rewords_bound,
    rewords_condition,
)
from ragstone.answering.verification.contradictions import (
    Disagreement,
    find_opposites,
    find_wrong_figures,
    find_wrong_names,
)
from ragstone.answering.verification.negation import find_denials
from ragstone.answering.verification.order import find_exchanged_words, find_turned_orders
from ragstone.answering.verification.swaps import find_swaps


@dataclass(frozen=True)
class RuleFindings:
    """The contradictions of a sentence, the surest first, and the findings on its parallel clauses."""

    about: tuple[Disagreement, ...]
    clauses: ClauseFindings
    pieces: int  # sentences of the passage

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of the contradictions."""
        return frozenset(one.code for one in self.about)

    @cached_property
    def signs(self) -> frozenset[str]:
        """The codes, with `mixed` where parallel clauses are mixed and `figure` where figures change places."""
        mixed = any(one in self.clauses.mixed for one in self.about)
        figure = any(one.code == "swapped" and one.said[:1].isdigit() for one in self.about)
        return self.codes | ({"mixed"} if mixed else set()) | ({"figure"} if figure else set())

    def exchanges(self, said: Set[str]) -> bool:
        """Whether two words that are both said change places, and not one that is not said."""
        return any(one.code == "swapped" and said >= {*one.stands.split()} for one in self.about)


def apply_rules(found: Alignment, sources: Sequence[SourceText]) -> RuleFindings:
    """The findings of all rules."""
    clauses = compare_clauses(found)
    return RuleFindings(tuple(_find_disagreements(found, sources, clauses)), clauses, len(found.pieces))


def _find_disagreements(
    found: Alignment, sources: Sequence[SourceText], clauses: ClauseFindings
) -> Iterator[Disagreement]:
    yield from find_wrong_figures(found, sources)
    yield from find_wrong_names(found, sources)
    if not clauses.agrees and not rewords_condition(found) and not rewords_bound(found):
        yield from find_denials(found)
    bounds = list_bound_words(found)
    yield from (one for one in find_opposites(found) if one.said not in bounds)
    if not found.is_unbroken:
        yield from clauses.mixed
    yield from find_turned_conditions(found)
    yield from find_turned_bounds(found)
    yield from find_widened_limits(found)
    yield from find_moved_only(found)
    if not found.is_unbroken:
        yield from find_turned_orders(found)
        yield from find_exchanged_words(found)
        yield from find_swaps(found, clauses.settled)
