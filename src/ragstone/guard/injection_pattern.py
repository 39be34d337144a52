"""One pattern of an order to a model, and the cheap signs without which it cannot match."""

import re
from dataclasses import dataclass

POLICY = "policy_override_attempt"
TOOL = "tool_call_attempt"
INSTRUCTION = "instruction_like"

# A line's beginning, behind what may stand there: indents, quotes, bullets, numbers, brackets, emphasis.
OPEN = r"\"'“‘«(\[*`"
LINE = rf"^[ \t>+#|~•·–—{OPEN}-]{{0,12}}(?:\d{{1,3}}[.)] {{1,2}}[{OPEN}]{{0,3}})?"
SENTENCE = rf"(?:{LINE}|[.!?]\s{{1,2}}[{OPEN}]{{0,3}})"
START = (
    rf"(?:{LINE}|[.!?:;,\"'“‘«|>(\)*]\s{{0,3}})"
    r"(?:(?:please|now|also|then|always|only|instead|can you|could you"
    r"|you must|you should|and)[ ,]{1,2}){0,3}"
)
EARLIER = (
    r"(?:all|any|every|everything|previous|prior|above|earlier|preceding|foregoing|former|past|your"
    r"|these|those|initial|original|system|given|existing|my|our|other)"
)
RULES = (
    r"(?:instruction|direction|directive|guideline|prompt|rule|command|restriction|safeguard|guardrail"
    r"|assignment|task|order|message|conversation|training|programming|thought|text|info(?:rmation)?|statement"
    r"|request|input)s?"
)
MODEL = (
    r"(?:a\.?i\.?(?: (?:model|assistant|system|agent|bot))?|(?:ai |virtual |digital )?assistant|chat ?bot"
    r"|chat ?gpt|gpt(?:-?\d\S{0,3})?|llm|(?:large )?language model|copilot|gemini)"
)
ANSWER = r"(?:response|answer|reply|replies|responses|answers)"

PARTIAL_TRIGGERS = ("<|", "jailbr", "gpt")  # triggers that need not be whole words
# Text in ASCII to its lower-case words: everything that `\w` does not take becomes a blank.
FOLD = "".join(c.lower() if c.isalnum() or c == "_" else " " for c in map(chr, range(128)))


@dataclass(frozen=True, slots=True)
class InjectionPattern:
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


def gap_pattern(most: int) -> str:
    """A pattern for up to `most` characters inside one sentence, over a wrapped line too."""
    return rf"(?:[^.!?\n]|\n(?!\s)){{0,{most}}}?"


def make_pattern(flag: str, weight: float, needs: str, pattern: str, *words: str) -> InjectionPattern:
    """An order; `words` are its groups, `rules?` standing for `rule` and `rules`."""
    return InjectionPattern(
        flag,
        weight,
        tuple(needs.split("|")),
        re.compile(pattern, re.IGNORECASE | re.MULTILINE),
        tuple(frozenset(form for word in group.split() for form in _expand_forms(word)) for group in words),
    )


def _expand_forms(word: str) -> tuple[str, ...]:
    return (word[:-2], word[:-1]) if word.endswith("s?") else (word,)
