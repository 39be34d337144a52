"""Whether a sentence that a language model wrote stands in what it cites: found by words, checked by facts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType

from ragstone.answering.verification.alignment import (
    WEIGHTS,
    Alignment,
    SourceSentence,
    SourceText,
    align_words,
    find_closest,
)
from ragstone.answering.verification.bindings import measure_binding
from ragstone.answering.verification.citations import Quote
from ragstone.answering.verification.claims import extract_claim
from ragstone.answering.verification.conditions import rewords_bound, rewords_condition
from ragstone.answering.verification.contradictions import Disagreement, find_replacements
from ragstone.answering.verification.contrast import measure_contrast
from ragstone.answering.verification.fact_evidence import find_hits, weigh_facts
from ragstone.answering.verification.facts import FactualText, list_gaps
from ragstone.answering.verification.features import Signs, load_support_models, measure_agreement, measure_alignment
from ragstone.answering.verification.rule_findings import RuleFindings, apply_rules
from ragstone.answering.verification.sides import compare_sides
from ragstone.answering.verification.spans import spans_at
from ragstone.core.comparable_words import Word, parse_words
from ragstone.core.types import Chunk, Verdict

LONGEST = 300  # words of a sentence; what is longer is compared whole or not at all
LEAST = 0.15  # of a sentence that another chunk must hold to be looked at
PLACES = 20  # of a text in a chunk that are looked at for one that begins and ends with sentences
MOST_TRIED = 3  # chunks of the context that are looked at when the cited ones do not support a sentence


SentencePair = tuple[str, str]

# The signs that say why a sentence is doubted where no rule does, and from where on they do.
REASONS = (
    (0.5, "bind_torn", "swapped"),
    (0.5, "rival", "swapped"),
    (0.4, "denial_sure", "negation"),
    (0.4, "denied_sure", "negation"),
    (0.5, "turned", "condition"),
    (1.0, "side_opposite", "bound"),
    (0.5, "mix", "swapped"),
    (0.3, "strange", "replaced"),
)
HOPELESS = 4.0  # log-odds below which no cosine changes the verdict
FOUND, FOUND_ELSEWHERE = 0.4, 0.75  # of a sentence's words that must stand in the closest sentences themselves
QUOTED_SIGNS: Signs = MappingProxyType({"aligned": 1.0, "covered": 1.0, "longest": 1.0})


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
    signs: Signs = field(default_factory=dict)


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
        words = parse_words(claim, LONGEST)
        read = FactualText.read(words, [0] * len(words), list_gaps(claim, words))
        first = _judge_claim(read, mine, similar) if len(words) <= LONGEST else SupportFinding("unverified", "too_long")
        if first.status == "verified":
            return first
        if quote := _find_quote(claim, others):
            return SupportFinding("repaired", "moved", (quote,), signs=QUOTED_SIGNS)
        if first.why == "too_long" or _is_contradicted(first):
            return first
        return self._find_elsewhere(read, mine, others, similar) or first

    def pairs(self, sentence: str, cited: Sequence[int]) -> tuple[SentencePair, ...]:
        """Every pair of texts whose cosine says something of a sentence and what it cites: itself with the closest
        passages, then words with those in whose place they stand."""
        read = parse_words(extract_claim(sentence), LONGEST)
        mine = [self.sources[n] for n in dict.fromkeys(cited)]
        return _similarity_pairs(align_words(read, find_closest(read, mine)))

    def _find_elsewhere(
        self,
        claim: FactualText,
        mine: Sequence[SourceText],
        others: Sequence[SourceText],
        similar: Mapping[SentencePair, float] | None,
    ) -> SupportFinding | None:
        """What another chunk makes of the claim, alone or together with the cited ones."""
        for source in _rank_sources(claim.words, others)[:MOST_TRIED]:
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
    claim: FactualText,
    sources: Sequence[SourceText],
    similar: Mapping[SentencePair, float] | None,
    added: SourceText | None = None,
) -> SupportFinding:
    pieces = find_closest(claim.words, sources)
    if not pieces:
        return SupportFinding("unverified", "not_found")
    found = align_words(claim.words, pieces)
    rules = apply_rules(found, sources)
    quotes = tuple(_quote_sentence(piece) for piece in pieces)
    signs = measure_alignment(found, sources)
    least = FOUND if added is None else FOUND_ELSEWHERE  # several chunks are tried: each needs more
    seen = SupportFinding("unverified", "not_found", quotes, odds=-HOPELESS, signs=signs)
    if signs["aligned"] < least or (added is not None and not _adds_support(found, added)):
        return replace(seen, why=rules.about[0].code if rules.about else "not_found", about=rules.about)
    return _judge_facts(claim, found, rules, seen, similar)


def _judge_facts(
    claim: FactualText,
    found: Alignment,
    rules: RuleFindings,
    seen: SupportFinding,
    similar: Mapping[SentencePair, float] | None,
) -> SupportFinding:
    """The verdict on a sentence whose words are found, by its facts and all signs."""
    passage = _read_passage(found)
    above = {key for piece in found.pieces for key in piece.source.heading_words}
    # What only the heading says is no fact's to hold; the alignment counts it.
    hits = {i: j for i, j in find_hits(claim, passage).items() if j or claim.counted[i].key not in above}
    facts, contrast = weigh_facts(claim, passage, found, hits), measure_contrast(claim, passage, hits)
    reworded = rewords_condition(found) or rewords_bound(found)
    if reworded:  # "only if" for "not … unless": the denials belong to it
        facts = replace(facts, denial=0.0, denied=0.0, denial_sure=0.0, denied_sure=0.0, turned=0.0)
    pairs = _similarity_pairs(found)
    whole, changed = pairs[: len(found.pieces)], pairs[len(found.pieces) :]
    cosines = [similar[pair] for pair in whole if pair in similar] if similar else []
    signs = {**seen.signs, **measure_agreement(found, facts, rules, contrast, compare_sides(claim, passage))}
    signs |= {f"bind_{name}": value for name, value in asdict(measure_binding(claim, passage, hits)).items()}
    signs |= {"extremes": 0.0} if reworded else {}  # that "only" is no extreme
    signs |= {"similar": max(cosines)} if cosines else {}
    model = load_support_models()["vectors" if cosines else "words"]
    seen = replace(seen, odds=model.odds(signs), pairs=pairs, signs=signs)
    strange = [pair for pair in changed if similar and similar.get(pair, 1.0) < model.word_from]
    if strange:
        return replace(seen, why="replaced", about=tuple(Disagreement("replaced", *pair) for pair in strange))
    if seen.odds >= 0:
        return replace(seen, status="verified", why="found", pairs=changed)
    why = rules.about[0].code if rules.about else _name_reason(signs)
    return replace(seen, why=why, about=rules.about, pairs=pairs if seen.odds >= -HOPELESS else ())


def _is_contradicted(first: SupportFinding) -> bool:
    """Whether what a sentence cites says nearly the same and denies it: no other chunk overrules that."""
    return first.why in ("negation", "opposite", "number", "date", "unit") and first.signs.get("aligned", 0.0) >= 0.8


def _name_reason(signs: Signs) -> str:
    """The code of the sign that speaks against a sentence, where no rule does."""
    return next((code for least, name, code in REASONS if signs.get(name, 0.0) >= least), "not_found")


def _read_passage(found: Alignment) -> FactualText:
    """The closest sentences as facts."""
    gaps: list[str] = []
    for piece in found.pieces:
        words = piece.source.words[piece.start : piece.end]
        gaps += ["\n", *list_gaps(piece.source.chunk.text, words)[1:]]
    return FactualText.read(found.passage, found.piece, gaps)


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
