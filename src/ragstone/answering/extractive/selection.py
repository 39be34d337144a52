"""An answer without a language model: the sentences of the found chunks that answer best, quoted whole."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.definitions import begins_with, defines, is_named
from ragstone.answering.extractive.passages import Passage, split_passages
from ragstone.answering.extractive.question_analysis import SHAPE_TERMS, QuestionAnalysis, answers_kind
from ragstone.answering.extractive.quotable import may_answer, sends_elsewhere
from ragstone.answering.extractive.replies import find_reply, is_question
from ragstone.answering.extractive.scored_passages import (
    ScoredPassage,
    drop_overlapping,
    passage_order,
    place_of_passage,
    sort_for_reading,
)
from ragstone.answering.extractive.selection_options import SelectionOptions
from ragstone.answering.extractive.widening import read_label, widen_passage
from ragstone.answering.extractive.word_matching import Matches, WordMatch
from ragstone.core.analyzer import extract_terms
from ragstone.core.headings import name_heading
from ragstone.core.types import Hit

REASON = re.compile(r"(?<![^\W_])(?:causes?|reasons?|why|rationale|motivation)(?![^\W_])", re.IGNORECASE)
EXPLAINED = ("why", "how_to")  # kinds of questions whose best sentence may only say what they ask about


def rank_passages(
    question: QuestionAnalysis, hits: Sequence[Hit], *, how: SelectionOptions | None = None
) -> list[ScoredPassage]:
    """All passages, best first, but headings, markup, and code where it is not asked for how something is done."""
    how = how or SelectionOptions()
    headings = frozenset(name_heading(heading) for hit in hits[: how.hits] for heading in hit.chunk.heading_path)
    scored = [
        _score_passage(question, passage, pieces[max(0, passage.index - 1)], around, how, hits[passage.hit])
        for pieces in split_passages(hits[: how.hits])
        for passage, around in _iterate_with_context(question, pieces)
        if may_answer(question, passage, headings)
        and not (is_question(passage) and find_reply(pieces, passage) is None)
    ]
    return sorted(scored, key=passage_order)


def apply_similarity(
    scored: Sequence[ScoredPassage],
    similar: Mapping[tuple[int, int], float],
    matches: Matches | None = None,
    *,
    how: SelectionOptions | None = None,
) -> list[ScoredPassage]:
    """The passages, best first, after comparing the best few with the question by their vectors.

    `similar` gives the cosine by the place of a passage (`place_of_passage`), `matches` how it matches single words;
    where there are any, the passages without a cosine come last.
    """
    if not similar:
        return list(scored)
    how, matches = how or SelectionOptions(), matches or {}
    compared = [
        _with_similarity(one, similar[place], matches.get(place), how)
        for one in scored
        if (place := place_of_passage(one.passage)) in similar
    ]
    least = min((one.score for one in compared), default=math.inf)
    others = [replace(o, score=min(o.score, least)) for o in scored if place_of_passage(o.passage) not in similar]
    return [*sorted(compared, key=passage_order), *sorted(others, key=passage_order)]


def _with_similarity(
    one: ScoredPassage, similar: float, match: WordMatch | None, how: SelectionOptions
) -> ScoredPassage:
    share = how.similarity if match is None else how.similarity_beside_words
    words = 0.0 if match is None else how.weakest * match.weakest
    score = one.score + share * similar - how.similarity * (one.chunk_cosine or 0.0) + words
    return replace(one, score=round(score, 6), similar=similar, match=match)


def _score_passage(
    question: QuestionAnalysis,
    passage: Passage,
    before: Passage,
    beside: frozenset[str],
    how: SelectionOptions,
    hit: Hit,
) -> ScoredPassage:
    cosine = hit.signals.get("cosine")
    mass = question.total_weight or 1.0
    covered = question.find_terms(passage.terms, passage.text) & question.weights.keys()
    around = (question.weights.keys() & beside) - covered
    numbered = {term for term in around if _has_digit(term)}  # an identifier is said above its facts once
    coverage = _sum_weights(question, covered) / mass
    headed = question.kind == "why" and REASON.search(passage.heading) is not None
    typed = headed or answers_kind(question, passage.text, passage.terms)
    asks_for_text = question.kind == "how_to" or question.defined is not None
    score = (
        coverage
        + (how.context * _sum_weights(question, around - numbered) + _sum_weights(question, numbered)) / mass
        + how.kind * typed
        + how.pairs * _pair_share(question, passage)
        + how.rank / (1 + passage.hit)
        + (how.chunk + how.similarity) * (cosine or 0.0)
        - _length_penalty(passage)
        + _rate_meaning(question, passage, before, how)
        + how.reason * (headed and before.form == "heading")
        - how.elsewhere * (asks_for_text and sends_elsewhere(passage))
    )
    return ScoredPassage(passage, round(score, 6), covered, round(coverage, 6), typed, chunk_cosine=cosine)


def _rate_meaning(question: QuestionAnalysis, passage: Passage, before: Passage, how: SelectionOptions) -> float:
    """How far a passage says what the thing is that is asked about; `before` is the piece above it."""
    if question.is_heading(passage.title):
        return how.led + how.titled
    if before.form == "heading" and question.is_heading(before.text):
        return how.led
    if question.defined is None:
        return 0.0
    language = question.own.language if question.own else None
    if defines(passage.text, question.defined, language):
        return how.defines
    if before.form != "heading" or not is_named(before.text, question.defined, language):
        return 0.0
    return how.defines if begins_with(passage.text, question.defined, language) else how.headed


def read_whole(question: QuestionAnalysis, hit: Hit, rank: int) -> ScoredPassage:
    """A hit's whole chunk as one passage, as similar to the question as the chunk is."""
    passage = Passage(rank, 0, hit.chunk, 0, len(hit.chunk.text), "sentence")
    covered = question.find_terms(passage.terms, passage.text) & question.weights.keys()
    typed, mass = answers_kind(question, passage.text, passage.terms), question.total_weight or 1.0
    coverage = _sum_weights(question, covered) / mass
    return ScoredPassage(passage, coverage, covered, coverage, typed, hit.signals.get("cosine"))


def read_row(question: QuestionAnalysis, row: Passage) -> ScoredPassage:
    """A row that was read off its table, as a passage that says all that is asked."""
    covered = question.find_terms(row.terms, row.text) & question.weights.keys()
    return ScoredPassage(row, 1.0, covered, 1.0, typed=True)


def _sum_weights(question: QuestionAnalysis, found: frozenset[str] | set[str]) -> float:
    return sum(question.weights[term] for term in sorted(found))


def _iterate_with_context(
    question: QuestionAnalysis, pieces: Sequence[Passage]
) -> Iterator[tuple[Passage, frozenset[str]]]:
    """The passages of a chunk, each with the terms of headings, title and table header, and of the sentence before."""
    over = text_above(pieces[0].chunk) if pieces else ""
    above = question.find_terms(frozenset(extract_terms(over)), over)
    before = frozenset[str]()
    for passage in pieces:
        if passage.sections or passage.closed:
            above = _read_above(question, passage)
        declared = frozenset(extract_terms(passage.declared)) if passage.declaration else frozenset()
        yield passage, above | before | declared
        before = passage.terms if passage.form != "code" else frozenset()


def _read_above(question: QuestionAnalysis, passage: Passage) -> frozenset[str]:
    """The terms above a passage of a chunk with headings of its own: of these the identifiers alone, since their other
    words made sentences about something else answers."""
    over = text_above(passage.chunk, passage.closed)
    named = frozenset(term for term in extract_terms(" ".join(passage.sections)) if _has_digit(term))
    return question.find_terms(frozenset(extract_terms(over)), over) | named


def _has_digit(term: str) -> bool:
    return any(map(str.isdigit, term))


def _pair_share(question: QuestionAnalysis, passage: Passage) -> float:
    return len(question.pairs.intersection(pairwise(passage.line))) / (len(question.pairs) or 1)


def _length_penalty(passage: Passage) -> float:
    """A penalty for passages that say too little or too much to be read as an answer."""
    return 0.0 if 4 <= len(passage.terms) <= 80 else 0.1


def select_passages(
    question: QuestionAnalysis, scored: Sequence[ScoredPassage], *, how: SelectionOptions | None = None
) -> list[ScoredPassage]:
    """The passages of the answer: the best one, then the others in reading order, the document of the best one first.

    A passage has a term of the question or a known similarity, and does not repeat another. Where the chosen ones
    say most of the question, a further one adds terms that are still missing; else further ones score
    nearly as well, those beside a chosen one before others, as long as all fit into a few lines, and each that is
    beside none, or a row that says less than the best one, adds a missing term. A passage that only introduces takes
    along what follows, one that begins with a pronoun what stands before, the best one the sentences behind it where a
    reason or a way is asked for that it does not give.
    """
    how = how or SelectionOptions()
    rest = [one for one in scored if one.covered or one.similar is not None]
    taken = [rest.pop(0)] if rest else []
    while taken and len(taken) < how.most:
        further = [one for one in rest if _is_worth_adding(question, one, taken, how)]
        if not further:
            break
        best = min(further, key=lambda one: _further_order(one, taken, how))
        taken.append(best)
        rest.remove(best)
    asks_how, listed = question.kind == "how_to", bool(taken) and _is_led(question, taken[0].passage)
    room = how.room - sum(one.passage.end - one.passage.start for one in taken)
    rooms = [room * (one is taken[0] and _leaves_open(question, one)) for one in taken]
    steps = [asks_how and one is taken[0] and _is_asked_above(question, one.passage) for one in taken]
    wide = [
        replace(one, passage=widen_passage(one.passage, asks_how=asks_how, room=own, steps=whole, listed=listed))
        for one, own, whole in zip(taken, rooms, steps, strict=True)
    ]
    return sort_for_reading(drop_overlapping(wide))


def _is_led(question: QuestionAnalysis, passage: Passage) -> bool:
    return question.is_heading(passage.heading) or question.is_heading(passage.title)


def _leaves_open(question: QuestionAnalysis, one: ScoredPassage) -> bool:
    """Whether a sentence gives no reason and no way where one is asked for, or says nothing but the question, as the
    bold words above what to do against a fault; or where its section is about what is asked."""
    if _is_led(question, one.passage) or (question.kind in EXPLAINED and not one.typed):
        return True
    label = extract_terms(read_label(one.passage.text) or "")
    return question.kind != "yes_no" and one.passage.terms - SHAPE_TERMS - {*label} <= question.weights.keys()


def _is_asked_above(question: QuestionAnalysis, passage: Passage) -> bool:
    """Whether the heading over a passage says all that is asked: the steps below it are the answer, not one of them."""
    heading = passage.heading
    return question.weights.keys() <= question.find_terms(frozenset(extract_terms(heading)), heading)


def _is_worth_adding(
    question: QuestionAnalysis, candidate: ScoredPassage, taken: Sequence[ScoredPassage], how: SelectionOptions
) -> bool:
    best = taken[0]
    if any(_is_repetition(candidate.passage, other.passage, how.alike) for other in taken):
        return False
    mass = question.total_weight or 1.0
    near = how.near if best.match is None else how.near_in_words
    known = frozenset().union(*(one.covered for one in taken))
    new = candidate.covered - known
    if _sum_weights(question, known) >= how.enough * mass:
        return _sum_weights(question, new) >= how.adds * mass and candidate.score >= best.score - near
    other = bool(candidate.passage.row and best.passage.row) and not best.covered <= candidate.covered
    if not new and (other or not _is_beside(candidate, taken)):
        return False
    near = near if best.similar is not None else near / 2  # words alone are spread less
    fits = sum(one.passage.end - one.passage.start for one in (*taken, candidate)) <= how.room
    return fits and _score_beside(candidate, taken, how) >= best.score - near


def _is_beside(candidate: ScoredPassage, taken: Sequence[ScoredPassage]) -> bool:
    if candidate.passage.form == "item":
        return False
    hit, index = place_of_passage(candidate.passage)
    return any(
        one.passage.form != "item" and place_of_passage(one.passage) in ((hit, index - 1), (hit, index + 1))
        for one in taken
    )


def _score_beside(candidate: ScoredPassage, taken: Sequence[ScoredPassage], how: SelectionOptions) -> float:
    """The score of a further passage, higher beside a chosen one."""
    return candidate.score + how.beside * _is_beside(candidate, taken)


def _further_order(
    candidate: ScoredPassage, taken: Sequence[ScoredPassage], how: SelectionOptions
) -> tuple[float, int, int]:
    return (-_score_beside(candidate, taken, how), candidate.passage.hit, candidate.passage.start)


def _is_repetition(one: Passage, other: Passage, alike: float) -> bool:
    return len(one.terms & other.terms) >= alike * len(one.terms | other.terms)
