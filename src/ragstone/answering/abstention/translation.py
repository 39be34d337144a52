"""An abstention in the language of the question, for people who read no English."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from ragstone.core.answers import Answer

TRANSLATIONS = "translations.json"  # each English sentence, or its beginning before names, in other languages


@cache
def load_translations() -> Mapping[str, Mapping[str, str]]:
    """For each English sentence its translations by language. One that ends with a blank is a beginning, which names
    of the question follow."""
    table: Mapping[str, Mapping[str, str]] = json.loads(Path(__file__).with_name(TRANSLATIONS).read_text("utf-8"))
    return table


def translate_abstention(made: Answer, language: str | None) -> Answer:
    """An abstention with its text and its reason in another language than English; an answer stays as it is, and so do
    a model's own words and notes that have no translation."""
    if not made.abstained or language is None:
        return made
    notes = tuple(replace(note, message=translate_sentence(note.message, language)) for note in made.notes)
    return replace(made, text=translate_sentence(made.text, language), notes=notes)


def translate_sentence(sentence: str, language: str) -> str:
    """A sentence of an abstention in another language; itself where it has no translation.

    >>> translate_sentence("The passages found do not mention: Kelvin.", "german")
    'Die gefundenen Stellen erwähnen nicht: Kelvin.'
    >>> translate_sentence("So it is.", "german")
    'So it is.'
    """
    table = load_translations()
    start = next((one for one in table if one.endswith(" ") and sentence.startswith(one)), sentence)
    return table.get(start, {}).get(language, start) + sentence[len(start) :]
