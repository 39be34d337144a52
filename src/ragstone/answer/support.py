"""Whether a sentence that a language model wrote stands in what it cites: found by words, checked by facts."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ragstone.answer.align import WEIGHTS, Aligned, Piece, Source, align, closest
from ragstone.answer.cite import Quote
from ragstone.answer.claims import claimed
from ragstone.answer.denials import denials
from ragstone.answer.disagree import Disagreement, figures, names, opposites, unsaid_extremes
from ragstone.answer.exchanged import exchanged
from ragstone.answer.figures import Word, words
from ragstone.answer.places import spans_at
from ragstone.sentences import sentences
from ragstone.types import Chunk, Verdict

LONGEST = 300  # words of a sentence; what is longer is compared whole or not at all
TRIED = 3  # chunks of the context that are looked at when the cited ones do not support a sentence


@dataclass(frozen=True, slots=True)
class Signs:
    """How well a sentence's words are found, as shares of their weight: `aligned` in the closest sentences, `near`
    elsewhere in the chunks or above them, `longest` in one run. `pieces`: how many sentences it took beyond one,
    `runs`: for each content word; `extremes`: "first", "only" … that are not said; `similar`: the cosine of the sentence and
    the closest passage, None where nobody asked."""

    aligned: float = 0.0
    near: float = 0.0
    longest: float = 0.0
    runs: float = 0.0
    pieces: float = 0.0
    extremes: float = 0.0
    similar: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a check.

    `why`: quoted, found, moved (the marker pointed elsewhere), no_claim; or what is wrong: number, date, unit, name,
    negation, opposite, swapped, not_found, too_long. `quotes` are where it stands; of an unverified sentence the
    closest passages of what it cites. `about` names the words that are said otherwise. `doubtful` are passages
    whose cosine with the sentence may still decide: check again with them in `similar`.
    """

    status: Verdict
    why: str
    quotes: tuple[Quote, ...] = ()
    about: tuple[Disagreement, ...] = ()
    claim: bool = True
    odds: float = 0.0
    doubtful: tuple[str, ...] = ()
    signs: Signs = field(default_factory=Signs)


class Grounds:
    """The chunks that a language model was shown, read once for all sentences of its answer."""

    def __init__(self, context: Sequence[Chunk]) -> None:
        self.sources = [Source(chunk) for chunk in context]

    def check(
        self, sentence: str, cited: Sequence[int], *, similar: Mapping[str, float] | None = None
    ) -> Finding:
        """Whether a sentence, without its markers, stands in the chunks at the places `cited` of the context.

        `verified`: they support it together, or it claims nothing. `repaired`: another chunk of the context does, alone or
        with them. `unverified`: neither. `similar` gives the cosine of the sentence with passages by their text.
        Linear in the length of the context.
        """
        claim = claimed(sentence)
        if not claim:
            return Finding("verified", "no_claim", claim=False)
        mine = [self.sources[n] for n in dict.fromkeys(cited)]
        others = [source for source in self.sources if source not in mine]
        for status, why, sources in (("verified", "quoted", mine), ("repaired", "moved", others)):
            if quote := _quoted(claim, sources):
                return Finding(status, why, (quote,), signs=Signs(1.0, longest=1.0))
        read = words(claim, LONGEST)
        if len(read) > LONGEST:
            return Finding("unverified", "too_long")
        first = _judged(read, mine, similar)
        if first.status == "verified":
            return first
        for source in _likely(read, others)[:TRIED]:
            for sources in ([source], [*mine, source]) if mine else ([source],):
                if (second := _judged(read, sources, similar)).status == "verified":
                    return Finding("repaired", "moved", second.quotes, odds=second.odds, signs=second.signs)
        return first


def check(
    sentence: str, cited: Sequence[Chunk], context: Sequence[Chunk], *, similar: Mapping[str, float] | None = None
) -> Finding:
    """`Grounds.check` for a single sentence; `context` are further chunks that the model was shown.

    >>> from ragstone.types import Document, Span
    >>> text = "Rollo reached Normandy in 911."
    >>> one = Chunk("c", Document("d", "s", "a.md", 1, "", ""), 0, text, (Span(0, 30, 1, 1),))
    >>> [check(said, [one], []).why for said in (text, "In 911, Rollo reached Normandy.", "Rollo reached Normandy in 912.")]
    ['quoted', 'found', 'date']
    """
    return Grounds([*cited, *context]).check(sentence, range(len(cited)), similar=similar)


def _quoted(claim: str, sources: Sequence[Source]) -> Quote | None:
    """The sentence where it stands word by word as whole sentences of a chunk; white space may differ."""
    wanted = " ".join(claim.split())
    for source in sources:
        text = source.chunk.text
        at = text.find(claim)
        if at >= 0:
            start, end = at, at + len(claim)
        else:
            pieces = [(a, b) for a, b in sentences(text) if " ".join(text[a:b].split()) == wanted]
            if not pieces:
                continue
            start, end = pieces[0]
        bounds = sentences(text)
        if any(a == start for a, _ in bounds) and any(b == end for _, b in bounds):
            return Quote(source.chunk, text[start:end], spans_at(source.chunk, start, end), prose=True)
    return None


def _likely(claim: Sequence[Word], sources: Sequence[Source]) -> list[Source]:
    """The sources that hold most of the sentence, best first."""
    weights = {word.key: WEIGHTS[word.kind] for word in claim}
    total = sum(weights.values())
    held = [sum(weight for key, weight in weights.items() if key in source.places) for source in sources]
    order = sorted(range(len(sources)), key=lambda n: (-held[n], n))
    return [sources[n] for n in order if held[n] >= 0.3 * total]


def _judged(claim: Sequence[Word], sources: Sequence[Source], similar: Mapping[str, float] | None) -> Finding:
    pieces = closest(claim, sources)
    if not pieces:
        return Finding("unverified", "not_found")
    found = align(claim, pieces)
    about = (
        *figures(found, sources),
        *names(found, sources),
        *denials(found),
        *opposites(found),
        *exchanged(found),
    )
    quotes = tuple(_quote(piece, found, number) for number, piece in enumerate(pieces))
    signs = _signs(found, sources, quotes, similar)
    model = models()["words" if signs.similar is None else "vectors"]
    odds = model.odds(signs)
    if about:
        return Finding("unverified", about[0].code, quotes, about, odds=odds, signs=signs)
    if odds >= model.verified_from:
        return Finding("verified", "found", quotes, odds=odds, signs=signs)
    doubtful = tuple(quote.text for quote in quotes) if similar is None and odds >= model.doubtful_from else ()
    return Finding("unverified", "not_found", quotes, odds=odds, doubtful=doubtful, signs=signs)


def _quote(piece: Piece, found: Aligned, number: int) -> Quote:
    """The passage as it stands: the sentence whole, for half of one may say something else."""
    first, last = piece.source.words[piece.start], piece.source.words[piece.end - 1]
    text = piece.source.chunk.text
    start, end = next(
        ((a, b) for a, b in sentences(text) if a <= first.start and last.end <= b), (first.start, last.end)
    )
    return Quote(piece.source.chunk, text[start:end], spans_at(piece.source.chunk, start, end), prose=True)


def _signs(
    found: Aligned, sources: Sequence[Source], quotes: Sequence[Quote], similar: Mapping[str, float] | None
) -> Signs:
    weights = [WEIGHTS[word.kind] for word in found.claim]
    total = sum(weights) or 1.0
    content = sum(weight > 0 for weight in weights) or 1
    aligned = sum(weight for weight, j in zip(weights, found.to, strict=True) if j is not None)
    said = {word.key for word in found.passage}
    near = sum(
        weight
        for word, weight, j in zip(found.claim, weights, found.to, strict=True)
        if j is None
        and (word.key in said or any(word.key in source.places or word.key in source.above for source in sources))
    )
    known = [similar[quote.text] for quote in quotes if quote.text in similar] if similar else []
    return Signs(
        aligned=round(aligned / total, 6),
        near=round(near / total, 6),
        longest=round(min(1.0, found.longest / total), 6),
        runs=round(found.runs / content, 6),
        pieces=float(len(found.pieces) - 1),
        extremes=float(unsaid_extremes(found)),
        similar=max(known, default=None),
    )


@dataclass(frozen=True, slots=True)
class Model:
    """Logistic regression over the signs: log-odds that the passage supports the sentence, and from which on it does."""

    base: float
    verified_from: float
    doubtful_from: float
    weights: Mapping[str, float]

    def odds(self, signs: Signs) -> float:
        """The log-odds of support."""
        return round(self.base + sum(w * (getattr(signs, name) or 0.0) for name, w in self.weights.items()), 6)


@cache
def models() -> Mapping[str, Model]:
    """The fitted models: `words` without, `vectors` with cosines. Their numbers stand in `support.json` with the command
    that fitted them and on what."""
    data = json.loads(Path(__file__).with_name("support.json").read_text("utf-8"))
    return {
        name: Model(one["base"], one["verified_from"], one["doubtful_from"], one["weights"])
        for name, one in data["models"].items()
    }
