"""The contract of a store with `sparse`: sparse vectors of its chunks, retrieved by their dot product."""

import zlib
from collections.abc import Sequence

import pytest

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import SparseIndexingStore, SparseReader, SparseState, SparseVector, Store
from ragstone.core.types import Candidate, Scope
from ragstone.testing.stores.actions import create_collection, require_capabilities, write_revisions
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import EVERYTHING, OTHER, SCOPE, make_revision

ENCODER = "words/of-their-length"
QUERY = "alpha beta delta"


def make_sparse(text: str) -> SparseVector:
    """A vector that depends on the words alone: a term for each, weights with six decimals."""
    weights = {zlib.crc32(word.encode()): round(len(word) / 3, 6) for word in text.split()}
    return SparseVector(tuple(sorted(weights)), tuple(weights[term] for term in sorted(weights)))


def as_sparse(store: Store) -> SparseIndexingStore:
    """The store as a `SparseIndexingStore`; one that keeps no sparse vectors skips the test."""
    require_capabilities(store, "sparse")
    assert isinstance(store, SparseIndexingStore)
    return store


async def fill_sparse(store: Store, scope: Scope = SCOPE, *, at_once: int = 3, settle: bool = True) -> int:
    """Put every sparse vector that is wanted; how many there were."""
    count = last = 0
    async with as_sparse(store).sparse_index(scope) as index:
        await index.begin(ENCODER)
        while wanted := await index.find_unindexed(at_once, after=last):
            last = wanted[-1][0]
            await index.put({number: make_sparse(chunk.text) for number, chunk in wanted})
            count += len(wanted)
        if settle:
            await index.settle()
    return count


async def search_sparse(
    store: Store, query: str = QUERY, scope: Scope = SCOPE, *, where: Where = EVERYTHING, limit: int = 100
) -> list[tuple[str, int, float]]:
    """Path, ordinal and score of the chunks found; checks that `rate_sparse` gives the same scores."""
    async with store.reader(scope) as reader:
        assert isinstance(reader, SparseReader)
        found = await reader.match_sparse(make_sparse(query), where=where, limit=limit)
        rated = await reader.rate_sparse([one.id for one in found], make_sparse(query))
        assert rated == {one.id: one.score for one in found}
        assert [chunk.id for chunk in await reader.chunks([one.id for one in found])] == [one.id for one in found]
    return _list_places(found)


def _list_places(found: Sequence[Candidate]) -> list[tuple[str, int, float]]:
    return [(one.place[0], one.place[2], one.score) for one in found]


async def read_sparse_state(store: Store, scope: Scope = SCOPE) -> SparseState | None:
    """The model of a collection's sparse vectors, and how many are missing."""
    async with store.reader(scope) as reader:
        return await reader.sparse_state() if isinstance(reader, SparseReader) else None


class SparseIndexContract(StoreFixtures):
    """Sparse vectors beside the dense ones."""

    async def test_chunks_are_found_by_the_dot_product_in_the_order_of_their_places(self, store: Store) -> None:
        as_sparse(store)
        await create_collection(store)
        assert await read_sparse_state(store) is None
        assert await search_sparse(store) == []
        await write_revisions(
            store,
            make_revision("b.md", ["alpha beta", "gamma", "delta alpha beta"]),
            make_revision("a.md", ["beta alpha"]),
        )
        assert await fill_sparse(store) == 4
        assert await fill_sparse(store) == 0
        assert await read_sparse_state(store) == SparseState(ENCODER, 0)
        two = 1.666667**2 + 1.333333**2  # alpha and beta; delta is as long as alpha
        expected = [("b.md", 2, round(two + 1.666667**2, 6)), ("a.md", 0, round(two, 6)), ("b.md", 0, round(two, 6))]
        assert await search_sparse(store) == expected
        assert await search_sparse(store, limit=2) == expected[:2]
        assert await search_sparse(store, limit=0) == []
        assert await search_sparse(store, where=Where(paths=("a.md",))) == expected[1:2]
        assert await search_sparse(store, "omega") == []

    async def test_replaced_and_removed_chunks_are_found_no_more_and_new_ones_are_wanted(self, store: Store) -> None:
        as_sparse(store)
        await write_revisions(store, make_revision("a.md", ["alpha", "alpha beta"]), make_revision("b.md", ["beta"]))
        await fill_sparse(store)
        await write_revisions(store, make_revision("a.md", ["delta"], revision=2))
        assert await read_sparse_state(store) == SparseState(ENCODER, 1)
        assert [place[:2] for place in await search_sparse(store)] == [("b.md", 0)]
        assert await fill_sparse(store) == 1
        assert [place[:2] for place in await search_sparse(store)] == [("a.md", 0), ("b.md", 0)]
        async with store.writer(SCOPE) as writer:
            await writer.remove([make_revision("b.md", []).document.id])
            await writer.settle()
        assert [place[:2] for place in await search_sparse(store)] == [("a.md", 0)]
        assert await store.admin.check(SCOPE) == []

    async def test_a_chunk_that_is_gone_before_its_vector_comes_gets_none(self, store: Store) -> None:
        await write_revisions(store, make_revision("a.md", ["alpha"]))
        async with as_sparse(store).sparse_index(SCOPE) as index:
            await index.begin(ENCODER)
            [(number, _)] = await index.find_unindexed(9)
            await write_revisions(store, make_revision("a.md", ["omega"], revision=2))
            await index.put({number: make_sparse("alpha")})
            assert await search_sparse(store, "alpha") == []
            [(other, _)] = await index.find_unindexed(9)
            await index.put({other: make_sparse("omega")})
            await index.put({other: make_sparse("alpha")})  # the first one stays
        assert await search_sparse(store, "alpha") == []
        assert len(await search_sparse(store, "omega")) == 1
        assert await store.admin.check(SCOPE) == []

    async def test_many_small_writes_that_are_settled_give_the_same_results(self, store: Store) -> None:
        texts = ["alpha " * (n % 2) + "beta " * (n % 3) + f"word{n}" for n in range(9)]
        as_sparse(store)
        await write_revisions(store, *(make_revision(f"{name}.md", texts) for name in "abc"))
        assert await fill_sparse(store, at_once=1, settle=False) == 27
        before = await search_sparse(store)
        assert len(before) == 21
        assert await fill_sparse(store) == 0
        assert await search_sparse(store) == before
        await write_revisions(store, make_revision("b.md", texts[:4], revision=2))
        await fill_sparse(store)
        kept = [one for one in before if one[0] != "b.md" or one[1] < 4]
        assert await search_sparse(store) == kept
        assert await store.admin.check(SCOPE) == []

    async def test_a_view_shows_the_state_it_was_opened_in(self, store: Store) -> None:
        as_sparse(store)
        await write_revisions(store, make_revision("a.md", ["alpha"]))
        await fill_sparse(store)
        async with store.reader(SCOPE) as reader:
            assert isinstance(reader, SparseReader)
            generation = (await reader.info()).generation
            await write_revisions(store, make_revision("b.md", ["alpha"]))
            await fill_sparse(store)
            found = await reader.match_sparse(make_sparse("alpha"), where=EVERYTHING, limit=9)
            assert [place[0] for place in _list_places(found)] == ["a.md"]
        async with store.reader(SCOPE) as reader:
            assert (await reader.info()).generation > generation
        assert [place[0] for place in await search_sparse(store, "alpha")] == ["a.md", "b.md"]

    async def test_another_collection_and_tenant_see_nothing_of_it(self, store: Store) -> None:
        as_sparse(store)
        beside = Scope(SCOPE.tenant, "beside")
        for scope in (SCOPE, beside, OTHER):
            await write_revisions(store, make_revision(f"{scope.tenant}.md", [QUERY], scope=scope), scope=scope)
        await fill_sparse(store)
        assert await read_sparse_state(store, beside) is None
        assert await fill_sparse(store, OTHER) == 1
        async with as_sparse(store).sparse_index(OTHER) as index:
            await index.drop()
        assert await search_sparse(store, scope=OTHER) == await search_sparse(store, scope=beside) == []
        assert len(await search_sparse(store)) == 1

    async def test_another_model_is_refused_until_the_first_is_dropped(self, store: Store) -> None:
        as_sparse(store)
        await write_revisions(store, make_revision("a.md", ["alpha"]))
        async with as_sparse(store).sparse_index(SCOPE) as before:
            await fill_sparse(store)
            with pytest.raises(UsageError, match=f"keeps sparse vectors of {ENCODER}.*--refresh"):
                await before.begin("another")
            async with as_sparse(store).sparse_index(SCOPE) as index:
                await index.drop()
                assert await read_sparse_state(store) is None
                await index.begin("another")
                [(number, _)] = await index.find_unindexed(9)
                with pytest.raises(StoreError, match="another model"):
                    await before.put({number: make_sparse("alpha")})
        assert await read_sparse_state(store) == SparseState("another", 1)
        assert await search_sparse(store) == []
