"""Whether a sentence that a language model wrote stands in what it cites: found by words, checked by facts."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from ragstone.answer.align import WEIGHTS, Aligned, Piece, Source, align, closest
from ragstone.answer.cite import Quote
from ragstone.answer.claims import claimed
from ragstone.answer.denials import denials
from ragstone.answer.disagree import Disagreement, figures, names, opposites, replaced, unsaid_extremes
from ragstone.answer.exchanged import exchanged
from ragstone.answer.figures import Word, words
from ragstone.answer.places import spans_at
from ragstone.sentences import sentences
from ragstone.types import Chunk, Verdict

LONGEST = 300  # words of a sentence; what is longer is compared whole or not at all
LEAST = 0.15  # of a sentence that another chunk must hold to be looked at
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


Pair = tuple[str, str]
QUOTED = Signs(1.0, longest=1.0)


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a check.

    `why`: quoted, found, moved (the marker pointed elsewhere), no_claim; or what is wrong: number, date, unit, name,
    negation, opposite, swapped, replaced, not_found, too_long. `quotes` are where it stands; of an unverified
    sentence the closest passages of what it cites. `about` names the words that are said otherwise. `pairs` are
    texts whose cosine may still decide: check again with them in `similar`.
    """

    status: Verdict
    why: str
    quotes: tuple[Quote, ...] = ()
    about: tuple[Disagreement, ...] = ()
    claim: bool = True
    odds: float = 0.0
    pairs: tuple[Pair, ...] = ()
    signs: Signs = field(default_factory=Signs)


class Grounds:
    """The chunks that a language model was shown, read once for all sentences of its answer."""

    def __init__(self, context: Sequence[Chunk]) -> None:
        self.sources = [Source(chunk) for chunk in context]

    def check(self, sentence: str, cited: Sequence[int], *, similar: Mapping[Pair, float] | None = None) -> Finding:
        """Whether a sentence, with or without its markers, stands in the chunks at the places `cited` of the context.

        `verified`: they support it together, or it claims nothing. `repaired`: another chunk of the context does, alone
        or with them. `unverified`: neither. `similar` gives cosines of pairs of texts, of `Finding.pairs` at least;
        without them words alone decide. Linear in the length of sentence and context.
        """
        claim = claimed(sentence)
        if not claim:
            return Finding("verified", "no_claim", claim=False)
        mine = [self.sources[n] for n in dict.fromkeys(cited)]
        others = [source for n, source in enumerate(self.sources) if n not in cited]
        if quote := _quoted(claim, mine):
            return Finding("verified", "quoted", (quote,), signs=QUOTED)
        read = words(claim, LONGEST)
        first = _judged(read, mine, similar) if len(read) <= LONGEST else Finding("unverified", "too_long")
        if first.status == "verified":
            return first
        if quote := _quoted(claim, others):
            return Finding("repaired", "moved", (quote,), signs=QUOTED)
        return first if first.why == "too_long" else self._moved(read, mine, others, similar) or first

    def pairs(self, sentence: str, cited: Sequence[int]) -> tuple[Pair, ...]:
        """Every pair of texts whose cosine says something of a sentence and what it cites: itself with the closest
        passages, then words with those in whose place they stand."""
        read = words(claimed(sentence), LONGEST)
        mine = [self.sources[n] for n in dict.fromkeys(cited)]
        return _pairs(align(read, closest(read, mine)))

    def _moved(
        self, claim: Sequence[Word], mine: Sequence[Source], others: Sequence[Source], similar: Mapping[Pair, float] | None
    ) -> Finding | None:
        """What another chunk makes of the claim, alone or together with the cited ones."""
        for source in _likely(claim, others)[:TRIED]:
            for sources in ([source], [*mine, source]) if mine else ([source],):
                found = _judged(claim, sources, similar, added=source)
                if found.status == "verified":
                    return replace(found, status="repaired", why="moved")
        return None


def check(
    sentence: str, cited: Sequence[Chunk], context: Sequence[Chunk], *, similar: Mapping[Pair, float] | None = None
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
    return [sources[n] for n in order if held[n] >= LEAST * total]


def _judged(
    claim: Sequence[Word], sources: Sequence[Source], similar: Mapping[Pair, float] | None, added: Source | None = None
) -> Finding:
    pieces = closest(claim, sources)
    if not pieces:
        return Finding("unverified", "not_found")
    found = align(claim, pieces)
    about = (
        *figures(found, sources), *names(found, sources), *denials(found), *opposites(found), *exchanged(found),
    )  # fmt: skip
    quotes = tuple(_quote(piece) for piece in pieces)
    pairs = _pairs(found)
    whole, changed = pairs[: len(pieces)], pairs[len(pieces) :]
    signs = _signs(found, sources, [similar[pair] for pair in whole if pair in similar] if similar else [])
    model = models()["words" if signs.similar is None else "vectors"]
    seen = Finding("unverified", "not_found", quotes, odds=model.odds(signs), pairs=pairs, signs=signs)
    if about:
        return replace(seen, why=about[0].code, about=about, pairs=())
    if added is not None and not _adds(found, added):
        return seen
    strange = [pair for pair in changed if similar and similar.get(pair, 1.0) < model.word_from]
    if strange:
        return replace(seen, why="replaced", about=tuple(Disagreement("replaced", *pair) for pair in strange))
    if seen.odds < model.verified_from:
        return replace(seen, pairs=pairs if seen.odds >= model.doubtful_from else ())
    return replace(seen, status="verified", why="found", pairs=changed)


def _pairs(found: Aligned) -> tuple[Pair, ...]:
    said = " ".join(word.lower for word in found.claim)
    return (*((said, _quote(piece).text) for piece in found.pieces), *replaced(found))


def _adds(found: Aligned, source: Source) -> bool:
    """Whether a chunk that was not cited says some of the claim, and does not only lend it a name."""
    plain = [
        found.piece[j]
        for word, j in zip(found.claim, found.to, strict=True)
        if j is not None and word.kind == "word" and found.pieces[found.piece[j]].source is source
    ]
    return len(plain) >= min(3, sum(word.kind == "word" for word in found.claim))


def _quote(piece: Piece) -> Quote:
    """The passage as it stands: the sentence whole, for half of one may say something else."""
    first, last = piece.source.words[piece.start], piece.source.words[piece.end - 1]
    text = piece.source.chunk.text
    start, end = next(
        ((a, b) for a, b in sentences(text) if a <= first.start and last.end <= b), (first.start, last.end)
    )
    return Quote(piece.source.chunk, text[start:end], spans_at(piece.source.chunk, start, end), prose=True)


def _signs(found: Aligned, sources: Sequence[Source], cosines: Sequence[float]) -> Signs:
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
    return Signs(
        aligned=round(aligned / total, 6),
        near=round(near / total, 6),
        longest=round(min(1.0, found.longest / total), 6),
        runs=round(found.runs / content, 6),
        pieces=float(len(found.pieces) - 1),
        extremes=float(unsaid_extremes(found)),
        similar=max(cosines, default=None),
    )


@dataclass(frozen=True, slots=True)
class Model:
    """Logistic regression over the signs: log-odds that the passage supports the sentence, and from which on it does."""

    base: float
    verified_from: float
    doubtful_from: float
    word_from: float
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
        name: Model(one["base"], one["verified_from"], one["doubtful_from"], one["word_from"], one["weights"])
        for name, one in data["models"].items()
    }
