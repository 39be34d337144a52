"""One pattern of an order to a model, and the cheap signs without which it cannot match."""

import re
from dataclasses import dataclass

POLICY = "policy_override_attempt"
TOOL = "tool_call_attempt"
INSTRUCTION = "instruction_like"

PARTS = ("<|", "jailbr", "gpt")  # triggers that need not be whole words
# Text in ASCII to its lower-case words: everything that `\w` does not take becomes a blank.
FOLD = "".join(c.lower() if c.isalnum() or c == "_" else " " for c in map(chr, range(128)))


@dataclass(frozen=True, slots=True)
class Order:
    """A pattern, the flag that it raises, how sure it is (0 to 1), and what a text must hold to match it.

    `needs` are substrings of the lower-case text, one of which is needed. `words` are groups, of each
    of which one whole word is needed; they are asked of ASCII texts only, where `\\b` and letter case
    hold no surprise. On documentation they leave a tenth of the patterns to be searched for.
    """

    flag: str
    weight: float
    needs: tuple[str, ...]
    pattern: re.Pattern[str]
    words: tuple[frozenset[str], ...] = ()


def gap(most: int) -> str:
    """Up to so many characters inside one sentence, over a wrapped line too."""
    return rf"(?:[^.!?\n]|\n(?!\s)){{0,{most}}}?"


def order(flag: str, weight: float, needs: str, pattern: str, *words: str) -> Order:
    """An order; `words` are its groups, `rules?` standing for `rule` and `rules`."""
    return Order(
        flag,
        weight,
        tuple(needs.split("|")),
        re.compile(pattern, re.IGNORECASE | re.MULTILINE),
        tuple(frozenset(form for word in group.split() for form in _forms(word)) for group in words),
    )


def _forms(word: str) -> tuple[str, ...]:
    return (word[:-2], word[:-1]) if word.endswith("s?") else (word,)
