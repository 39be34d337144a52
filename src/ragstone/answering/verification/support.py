"""Whether a sentence that a language model wrote stands in what it cites: found by words, checked by facts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragstone.answering.verification.alignment import (
    WEIGHTS,
    Alignment,
    SourceSentence,
    SourceText,
    align_words,
    find_closest,
)
from ragstone.answering.verification.citations import Quote
from ragstone.answering.verification.claims import extract_claim
from ragstone.answering.verification.clauses import compare_clauses
from ragstone.answering.verification.conditions import (
    find_moved_only,
    find_turned_bounds,
    find_turned_conditions,
    find_widened_limits,
    list_bound_words,
    rewords_bound,
    rewords_condition,
)
from ragstone.answering.verification.contradictions import (
    Disagreement,
    find_opposites,
    find_replacements,
    find_wrong_figures,
    find_wrong_names,
)
from ragstone.answering.verification.features import SupportSigns, load_support_models, measure_support
from ragstone.answering.verification.negation import find_denials
from ragstone.answering.verification.order import find_exchanged_words, find_turned_orders
from ragstone.answering.verification.spans import spans_at
from ragstone.answering.verification.swaps import find_swaps
from ragstone.core.comparable_words import Word, parse_words
from ragstone.core.types import Chunk, Verdict

LONGEST = 300  # words of a sentence; what is longer is compared whole or not at all
LEAST = 0.15  # of a sentence that another chunk must hold to be looked at
PLACES = 20  # of a text in a chunk that are looked at for one that begins and ends with sentences
MOST_TRIED = 3  # chunks of the context that are looked at when the cited ones do not support a sentence


SentencePair = tuple[str, str]

QUOTED_SIGNS = SupportSigns(1.0, longest=1.0)


@dataclass(frozen=True, slots=True)
class SupportFinding:
    """The result of a check.

    `why`: quoted, found, moved (the marker pointed elsewhere), no_claim; or what is wrong: number, date, unit, name,
    negation, opposite, swapped, order, condition, bound, only, replaced, not_found, too_long. `quotes` are where it
    stands; of an unverified sentence the closest passages of what it cites. `about` names the words that are said
    otherwise. `pairs` are texts whose cosine may still decide: check again with them in `similar`.
    """

    status: Verdict
    why: str
    quotes: tuple[Quote, ...] = ()
    about: tuple[Disagreement, ...] = ()
    claim: bool = True
    odds: float = 0.0
    pairs: tuple[SentencePair, ...] = ()
    signs: SupportSigns = field(default_factory=SupportSigns)


class GroundingContext:
    """The chunks that a language model was shown, read once for all sentences of its answer."""

    def __init__(self, context: Sequence[Chunk]) -> None:
        self.sources = [SourceText(chunk) for chunk in context]

    def check(
        self, sentence: str, cited: Sequence[int], *, similar: Mapping[SentencePair, float] | None = None
    ) -> SupportFinding:
        """Whether a sentence, with or without its markers, stands in the chunks at the places `cited` of the context.

        `verified`: they support it together, or it claims nothing. `repaired`: another chunk of the context does, alone
        or with them. `unverified`: neither. `similar` gives cosines of pairs of texts, of `pairs` at least;
        without them words alone decide. Linear in the length of sentence and context.
        """
        claim = extract_claim(sentence)
        mine = [self.sources[n] for n in dict.fromkeys(cited)]
        others = [source for n, source in enumerate(self.sources) if n not in cited]
        if quote := _find_quote(sentence, mine) or _find_quote(claim, mine):
            return SupportFinding("verified", "quoted", (quote,), claim=bool(claim), signs=QUOTED_SIGNS)
        if not claim:
            return SupportFinding("verified", "no_claim", claim=False)
        read = parse_words(claim, LONGEST)
        first = _judge_claim(read, mine, similar) if len(read) <= LONGEST else SupportFinding("unverified", "too_long")
        if first.status == "verified":
            return first
        if quote := _find_quote(claim, others):
            return SupportFinding("repaired", "moved", (quote,), signs=QUOTED_SIGNS)
        return first if first.why == "too_long" else self._find_elsewhere(read, mine, others, similar) or first

    def pairs(self, sentence: str, cited: Sequence[int]) -> tuple[SentencePair, ...]:
        """Every pair of texts whose cosine says something of a sentence and what it cites: itself with the closest
        passages, then words with those in whose place they stand."""
        read = parse_words(extract_claim(sentence), LONGEST)
        mine = [self.sources[n] for n in dict.fromkeys(cited)]
        return _similarity_pairs(align_words(read, find_closest(read, mine)))

    def _find_elsewhere(
        self,
        claim: Sequence[Word],
        mine: Sequence[SourceText],
        others: Sequence[SourceText],
        similar: Mapping[SentencePair, float] | None,
    ) -> SupportFinding | None:
        """What another chunk makes of the claim, alone or together with the cited ones."""
        for source in _rank_sources(claim, others)[:MOST_TRIED]:
            for sources in ([source], [*mine, source]) if mine else ([source],):
                found = _judge_claim(claim, sources, similar, added=source)
                if found.status == "verified":
                    return replace(found, status="repaired", why="moved")
        return None


def check_sentence(
    sentence: str,
    cited: Sequence[Chunk],
    context: Sequence[Chunk],
    *,
    similar: Mapping[SentencePair, float] | None = None,
) -> SupportFinding:
    """`GroundingContext.check` for a single sentence; `context` are further chunks that the model was shown.

    >>> from ragstone.core.types import Document, Span
    >>> text = "Rollo reached Normandy in 911."
    >>> one = Chunk("c", Document("d", "s", "a.md", 1, "", ""), 0, text, (Span(0, 30, 1, 1),))
    >>> said = (text, "In 911, Rollo reached Normandy.", "Rollo reached Normandy in 912.")
    >>> [check_sentence(sentence, [one], []).why for sentence in said]
    ['quoted', 'found', 'number']
    """
    return GroundingContext([*cited, *context]).check(sentence, range(len(cited)), similar=similar)


def _find_quote(claim: str, sources: Sequence[SourceText]) -> Quote | None:
    """The claim where it stands as whole sentences of a chunk, word by word; white space may differ."""
    wanted = " ".join(claim.split())
    for source in sources if wanted else ():
        if wanted in source.single_spaced and (place := _find_place(wanted, source)):
            return _make_quote(source, *place)
    return None


def _find_place(wanted: str, source: SourceText) -> tuple[int, int] | None:
    """From where to where sentences of the source are the wanted text."""
    starts, ends = source.marks
    at = -1
    for _ in range(PLACES):
        at = source.single_spaced.find(wanted, at + 1)
        if at < 0:
            break
        if at in starts and at + len(wanted) in ends:
            return starts[at], ends[at + len(wanted)]
    return None


def _make_quote(source: SourceText, start: int, end: int) -> Quote:
    return Quote(source.chunk, source.chunk.text[start:end], spans_at(source.chunk, start, end), prose=True)


def _rank_sources(claim: Sequence[Word], sources: Sequence[SourceText]) -> list[SourceText]:
    """The sources that hold most of the sentence, best first."""
    weights = {word.key: WEIGHTS[word.kind] for word in claim}
    total = sum(weights.values())
    held = [sum(weight for key, weight in weights.items() if key in source.pieces_by_word) for source in sources]
    order = sorted(range(len(sources)), key=lambda n: (-held[n], n))
    return [sources[n] for n in order if held[n] >= LEAST * total]


def _judge_claim(
    claim: Sequence[Word],
    sources: Sequence[SourceText],
    similar: Mapping[SentencePair, float] | None,
    added: SourceText | None = None,
) -> SupportFinding:
    pieces = find_closest(claim, sources)
    if not pieces:
        return SupportFinding("unverified", "not_found")
    found = align_words(claim, pieces)
    about = tuple(_find_disagreements(found, sources))
    quotes = tuple(_quote_sentence(piece) for piece in pieces)
    pairs = _similarity_pairs(found)
    whole, changed = pairs[: len(pieces)], pairs[len(pieces) :]
    signs = measure_support(found, sources, [similar[pair] for pair in whole if pair in similar] if similar else [])
    model = load_support_models()["words" if signs.similar is None else "vectors"]
    seen = SupportFinding("unverified", "not_found", quotes, odds=model.odds(signs), pairs=pairs, signs=signs)
    if about:
        return replace(seen, why=about[0].code, about=about, pairs=())
    if added is not None and not _adds_support(found, added):
        return seen
    strange = [pair for pair in changed if similar and similar.get(pair, 1.0) < model.word_from]
    if strange:
        return replace(seen, why="replaced", about=tuple(Disagreement("replaced", *pair) for pair in strange))
    if seen.odds < model.verified_from:
        return replace(seen, pairs=pairs if seen.odds >= model.doubtful_from else ())
    return replace(seen, status="verified", why="found", pairs=changed)


def _find_disagreements(found: Alignment, sources: Sequence[SourceText]) -> Iterator[Disagreement]:
    """What a sentence says otherwise than its passages, the surest first."""
    yield from find_wrong_figures(found, sources)
    yield from find_wrong_names(found, sources)
    clauses = compare_clauses(found)
    if not clauses.agrees and not rewords_condition(found) and not rewords_bound(found):
        yield from find_denials(found)
    bounds = list_bound_words(found)
    yield from (one for one in find_opposites(found) if one.said not in bounds)
    yield from clauses.mixed
    yield from find_turned_conditions(found)
    yield from find_turned_bounds(found)
    yield from find_widened_limits(found)
    yield from find_moved_only(found)
    yield from find_turned_orders(found)
    yield from find_exchanged_words(found)
    yield from find_swaps(found, clauses.settled)


def _similarity_pairs(found: Alignment) -> tuple[SentencePair, ...]:
    said = " ".join(word.lower for word in found.claim)
    return (*((said, _quote_sentence(piece).text) for piece in found.pieces), *find_replacements(found))


def _adds_support(found: Alignment, source: SourceText) -> bool:
    """Whether a chunk that was not cited says some of the claim, and does not only lend it a name."""
    plain = [
        found.piece[j]
        for word, j in zip(found.claim, found.to, strict=True)
        if j is not None and word.kind == "word" and found.pieces[found.piece[j]].source is source
    ]
    return len(plain) >= min(3, sum(word.kind == "word" for word in found.claim))


def _quote_sentence(piece: SourceSentence) -> Quote:
    """The passage as it stands: the sentence whole, for half of one may say something else."""
    first, last = piece.source.words[piece.start], piece.source.words[piece.end - 1]
    inside = ((a, b) for a, b in piece.source.bounds if a <= first.start and last.end <= b)
    return _make_quote(piece.source, *next(inside, (first.start, last.end)))
