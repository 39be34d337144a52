"""Candidate questions of a collection, from its documents in an order that a seed decides."""

from collections.abc import AsyncIterator, Sequence
from hashlib import sha256

from ragstone.core.errors import UsageError
from ragstone.core.ports import Reader
from ragstone.core.types import Chunk, Document
from ragstone.engine import Engine
from ragstone.evaluation.candidate_questions import Candidate, choose_spread, find_candidates

MOST_CHUNKS = 200  # of one document that are read
LEAST_TOKENS = 40  # of a passage that a model is asked about


async def collect_candidates(engine: Engine, wanted: int, *, seed: int) -> list[Candidate]:
    """At most `wanted` questions without a model, the same for the same collection and seed; raises `UsageError` for a
    collection without documents."""
    found: list[list[Candidate]] = []
    async with engine.store.reader(engine.scope) as reader:
        for document in await _list_documents(engine, seed):
            own = await _read_candidates(reader, document)
            if own:
                found.append(own)
            if len(found) >= wanted:
                break
    return choose_spread(found, wanted)


async def collect_passages(engine: Engine, wanted: int, *, seed: int) -> list[tuple[Chunk, str]]:
    """At most `wanted` passages with the text of record of their documents, spread over documents."""
    found: list[list[tuple[Chunk, str]]] = []
    async with engine.store.reader(engine.scope) as reader:
        for document in await _list_documents(engine, seed):
            record = (await reader.records([document])).get(document.id)
            chunks = [one async for one in _read_chunks(reader, document)] if record is not None else []
            fit = [one for one in chunks if one.tokens >= LEAST_TOKENS and one.kind != "code" and not one.flags]
            ordered = sorted(fit, key=lambda one: _draw(seed, document, one.ordinal))
            if ordered:
                found.append([(one, record or "") for one in ordered])
            if len(found) >= wanted:
                break
    rounds = max(map(len, found), default=0)
    return [own[turn] for turn in range(rounds) for own in found if turn < len(own)][:wanted]


async def _list_documents(engine: Engine, seed: int) -> Sequence[Document]:
    documents = await engine.documents()
    if not documents:
        raise UsageError(f"collection {engine.scope.collection!r} has no document to ask about: run `ragstone ingest`")
    return sorted(documents, key=lambda document: _draw(seed, document, -1))


def _draw(seed: int, document: Document, ordinal: int) -> bytes:
    told = f"{seed}\0{document.source}\0{document.path}\0{ordinal}"
    return sha256(told.encode("utf-8", "surrogatepass")).digest()


async def _read_candidates(reader: Reader, document: Document) -> list[Candidate]:
    record = (await reader.records([document])).get(document.id)
    if record is None:
        return []
    title = document.title or document.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    chunks = [chunk async for chunk in _read_chunks(reader, document)]
    return [one for chunk in chunks for one in find_candidates(chunk, record, title=title)]


async def _read_chunks(reader: Reader, document: Document) -> AsyncIterator[Chunk]:
    for ordinal in range(MOST_CHUNKS):
        chunk = await reader.at(document.path, ordinal, source=document.source)
        if chunk is None:
            return
        yield chunk
