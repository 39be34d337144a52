"""Pictures and other data that stand in a text as base64: nobody reads them, and they would be hundreds of chunks."""

import re

SHORTEST = 1000  # characters of a run without a blank that is no word, address or key of any kind
LEAST = 0.03  # of each: capitals, small letters, digits
LOOKED_AT = 4000  # characters of a run that tell its kind
MARK = "…"  # in place of a run: JSON and other formats stay what they are
# A run begins where the character before it is none of its own, so that no position is tried twice.
RUN = re.compile(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{SHORTEST},}}+={{0,2}}")


def leave_out_encoded(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with a mark in place of each run of base64 on one line, and a warning that counts what was left out.

    Lines keep their numbers. Sequences of few letters, such as hexadecimal digits or genes, stay.

    >>> leave_out_encoded("![plan](data:image/png;base64," + 50 * "iVBORw0KGgoAAAANSUhEUgAA" + ")")
    ('![plan](data:image/png;base64,…)', ('1,200 characters of encoded data (base64) were left out in 1 place',))
    """
    if len(text) < SHORTEST:
        return text, ()
    sizes: list[int] = []

    def replace(match: re.Match[str]) -> str:
        if not _is_encoded(match[0][:LOOKED_AT]):
            return match[0]
        sizes.append(len(match[0]))
        return MARK

    kept = RUN.sub(replace, text)
    if not sizes:
        return text, ()
    places = "1 place" if len(sizes) == 1 else f"{len(sizes):,} places"
    return kept, (f"{sum(sizes):,} characters of encoded data (base64) were left out in {places}",)


def _is_encoded(run: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdigit)
    return all(sum(map(kind, run)) >= LEAST * len(run) for kind in kinds)
