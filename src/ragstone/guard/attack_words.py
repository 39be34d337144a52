"""Whether a stretch of a text uses the words of attacks on models: the odds that its pairs and triples of words give.

Rules know forms of orders. These weights know the words of people who attack models, fitted on collections of such
attempts and on ordinary text (`benchmarks/guard/fit_words.py`). Single words do not count, and no pair decides by
itself: a text about passwords, prompts or instructions has them too.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from ragstone.core.work_limit import check_work

WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
WINDOW = 48  # words and signs that are weighed together
STEP = WINDOW // 2
PART = 20_000  # characters that are split at once
SCALE = 980  # of the weights as the file keeps them: hundredths, over the root of the 96 features that a window has


class _Model(NamedTuple):
    weights: Mapping[str, int]
    cut: float


def measure_attack_words(text: str) -> float:
    """How far the worst stretch lies above the border, in log-odds; below it, a bound is enough. A short text has no
    more weight than its few words have in a long one."""
    model = _load_model()
    best = -math.inf
    for words in _read_words(text):
        found = _weigh_features(model.weights, words)
        most = sum(weight for weight in found if weight > 0) / SCALE
        if most > model.cut:  # seldom: most text is done here
            best = max(best, *(sum(_weigh_features(model.weights, window)) / SCALE for window in _cut_windows(words)))
        elif found:
            best = max(best, most)
    return best - model.cut


def split_windows(text: str) -> Iterator[list[str]]:
    """The words and signs of a text in lower case, numbers as 0, in stretches that overlap by half."""
    for words in _read_words(text):
        yield from _cut_windows(words)


def _read_words(text: str) -> Iterator[list[str]]:
    for start in range(0, len(text), PART):
        check_work()
        yield ["0" if word[0].isdigit() else word for word in WORD.findall(text[start : start + PART].lower())]


def _cut_windows(words: list[str]) -> Iterator[list[str]]:
    return (words[at : at + WINDOW] for at in range(0, max(1, len(words) - STEP), STEP))


def _weigh_features(known: Mapping[str, int], words: list[str]) -> list[int]:
    return [known[one] for one in known.keys() & set(list_features(words))]


def list_features(words: list[str]) -> Iterator[str]:
    """Pairs and triples of words that stand side by side."""
    yield from map(" ".join, pairwise(words))
    yield from map(" ".join, zip(words, words[1:], words[2:], strict=False))


@cache
def _load_model() -> _Model:
    data = json.loads(files(__package__).joinpath("attack_words.json").read_text("utf-8"))
    return _Model(data["weights"], data["cut"])
