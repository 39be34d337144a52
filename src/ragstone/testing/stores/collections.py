"""The contract of a store for collections and tenants: made, told apart, pinned to a model, erased."""

from dataclasses import replace

import pytest

from ragstone.core.errors import Busy, NotBuilt, StoreError, UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import Store
from ragstone.core.records import Run
from ragstone.core.types import Scope
from ragstone.testing.stores.actions import (
    create_collection,
    read_texts,
    require_capabilities,
    search_texts,
    write_revisions,
)
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import DIMENSION, MODEL, OTHER, SCOPE, VARIANT, make_revision, make_vector

# Those of `ports.Store`.
CAPABILITIES = frozenset("dense keyword filter versions snapshot fusion export models sparse written".split())


class CollectionContract(StoreFixtures):
    """Collections and the tenants that they are of."""

    async def test_capabilities_have_names_that_the_seam_knows(self, store: Store) -> None:
        assert store.capabilities <= CAPABILITIES

    async def test_a_closed_store_says_so(self, store: Store) -> None:
        await write_revisions(store, make_revision("a.md", ["apple"]))
        await store.close()
        await store.close()
        with pytest.raises(StoreError, match="closed"):
            await search_texts(store, "apple")
        with pytest.raises(StoreError, match="closed"):
            await store.admin.exists(SCOPE)
        with pytest.raises(StoreError, match="closed"):
            await store.ledger(SCOPE).runs()

    async def test_reading_what_was_never_built_says_so(self, store: Store) -> None:
        with pytest.raises(NotBuilt, match="ragstone ingest"):
            async with store.reader(SCOPE):
                pass
        with pytest.raises(NotBuilt):
            async with store.writer(SCOPE):
                pass
        with pytest.raises(NotBuilt):
            await store.ledger(SCOPE).documents()
        assert await store.admin.collections(SCOPE.tenant) == []
        assert not await store.admin.exists(SCOPE)
        assert not await store.admin.drop(SCOPE)

    async def test_an_empty_collection_finds_nothing_and_says_that_it_is_empty(self, store: Store) -> None:
        await create_collection(store)
        async with store.reader(SCOPE) as reader:
            assert await reader.matching("anything", where=Where(), limit=5) == []
            assert await reader.nearest(make_vector("x"), where=Where(), limit=5) == []
            assert await reader.chunks(["none"]) == []
            assert await reader.at("a.md", 0) is None
            assert await reader.rate(["none"], vector=make_vector("x"), query="x") == {}
            info = await reader.info()
        assert (info.state, info.documents, info.chunks, info.scope) == ("empty", 0, 0, SCOPE)

    async def test_creating_twice_changes_nothing(self, store: Store) -> None:
        await write_revisions(store, make_revision("a.md", ["apple"]))
        await create_collection(store)
        assert await search_texts(store, "apple") == ["apple"]

    async def test_vectors_of_another_model_are_refused(self, store: Store) -> None:
        require_capabilities(store, "dense")
        await create_collection(store)
        with pytest.raises(UsageError, match=r"other-model.*--recreate"):
            await store.admin.create(SCOPE, model="other-model", variant=None, dimension=16)

    async def test_a_collection_without_a_model_gets_one_later(self, store: Store) -> None:
        require_capabilities(store, "dense")
        await store.admin.create(SCOPE, model=None, variant=None, dimension=None)
        await write_revisions(store, make_revision("a.md", ["apple"]))
        async with store.reader(SCOPE) as reader:
            [found] = await reader.nearest(make_vector("apple"), where=Where(), limit=1)
            info = await reader.info()
        assert found.score == 1.0
        assert (info.model, info.variant, info.dimension) == (MODEL, VARIANT, DIMENSION)

    async def test_collections_are_listed_by_name_whatever_the_name(self, store: Store) -> None:
        names = ["Notes", "notes", "a/b", "..", "žluť 水", "x" * 120, "%41", ".hidden", "水" * 120]
        for name in names:
            await create_collection(store, Scope("t", name))
        assert await store.admin.collections("t") == sorted(names)
        assert await store.admin.collections("T") == []

    async def test_erasing_leaves_nothing(self, store: Store) -> None:
        await write_revisions(store, make_revision("a.md", ["apple"]))
        await write_revisions(store, make_revision("a.md", ["apple"], scope=OTHER), scope=OTHER)
        assert await store.admin.drop(SCOPE)
        assert not await store.admin.exists(SCOPE)
        assert await store.admin.collections(SCOPE.tenant) == []
        await create_collection(store)
        assert await search_texts(store, "apple") == []
        assert await store.ledger(SCOPE).runs() == []
        assert await search_texts(store, "apple", OTHER) == ["apple"]

    async def test_erasing_a_tenant_leaves_nothing_of_it_and_all_of_others(self, store: Store) -> None:
        more = Scope(SCOPE.tenant, "more")
        for scope in (SCOPE, more, OTHER):
            await write_revisions(store, make_revision("a.md", ["apple"], scope=scope), scope=scope)
        await store.admin.pin(SCOPE.tenant, model=MODEL, dimension=DIMENSION)
        assert await store.admin.erase(SCOPE.tenant)
        assert await store.admin.collections(SCOPE.tenant) == []
        assert SCOPE.tenant not in [tenant.name for tenant in await store.admin.tenants(SCOPE.tenant)]
        assert not await store.admin.erase(SCOPE.tenant)
        await create_collection(store)
        assert await search_texts(store, "apple") == []
        assert await store.ledger(SCOPE).runs() == []
        if "dense" in store.capabilities:
            await write_revisions(store, make_revision("a.md", ["apple"]), vectors=False)
            async with store.writer(SCOPE) as writer:
                assert [chunk.text for chunk in await writer.find_unembedded(9)] == ["apple"]
        assert await search_texts(store, "apple", OTHER) == ["apple"]

    async def test_a_tenant_is_not_erased_while_a_source_is_ingested(self, store: Store) -> None:
        await create_collection(store)
        run = Run("r", "docs", "running", "2026-01-01T00:00:00Z")
        await store.ledger(SCOPE).start(run)
        if "dense" in store.capabilities:
            with pytest.raises(Busy):
                await store.admin.erase(SCOPE.tenant)
        await store.ledger(SCOPE).finish(replace(run, status="succeeded"))
        assert await store.admin.erase(SCOPE.tenant)

    async def test_a_tenant_is_pinned_to_one_model_until_nothing_of_it_is_left(self, store: Store) -> None:
        require_capabilities(store, "dense")
        pin = store.admin.pin
        await pin(SCOPE.tenant, model=MODEL, dimension=DIMENSION)
        await create_collection(store)
        await pin(SCOPE.tenant, model=MODEL, dimension=DIMENSION)
        await pin(OTHER.tenant, model="another", dimension=16)
        for model, dimension in (("another", DIMENSION), (MODEL, 16)):
            with pytest.raises(UsageError, match=r"tenant 'acme' is pinned to vectors of bag-of-bytes \(8\).*re-embed"):
                await pin(SCOPE.tenant, model=model, dimension=dimension)
        [ours] = [tenant for tenant in await store.admin.tenants(SCOPE.tenant) if tenant.name == SCOPE.tenant]
        assert (ours.model, ours.dimension, ours.collections) == (MODEL, DIMENSION, 1)
        await pin(SCOPE.tenant, model="another", dimension=16, without=SCOPE.collection)
        await store.admin.drop(SCOPE)
        await pin(SCOPE.tenant, model=MODEL, dimension=DIMENSION)

    async def test_vectors_of_what_was_removed_are_wanted_again(self, store: Store) -> None:
        require_capabilities(store, "dense")
        revision = make_revision("a.md", ["apple"])
        await write_revisions(store, revision, make_revision("b.md", ["pear"]))
        async with store.writer(SCOPE) as writer:
            await writer.remove([revision.document.id])
            await writer.settle()
            await writer.replace([replace(revision, document=replace(revision.document, revision=2))])
            assert [chunk.text for chunk in await writer.find_unembedded(9)] == ["apple"]

    async def test_a_tenant_never_sees_another(self, store: Store) -> None:
        await write_revisions(store, make_revision("a.md", ["our apple"]))
        await write_revisions(store, make_revision("b.md", ["their apple"], scope=OTHER), scope=OTHER)
        assert await search_texts(store, "apple") == ["our apple"]
        assert await search_texts(store, "apple", OTHER) == ["their apple"]
        [theirs] = make_revision("b.md", ["their apple"], scope=OTHER).chunks
        async with store.reader(SCOPE) as reader:
            assert await reader.chunks([theirs.id]) == []
            assert await reader.rate([theirs.id], vector=None, query="apple") == {}
            assert await reader.at("b.md", 0) is None
            assert await reader.records([theirs.document]) == {}
            if "dense" in store.capabilities:
                found = await reader.nearest(make_vector("their apple"), where=Where(), limit=9)
                assert await read_texts(reader, found) == ["our apple"]
