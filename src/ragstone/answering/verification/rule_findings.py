"""The contradictions that rules find in a sentence, and how far each rule decides by itself."""

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

# Rules that hardly ever err on true sentences: they decide alone. The next ones do where nearly all of the sentence
# stands in one fact, so that nothing is said in other words; a condition besides in one sentence of the passage only,
# for of two joined ones each has its own, and figures in each other's place. The others are weighed.
DECIDING = frozenset("number date unit order only opposite".split())
DECIDING_IF_FOUND = frozenset("bound name negation".split())
FOUND = 0.8


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

    def exchanges(self, said: Set[str]) -> bool:
        """Whether two words that are both said change places, and not one that is not said."""
        return any(one.code == "swapped" and said >= {*one.stands.split()} for one in self.about)

    def list_deciding(self, covered: float = 0.0) -> tuple[Disagreement, ...]:
        """Contradictions that need no weighing; `covered` is how much of the sentence stands in its facts, as far as it
        was asked for."""
        return tuple(
            one
            for one in self.about
            if one.code in DECIDING
            or (covered >= FOUND and (one.code in DECIDING_IF_FOUND or one in self.clauses.mixed))
            or (covered >= FOUND and one.code == "condition" and self.pieces == 1)
            or (covered >= FOUND and one.code == "swapped" and one.said[:1].isdigit())
        )


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
