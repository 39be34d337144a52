"""Numbers with their nouns, for sentences that people read."""


def format_count(number: int, one: str, many: str = "") -> str:
    """A number with its noun; give `many` for an irregular plural or a plural with a verb.

    >>> format_count(1, "sentence"), format_count(0, "sentence"), format_count(2, "sentence is", "sentences are")
    ('1 sentence', '0 sentences', '2 sentences are')
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"
