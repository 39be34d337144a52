"""Pictures and other data that stand in a text as base64: nobody reads them, and they would be hundreds of chunks."""

import re

SHORTEST = 1000  # characters of a run without a blank that is no word, address or key of any kind
LEAST = 0.03  # of each: capitals, small letters, digits
LOOKED_AT = 4000  # characters of a run that tell its kind
MARK = "…"  # in place of a run: JSON and other formats stay what they are
# A run begins where the character before it is none of its own, so that no position is tried twice.
RUN = re.compile(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{SHORTEST},}}+={{0,2}}")
BREAK = re.compile(r"\r?\n")
# The same over many lines, as mails, cards and certificates wrap it: each line full, the last one shorter. A key or
# certificate keeps its lines below "-----BEGIN": it is for the search of secrets to judge.
WRAPPED = re.compile(
    r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{48,}+(?:\r?\n[ \t]{0,40}[A-Za-z0-9+/_-]{56,}+){8,}+"
    r"(?:\r?\n[ \t]{0,40}[A-Za-z0-9+/_-]{1,}+)?+={0,2}(?![^\S\n]*\S)"
)


def leave_out_encoded(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with a mark in place of each run of base64, on one line or wrapped, and a warning that counts what was
    left out.

    Lines keep their numbers. Sequences of few letters, such as hexadecimal digits or genes, stay.

    >>> leave_out_encoded("![plan](data:image/png;base64," + 50 * "iVBORw0KGgoAAAANSUhEUgAA" + ")")
    ('![plan](data:image/png;base64,…)', ('1,200 characters of encoded data (base64) were left out in 1 place',))
    """
    if len(text) < SHORTEST:
        return text, ()
    sizes: list[int] = []

    def replace(match: re.Match[str]) -> str:
        run = "".join(match[0].split())
        if match.string[max(0, match.start() - 8) : match.start()].rstrip().endswith("-----"):
            return match[0]
        if len(run) < SHORTEST or not _is_encoded(run[:LOOKED_AT]):
            return match[0]
        sizes.append(len(run))
        return MARK + "".join(BREAK.findall(match[0]))

    kept = WRAPPED.sub(replace, RUN.sub(replace, text))
    if not sizes:
        return text, ()
    places = "1 place" if len(sizes) == 1 else f"{len(sizes):,} places"
    return kept, (f"{sum(sizes):,} characters of encoded data (base64) were left out in {places}",)


def _is_encoded(run: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdigit)
    return all(sum(map(kind, run)) >= LEAST * len(run) for kind in kinds)
