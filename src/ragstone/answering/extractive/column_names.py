"""Names of columns that abbreviate words: `lifeExp` is the life expectancy, `pop` the population."""

from collections.abc import Iterable, Iterator, Set

from ragstone.answering.extractive.table_rows import split_cells
from ragstone.core.analyzer import extract_terms

SHORTEST = 3  # letters of an abbreviation


def find_abbreviated(asked: Set[str], headers: Iterable[str]) -> frozenset[str]:
    """The terms asked for that a column abbreviates, by a name without blanks, as programs write them: each part of the
    name is a term asked for or begins one.

    >>> sorted(find_abbreviated({"popul", "life", "expect", "norway"}, ["country,year,lifeExp,pop"]))
    ['expect', 'popul']
    >>> find_abbreviated({"exposur", "norway"}, ["country,year,lifeExp,pop"])
    frozenset()
    """
    names = (cell for header in headers for cell in split_cells(header) if " " not in cell)
    return frozenset(term for name in names for term in _find_parts(asked, extract_terms(name)))


def _find_parts(asked: Set[str], terms: list[str]) -> Iterator[str]:
    parts = [part for part in terms[len(terms) > 1 :] if part.isalpha()]  # the whole name comes first
    said = [
        {part} & asked or {term for term in asked if len(part) >= SHORTEST and term.startswith(part)} for part in parts
    ]
    if all(said):
        yield from (term for terms in said for term in terms if term not in parts)
