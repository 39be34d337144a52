"""The share of the passages that fits into a context."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ragstone.answering.verification.spans import spans_at
from ragstone.core.sentences import split_sentences
from ragstone.core.types import Hit


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens for all, tokens of it kept for prompt and answer, how many chunks."""

    tokens: int = 6000
    overhead: int = 1000
    chunks: int = 12


def fit_budget(
    hits: Sequence[Hit],
    count: Callable[[str], int],
    *,
    budget: Budget | None = None,
    frame: Callable[[Hit], int] = lambda _: 0,
) -> list[Hit]:
    """The hits from the best down while they fit; the first that does not fit is shortened at a sentence and ends the
    list.

    `count` gives the tokens of a text, `frame` those that stand around it. A hit of which no whole sentence fits is
    left out.
    """
    budget = budget or Budget()
    left = budget.tokens - budget.overhead
    out: list[Hit] = []
    for hit in hits[: budget.chunks]:
        left -= frame(hit)
        tokens = count(hit.chunk.text)
        if tokens > left:
            part = _cut_hit(hit, left, count)
            return [*out, part] if part else out
        out.append(hit)
        left -= tokens
    return out


def _cut_hit(hit: Hit, most: int, count: Callable[[str], int]) -> Hit | None:
    """The beginning of a hit, up to the end of the last sentence that fits; no heading of what is gone ends it."""
    chunk = hit.chunk
    places = split_sentences(chunk.text)
    fitting = bisect_right(places, most, key=lambda place: count(chunk.text[: place[1]]))
    while fitting and chunk.text.startswith("#", places[fitting - 1][0]):
        fitting -= 1
    if not fitting:
        return None
    end = places[fitting - 1][1]
    text = chunk.text[:end]
    return replace(hit, chunk=replace(chunk, text=text, spans=spans_at(chunk, 0, end), tokens=count(text)))
