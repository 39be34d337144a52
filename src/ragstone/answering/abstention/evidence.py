"""Figures for and against an answer that need no language model."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from ragstone.answering.abstention.replaced_words import compare_words
from ragstone.answering.abstention.unrelated_texts import raise_zero
from ragstone.answering.extractive.compared_text import text_above
from ragstone.answering.extractive.passages import Passage
from ragstone.answering.extractive.question_analysis import CAPITAL_NOUNS, QuestionAnalysis
from ragstone.answering.extractive.question_words import LIGHT_VERBS
from ragstone.answering.extractive.row_dates import extract_date_terms
from ragstone.answering.extractive.scored_passages import ScoredPassage
from ragstone.answering.extractive.word_matching import lead_over_mean
from ragstone.answering.verification.question_mismatch import (
    extract_numbers,
    find_extremes,
    find_opposed_words,
    has_other_number,
    has_unmatched_denial,
    holds_term,
    words_of_terms,
)
from ragstone.core.analyzer import extract_terms
from ragstone.core.types import WORD_SIGNALS, Chunk, Hit

# Words of questions that a passage may well leave unsaid: they shape what is asked and hardly name it.
LIGHT_TERMS = frozenset(
    extract_terms(
        "another term terms kind kinds sort type types example examples happen happened occur occurred become became "
        "make makes made use used uses using main major following considered known famous part word words thing things "
        "person people place way ways purpose reason reasons cause caused causes result results effect effects role "
        "important information fact common commonly usually typically mean means meaning refer referred refers "
        "describe described involve involved give given take took taken see seen say said find found located name "
        "named get got become order time year years date century decade country city group long often best"
    )
)
ASKING_VERBS = {language: frozenset(extract_terms(words)) for language, words in LIGHT_VERBS.items()}
LIGHTNESS = 0.3
# Words that name nothing: a passage that lacks one lacks nothing that a reader would look for.
PARTICLES = frozenset(
    extract_terms(
        "about across again ahead along also around away back beyond by down else ever far go goes going gone here in "
        "just keep let like long me more most new off on only onto out over put quite same still take than through "
        "together too toward turn under up upon very via way within without yet anything everything nothing something "
        "anybody everybody nobody somebody anyone everyone someone ask asked being been sure want wants need "
        "please don't doesn't didn't can't couldn't wouldn't isn't aren't wasn't weren't haven't hasn't I'm I've"
    )
)
# What names one thing of many: "OPS-117", "CVE-2024-3094", "#4711"; no name with one digit, as "UTF-8".
IDENTIFIER = re.compile(r"(?<![\w-])(?:[A-Z][A-Z0-9]{1,9}(?:-\d+)*-\d{2,}|#\d{2,})(?![\w-])")
DIGITS = re.compile(r"\d+")
FEWEST_OTHERS = 2  # hits beside the best, without which "ahead of the others" says nothing


@dataclass(frozen=True, slots=True)
class Evidence:
    """Signs on scales that do not depend on the number of hits or retrievers; None where one cannot be known.

    cosine: of the best hit. ahead: by how much it is better than the mean of the other hits. similar: the
    cosine of the question and the passage that answers best. matched, unmatched: that passage's `WordMatch`;
    matched_ahead: by how much its words match better than those of all compared passages on average;
    compares_words: the model compares single words, whether or not it did so here. floor: how near the question lies
    to unrelated texts of its language, where that is not English; cosine, ahead and similar begin there. bm25: the
    best hit's share of the sum of the subject's IDFs, which BM25 without its constant factor never exceeds. sentence,
    section: the share of the question's mass in that passage, and in its chunk with heading and title; headed: in the
    passage with what stands above it. numbers: how
    many of the question's the section lacks. denied, opposed: where the passage denies nothing that the question
    denies, or says the opposite, how much of the question it says. other_number, extremes: 1 where the question and
    the passage part in wording (see `wording`). typed: 1 where the passage holds something of the kind asked for.
    covered to replaced_number: the question beside the passage (see `replaced`). missing: the question's words, as it
    writes them, whose terms no hit has, heaviest first; none that names nothing. unidentified: identifiers of the
    question whose last number is in no hit. unnamed: its names that no hit has, where a row of a table would answer.
    gives_way: the best hit is of another document than is asked about. read_off: the passage is a row that was read
    off a table, which is the answer. led: its heading is the question, or the topic that the question asks about, and
    denies what the question denies.
    """

    hits: int
    cosine: float | None = None
    ahead: float | None = None
    similar: float | None = None
    matched: float | None = None
    matched_ahead: float | None = None
    unmatched: float | None = None
    compares_words: bool = False
    floor: float | None = None
    bm25: float = 0.0
    sentence: float = 0.0
    section: float = 0.0
    headed: float = 0.0
    numbers: float = 0.0
    denied: float = 0.0
    opposed: float = 0.0
    other_number: float = 0.0
    extremes: float = 0.0
    typed: float = 1.0
    covered: float = 1.0
    unsaid: float = 0.0
    replaced: float = 0.0
    replaced_weight: float = 0.0
    replaced_number: float = 0.0
    missing: tuple[str, ...] = ()
    unidentified: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    gives_way: bool = False
    read_off: bool = False
    led: bool = False

    @property
    def is_answer(self) -> bool:
        """Whether the passage answers, so that no other sign counts."""
        return self.read_off or (self.led and not self.gives_way)


def collect_evidence(
    question: QuestionAnalysis,
    hits: Sequence[Hit],
    chosen: Sequence[ScoredPassage],
    *,
    idf: Mapping[str, float] | None = None,
    compared: Sequence[ScoredPassage] = (),
    compares_words: bool = False,
    floor: float | None = None,
    gives_way: bool = False,
    read_off: bool = False,
) -> Evidence:
    """The signs of a question, its hits in order and the passages chosen from them.

    `idf` is what BM25 was computed with; without it the question's own weights stand in. `compared` are the passages
    that the chosen ones were chosen from; `compares_words`, `floor`, `gives_way`, `read_off`: see `Evidence`.
    """
    compares_words = compares_words and floor is None  # single words of such a language lie near each other, too
    cosines = [raise_zero(hit.signals["cosine"], floor) for hit in hits if "cosine" in hit.signals]
    cosine = max(cosines, default=None)
    if not hits or not chosen:
        return Evidence(len(hits), cosine=cosine, compares_words=compares_words, floor=floor, gives_way=gives_way)
    lead = max(chosen, key=lambda one: one.score)
    match, names = lead.match, [one for one in (lead.passage.heading, lead.passage.title) if question.is_heading(one)]
    return replace(
        _collect_word_signs(question, hits, lead, idf or question.weights),
        cosine=cosine,
        ahead=_lead_over_rest(cosines),
        similar=None if lead.similar is None else raise_zero(lead.similar, floor),
        matched=match.matched if match else None,
        matched_ahead=lead_over_mean(match, [one.match for one in compared if one.match]),
        unmatched=match.unmatched if match else None,
        compares_words=compares_words,
        floor=floor,
        gives_way=gives_way,
        read_off=read_off,
        led=any(not has_unmatched_denial(question.text, f"{name} {lead.passage.text}") for name in names),
    )


def _collect_word_signs(
    question: QuestionAnalysis, hits: Sequence[Hit], lead: ScoredPassage, idf: Mapping[str, float]
) -> Evidence:
    """The signs of words alone: the question beside the passage that answers best, its chunk and all hits."""
    said, over = lead.passage.text, _heading_text(lead.passage.chunk)
    section = _read_terms(question, over + lead.passage.chunk.text)
    asking = _list_asking_verbs(question)
    weights = _lighten(question.weights, asking)
    above = _read_terms(question, _text_over(lead.passage))
    laid = compare_words(question.text, said, _lighten(idf, asking), above=above, own=question.own)
    everywhere = section.union(*(_read_terms(question, _heading_text(hit.chunk) + hit.chunk.text) for hit in hits))
    missing = sorted((t for t in weights if not holds_term(t, everywhere)), key=lambda t: (-weights[t], t))
    return Evidence(
        hits=len(hits),
        bm25=_bm25_share(question, hits, idf),
        sentence=_weight_share(weights, _read_terms(question, said)),
        section=_weight_share(weights, section),
        headed=_weight_share(weights, _read_terms(question, f"{said} {_text_over(lead.passage)}")),
        numbers=float(len(extract_numbers(question.text) - extract_numbers(over + lead.passage.chunk.text))),
        denied=laid.covered * has_unmatched_denial(question.text, said),
        opposed=laid.covered * bool(find_opposed_words(question.text, said)),
        other_number=float(has_other_number(question.text, said)),
        extremes=float(bool(find_extremes(question.text, said))),
        typed=float(lead.typed),
        covered=laid.covered,
        unsaid=laid.unsaid,
        replaced=laid.replaced,
        replaced_weight=laid.replaced_weight,
        replaced_number=laid.replaced_number,
        missing=_name_missing(question, missing),
        unidentified=_find_unidentified(question.text, hits),
        unnamed=_name_unsaid(question, lead, missing),
    )


def _find_unidentified(question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    named = dict.fromkeys(match[0] for match in IDENTIFIER.finditer(question))
    if not named:
        return ()
    numbers = {number for hit in hits for number in DIGITS.findall(_heading_text(hit.chunk) + hit.chunk.text)}
    return tuple(name for name in named if DIGITS.findall(name)[-1] not in numbers)


def _name_unsaid(question: QuestionAnalysis, lead: ScoredPassage, missing: Sequence[str]) -> tuple[str, ...]:
    """The names of a question that no hit says, where a row of a table would answer: a row is of one thing."""
    if lead.passage.row is None or (question.own is not None and question.own.language == CAPITAL_NOUNS):
        return ()
    return _name_missing(question, [term for term in missing if term in question.names])


def _lead_over_rest(cosines: Sequence[float]) -> float | None:
    rest = sorted(cosines)[:-1]
    return round(max(cosines) - sum(rest) / len(rest), 6) if len(rest) >= FEWEST_OTHERS else None


def _bm25_share(question: QuestionAnalysis, hits: Sequence[Hit], idf: Mapping[str, float]) -> float:
    # Of the subject's terms alone: "what" and "does", which few documents hold, would make every share small.
    possible = sum(idf.get(term, 0.0) for term in question.weights)
    best = max((hit.signals[name] for hit in hits for name in WORD_SIGNALS if name in hit.signals), default=0.0)
    return round(min(1.0, best / possible), 6) if possible else 0.0


def _list_asking_verbs(question: QuestionAnalysis) -> frozenset[str]:
    """Verbs of the question's own language alone: "passe" is "pass" to the stemmer, which English means."""
    return ASKING_VERBS.get(question.own.language, frozenset()) if question.own else frozenset()


def _lighten(weights: Mapping[str, float], asking: frozenset[str]) -> dict[str, float]:
    light = LIGHT_TERMS | asking
    return {term: weight * (LIGHTNESS if term in light else 1.0) for term, weight in weights.items()}


def _name_missing(question: QuestionAnalysis, missing: Sequence[str]) -> tuple[str, ...]:
    nameless = PARTICLES | _list_asking_verbs(question)
    words = words_of_terms(question.text, [term for term in missing if term not in nameless])
    return words if question.own is None else tuple(question.own.show(word) for word in words)


def _read_terms(question: QuestionAnalysis, text: str) -> frozenset[str]:
    return question.find_terms(frozenset(extract_terms(text)) | extract_date_terms(text), text)


def _text_over(passage: Passage) -> str:
    """The headings over a passage, in its chunk too, and the head of its table."""
    return " ".join((text_above(passage.chunk, passage.closed), *passage.sections, passage.header))


def _heading_text(chunk: Chunk) -> str:
    return f"{text_above(chunk)} {chunk.document.path} "


def _weight_share(weights: Mapping[str, float], found: Set[str]) -> float:
    mass = sum(weights.values())
    return round(sum(w for term, w in weights.items() if holds_term(term, found)) / mass, 6) if mass else 0.0
