"""The way out: question → candidates of each leg (`ragstone.retrieval.candidates`) → fused and ranked
(`ragstone.retrieval.ranking`).

What could not be done is said in notes; a search of which every leg failed is an error, never "nothing found".
What answers are made of it stands in `ragstone.answering.events`.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from ragstone import guard, retrieval
from ragstone.core.ports import Embedder, Reader, Vectors
from ragstone.core.trace import Trace, reading
from ragstone.core.types import Chunk, Found, Hit, Info
from ragstone.providers.batching import checked
from ragstone.retrieval import Assistant, filter_diagnostics, query_expansion, windows
from ragstone.retrieval.candidates import candidates_of, same_model
from ragstone.retrieval.query_expansion import Wording
from ragstone.retrieval.question import Question
from ragstone.retrieval.ranking import rank
from ragstone.retrieval.search_context import Asking, Desk, Helper, refusal


async def search(desk: Desk, question: Question, *, whole: bool = False) -> Found:
    """The best chunks in order, with `whole` as they are read (`ragstone.retrieval.windows`).

    Raises `NotBuilt` when nothing was ever ingested, and the store's error when every leg failed.
    """
    trace = Trace()
    with trace.timed("total"):
        vector = await vector_of(desk, question, trace)
        async with seen(desk, question, vector, trace) as view:
            hits = await widened(desk, view.reader, view.hits) if whole else view.hits
    return found(hits, trace)


async def widened(desk: Desk, reader: Reader, hits: Sequence[Hit]) -> list[Hit]:
    """The hits as they are read."""
    async with reading(desk.deadlines):
        return await windows.read(reader, hits)


def found(hits: Sequence[Hit], trace: Trace) -> Found:
    """What a search brought, with what its trace tells."""
    return Found(tuple(hits), tuple(trace.notes), dict(trace.timings), tuple(trace.steps))


@dataclass(frozen=True, slots=True)
class Seen:
    """An open view with the state that it is of, and what it found."""

    reader: Reader
    info: Info
    hits: list[Hit]


@asynccontextmanager
async def seen(desk: Desk, question: Question, vector: Vectors | None, trace: Trace) -> AsyncIterator[Seen]:
    """The results in a view that is open for the block. None is open while a language model works: what it judged is
    looked up again, and stays where it is still active."""
    words = await worded(desk, question, vector, trace)
    async with AsyncExitStack() as stack:
        async with reading(desk.deadlines):
            reader = await stack.enter_async_context(desk.store.reader(desk.scope))
            info = await reader.info()
            hits = rank(await candidates_of(desk, reader, question, words, vector, trace), question)
            if not hits and "dense" in desk.store.capabilities:
                await filter_diagnostics.noted(reader, info, question.where, trace, seconds=desk.deadlines.leg)
        if not question.filter:
            yield Seen(reader, info, hits)
            return
    kept = await useful(desk.model, question, hits, trace, seconds=desk.deadlines.rewrite)
    async with AsyncExitStack() as stack:
        async with reading(desk.deadlines):
            reader = await stack.enter_async_context(desk.store.reader(desk.scope))
            info = await reader.info()
            active = {chunk.id for chunk in await reader.chunks([hit.chunk.id for hit in kept])}
        yield Seen(reader, info, [hit for hit in kept if hit.chunk.id in active])


async def worded(desk: Desk, question: Question, vector: Vectors | None, trace: Trace) -> tuple[Wording, ...]:
    """The ways in which the question is searched for: itself alone, unless a model is to write others."""
    assistant = Assistant(desk.model, desk.deadlines.rewrite, trace)
    made = await query_expansion.written(question, vector, assistant, partial(_best, desk, question))
    return await query_expansion.wordings(question, vector, made, desk.embedder, trace)


async def _best(desk: Desk, question: Question, vector: Vectors) -> float | None:
    """The cosine of the best passage; None where there are no vectors that it may be compared with."""
    async with reading(desk.deadlines), desk.store.reader(desk.scope) as reader:
        if not same_model(desk, await reader.info(), vector):
            return None
        first = await reader.nearest(vector, where=question.where, limit=1)
    return first[0].score if first else None


async def useful(model: Helper, question: Question, hits: Sequence[Hit], trace: Trace, *, seconds: float) -> list[Hit]:
    """The hits that a language model holds to be of use; see `ragstone.retrieval.sifted`."""
    texts = [shown(hit.chunk) for hit in hits]
    assistant = Assistant(model, seconds, trace)
    return await retrieval.sifted(question.text, hits, texts, assistant, below=question.filter_below)


def shown(chunk: Chunk) -> str:
    """A passage as a model that judges it sees it: where it stands, its table header, its text; secrets masked."""
    place = " > ".join((chunk.document.title or chunk.document.path, *chunk.heading_path))
    lines = [guard.shown(place), *([guard.shown(chunk.header)] if chunk.header else [])]
    return "\n".join([*lines, guard.shown(chunk.text, chunk.spans, chunk.secrets)])


async def vector_of(desk: Asking, question: Question, trace: Trace) -> Vectors | None:
    """The question's vector; None, with a note, when there is no model for it."""
    if question.mode == "keyword":
        return None
    if desk.embedder is None:
        _keyword_only(trace, desk.model_missing)
        return None
    work = _embedded(desk.embedder, question.text)
    vector = await trace.attempt("embedding", work, None, seconds=desk.deadlines.embed, refused=refusal(desk.embedder))
    if vector is None:
        _keyword_only(trace, None)
    return vector


async def _embedded(embedder: Embedder, text: str) -> Vectors:
    vectors = await embedder.embed([text], kind="query")
    row: Vectors = checked(vectors, dimension=embedder.dimension, references=["the question"])[0]
    return row


def _keyword_only(trace: Trace, why: str | None) -> None:
    trace.note("semantic_unavailable", "semantic unavailable; fallback=keyword-only")
    if why:
        trace.note("model_missing", why)
