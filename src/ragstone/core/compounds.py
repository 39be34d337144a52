"""Compounds of Germanic languages and Finnish, and the words that they are made of.

"Urlaubstage" is found by "Tage Urlaub" and finds it: texts and questions have the stems of the parts beside that of the
whole. A word is cut where a known head ends it or a known modifier begins it. Both come from texts of the language
(`benchmarks/retrieval/compound_parts.py`); what is cut by mistake is cut so everywhere.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

# What may stand between the parts of a compound, and belongs to neither; longer ones last.
LINKS: Mapping[str, tuple[str, ...]] = {
    "german": ("", "s", "es", "n", "en", "er"),
    "dutch": ("", "s", "e", "en"),
    "swedish": ("", "s", "e", "o"),
    "danish": ("", "s", "e"),
    "norwegian": ("", "s", "e"),
    "finnish": ("", "n"),
}
SHORTEST_PART = 4  # letters: shorter words end and begin too many others
SHORTEST_HEAD = 3  # letters of a last part that is a known head and modifier: "urlaubs-tag"
SHORTEST_UNKNOWN = 5  # letters of a last part that is no known head: four are often an ending ("funktion-iert")
PARTS = "compound_parts.json"


class CompoundParts(NamedTuple):
    """The known parts of a language: heads as stems, modifiers as they are written."""

    heads: frozenset[str]
    modifiers: frozenset[str]


def read_parts() -> bytes:
    """The table of known parts, as JSON."""
    return Path(__file__).with_name(PARTS).read_bytes()


@cache
def load_parts(language: str) -> CompoundParts | None:
    """The known parts of a language; None for one whose words are not joined, or for which none are known."""
    if language not in LINKS:
        return None
    data = json.loads(read_parts()).get(language)
    return data and CompoundParts(frozenset(data["heads"].split()), frozenset(data["modifiers"].split()))


def split_compound(word: str, language: str, stem: Callable[[str], str]) -> tuple[str, ...]:
    """The parts of a compound in lower case, and theirs, without the letters that link them; empty for other words.

    >>> from ragstone.core.analyzer import stem_words
    >>> stem_german = lambda word: stem_words([word], "german")[0]
    >>> split_compound("urlaubstage", "german", stem_german)
    ('urlaub', 'tage')
    >>> split_compound("krankenversicherungsbeitrag", "german", stem_german)
    ('kranken', 'versicherungsbeitrag', 'versicherung', 'beitrag')
    """
    parts = load_parts(language)
    if parts is None or len(word) < SHORTEST_PART + SHORTEST_HEAD or not word.isalpha():
        return ()
    found: list[str] = []
    for part in _cut(word, LINKS[language], parts, stem):
        found += [part, *split_compound(part, language, stem)]
    return tuple(found)


def _cut(word: str, links: tuple[str, ...], parts: CompoundParts, stem: Callable[[str], str]) -> tuple[str, ...]:
    """The two parts of a compound: both known if they can be, and of as many known letters as can be."""
    best, cut = (0, 0, 0), tuple[str, ...]()
    for place in range(SHORTEST_PART, len(word) - SHORTEST_HEAD + 1):
        last = word[place:]
        ends = stem(last) in parts.heads and (len(last) >= SHORTEST_PART or last in parts.modifiers)
        for link in links:
            first = word[: place - len(link)]
            if len(first) < SHORTEST_PART or not word.startswith(link, place - len(link)):
                continue
            begins = first in parts.modifiers
            if ends or (begins and len(last) >= SHORTEST_UNKNOWN):
                known = len(first) * begins + len(last) * ends
                worth = (ends + begins, known, 0 if ends else len(link))
                if worth > best:
                    best, cut = worth, (first, last)
    return cut
