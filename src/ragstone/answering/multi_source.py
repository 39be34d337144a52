"""One question to several readers: collections and columns of tables, found together and answered from together.

Readers whose vectors are of one model are one ranking: their candidates are fused by score. Rankings of different
models are fused by rank. What is found twice is folded; a part that fails is a note, and all failing is an error.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Mapping, Sequence, Set
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil

from ragstone import answering as answering
from ragstone import guard
from ragstone.answering import events as reply
from ragstone.answering.assembly import Talk
from ragstone.answering.generated import Writing
from ragstone.answering.quoted import Sought
from ragstone.core.errors import RagstoneError, StoreError, UsageError
from ragstone.core.page_layout import Layout
from ragstone.core.ports import Completion, Message, Reader, Vectors
from ragstone.core.trace import Trace, reading
from ragstone.core.types import Chunk, Document, Event, Found, Hit
from ragstone.retrieval import Assistant, query_expansion, windows
from ragstone.retrieval import search as ask
from ragstone.retrieval.candidates import comparable, nominations
from ragstone.retrieval.merging import Model, Part, Told, ranked
from ragstone.retrieval.query_expansion import Wording
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import Helper, nobody

Key = tuple[Model | None, str | None]
Said = tuple[Vectors | None, Sequence[Wording]]  # the question's own vector, and its wordings
Words = Mapping[Key | None, Said]
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

    async def records(self, documents: Sequence[Document]) -> dict[str, str]:
        """The texts of record, each from the part that its document came from."""
        found: dict[str, str] = {}
        for reader, own in self._owned(documents):
            found |= await reader.records(own)
        return found

    async def layouts(self, documents: Sequence[Document]) -> dict[str, Layout]:
        """The page layouts, likewise."""
        found: dict[str, Layout] = {}
        for reader, own in self._owned(documents):
            found |= await reader.layouts(own)
        return found

    def _owned(self, documents: Sequence[Document]) -> list[tuple[Reader, list[Document]]]:
        """The documents of each part."""
        own: dict[int, tuple[Reader, list[Document]]] = {}
        for document in documents:
            if reader := self.owners.get(document.id):
                own.setdefault(id(reader), (reader, []))[1].append(document)
        return list(own.values())

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


async def search(parts: Sequence[Part], question: Question, *, model: Helper = nobody, whole: bool = False) -> Found:
    """The best passages of all parts in one order, with `whole` as they are read (`ragstone.retrieval.windows`);
    `model` may help to search. Raises a part's own error when none of them answered."""
    trace = Trace()
    with trace.timed("total"):
        words = await _words(parts, question, model, trace)
        kept = await _kept(parts, question, words, model, trace) if question.filter else None
        async with _seen(parts, question, words, trace) as seen:
            hits = _of(seen.hits, kept)
            hits = await windows.read(seen.views, hits) if whole else hits
    return ask.found(hits, trace)


async def events(
    parts: Sequence[Part],
    question: Question,
    *,
    tokens: int | None = None,
    writing: Writing | None = None,
    history: Sequence[Message] = (),
    policy: answering.Policy | None = None,
) -> AsyncGenerator[Event]:
    """An answer as it comes about (see `ragstone.answering.events.events`), from passages of at most so many tokens
    together."""
    trace = Trace()
    talk = Talk(question.text, tuple(history))
    question = await reply.alone(question, history, writing, trace, parts[0].deadlines)
    model = partial(_model_of, writing)
    with trace.timed("total"):
        words = await _words(parts, question, model, trace)
        kept = await _kept(parts, question, words, model, trace) if question.filter else None
        async with _seen(parts, question, words, trace) as seen:
            hits = _of(seen.hits, kept)
            hits = hits if tokens is None else within(await windows.read(seen.views, hits), tokens)
            with trace.timed("answer"):
                sought = Sought(seen.asking, seen.views, question, seen.vector, hits, trace)
                draft = await reply.prepared(sought, talk=talk, writing=writing, policy=policy)
    async with aclosing(reply.told(draft, hits, trace, writing=writing)) as stream:
        async for event in stream:
            yield event


def within(hits: Sequence[Hit], tokens: int | None) -> list[Hit]:
    """The hits from the best down that fit, the last one cut at a sentence; a token is taken for four characters."""
    if tokens is None:
        return list(hits)
    budget = answering.Budget(tokens, 0, max(1, len(hits)))
    return answering.fit(hits, lambda text: ceil(len(text) / LETTERS), budget=budget)


def _model_of(writing: Writing | None) -> Completion | None:
    return writing.model if writing is not None else None


async def _kept(parts: Sequence[Part], question: Question, words: Words, model: Helper, trace: Trace) -> Set[str]:
    """The ids of what a language model holds to be of use; no view is open while it judges."""
    async with _seen(parts, question, words, trace) as seen:
        hits = seen.hits
    kept = await ask.useful(model, question, hits, trace, seconds=parts[0].deadlines.rewrite)
    return {hit.chunk.id for hit in kept}


def _of(hits: Sequence[Hit], kept: Set[str] | None) -> list[Hit]:
    return [hit for hit in hits if kept is None or hit.chunk.id in kept]


@asynccontextmanager
async def _seen(parts: Sequence[Part], question: Question, words: Words, trace: Trace) -> AsyncIterator[_Seen]:
    """Every part asked at once; those that answered stay open for the block."""
    failures: list[RagstoneError] = []
    async with AsyncExitStack() as stack:

        async def one(part: Part) -> list[Told]:
            said = words.get(_key(part) if part.vectors else None) or words[None]
            work = _tolerant(_asked(part, question, said, stack, trace), failures)
            return await trace.attempt(part.name, work, [], code="part_failed")

        told = [made for of_part in await asyncio.gather(*map(one, parts)) for made in of_part]
        if not told:
            raise _failed(failures, trace)
        with trace.timed("rank"):
            hits = ranked(told, question)
        owners = {chunk.document.id: one.reader for one in told for chunk in one.chunks.values()}
        first = next((one for one in told if one.vector is not None), told[0])
        yield _Seen(Views([one for one in told if one.wording == 0], owners), hits, first.part, first.vector)


async def _tolerant(work: Awaitable[list[Told]], failures: list[RagstoneError]) -> list[Told]:
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


def _key(part: Part) -> Key:
    return part.model, part.model_missing


async def _words(parts: Sequence[Part], question: Question, model: Helper, trace: Trace) -> Words:
    """The question's vector and its wordings for each model, made once; under None those of words alone."""
    if question.cache:
        trace.note("cache", "cache: pipelines search anew each time")
    asked = {_key(part): part for part in parts if part.vectors}
    own = {key: await ask.vector_of(part, question, trace) for key, part in asked.items()}
    assistant = Assistant(model, parts[0].deadlines.rewrite, trace)
    first = next((vector for vector in own.values() if vector is not None), None)
    written = await query_expansion.written(question, first, assistant, partial(_best, parts, question, own))
    found: dict[Key | None, Said] = {None: (None, await query_expansion.wordings(question, None, written, None, trace))}
    for key, vector in own.items():
        found[key] = vector, await query_expansion.wordings(question, vector, written, asked[key].embedder, trace)
    return found


async def _best(
    parts: Sequence[Part], question: Question, own: Mapping[Key, Vectors | None], _: Vectors
) -> float | None:
    """The best cosine of all parts; None where nothing can be compared. What fails now is said when it is searched."""
    found: list[float] = []
    for part in parts:
        vector = own.get(_key(part)) if part.vectors else None
        with suppress(RagstoneError):
            async with part.view() as reader:
                vector = comparable(part, await reader.info(), vector, Trace())
                if vector is not None:
                    near = await reader.nearest(vector, where=question.where, limit=1)
                    found += [candidate.score for candidate in near]
    return max(found, default=None)


async def _asked(part: Part, question: Question, said: Said, stack: AsyncExitStack, trace: Trace) -> list[Told]:
    """What one part knows, for each wording; its notes carry its name."""
    own = Trace()
    try:
        async with reading(part.deadlines):
            reader = await stack.enter_async_context(part.view())
            return [told async for told in _told(part, reader, question, said, own)]
    finally:
        for note in own.notes:
            trace.note(note.code, f"{part.name}: {note.message}")


async def _told(part: Part, reader: Reader, question: Question, said: Said, trace: Trace) -> AsyncIterator[Told]:
    vector, words = said
    info = await reader.info()
    own = comparable(part, info, vector, trace)
    for number, one in enumerate(words):
        asked = question if one.text == question.text else replace(question, text=one.text)
        meaning = own if one.vector is vector else comparable(part, info, one.vector, trace)
        legs = await nominations(reader, asked, meaning, trace, limit=question.depth, seconds=part.deadlines.leg)
        ids = list(dict.fromkeys(candidate.id for found in legs.values() for candidate in found))
        signals = await reader.rate(ids, vector=meaning if "cosine" in legs else None, query=asked.text)
        plain = asked is question and meaning is own
        as_asked = None if plain else await reader.rate(ids, vector=own, query=question.text)
        chunks = {chunk.id: _guarded(chunk) if part.raw else chunk for chunk in await reader.chunks(ids)}
        yield Told(part, reader, own, legs, signals, chunks, number, as_asked)


def _guarded(chunk: Chunk) -> Chunk:
    """What an ingestion would have found out about a text."""
    flags, risk = guard.flags(chunk.text)
    return replace(chunk, flags=flags, risk_score=risk, secrets=guard.located(chunk.text))
