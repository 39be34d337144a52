"""Where in a text a secret could stand: found fast, so that the slow patterns look nowhere else."""

import re
from collections.abc import Iterator, Sequence

TOKEN = 16  # no vendor's token is shorter
RUN = b"w" * TOKEN
TOKEN_CHARACTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_.~+/=:-")
LETTERS = bytes(ord("w") if c in TOKEN_CHARACTERS else ord(" ") for c in range(256))
# Hardly a token has no digit; those that may have none begin like this.
LIKELY = re.compile(r"[0-9]|hf_|api_org_")
MASK_MARK = "[masked:"


def fold_case(text: str) -> str:
    """The text in lower case, in ASCII with one character for each, so that places in it are places in the text."""
    return text.encode("ascii", "replace").decode("ascii").lower()


def find_starts(lower: str, words: Sequence[str]) -> list[int]:
    """Where the words stand, in order; what a mask says of itself does not count."""
    found: set[int] = set()
    for word in words:
        at = lower.find(word)
        while at >= 0:
            found.add(at)
            at = lower.find(word, at + 1)
    return [at for at in sorted(found) if not _is_in_mask(lower, at)] if found else []


def _is_in_mask(lower: str, at: int) -> bool:
    begun = lower.rfind(MASK_MARK, max(0, at - 24), at)
    return begun >= 0 and "]" not in lower[begun:at]


def find_token_runs(lower: str) -> Iterator[tuple[int, int]]:
    """The stretches of characters that tokens are written in, long enough to hold one, that could be one."""
    letters = lower.encode("ascii").translate(LETTERS)
    start = letters.find(RUN)
    while start >= 0:
        end = letters.find(b" ", start + TOKEN)
        end = len(letters) if end < 0 else end
        if LIKELY.search(lower, start, end):
            yield start, end
        start = letters.find(RUN, end)
