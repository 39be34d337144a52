"""Actions on a store under test, one function each."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

import pytest

from ragstone.core.errors import UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import (
    Exporter,
    Reader,
    ReembeddingStore,
    SearchCache,
    SearchCachingStore,
    Store,
    Vectors,
    Writer,
)
from ragstone.core.types import Candidate, Revision, Scope
from ragstone.testing.stores.samples import DIMENSION, EVERYTHING, MODEL, SCOPE, VARIANT, make_vector, make_wide_vector


async def create_collection(store: Store, scope: Scope = SCOPE) -> None:
    """Make the collection, for vectors of `make_vector`."""
    await store.admin.create(scope, model=MODEL, variant=VARIANT, dimension=DIMENSION)


async def write_revisions(store: Store, *revisions: Revision, scope: Scope = SCOPE, vectors: bool = True) -> None:
    """Make the collection, write documents in one call, add the vectors they want."""
    await create_collection(store, scope)
    async with store.writer(scope) as writer:
        await writer.replace(revisions)
        if vectors and "dense" in store.capabilities:
            await fill_vectors(writer)


async def fill_vectors(writer: Writer) -> int:
    """Put every wanted vector; how many there were."""
    count = 0
    while wanted := await writer.find_unembedded(50):
        await writer.put({chunk.vector_key: make_vector(chunk.text) for chunk in wanted})
        count += len(wanted)
    return count


async def open_search_cache(store: Store, scope: Scope = SCOPE) -> SearchCache:
    """The earlier searches of a collection, which is made; a store that keeps none skips the test."""
    if not isinstance(store, SearchCachingStore):
        pytest.skip(f"{store.provider} keeps no searches")
    await create_collection(store, scope)
    return store.search_cache(scope)


async def search_texts(store: Store, query: str, scope: Scope = SCOPE, *, where: Where = EVERYTHING) -> list[str]:
    """The texts of all chunks that match a query, best first."""
    async with store.reader(scope) as reader:
        return await read_texts(reader, await reader.matching(query, where=where, limit=100_000))


async def read_texts(reader: Reader, found: Sequence[Candidate]) -> list[str]:
    """The texts behind candidates."""
    return [chunk.text for chunk in await reader.chunks([candidate.id for candidate in found])]


def require_keys(store: Store) -> None:
    """Skip the test when the store keeps no keys."""
    try:
        store.keys  # noqa: B018  # looking at it is the question
    except UsageError as error:
        pytest.skip(str(error))


def require_capabilities(store: Store, *capabilities: str) -> None:
    """Skip the test when the store cannot do this."""
    for capability in capabilities:
        if capability not in store.capabilities:
            pytest.skip(f"{store.provider} has no {capability}")


def as_exporter(reader: Reader) -> Exporter:
    """The reader as an `Exporter`."""
    assert isinstance(reader, Exporter)
    return reader


def as_reembedding(store: Store) -> ReembeddingStore:
    """The store as a `ReembeddingStore`."""
    assert isinstance(store, ReembeddingStore)
    return store


async def fill_second_model(store: ReembeddingStore) -> int:
    """Put every vector that the second model lacks; how many there were."""
    count = 0
    async with store.filler(SCOPE) as filler:
        while wanted := await filler.find_unembedded(2):
            await filler.put({chunk.vector_key: make_wide_vector(chunk.text) for chunk in wanted})
            count += len(wanted)
        await filler.settle()
    return count


async def list_model_states(store: ReembeddingStore) -> list[tuple[str, str, int]]:
    """Name, state and what is missing of each model."""
    return [(held.model, held.state, held.pending) for held in await store.models(SCOPE)]


async def search_nearest(opened: AbstractAsyncContextManager[Reader], vector: Vectors) -> list[Candidate]:
    """The nearest chunks of a view, which is closed after."""
    async with opened as reader:
        found = await reader.nearest(vector, where=Where(), limit=9)
        rated = await reader.rate([one.id for one in found], vector=vector, query="")
        assert [rated[one.id]["cosine"] for one in found] == [one.score for one in found]
        return found
