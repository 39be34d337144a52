"""Where in a text a secret could stand: found fast, so that the slow patterns look nowhere else."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

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


@dataclass(frozen=True)
class Places:
    """A text in lower case, and where in it the words stand that lead to secrets."""

    lower: str
    starts: Mapping[str, Sequence[int]]

    def find(self, words: Iterable[str]) -> list[int]:
        """Where these words stand, in order, each place once."""
        found = [self.starts[word] for word in words if word in self.starts] if self.starts else []
        return sorted(set().union(*found)) if found else []

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """The stretches of characters that tokens are written in, long enough to hold one, that could be one."""
        return list(_find_token_runs(self.lower))


class WordFinder:
    """Finds many words in one pass, because texts are long and words are rare."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._pattern: re.Pattern[str] | None = None
        self._longer: dict[str, list[str]] = {}

    def find(self, lower: str) -> Places:
        """Where the words stand in a text in lower case; what a mask says of itself does not count."""
        pattern = self._pattern or self._compile()
        found: dict[str, list[int]] = {}
        match = pattern.search(lower)
        while match:
            at = match.start()
            if not _is_in_mask(lower, at):
                for word in self._longer[match[0]]:
                    if lower.startswith(word, at):
                        found.setdefault(word, []).append(at)
            match = pattern.search(lower, at + 1)
        return Places(lower, found)

    def _compile(self) -> re.Pattern[str]:
        """A tree of letters, which ends with the shortest word of each branch."""
        for word in sorted(self._words):
            shortest = next(word[:end] for end in range(1, len(word) + 1) if word[:end] in self._words)
            self._longer.setdefault(shortest, []).append(word)
        self._pattern = re.compile(_write_tree(sorted(self._longer)))
        return self._pattern


def _write_tree(words: Sequence[str]) -> str:
    """The words as one pattern; none of them begins with another."""
    branches: dict[str, list[str]] = {}
    for word in words:
        branches.setdefault(word[:1], []).append(word[1:])
    if "" in branches:
        return ""
    written = [re.escape(letter) + _write_tree(rest) for letter, rest in branches.items()]
    return written[0] if len(written) == 1 else f"(?:{'|'.join(written)})"


def _is_in_mask(lower: str, at: int) -> bool:
    begun = lower.rfind(MASK_MARK, max(0, at - 24), at)
    return begun >= 0 and "]" not in lower[begun:at]


def _find_token_runs(lower: str) -> Iterator[tuple[int, int]]:
    letters = lower.encode("ascii").translate(LETTERS)
    start = letters.find(RUN)
    while start >= 0:
        end = letters.find(b" ", start + TOKEN)
        end = len(letters) if end < 0 else end
        if LIKELY.search(lower, start, end):
            yield start, end
        start = letters.find(RUN, end)
