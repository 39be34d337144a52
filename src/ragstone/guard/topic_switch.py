"""Whether a text asks for something that has nothing to do with the rest of it: the odds that its signs give.

An e-mail or a table that ends with "Suggest a film for tonight." does not speak to its reader any more. Documentation
asks too, but of what it is about.
"""

import json
import math
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ragstone.core.work_limit import check_work
from ragstone.guard.request_signs import NAMES, SignValues, TextScene
from ragstone.guard.requests import RequestSentence, read_sentences

WINDOW = 4000  # characters that are looked at together: a chunk, or a part of a longer text
CONTEXT = 12  # words that ask for nothing: with fewer, nobody can tell what a request is misplaced in
MOST = 24  # sentences of a window that are weighed


class _Model(NamedTuple):
    weights: tuple[float, ...]
    base: float
    cut: float


def measure_switch(text: str) -> float:
    """How far the log-odds that something in a text is asked of a model lie above the border; minus infinity where
    nothing is asked."""
    model = _load_model()
    odds = (model.base + sum(map(float.__mul__, model.weights, signs)) for _, signs in find_switches(text))
    return max(odds, default=-math.inf) - model.cut


@cache
def _load_model() -> _Model:
    data = json.loads(files(__package__).joinpath("switch.json").read_text("utf-8"))  # benchmarks/guard/fit_switch.py
    return _Model(tuple(float(data["weights"][name]) for name in NAMES), data["base"], data["cut"])


def find_switches(text: str) -> Iterator[tuple[RequestSentence, SignValues]]:
    """The sentences of a text that ask for something, with their signs."""
    for start, end in _split_windows(text):
        check_work()
        said = list(read_sentences(text, start, end))
        asking = [one for one in said if one.is_request]
        if asking and sum(len(one.words) for one in said if not one.is_request) >= CONTEXT:
            scene = TextScene(text, said)
            yield from (
                (one, scene.measure_signs(one)) for one in asking[: MOST // 2] + asking[MOST // 2 :][-MOST // 2 :]
            )


def _split_windows(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = min(len(text), start + WINDOW)
        if end < len(text):
            end = text.rfind("\n", start + WINDOW // 2, end) + 1 or end
        yield start, end
        start = end
