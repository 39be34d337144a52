"""Which texts the built-in model reads. It was trained on English: of other scripts it knows letters, but no words."""

from unicodedata import name

# Of the letters. With fewer, names in Latin letters still help (`benchmarks/retrieval/scripts.py`).
MOST_FOREIGN = 0.75


def is_readable(text: str) -> bool:
    """Whether a text has no letters, or more than a quarter of them are Latin.

    >>> is_readable("Wo ist der Schlüssel?"), is_readable("Где ключ?"), is_readable("sudo が失敗"), is_readable("42")
    (True, False, True, True)
    """
    letters = [character for character in text if character.isalpha()]
    foreign = sum(not character.isascii() and not name(character, "").startswith("LATIN") for character in letters)
    return foreign < MOST_FOREIGN * len(letters) or not letters
