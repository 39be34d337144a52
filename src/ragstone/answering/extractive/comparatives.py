"""Comparatives of questions about two things, which compare the column that the superlative of that word compares."""

import re
from collections.abc import Sequence

from ragstone.answering.extractive.column_values import TIME
from ragstone.answering.extractive.superlatives import DENIES, Measure, Superlative, find_superlative
from ragstone.core.analyzer import extract_terms
from ragstone.core.late_pattern import compile_late

WORDS: Sequence[tuple[str, str]] = (
    ("cheaper|less expensive|less costly|costs? less", "cheapest"),
    ("more expensive|dearer|costlier|pricier|more costly|costs? more", "dearest"),
    ("older", "oldest"),
    ("newer|younger", "newest"),
    ("more recent|later", "latest"),
    ("earlier|sooner", "earliest"),
    ("longer", "longest"),
    ("shorter", "shortest"),
    ("heavier", "heaviest"),
    ("lighter", "lightest"),
    ("taller", "tallest"),
    ("deeper", "deepest"),
    ("wider", "widest"),
    ("faster|quicker", "fastest"),
    ("slower", "slowest"),
    ("better", "best"),
    ("worse", "worst"),
    ("warmer|hotter", "warmest"),
    ("colder", "coldest"),
    ("larger|bigger", "largest"),
    ("smaller", "smallest"),
    ("more|higher|greater", "most"),
    ("less|lower|fewer", "least"),
)
PATTERN = compile_late(
    r"(?<![\w-])(?<!\bno )(?:" + "|".join(f"(?P<w{i}>{words})" for i, (words, _) in enumerate(WORDS)) + r")(?![\w-])",
    re.IGNORECASE,
)
TWO = re.compile(r"\b(?:or|than|between|compared)\b", re.IGNORECASE)
MOVES = {"fastest": False, "slowest": True}  # of the time that something takes
TAKES = Measure(("delivery", "transit", "duration", "time", "takes", "lead"), frozenset((TIME,)))


def find_comparatives(question: str) -> list[Superlative]:
    """The comparative of a question about two things, as superlatives, one for each measure that it may be of; none
    where there is no comparative, or several.

    >>> [one.highest for one in find_comparatives("Which is cheaper, Solo or Team?")]
    [False]
    >>> [one.highest for one in find_comparatives("Is the ferry faster than the bus?")], find_comparatives("Any more?")
    ([True, False], [])
    """
    found = list(PATTERN.finditer(question))
    if len(found) != 1 or not TWO.search(question) or DENIES.search(question):
        return []
    [match] = found
    word = WORDS[int((match.lastgroup or "w0")[1:])][1]
    asked = find_superlative(f"{word}{question[match.end() :]}")
    if asked is None:
        return []
    terms = frozenset(extract_terms(match[0]))
    out = [Superlative(asked.highest, asked.measure, terms, asked.named)]
    if word in MOVES:
        out.append(Superlative(MOVES[word], TAKES, terms, asked.named))
    return out
