"""The way out, continued: from what was found to an answer whose every sentence was checked, or an abstention.

An answer comes as events; waiting for it is the same path. Without a language model it quotes; with one the model
writes (`ragstone.generate`), and what is quoted stands in where the model fails.
"""

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

from ragstone import answer as answering
from ragstone import guard, recall, windows
from ragstone.alike import Alike
from ragstone.ask import LONGEST_QUESTION, Asking, Desk, Question, seen, vector_of
from ragstone.conversation import standalone
from ragstone.deadlines import Deadlines
from ragstone.errors import UsageError
from ragstone.generate import Writing, written
from ragstone.layout import Layout
from ragstone.pen import Draft, Talk, abstained
from ragstone.ports import Embedder, Message, Vectors
from ragstone.trace import Trace, reading
from ragstone.types import Answer, Chunk, Document, Event, Hit

EXTRACT_FROM = 12  # hits that an answer is made of
SENTENCES = 8  # passages that are compared with the question by their vectors; 16 chose no better ones


class Texts(Protocol):
    """What an answer needs of a view: see `ragstone.ports.Reader`."""

    async def idf(self, query: str) -> dict[str, float]: ...

    async def record(self, document: Document) -> str | None: ...

    async def layout(self, document: Document) -> Layout | None: ...

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]: ...


async def events(
    desk: Desk, question: Question, *, writing: Writing | None = None, history: Sequence[Message] = ()
) -> AsyncGenerator[Event]:
    """An answer as it comes about: `search_results`, then `message` after `message`, then `final_answer`.

    Without `writing` a message is a quoted sentence with the numbers of its citations. With it a message is a piece
    of the model's text (`delta`), a `citation` comes before the piece that uses it first, and the final answer carries
    the verdicts and replaces what was streamed.
    """
    trace = Trace()
    talk = Talk(question.text, tuple(history))
    question = await alone(question, history, writing, trace, desk.deadlines)
    with trace.timed("total"):
        vector = await vector_of(desk, question, trace)
        async with seen(desk, question, vector, trace) as view:
            hits = view.hits
            with trace.timed("answer"):
                draft = await prepared(
                    desk, view.reader, question, vector, hits, trace, talk=talk, writing=writing, policy=desk.policy
                )
        await recall.remember(desk, view.info, question, vector, hits, trace)  # an answer is never served from there
    # Only now: whoever reads events slowly, or writes them, must not keep a view of the store open.
    async with aclosing(told(draft, hits, trace, writing=writing)) as stream:
        async for event in stream:
            yield event


async def alone(
    question: Question, history: Sequence[Message], writing: Writing | None, trace: Trace, deadlines: Deadlines
) -> Question:
    """The question as it is searched for where it goes on from others; a note says how it reads then."""
    model = writing.model if writing else None
    text = await standalone(question.text, history, model, trace, seconds=deadlines.rewrite)
    if text == question.text:
        return question
    trace.note("standalone", f"searched for: {text}")
    return replace(question, text=text[:LONGEST_QUESTION])


async def told(
    draft: Draft, hits: Sequence[Hit], trace: Trace, *, writing: Writing | None = None
) -> AsyncGenerator[Event]:
    """An answer as events: quoted, or in the words of a model."""
    yield Event("search_results", {"hits": hits})
    made = draft.quoted
    if writing is None or made.abstained:
        for sentence in made.sentences:
            yield Event("message", {"text": sentence.text, "citations": sentence.citations, "delta": False})
    else:
        async with aclosing(written(writing, draft, trace)) as stream:
            async for said in stream:
                if isinstance(said, Answer):
                    made = said
                else:
                    yield said
    usage = {name: made.usage.get(name, 0) + count for name, count in trace.usage().items()}
    whole = replace(
        made,
        answerability=draft.quoted.answerability,
        hits=tuple(hits),
        notes=(*made.notes, *trace.notes),
        timings=dict(trace.timings),
        usage={**made.usage, **usage},
        steps=tuple(trace.steps),
    )
    yield Event("final_answer", {"answer": whole})


async def answer(
    desk: Desk, question: Question, *, writing: Writing | None = None, history: Sequence[Message] = ()
) -> Answer:
    """The same as `events`, for who would rather wait."""
    return await waited(events(desk, question, writing=writing, history=history))


async def waited(stream: AsyncGenerator[Event]) -> Answer:
    """The answer that a stream of events ends with."""
    [done] = [event.data["answer"] async for event in stream if event.name == "final_answer"]
    result: Answer = done
    return result


async def prepared(
    desk: Asking,
    reader: Texts,
    question: Question,
    vector: Vectors | None,
    hits: Sequence[Hit],
    trace: Trace,
    *,
    talk: Talk | None = None,
    writing: Writing | None = None,
    policy: answering.Policy | None = None,
) -> Draft:
    """All that an answer needs of a view: the quoted one, and what a model would be shown and checked against. `talk`
    is what a model is asked, where that is not the question that was searched for."""
    talk = talk or Talk(question.text)
    seconds = desk.deadlines.check
    async with reading(desk.deadlines, beside=seconds):
        hits = await windows.read(reader, hits)
        decides = policy or answering.Policy()
        quoted = await _quoted(desk, reader, question, vector, hits, trace, decides, sparing=writing is not None)
        if writing is None or quoted.abstained:
            return Draft(talk, quoted)
        talk = _recalled(writing, talk, trace)
        shown = writing.context(hits, talk)
        documents = {chunk.document.id: chunk.document for one in shown for chunk in one.chunks}
        records = await _records(reader, documents.values())
        layouts = {one.id: pages for one in documents.values() if (pages := await reader.layout(one)) is not None}
    alike = Alike.of(desk.embedder, seconds=seconds)
    return Draft(talk, quoted, tuple(shown), records, layouts, alike=alike)


def _recalled(writing: Writing, talk: Talk, trace: Trace) -> Talk:
    kept = writing.recalled(talk)
    if left := len(talk.history) - len(kept.history):
        trace.note("history", f"the model was not told the first {left} of {len(talk.history)} turns: no room for them")
    return kept


async def _records(reader: Texts, documents: Iterable[Document]) -> dict[str, str]:
    return {one.id: text for one in documents if (text := await reader.record(one)) is not None}


async def _quoted(
    desk: Asking,
    reader: Texts,
    question: Question,
    vector: Vectors | None,
    hits: Sequence[Hit],
    trace: Trace,
    policy: answering.Policy,
    *,
    sparing: bool,
) -> Answer:
    """An extractive answer: the sentences that answer best, each quoted and checked; or an abstention. `sparing` where
    a model will write: passages are compared by vectors only when the decision may hang on it."""
    sparing_for = policy if sparing else None
    chosen, found = await drafted(desk, reader, question, vector, hits, trace=trace, sparing=sparing_for)
    verdict = decided(question, hits, found, _fitting(policy, found, desk.embedder, trace))
    if verdict.abstain:
        likely, clarify = verdict.answerability, verdict.clarify
        return abstained(verdict.reason, verdict.message, clarify=clarify, answerability=likely)
    made = await _cited(reader, chosen)
    return replace(made, answerability=verdict.answerability)


def _fitting(
    policy: answering.Policy, found: answering.Evidence, embedder: Embedder | None, trace: Trace
) -> answering.Policy:
    """The policy without a calibration that is not of what this question was compared by; a note says so."""
    own = policy.calibration
    if own is None or policy.rule != "fitted" or not found.hits:
        return policy
    model = f"{embedder.model}/{embedder.variant}" if embedder else None
    here = model if answering.signs_of(found) == "vectors" else None
    if here == (own.model if own.signs == "vectors" else None):
        return policy
    of, by = (f"vectors of {name}" if name else "words alone" for name in (own.model, here))
    said = f"answer.calibration is of {of}, this question was searched for by {by}: the shipped numbers decide"
    trace.note("calibration", said)
    return replace(policy, calibration=None)


def decided(
    question: Question, hits: Sequence[Hit], found: answering.Evidence, policy: answering.Policy
) -> answering.Decision:
    """Answer or abstain, by what the policy names. Raises `UsageError` where its thresholds have nothing to judge."""
    if policy.rule != "company":
        return answering.decide(found, policy)
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
    records = await _records(reader, answering.documents(quotes))
    sentences, citations = answering.cited(quotes, records, mask=guard.shown, secrets=guard.located)
    grounded = answering.groundedness(sentences)
    if not grounded:
        return abstained("unsupported", "No quote could be found again in the text of its document.")
    paged = [d for d in answering.documents(quotes) if any(span.page for c in citations for span in c.spans)]
    layouts = {d.id: layout for d in paged if (layout := await reader.layout(d)) is not None}
    citations = answering.drawn(citations, records, layouts)
    text = answering.written(sentences, citations)
    return Answer(text, sentences=sentences, citations=citations, groundedness=grounded)


async def drafted(
    desk: Asking,
    reader: Texts,
    question: Question,
    vector: Vectors | None,
    hits: Sequence[Hit],
    *,
    trace: Trace | None = None,
    sparing: answering.Policy | None = None,
) -> tuple[list[answering.Scored], answering.Evidence]:
    """The passages that an answer would quote, and what speaks for giving it. With `sparing` they are chosen by their
    words, and their vectors guessed from the chunks', where this policy's decision stands so."""
    idf = await reader.idf(question.text)
    asked = answering.asked(question.text, idf)
    best = list(hits[:EXTRACT_FROM])
    ranked = answering.rank(asked, best)
    if sparing is not None:
        chosen = answering.choose(asked, ranked, best)
        found = answering.evidence(asked, best, chosen, idf=idf)
        if answering.settled(found, _fitting(sparing, found, desk.embedder, trace or Trace())):
            return chosen, replace(found, similar=found.cosine)
    if vector is not None and desk.embedder is not None and ranked:
        work = _similar(desk.embedder, vector, ranked[:SENTENCES])
        similar = await (trace or Trace()).attempt("similarity", work, {}, seconds=desk.deadlines.check)
        ranked = answering.compared(ranked, similar)
    chosen = answering.choose(asked, ranked, best)
    return chosen, answering.evidence(asked, best, chosen, idf=idf)


async def _similar(embedder: Embedder, vector: Vectors, ranked: Sequence[answering.Scored]) -> dict[str, float]:
    """The cosine of the question and each passage."""
    passages = {scored.passage.text: scored.passage for scored in ranked}
    sent = [guard.shown_part(one.chunk, one.start, one.end) for one in passages.values()]
    cosines = await embedder.embed(sent) @ vector
    return {text: round(float(cosine), 6) for text, cosine in zip(passages, cosines, strict=True)}
