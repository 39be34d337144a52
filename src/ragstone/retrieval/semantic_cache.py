"""The semantic cache: a question that asks what another has asked is served with what that one found, where it is safe.

Two searches share nothing unless all is the same but the words: tenant and collection, who reads, filter, mode and
every option, embedder and language model, and the state of the index. Then the cosine of the questions must reach the
threshold, nothing may part them (`ragstone.retrieval.question_identity`), and every passage is looked up again before
it is served.
"""

import hashlib
import json
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import msgspec
import numpy as np

from ragstone import answering, guard
from ragstone.core.errors import StoreError, UsageError
from ragstone.core.filter_matching import facts, matches
from ragstone.core.ports import Memory, Reader, Remembered, Remembering, Store, Vectors
from ragstone.core.trace import Trace, reading
from ragstone.core.types import Found, Hit, Info, Note, Scope
from ragstone.retrieval import Assistant
from ragstone.retrieval import search as ask
from ragstone.retrieval.question import Question
from ragstone.retrieval.search_context import Desk

T = TypeVar("T")
FORMAT = 1
APART = ("text", "cache", "cache_cosine", "cache_hours", "cache_entries")  # what does not change results
# Notes on results that are as good as they get; whatever has any other note is not kept.
HARMLESS = frozenset(("hyde", "multi_query", "filter", "fusion_at"))


@dataclass(frozen=True, slots=True)
class Place:
    """A hit as it is kept: of its passage only the id."""

    id: str
    score: float
    signals: Mapping[str, float]
    duplicates: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """What a search has asked and found."""

    question: str
    hits: tuple[Place, ...]
    notes: tuple[Note, ...]


async def search(desk: Desk, question: Question, *, whole: bool = False) -> Found:
    """See `ragstone.retrieval.search.search`; from the cache where the question wants it and one that asks the same
    is kept."""
    if not question.cache:
        return await ask.search(desk, question, whole=whole)
    trace = Trace()
    with trace.timed("total"):
        vector = await ask.vector_of(desk, question, trace)
        hits = await _served(desk, question, vector, trace)
        if hits is None:
            async with ask.seen(desk, question, vector, trace) as view:
                hits, info = view.hits, view.info
            await remember(desk, info, question, vector, hits, trace)
        if whole:
            async with desk.store.reader(desk.scope) as reader:
                hits = await ask.widened(desk, reader, hits)
    return ask.found(hits, trace)


async def remember(
    desk: Desk, info: Info, question: Question, vector: Vectors | None, hits: Sequence[Hit], trace: Trace
) -> None:
    """Keep what a search has found, where the question wants it and the result is whole."""
    memory = _memory(desk, question, vector)
    if memory is None or vector is None or not {note.code for note in trace.notes} <= HARMLESS:
        return
    key = key_of(desk, info, question)
    identity = hashlib.sha256(f"{key}\n{question.text}".encode()).hexdigest()
    places = tuple(Place(hit.chunk.id, hit.score, hit.signals, hit.duplicates) for hit in hits)
    content = msgspec.json.encode(Kept(question.text, places, tuple(trace.notes)))
    one = Remembered(identity, key, info.generation, datetime.now(UTC), vector.astype("<f4").tobytes(), content)
    await _tried(memory.keep(one, most=question.cache_entries), desk, trace)


async def forget(store: Store, scope: Scope, generation: int) -> None:
    """Remove what was found in states of the index before this one: no question can be served with it any more."""
    if isinstance(store, Remembering):
        await store.memory(scope).forget(before=generation)


async def told(desk: Desk, question: Question, vector: Vectors | None, trace: Trace) -> None:
    """Say in a note what the cache has for a question."""
    if (memory := _memory(desk, question, vector)) is None or vector is None:
        return
    near = await _near(desk, memory, key_of(desk, await _info(desk), question), question, vector, trace)
    if not near:
        trace.note("cache", "cache: nothing is kept that is near enough")
        return
    for cosine, one in near:
        if (kept := _read(one)) is not None and answering.unlike(question.text, kept.question) is None:
            trace.note("cache", f"cache hit (cosine {cosine:.4f}): a search is served with it")
            return
    trace.note(
        "cache", f"cache: no hit; the nearest question that is kept (cosine {near[0][0]:.4f}) asks something else"
    )


def key_of(desk: Desk, info: Info, question: Question) -> str:
    """The digest of all that two searches must share beside what they ask."""
    options = {one.name: repr(getattr(question, one.name)) for one in fields(question) if one.name not in APART}
    embedder = desk.embedder
    model = Assistant(desk.model, desk.deadlines.rewrite, Trace()).ready() if _helped(question) else None
    shared = [
        FORMAT,
        [desk.scope.tenant, desk.scope.collection, desk.reader],
        options,
        [embedder.model, embedder.variant, embedder.dimension] if embedder else None,
        [model.vendor, model.model] if model else None,
        [info.provider, info.version, info.generation, info.built_at, info.state, info.recipes],
        [info.documents, info.chunks, info.pending_vectors, info.model, info.variant, info.dimension],
    ]
    return hashlib.sha256(json.dumps(shared, ensure_ascii=False).encode()).hexdigest()


def _helped(question: Question) -> bool:
    return question.hyde != "off" or bool(question.multi_query) or question.filter


def _memory(desk: Desk, question: Question, vector: Vectors | None) -> Memory | None:
    """Where searches are kept; None for a question that is neither kept nor served: of words alone, or with a secret in
    it, which would be kept and would look like any other once it is masked."""
    if not question.cache or question.mode == "keyword" or vector is None:
        return None
    if not isinstance(desk.store, Remembering) or guard.shown(question.text) != question.text:
        return None
    return desk.store.memory(desk.scope)


async def _served(desk: Desk, question: Question, vector: Vectors | None, trace: Trace) -> list[Hit] | None:
    """The passages that a question which asks the same has found, each looked up and looked at again."""
    memory = _memory(desk, question, vector)
    if memory is None or vector is None:
        return None
    key = key_of(desk, await _info(desk), question)
    for cosine, one in await _near(desk, memory, key, question, vector, trace):
        kept = _read(one)
        if kept is None or answering.unlike(question.text, kept.question) is not None:
            continue
        # Not before: a view holds a connection, so does the cache.
        async with reading(desk.deadlines), desk.store.reader(desk.scope) as reader:
            same = key_of(desk, await reader.info(), question) == key
            hits = await _still(reader, question, kept) if same else None
        if hits is not None:
            await _tried(memory.used(one.id, at=datetime.now(UTC)), desk, trace)
            for note in (*kept.notes, Note("cache", f"cache hit (cosine {cosine:.4f}); --no-cache searches anew")):
                trace.note(note.code, note.message)
            return hits
    return None


async def _info(desk: Desk) -> Info:
    async with reading(desk.deadlines), desk.store.reader(desk.scope) as reader:
        return await reader.info()


async def _near(
    desk: Desk, memory: Memory, key: str, question: Question, vector: Vectors, trace: Trace
) -> list[tuple[float, Remembered]]:
    """What is kept under a key, is not too old and near enough, the nearest first."""
    found = await _tried(memory.of(key), desk, trace) or []
    oldest = datetime.now(UTC) - timedelta(hours=question.cache_hours) if question.cache_hours else None
    fresh = [one for one in found if (oldest is None or one.at > oldest) and len(one.vector) == 4 * len(vector)]
    rated = [(round(float(np.dot(np.frombuffer(one.vector, "<f4"), vector)), 6), one) for one in fresh]
    return sorted((pair for pair in rated if pair[0] >= question.cache_cosine), key=lambda pair: (-pair[0], pair[1].id))


async def _still(reader: Reader, question: Question, kept: Kept) -> list[Hit] | None:
    """The hits with their passages as they are now; None unless all of them are active and pass the filter."""
    chunks = await reader.chunks([place.id for place in kept.hits])
    if len(chunks) != len(kept.hits) or not all(matches(question.where, facts(chunk)) for chunk in chunks):
        return None
    pairs = zip(chunks, kept.hits, strict=True)
    return [Hit(chunk, place.score, place.signals, place.duplicates) for chunk, place in pairs]


def _read(one: Remembered) -> Kept | None:
    """What is kept, None where it is not what we wrote."""
    try:
        return msgspec.json.decode(one.content, type=Kept)
    except msgspec.MsgspecError:
        return None


async def _tried(work: Awaitable[T], desk: Desk, trace: Trace) -> T | None:
    """Work on the cache: what fails there, or takes too long, is a note."""

    async def bounded() -> T:
        try:
            async with reading(desk.deadlines):
                return await work
        except UsageError as error:  # a role that may only read
            raise StoreError(str(error)) from error

    return await trace.attempt("cache", bounded(), None)
