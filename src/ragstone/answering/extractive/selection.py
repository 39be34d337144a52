"""An answer without a language model: the sentences of the found chunks that answer best, quoted whole."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ragstone.answering.extractive.passages import LONGEST_CODE, Passage, chunk_passages, chunk_title, split_passages
from ragstone.answering.extractive.question_analysis import QuestionAnalysis, answers_kind
from ragstone.answering.verification.citations import Quote
from ragstone.answering.verification.spans import spans_at
from ragstone.core.analyzer import extract_terms
from ragstone.core.types import Chunk, Hit


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """How much each sign counts, and how many passages an answer has.

    `similarity`, `rank_passages`, `kind`, `near`, `adds` and `half` were compared on the questions of SQuAD 2.0, CLAP
    NQ and the demo (`benchmarks/answers/extractive.py`): all are flat about these values. The rest was set by hand.
    """

    most: int = 3
    near: float = 0.7  # a further passage of the kind asked for has this share of the best one's score and coverage,
    adds: float = 0.15  # or adds this share of the question's mass
    half: float = 0.6  # and has this share of the score
    context: float = 0.35  # a term in heading, title or the sentence before counts so much
    kind: float = 0.2
    pairs: float = 0.15  # terms that stand next to each other in the question and in the passage
    similarity: float = 1.2
    rank: float = 0.2  # for the first hit; the second has half of it, and so on
    hits: int = 8
    alike: float = 0.8


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage with what speaks for it: its score, the share of the question's mass that it covers, its kind,
    its cosine with the question where that is known."""

    passage: Passage
    score: float
    covered: frozenset[str]
    coverage: float
    typed: bool
    similar: float | None = None


PRONOUN = re.compile(r"(?:It|This|These|They|He|She|That|Those|Its|Their|His|Her|Such|Here)\b")
INTRODUCES = re.compile(r"(?:[:：]|as follows|following)[\"'”*_`)\s]*\.?$")
ASKS_SOURCE = frozenset(extract_terms("source origin quelle fuente fonte bron"))
ITEMS = 10
FOLLOWS = 900


def rank_passages(
    question: QuestionAnalysis, hits: Sequence[Hit], *, how: SelectionOptions | None = None
) -> list[ScoredPassage]:
    """All passages, best first, but headings, markup, and code where it is not asked for how something is done."""
    how = how or SelectionOptions()
    scored = [
        _score_passage(question, passage, around, how)
        for pieces in split_passages(hits[: how.hits])
        for passage, around in _iterate_with_context(pieces)
        if _may_answer(question, passage)
    ]
    return sorted(scored, key=_passage_order)


def apply_similarity(
    scored: Sequence[ScoredPassage], similar: Mapping[str, float], *, how: SelectionOptions | None = None
) -> list[ScoredPassage]:
    """The passages, best first, after comparing the best few with the question by their vectors.

    `similar` gives the cosine by the passage's text. Passages without a cosine keep their place.
    """
    share = (how or SelectionOptions()).similarity
    known = ((one, similar.get(one.passage.text)) for one in scored)
    return sorted(
        (one if s is None else replace(one, score=round(one.score + share * s, 6), similar=s) for one, s in known),
        key=_passage_order,
    )


def _passage_order(scored: ScoredPassage) -> tuple[float, int, int]:
    return (-scored.score, scored.passage.hit, scored.passage.start)


def _may_answer(question: QuestionAnalysis, passage: Passage) -> bool:
    if passage.form == "code":
        return question.kind in ("how_to", "other") and passage.end - passage.start <= LONGEST_CODE
    if passage.row is not None and passage.row.kind == "header":
        return False
    if passage.form == "source":
        return bool(ASKS_SOURCE & question.weights.keys())
    return passage.form not in ("heading", "noise") and len(passage.terms) > 1


def _score_passage(
    question: QuestionAnalysis, passage: Passage, beside: frozenset[str], how: SelectionOptions
) -> ScoredPassage:
    mass = question.total_weight or 1.0
    covered = frozenset(question.weights.keys() & passage.terms)
    around = (question.weights.keys() & beside) - covered
    coverage = _sum_weights(question, covered) / mass
    typed = answers_kind(question, passage.text, passage.terms)
    score = (
        coverage
        + how.context * _sum_weights(question, around) / mass
        + how.kind * typed
        + how.pairs * _pair_share(question, passage)
        + how.rank / (1 + passage.hit)
        - _length_penalty(passage)
    )
    return ScoredPassage(passage, round(score, 6), covered, round(coverage, 6), typed)


def read_whole(question: QuestionAnalysis, hit: Hit, rank: int) -> ScoredPassage:
    """A hit's whole chunk as one passage, as similar to the question as the chunk is."""
    passage = Passage(rank, 0, hit.chunk, 0, len(hit.chunk.text), "sentence")
    covered = frozenset(question.weights.keys() & passage.terms)
    typed = answers_kind(question, passage.text, passage.terms)
    coverage = _sum_weights(question, covered) / (question.total_weight or 1.0)
    return ScoredPassage(passage, coverage, covered, coverage, typed, hit.signals.get("cosine"))


def _sum_weights(question: QuestionAnalysis, found: frozenset[str] | set[str]) -> float:
    return sum(question.weights[term] for term in sorted(found))


def _iterate_with_context(pieces: Sequence[Passage]) -> Iterator[tuple[Passage, frozenset[str]]]:
    """The passages of a chunk, each with the terms of heading, title and table header, and of the sentence before."""
    above = frozenset(extract_terms(text_above(pieces[0].chunk)) if pieces else ())
    before = frozenset[str]()
    for passage in pieces:
        yield passage, above | before
        before = passage.terms


def text_above(chunk: Chunk) -> str:
    """The text above a chunk: its headings, its document's title, the head of its table."""
    return " ".join((*chunk.heading_path, chunk.document.title or "", chunk_title(chunk), chunk.header))


def _pair_share(question: QuestionAnalysis, passage: Passage) -> float:
    if not question.pairs:
        return 0.0
    return len(question.pairs.intersection(pairwise(passage.line))) / len(question.pairs)


def _length_penalty(passage: Passage) -> float:
    """A penalty for passages that say too little or too much to be read as an answer."""
    n = len(passage.terms)
    return 0.1 if n < 4 else 0.1 if n > 80 else 0.0


def select_passages(
    question: QuestionAnalysis, scored: Sequence[ScoredPassage], *, how: SelectionOptions | None = None
) -> list[ScoredPassage]:
    """The passages of the answer: the best one, then the others in reading order, the document of the best one first.

    A passage has a term of the question or a known similarity. A further one must be nearly as good as
    the best, or add terms of the question that are still missing, and must not repeat one that was taken.
    A passage that only introduces takes along what follows, one that begins with a pronoun what stands
    before.
    """
    how = how or SelectionOptions()
    taken: list[ScoredPassage] = []
    for candidate in scored:
        if not candidate.covered and candidate.similar is None:
            continue
        if len(taken) < how.most and (not taken or _is_worth_adding(question, candidate, taken, how)):
            taken.append(candidate)
    return sort_for_reading(_drop_overlapping([_widen_passage(one) for one in taken]))


def _is_worth_adding(
    question: QuestionAnalysis, candidate: ScoredPassage, taken: Sequence[ScoredPassage], how: SelectionOptions
) -> bool:
    best = taken[0]
    if any(_is_repetition(candidate.passage, other.passage, how.alike) for other in taken):
        return False
    known = frozenset().union(*(one.covered for one in taken))
    adds = _sum_weights(question, candidate.covered - known) / (question.total_weight or 1.0)
    near = candidate.score >= how.near * best.score and candidate.coverage >= how.near * best.coverage
    of_the_kind = candidate.typed or not best.typed
    return (near and of_the_kind) or (adds >= how.adds and candidate.score >= how.half * best.score)


def _is_repetition(one: Passage, other: Passage, alike: float) -> bool:
    return len(one.terms & other.terms) >= alike * len(one.terms | other.terms)


def _widen_passage(scored: ScoredPassage) -> ScoredPassage:
    passage = scored.passage
    start, end, last = passage.start, passage.end, passage.index
    pronoun, introduces = last and PRONOUN.match(passage.text), INTRODUCES.search(passage.text)
    pieces = chunk_passages(passage.chunk, passage.hit) if pronoun or introduces else []
    if pronoun:
        before = pieces[last - 1]
        if before.form == "sentence" and "\n\n" not in passage.chunk.text[before.end : passage.start]:
            start = before.start
    if introduces:
        end = _find_introduced_end(pieces[last + 1 : last + 1 + ITEMS], end)
    return replace(scored, passage=replace(passage, start=start, end=end))


def _find_introduced_end(pieces: Sequence[Passage], end: int) -> int:
    """The end of what an introduction introduces: a list, the rows of a table, a block of code, else one sentence."""
    if not pieces or pieces[0].form == "heading":
        return end
    first = pieces[0]
    for piece in pieces:
        if piece.form not in (first.form, "noise") or piece.end - first.start > max(FOLLOWS, first.end - first.start):
            break
        end = piece.end
        if first.form in ("sentence", "code"):
            break
    return end


def _drop_overlapping(wide: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """Without passages that touch one taken before."""
    out: list[ScoredPassage] = []
    for one in wide:
        a = one.passage
        if not any(a.hit == b.passage.hit and a.start < b.passage.end and b.passage.start < a.end for b in out):
            out.append(one)
    return out


def sort_for_reading(taken: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """The best passage, then the others by document, the document of the first one first, and by place."""
    first: dict[str, int] = {}
    for one in taken:
        first.setdefault(one.passage.chunk.document.id, len(first))
    best = min(taken, key=_passage_order, default=None)

    def place(one: ScoredPassage) -> tuple[bool, int, int, int]:
        chunk = one.passage.chunk
        return one is not best, first[chunk.document.id], chunk.ordinal, one.passage.start

    return sorted(taken, key=place)


def make_quotes(chosen: Sequence[ScoredPassage]) -> list[Quote]:
    """The chosen passages as quotes with their spans in the text of record."""
    return [_make_quote(one.passage) for one in chosen]


def _make_quote(passage: Passage) -> Quote:
    """A passage as a quote; a row of a table below its header and the row that names its group."""
    chunk, row = passage.chunk, passage.row
    above = (*row.header, *([row.group] if row.group else ())) if row and row.kind == "row" else ()
    ranges = [*above, (passage.start, passage.end)]
    text = "\n".join(chunk.text[start:end] for start, end in ranges)
    spans = tuple(span for start, end in ranges for span in spans_at(chunk, start, end))
    return Quote(chunk, text, spans, passage.is_prose, chunk.header if row and row.continued else "")
