"""Which texts the built-in model reads. It was trained on English: of other scripts it knows letters, but no words."""

from unicodedata import name

# Of the letters. With fewer, names in Latin letters still help (`benchmarks/retrieval/scripts.py`).
MOST_FOREIGN = 0.75
FEWEST = 2  # letters of another script; one alone is a sign such as π or µ


def is_readable(text: str) -> bool:
    """Whether a text has hardly a letter, or more than a quarter of them are Latin.

    >>> is_readable("Wo ist der Schlüssel?"), is_readable("Где ключ?"), is_readable("sudo が失敗"), is_readable("Ω 5")
    (True, False, True, True)
    """
    letters = [character for character in text if character.isalpha()]
    foreign = sum(not character.isascii() and "LATIN" not in name(character, "") for character in letters)
    return foreign < max(FEWEST, MOST_FOREIGN * len(letters))
