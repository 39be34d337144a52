"""The passages that an answer quotes: chosen by words, then by vectors, with the evidence for giving them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, cast

from ragstone.answering.abstention.abstain import choose_signs, is_settled
from ragstone.answering.abstention.calibration import AbstentionPolicy
from ragstone.answering.abstention.evidence import Evidence, collect_evidence
from ragstone.answering.abstention.unrelated_texts import measure_floor
from ragstone.answering.extractive.asked_documents import part_by_question
from ragstone.answering.extractive.compared_text import place_below_names
from ragstone.answering.extractive.corrections import put_correction_first
from ragstone.answering.extractive.counterparts import add_counterparts
from ragstone.answering.extractive.last_turn import analyze_turn
from ragstone.answering.extractive.question_analysis import QuestionAnalysis, analyze_question
from ragstone.answering.extractive.rivals import Rivals, find_rivals
from ragstone.answering.extractive.row_selection import select_rows
from ragstone.answering.extractive.scored_passages import ScoredPassage, place_of_passage, sort_for_reading
from ragstone.answering.extractive.selection import apply_similarity, rank_passages, select_passages
from ragstone.answering.extractive.word_matching import Matches, WordMatch, locate_words, summarize_matches
from ragstone.answering.extractive.written_names import add_written_names
from ragstone.answering.read_off_rows import ReadOff, read_off_rows
from ragstone.config.deadlines import DEFAULT_DEADLINES, Deadlines
from ragstone.core.page_layout import Layout
from ragstone.core.ports import Embedder, TokenMatcher, Vectors
from ragstone.core.question_language import tell_language
from ragstone.core.trace import Trace
from ragstone.core.types import Chunk, Document, Hit
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import refusal_code

EXTRACT_FROM = 12  # hits that an answer is made of
ROWS = 2  # of one answer, or sentences in their place
SENTENCES = 8  # passages that are compared with the question by their vectors; 16 chose no better ones

Compared = tuple[Mapping[tuple[int, int], float], Matches]


class Texts(Protocol):
    """The part of `ragstone.core.ports.Reader` that an answer needs."""

    async def idf(self, query: str) -> dict[str, float]: ...

    async def records(self, documents: Sequence[Document]) -> dict[str, str]: ...

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]: ...

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]: ...


@dataclass(frozen=True, slots=True)
class AnswerInput:
    """A question with its results: the hits, the open view that they are in, and the model that compares sentences
    with the question by `vector`: that of `turn`, the words of the last turn, where the question was searched for with
    those before it, else its own. `fused_by_store` says that the order is a store's own."""

    question: Question
    hits: Sequence[Hit]
    reader: Texts
    trace: Trace
    embedder: Embedder | None = None
    vector: Vectors | None = None
    deadlines: Deadlines = DEFAULT_DEADLINES
    fused_by_store: bool = False
    turn: str = ""


@dataclass(frozen=True, slots=True)
class ChosenPassages:
    """The passages that an answer quotes, the evidence for giving it, and what contradicts them; `said` is a sentence
    on how many rows they are, or what these add up to."""

    passages: list[ScoredPassage]
    evidence: Evidence
    rivals: Sequence[Rivals]
    question: QuestionAnalysis
    idf: Mapping[str, float]
    said: str = ""

    def with_rivals(self) -> list[ScoredPassage]:
        """The passages, with those that contradict them in reading order."""
        if not self.rivals:
            return self.passages
        there = {(one.passage.hit, one.passage.index) for one in self.passages}
        places = {(one.theirs.passage.hit, one.theirs.passage.index): one.theirs for one in self.rivals}
        return sort_for_reading([*self.passages, *(one for place, one in places.items() if place not in there)])


async def choose_passages(
    retrieved: AnswerInput, *, sparing: AbstentionPolicy | None = None, insist: bool = False
) -> ChosenPassages:
    """The passages that an answer would quote, what speaks for giving it, and what contradicts them. With `sparing`
    they are chosen by their words, and their vectors guessed from the chunks', where this policy's decision stands
    so. With `insist` there are passages also where tables of figures answer the question by no row."""
    idf = await retrieved.reader.idf(retrieved.question.text)
    first = retrieved.hits[:EXTRACT_FROM]
    language = tell_language(retrieved.question.text, [hit.chunk.text for hit in first])
    analysed = whole = add_written_names(analyze_question(retrieved.question.text, idf, language), first)
    if retrieved.turn:
        analysed = analyze_turn(retrieved.turn, whole, idf, language)
    best, outdone = part_by_question(analysed, first)
    if not outdone and analysed is not whole:  # the turn names no document, but those before may
        best, outdone = part_by_question(whole, first)
    read = await read_off_rows(retrieved.reader, retrieved.question.where, analysed, best, EXTRACT_FROM)
    ranking = rank_passages(analysed, [*best, *outdone])
    every = [one for one in ranking if place_of_passage(one.passage) not in read.barred]
    ranked = [one for one in every if one.passage.hit < len(best)]
    compares_words = _compares_words(retrieved)
    floor, gives_way = await _measure_floor(retrieved, language), bool(first) and first[0] in outdone
    signs = partial(collect_evidence, idf=idf, compares_words=compares_words, floor=floor, gives_way=gives_way)
    judge = partial(signs, analysed, best, read_off=bool(read.rows))
    if sparing is not None:
        chosen = read.rows or _select(analysed, best, ranked, read, insist=insist)
        found = judge(chosen)
        if is_settled(found, drop_unfit_calibration(sparing, found, retrieved)):
            found = replace(found, similar=found.cosine)
            return ChosenPassages(chosen, found, find_rivals(analysed, chosen, ranked), analysed, idf, read.said)
    vector, embedder = retrieved.vector, retrieved.embedder
    if vector is not None and embedder is not None and ranked:
        others = [one for one in every if one.passage.hit >= len(best)]  # the evidence wants some to compare with
        work = _compare_passages(embedder, vector, analysed, [*ranked, *others][:SENTENCES])
        nothing: Compared = ({}, {})
        similar, matches = await retrieved.trace.attempt(
            "similarity", work, nothing, seconds=retrieved.deadlines.check, refused=refusal_code(embedder)
        )
        every = apply_similarity(every, similar, matches)
        ranked = [one for one in every if one.passage.hit < len(best)]
    chosen = read.rows or _select(analysed, best, ranked, read, insist=insist)
    found = judge(chosen, compared=every)
    return ChosenPassages(chosen, found, find_rivals(analysed, chosen, ranked), analysed, idf, read.said)


def drop_unfit_calibration(policy: AbstentionPolicy, found: Evidence, retrieved: AnswerInput) -> AbstentionPolicy:
    """The policy without a calibration that is not of what this question was compared by; a note says so."""
    embedder = retrieved.embedder
    own = policy.calibration
    if policy.unfit and policy.rule == "fitted" and found.hits:
        retrieved.trace.note("calibration", policy.unfit)
    if own is None or policy.rule != "fitted" or not found.hits:
        return policy
    model = f"{embedder.model}/{embedder.variant}" if embedder else None
    here = model if choose_signs(found) == "vectors" else None
    if here == (own.model if own.signs == "vectors" else None):
        return policy
    of, by = (f"vectors of {name}" if name else "words alone" for name in (own.model, here))
    said = (
        f"answer.calibration was fitted for {of}, but this question was searched with {by}: "
        "the built-in calibration decides"
    )
    retrieved.trace.note("calibration", said)
    return replace(policy, calibration=None)


def _select(
    analysed: QuestionAnalysis,
    hits: Sequence[Hit],
    ranked: Sequence[ScoredPassage],
    read: ReadOff,
    *,
    insist: bool,
) -> list[ScoredPassage]:
    """The row of a table whose label was asked for, else the passages that answer best."""
    rows = select_rows(analysed, hits, ranked, most=ROWS, barred=read.barred)
    if rows is None or (insist and not rows):
        corrected = put_correction_first(analysed, ranked)
        return add_counterparts(analysed, select_passages(analysed, corrected), corrected)
    return rows


async def _measure_floor(retrieved: AnswerInput, language: str | None) -> float | None:
    """How near the question lies to unrelated texts of its language; None where that is English or not known."""
    vector, model, seconds = retrieved.vector, retrieved.embedder, retrieved.deadlines.check
    if vector is None or model is None or language is None:
        return None
    work, refused = measure_floor(model, vector, language), refusal_code(model)
    return await retrieved.trace.attempt("similarity", work, None, seconds=seconds, refused=refused)


def _compares_words(retrieved: AnswerInput) -> bool:
    """Whether the model would compare single words of this question too."""
    return retrieved.vector is not None and hasattr(retrieved.embedder, "match_tokens")


async def _compare_passages(
    embedder: Embedder, vector: Vectors, question: QuestionAnalysis, ranked: Sequence[ScoredPassage]
) -> Compared:
    """The cosine of the question and each passage below its title and headings, by the passage's place, and how it
    matches the single words where the model compares these."""
    passages = [scored.passage for scored in ranked]
    places = [place_of_passage(one) for one in passages]
    texts = [place_below_names(one, question.names | question.numbers) for one in passages]
    matches: dict[tuple[int, int], WordMatch] = {}
    if hasattr(embedder, "match_tokens"):
        matcher = cast(TokenMatcher, embedder)
        found = await matcher.match_tokens(question.text, locate_words(question), texts)
        vectors = found.vectors
        matches = {place: one for place, one in zip(places, summarize_matches(found), strict=True) if one}
    else:
        vectors = await embedder.embed([f"{above}\n{said}" if above else said for above, said in texts])
    similar = {place: round(float(cosine), 6) for place, cosine in zip(places, vectors @ vector, strict=True)}
    return similar, matches
