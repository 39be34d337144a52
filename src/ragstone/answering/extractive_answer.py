"""Answers that quote: which passages, whether they are evidence enough, and where each quote stands."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ragstone import guard
from ragstone.answering.abstention.abstain import Decision, Policy, decide, settled, signs_of
from ragstone.answering.abstention.evidence import Evidence, evidence
from ragstone.answering.abstention.thresholds import by_thresholds
from ragstone.answering.assembly import abstain
from ragstone.answering.extractive.question_analysis import asked as analyse_question
from ragstone.answering.extractive.selection import Scored, choose, compared, rank
from ragstone.answering.extractive.selection import quotes as make_quotes
from ragstone.answering.verification.citations import cited, documents, groundedness, written
from ragstone.answering.verification.injection_notes import ordering
from ragstone.answering.verification.page_boxes import drawn
from ragstone.config.deadlines import USUAL, Deadlines
from ragstone.core.errors import UsageError
from ragstone.core.page_layout import Layout
from ragstone.core.ports import Embedder, Vectors
from ragstone.core.trace import Trace
from ragstone.core.types import Answer, Chunk, Document, Hit
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import refusal_code

EXTRACT_FROM = 12  # hits that an answer is made of
SENTENCES = 8  # passages that are compared with the question by their vectors; 16 chose no better ones


class Texts(Protocol):
    """What an answer needs of a view: see `ragstone.core.ports.Reader`."""

    async def idf(self, query: str) -> dict[str, float]: ...

    async def records(self, documents: Sequence[Document]) -> dict[str, str]: ...

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]: ...

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]: ...


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A question with what was found for it: the hits, the open view that they are in, and the model that compares
    sentences with the question by its `vector`. `fused_by_store` says that the order is a store's own."""

    question: Question
    hits: Sequence[Hit]
    reader: Texts
    trace: Trace
    embedder: Embedder | None = None
    vector: Vectors | None = None
    deadlines: Deadlines = USUAL
    fused_by_store: bool = False


async def make_extractive_answer(retrieved: Retrieved, policy: Policy, *, sparing: bool) -> Answer:
    """An extractive answer: the sentences that answer best, each quoted and checked; or an abstention. `sparing` where
    a model will write: passages are compared by vectors only when the decision may hang on it."""
    sparing_for = policy if sparing else None
    chosen, found = await choose_passages(retrieved, sparing=sparing_for)
    verdict = _decide(retrieved, found, _drop_unfit_calibration(policy, found, retrieved))
    if verdict.abstain:
        likely, clarify = verdict.answerability, verdict.clarify
        return abstain(verdict.reason, verdict.message, clarify=clarify, answerability=likely)
    made = await _cite(retrieved.reader, chosen)
    return replace(made, answerability=verdict.answerability)


def _drop_unfit_calibration(policy: Policy, found: Evidence, retrieved: Retrieved) -> Policy:
    """The policy without a calibration that is not of what this question was compared by; a note says so."""
    embedder = retrieved.embedder
    own = policy.calibration
    if own is None or policy.rule != "fitted" or not found.hits:
        return policy
    model = f"{embedder.model}/{embedder.variant}" if embedder else None
    here = model if signs_of(found) == "vectors" else None
    if here == (own.model if own.signs == "vectors" else None):
        return policy
    of, by = (f"vectors of {name}" if name else "words alone" for name in (own.model, here))
    said = f"answer.calibration is of {of}, this question was searched for by {by}: the shipped numbers decide"
    retrieved.trace.note("calibration", said)
    return replace(policy, calibration=None)


def _decide(retrieved: Retrieved, found: Evidence, policy: Policy) -> Decision:
    """Answer or abstain, by what the policy names. Raises `UsageError` where its thresholds have nothing to judge."""
    if policy.rule != "company":
        return decide(found, policy)
    question, hits, by_store = retrieved.question, retrieved.hits, retrieved.fused_by_store
    if question.fusion != "rrf" and not by_store and not any("rerank" in hit.signals for hit in hits):
        raise UsageError(
            "answer.abstain company judges the scores of RRF or of a reranker: set search.fusion to rrf, or "
            "answer.abstain to fitted or never"
        )
    weights = {"bm25": question.bm25_weight, "cosine": question.cosine_weight}
    if by_store and not any("rrf" in hit.signals for hit in hits):
        weights = dict.fromkeys(weights, 1.0)  # a store weighs both alike
    answered = {name: weight for name, weight in weights.items() if any(name in hit.signals for hit in hits)}
    return by_thresholds(hits, weights=answered)


async def _cite(reader: Texts, chosen: Sequence[Scored]) -> Answer:
    """The chosen passages as an answer, each quote found again in its document; an abstention when none is."""
    quotes = make_quotes(chosen)
    texts = await reader.records(documents(quotes))
    sentences, citations = cited(quotes, texts, mask=guard.shown, secrets=guard.located)
    grounded = groundedness(sentences)
    if not grounded:
        return abstain("unsupported", "No quote could be found again in the text of its document.")
    paged = [d for d in documents(quotes) if any(span.page for c in citations for span in c.spans)]
    citations = drawn(citations, texts, await reader.layouts(paged))
    text = written(sentences, citations)
    notes = ordering(sentences, citations, [quote.chunk for quote in quotes])
    return Answer(text, sentences=sentences, citations=citations, groundedness=grounded, notes=notes)


async def choose_passages(retrieved: Retrieved, *, sparing: Policy | None = None) -> tuple[list[Scored], Evidence]:
    """The passages that an answer would quote, and what speaks for giving it. With `sparing` they are chosen by their
    words, and their vectors guessed from the chunks', where this policy's decision stands so."""
    idf = await retrieved.reader.idf(retrieved.question.text)
    analysed = analyse_question(retrieved.question.text, idf)
    best = list(retrieved.hits[:EXTRACT_FROM])
    ranked = rank(analysed, best)
    if sparing is not None:
        chosen = choose(analysed, ranked)
        found = evidence(analysed, best, chosen, idf=idf)
        if settled(found, _drop_unfit_calibration(sparing, found, retrieved)):
            return chosen, replace(found, similar=found.cosine)
    vector, embedder = retrieved.vector, retrieved.embedder
    if vector is not None and embedder is not None and ranked:
        work = _compare_passages(embedder, vector, ranked[:SENTENCES])
        similar = await retrieved.trace.attempt(
            "similarity", work, {}, seconds=retrieved.deadlines.check, refused=refusal_code(embedder)
        )
        ranked = compared(ranked, similar)
    chosen = choose(analysed, ranked)
    return chosen, evidence(analysed, best, chosen, idf=idf)


async def _compare_passages(embedder: Embedder, vector: Vectors, ranked: Sequence[Scored]) -> dict[str, float]:
    """The cosine of the question and each passage."""
    passages = {scored.passage.text: scored.passage for scored in ranked}
    sent = [guard.shown_part(one.chunk, one.start, one.end) for one in passages.values()]
    cosines = await embedder.embed(sent) @ vector
    return {text: round(float(cosine), 6) for text, cosine in zip(passages, cosines, strict=True)}
