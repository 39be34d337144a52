"""Answers that quote: which passages, whether they are evidence enough, and where each quote stands."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ragstone import answering as answering
from ragstone import guard
from ragstone.answering.assembly import abstained
from ragstone.core.errors import UsageError
from ragstone.core.page_layout import Layout
from ragstone.core.ports import Embedder, Vectors
from ragstone.core.trace import Trace
from ragstone.core.types import Answer, Chunk, Document, Hit
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import Asking, refusal

EXTRACT_FROM = 12  # hits that an answer is made of
SENTENCES = 8  # passages that are compared with the question by their vectors; 16 chose no better ones


class Texts(Protocol):
    """What an answer needs of a view: see `ragstone.core.ports.Reader`."""

    async def idf(self, query: str) -> dict[str, float]: ...

    async def records(self, documents: Sequence[Document]) -> dict[str, str]: ...

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]: ...

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]: ...


@dataclass(frozen=True, slots=True)
class Sought:
    """A question with its vector, what was found for it, and the open view that this stands in."""

    desk: Asking
    reader: Texts
    question: Question
    vector: Vectors | None
    hits: Sequence[Hit]
    trace: Trace


async def quoted(sought: Sought, policy: answering.Policy, *, sparing: bool) -> Answer:
    """An extractive answer: the sentences that answer best, each quoted and checked; or an abstention. `sparing` where
    a model will write: passages are compared by vectors only when the decision may hang on it."""
    sparing_for = policy if sparing else None
    chosen, found = await drafted(sought, sparing=sparing_for)
    verdict = _decided(sought, found, _fitting(policy, found, sought))
    if verdict.abstain:
        likely, clarify = verdict.answerability, verdict.clarify
        return abstained(verdict.reason, verdict.message, clarify=clarify, answerability=likely)
    made = await _cited(sought.reader, chosen)
    return replace(made, answerability=verdict.answerability)


def _fitting(policy: answering.Policy, found: answering.Evidence, sought: Sought) -> answering.Policy:
    """The policy without a calibration that is not of what this question was compared by; a note says so."""
    embedder = sought.desk.embedder
    own = policy.calibration
    if own is None or policy.rule != "fitted" or not found.hits:
        return policy
    model = f"{embedder.model}/{embedder.variant}" if embedder else None
    here = model if answering.signs_of(found) == "vectors" else None
    if here == (own.model if own.signs == "vectors" else None):
        return policy
    of, by = (f"vectors of {name}" if name else "words alone" for name in (own.model, here))
    said = f"answer.calibration is of {of}, this question was searched for by {by}: the shipped numbers decide"
    sought.trace.note("calibration", said)
    return replace(policy, calibration=None)


def _decided(sought: Sought, found: answering.Evidence, policy: answering.Policy) -> answering.Decision:
    """Answer or abstain, by what the policy names. Raises `UsageError` where its thresholds have nothing to judge."""
    if policy.rule != "company":
        return answering.decide(found, policy)
    question, hits = sought.question, sought.hits
    if question.fusion != "rrf" and not any("rerank" in hit.signals for hit in hits):
        raise UsageError(
            "answer.abstain company judges the scores of RRF or of a reranker: set search.fusion to rrf, or "
            "answer.abstain to fitted or never"
        )
    weights = {"bm25": question.bm25_weight, "cosine": question.cosine_weight}
    legs = {leg: weight for leg, weight in weights.items() if any(leg in hit.signals for hit in hits)}
    return answering.by_thresholds(hits, weights=legs, fused=question.fusion_at == "client")


async def _cited(reader: Texts, chosen: Sequence[answering.Scored]) -> Answer:
    """The chosen passages as an answer, each quote found again in its document; an abstention when none is."""
    quotes = answering.quotes(chosen)
    texts = await reader.records(answering.documents(quotes))
    sentences, citations = answering.cited(quotes, texts, mask=guard.shown, secrets=guard.located)
    grounded = answering.groundedness(sentences)
    if not grounded:
        return abstained("unsupported", "No quote could be found again in the text of its document.")
    paged = [d for d in answering.documents(quotes) if any(span.page for c in citations for span in c.spans)]
    citations = answering.drawn(citations, texts, await reader.layouts(paged))
    text = answering.written(sentences, citations)
    notes = answering.ordering(sentences, citations, [quote.chunk for quote in quotes])
    return Answer(text, sentences=sentences, citations=citations, groundedness=grounded, notes=notes)


async def drafted(
    sought: Sought, *, sparing: answering.Policy | None = None
) -> tuple[list[answering.Scored], answering.Evidence]:
    """The passages that an answer would quote, and what speaks for giving it. With `sparing` they are chosen by their
    words, and their vectors guessed from the chunks', where this policy's decision stands so."""
    idf = await sought.reader.idf(sought.question.text)
    asked = answering.asked(sought.question.text, idf)
    best = list(sought.hits[:EXTRACT_FROM])
    ranked = answering.rank(asked, best)
    if sparing is not None:
        chosen = answering.choose(asked, ranked)
        found = answering.evidence(asked, best, chosen, idf=idf)
        if answering.settled(found, _fitting(sparing, found, sought)):
            return chosen, replace(found, similar=found.cosine)
    vector, embedder = sought.vector, sought.desk.embedder
    if vector is not None and embedder is not None and ranked:
        work = _similar(embedder, vector, ranked[:SENTENCES])
        similar = await sought.trace.attempt(
            "similarity", work, {}, seconds=sought.desk.deadlines.check, refused=refusal(embedder)
        )
        ranked = answering.compared(ranked, similar)
    chosen = answering.choose(asked, ranked)
    return chosen, answering.evidence(asked, best, chosen, idf=idf)


async def _similar(embedder: Embedder, vector: Vectors, ranked: Sequence[answering.Scored]) -> dict[str, float]:
    """The cosine of the question and each passage."""
    passages = {scored.passage.text: scored.passage for scored in ranked}
    sent = [guard.shown_part(one.chunk, one.start, one.end) for one in passages.values()]
    cosines = await embedder.embed(sent) @ vector
    return {text: round(float(cosine), 6) for text, cosine in zip(passages, cosines, strict=True)}
