"""One question to several readers: collections and columns of tables, found together and answered from together.

Readers whose vectors are of one model are one ranking: their candidates are fused by score. Rankings of different
models are fused by rank. What is found twice is folded; a part that fails is a note, and all failing is an error.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from math import ceil

from ragstone import answer as answering
from ragstone import ask, guard, reply, windows
from ragstone.ask import Question
from ragstone.errors import RagstoneError, StoreError, UsageError
from ragstone.generate import Writing
from ragstone.layout import Layout
from ragstone.merged import Model, Part, Told, ranked
from ragstone.pen import Talk
from ragstone.ports import Message, Reader, Vectors
from ragstone.trace import Trace, reading
from ragstone.types import Chunk, Document, Event, Found, Hit

LETTERS = 4  # characters of a token, on average over English: for a budget that need not be exact


@dataclass(frozen=True, slots=True)
class Views:
    """Several open readers as what an answer needs of one."""

    told: Sequence[Told]
    owners: Mapping[str, Reader] = field(default_factory=dict)

    async def idf(self, query: str) -> dict[str, float]:
        """The weight of each word, averaged over the parts: each counts in its own statistics."""
        counted = [one for one in self.told if any("bm25" in signals for signals in one.signals.values())]
        found = [await one.reader.idf(query) for one in counted]
        terms = dict.fromkeys(term for weights in found for term in weights)
        return {
            term: sum(weights[term] for weights in found if term in weights) / sum(term in weights for weights in found)
            for term in terms
        }

    async def record(self, document: Document) -> str | None:
        """The text of record, from the part that the document came from."""
        reader = self.owners.get(document.id)
        return await reader.record(document) if reader else None

    async def layout(self, document: Document) -> Layout | None:
        """The page layout, likewise."""
        reader = self.owners.get(document.id)
        return await reader.layout(document) if reader else None

    async def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """Chunks of the parts that answered, each part asked for all: no id stands in two."""
        return [chunk for one in self.told if not one.part.raw for chunk in await one.reader.chunks(ids)]


@dataclass(frozen=True, slots=True)
class _Seen:
    """An opened panel with what it found."""

    views: Views
    hits: list[Hit]
    asking: Part
    vector: Vectors | None


async def search(parts: Sequence[Part], question: Question, *, whole: bool = False) -> Found:
    """The best passages of all parts in one order, with `whole` as they are read (`ragstone.windows`). Raises a part's
    own error when none of them answered."""
    trace = Trace()
    with trace.timed("total"):
        async with _seen(parts, question, trace) as seen:
            hits = await windows.read(seen.views, seen.hits) if whole else seen.hits
    return Found(tuple(hits), tuple(trace.notes), dict(trace.timings))


async def events(
    parts: Sequence[Part],
    question: Question,
    *,
    tokens: int | None = None,
    writing: Writing | None = None,
    history: Sequence[Message] = (),
) -> AsyncGenerator[Event]:
    """An answer as it comes about (see `ragstone.reply.events`), from passages of at most so many tokens together."""
    trace = Trace()
    talk = Talk(question.text, tuple(history))
    question = await reply.alone(question, history, writing, trace, parts[0].deadlines)
    with trace.timed("total"):
        async with _seen(parts, question, trace) as seen:
            hits = seen.hits if tokens is None else within(await windows.read(seen.views, seen.hits), tokens)
            with trace.timed("answer"):
                draft = await reply.prepared(
                    seen.asking, seen.views, question, seen.vector, hits, trace, talk=talk, writing=writing
                )
    async with aclosing(reply.told(draft, hits, trace, writing=writing)) as stream:
        async for event in stream:
            yield event


def within(hits: Sequence[Hit], tokens: int | None) -> list[Hit]:
    """The hits from the best down that fit, the last one cut at a sentence; a token is taken for four characters."""
    if tokens is None:
        return list(hits)
    budget = answering.Budget(tokens, 0, max(1, len(hits)))
    return answering.fit(hits, lambda text: ceil(len(text) / LETTERS), budget=budget)


@asynccontextmanager
async def _seen(parts: Sequence[Part], question: Question, trace: Trace) -> AsyncIterator[_Seen]:
    """Every part asked at once; those that answered stay open for the block."""
    vectors = await _vectors(parts, question, trace)
    failures: list[RagstoneError] = []
    async with AsyncExitStack() as stack:

        async def one(part: Part) -> Told | None:
            work = _tolerant(
                _asked(part, question, vectors.get(_key(part)) if part.vectors else None, stack, trace), failures
            )
            return await trace.attempt(part.name, work, None, code="part_failed")

        told = [made for made in await asyncio.gather(*map(one, parts)) if made is not None]
        if not told:
            raise _failed(failures, trace)
        with trace.timed("rank"):
            hits = ranked(told, question)
        owners = {chunk.document.id: one.reader for one in told for chunk in one.chunks.values()}
        first = next((one for one in told if one.vector is not None), told[0])
        yield _Seen(Views(told, owners), hits, first.part, first.vector)


async def _tolerant(work: Awaitable[Told], failures: list[RagstoneError]) -> Told:
    """One part's mistake must not keep the others from answering: which it was is remembered for when none does."""
    try:
        return await work
    except RagstoneError as error:
        failures.append(error)
        raise StoreError(str(error)) from error


def _failed(failures: Sequence[RagstoneError], trace: Trace) -> RagstoneError:
    """The error of a panel that is silent: the only one as it is, else all, the caller's mistake where all are."""
    if len(failures) == 1:
        return failures[0]
    kind = UsageError if failures and all(isinstance(error, UsageError) for error in failures) else StoreError
    return kind("the search failed: " + "; ".join(dict.fromkeys(note.message for note in trace.notes)))


def _key(part: Part) -> tuple[Model | None, str | None]:
    return part.model, part.model_missing


async def _vectors(
    parts: Sequence[Part], question: Question, trace: Trace
) -> dict[tuple[Model | None, str | None], Vectors | None]:
    """The question's vector for each model, made once."""
    found: dict[tuple[Model | None, str | None], Vectors | None] = {}
    for part in parts:
        if part.vectors and _key(part) not in found:
            found[_key(part)] = await ask.vector_of(part, question, trace)
    return found


async def _asked(part: Part, question: Question, vector: Vectors | None, stack: AsyncExitStack, trace: Trace) -> Told:
    """What one part knows; its notes carry its name."""
    own = Trace()
    try:
        async with reading(part.deadlines):
            reader = await stack.enter_async_context(part.view())
            info = await reader.info()
            vector = ask.comparable(part, info, vector, own)
            legs = await ask.legs(reader, question, vector, own, limit=question.depth, seconds=part.deadlines.leg)
            ids = list(dict.fromkeys(candidate.id for found in legs.values() for candidate in found))
            signals = await reader.rate(ids, vector=vector if "cosine" in legs else None, query=question.text)
            read = await reader.chunks(ids)
        chunks = {chunk.id: _guarded(chunk) if part.raw else chunk for chunk in read}
        return Told(part, reader, vector, legs, signals, chunks)
    finally:
        for note in own.notes:
            trace.note(note.code, f"{part.name}: {note.message}")


def _guarded(chunk: Chunk) -> Chunk:
    """What an ingestion would have found out about a text."""
    flags, risk = guard.flags(chunk.text)
    return replace(chunk, flags=flags, risk_score=risk, secrets=guard.located(chunk.text))
