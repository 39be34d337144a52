"""An answer without a language model: the sentences of the found chunks that answer best, quoted whole."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ragstone.answering.extractive.passages import LONGEST_CODE, Passage, passages, pieces_of, title
from ragstone.answering.extractive.question_analysis import Asked, answers_kind
from ragstone.answering.verification.citations import Quote
from ragstone.answering.verification.spans import spans_at
from ragstone.core.analyzer import terms
from ragstone.core.types import Chunk, Hit


@dataclass(frozen=True, slots=True)
class Choosing:
    """How much each sign counts, and how many passages an answer has.

    `similarity`, `rank`, `kind`, `near`, `adds` and `half` were compared on the questions of SQuAD 2.0, CLAP NQ
    and the demo (`benchmarks/answers/extractive.py`): all are flat about these values. The rest was set by hand.
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
class Scored:
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
ITEMS = 10
FOLLOWS = 900


def rank(question: Asked, hits: Sequence[Hit], *, how: Choosing | None = None) -> list[Scored]:
    """All passages, best first, but headings, markup, and code where it is not asked for how something is done."""
    how = how or Choosing()
    scored = [
        _scored(question, passage, around, how)
        for pieces in passages(hits[: how.hits])
        for passage, around in _surrounded(pieces)
        if _may_answer(question, passage)
    ]
    return sorted(scored, key=_order)


def compared(scored: Sequence[Scored], similar: Mapping[str, float], *, how: Choosing | None = None) -> list[Scored]:
    """The same, best first, after the best few were compared with the question by their vectors.

    `similar` gives the cosine by the passage's text. What was not compared keeps its place without it.
    """
    share = (how or Choosing()).similarity
    known = ((one, similar.get(one.passage.text)) for one in scored)
    return sorted(
        (one if s is None else replace(one, score=round(one.score + share * s, 6), similar=s) for one, s in known),
        key=_order,
    )


def _order(scored: Scored) -> tuple[float, int, int]:
    return (-scored.score, scored.passage.hit, scored.passage.start)


def _may_answer(question: Asked, passage: Passage) -> bool:
    if passage.form == "code":
        return question.kind in ("how_to", "other") and passage.end - passage.start <= LONGEST_CODE
    return passage.form not in ("heading", "noise") and len(passage.terms) > 1


def _scored(question: Asked, passage: Passage, beside: frozenset[str], how: Choosing) -> Scored:
    mass = question.mass or 1.0
    covered = frozenset(question.weights.keys() & passage.terms)
    around = (question.weights.keys() & beside) - covered
    coverage = _sum(question, covered) / mass
    typed = answers_kind(question, passage.text, passage.terms)
    score = (
        coverage
        + how.context * _sum(question, around) / mass
        + how.kind * typed
        + how.pairs * _paired(question, passage)
        + how.rank / (1 + passage.hit)
        - _unreadable(passage)
    )
    return Scored(passage, round(score, 6), covered, round(coverage, 6), typed)


def _sum(question: Asked, found: frozenset[str] | set[str]) -> float:
    return sum(question.weights[term] for term in sorted(found))


def _surrounded(pieces: Sequence[Passage]) -> Iterator[tuple[Passage, frozenset[str]]]:
    """The passages of a chunk, each with the terms of heading, title and table header, and of the sentence before."""
    above = frozenset(terms(titled(pieces[0].chunk)) if pieces else ())
    before = frozenset[str]()
    for passage in pieces:
        yield passage, above | before
        before = passage.terms


def titled(chunk: Chunk) -> str:
    """What stands above a chunk: its headings, its document's title, the head of its table."""
    return " ".join((*chunk.heading_path, chunk.document.title or "", title(chunk), chunk.header))


def _paired(question: Asked, passage: Passage) -> float:
    if not question.pairs:
        return 0.0
    return len(question.pairs.intersection(pairwise(passage.line))) / len(question.pairs)


def _unreadable(passage: Passage) -> float:
    """A penalty for passages that say too little or too much to be read as an answer."""
    n = len(passage.terms)
    return 0.1 if n < 4 else 0.1 if n > 80 else 0.0


def choose(question: Asked, scored: Sequence[Scored], *, how: Choosing | None = None) -> list[Scored]:
    """The passages of the answer, in reading order by document, the document of the best one first.

    A passage has a term of the question or a known similarity. A further one must be nearly as good as
    the best, or add terms of the question that are still missing, and must not repeat one that was taken.
    A passage that only introduces takes along what follows, one that begins with a pronoun what stands
    before.
    """
    how = how or Choosing()
    taken: list[Scored] = []
    for candidate in scored:
        if not candidate.covered and candidate.similar is None:
            continue
        if len(taken) < how.most and (not taken or _worth(question, candidate, taken, how)):
            taken.append(candidate)
    return _in_reading_order(_unless_inside([_widened(one) for one in taken]))


def _worth(question: Asked, candidate: Scored, taken: Sequence[Scored], how: Choosing) -> bool:
    best = taken[0]
    if any(_alike(candidate.passage, other.passage, how.alike) for other in taken):
        return False
    known = frozenset().union(*(one.covered for one in taken))
    adds = _sum(question, candidate.covered - known) / (question.mass or 1.0)
    near = candidate.score >= how.near * best.score and candidate.coverage >= how.near * best.coverage
    of_the_kind = candidate.typed or not best.typed
    return (near and of_the_kind) or (adds >= how.adds and candidate.score >= how.half * best.score)


def _alike(one: Passage, other: Passage, alike: float) -> bool:
    return len(one.terms & other.terms) >= alike * len(one.terms | other.terms)


def _widened(scored: Scored) -> Scored:
    passage = scored.passage
    start, end, last = passage.start, passage.end, passage.index
    pronoun, introduces = last and PRONOUN.match(passage.text), INTRODUCES.search(passage.text)
    pieces = pieces_of(passage.chunk, passage.hit) if pronoun or introduces else []
    if pronoun:
        before = pieces[last - 1]
        if before.form == "sentence" and "\n\n" not in passage.chunk.text[before.end : passage.start]:
            start = before.start
    if introduces:
        end = _following(pieces[last + 1 : last + 1 + ITEMS], end)
    return replace(scored, passage=replace(passage, start=start, end=end))


def _following(pieces: Sequence[Passage], end: int) -> int:
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


def _unless_inside(wide: Sequence[Scored]) -> list[Scored]:
    """Without passages that touch one taken before."""
    out: list[Scored] = []
    for one in wide:
        a = one.passage
        if not any(a.hit == b.passage.hit and a.start < b.passage.end and b.passage.start < a.end for b in out):
            out.append(one)
    return out


def _in_reading_order(taken: Sequence[Scored]) -> list[Scored]:
    first: dict[str, int] = {}
    for one in taken:
        first.setdefault(one.passage.chunk.document.id, len(first))
    return sorted(taken, key=lambda s: (first[s.passage.chunk.document.id], s.passage.chunk.ordinal, s.passage.start))


def quotes(chosen: Sequence[Scored]) -> list[Quote]:
    """The chosen passages as quotes with their spans in the text of record."""
    return [Quote(p.chunk, p.text, spans_at(p.chunk, p.start, p.end), p.prose) for p in (one.passage for one in chosen)]
