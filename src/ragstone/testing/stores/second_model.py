"""The contract of a store with `models`: a second model beside the active one, switched to at once."""

import pytest

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import Store
from ragstone.testing.stores.actions import (
    as_reembedding,
    fill_second_model,
    list_model_states,
    require_capabilities,
    search_nearest,
    write_revisions,
)
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import (
    DIMENSION,
    MODEL,
    SCOPE,
    SECOND_DIMENSION,
    SECOND_MODEL,
    VARIANT,
    make_revision,
    make_vector,
    make_vector_key,
    make_wide_vector,
)


class SecondModelContract(StoreFixtures):
    """A second model beside the active one."""

    async def test_a_second_model_fills_in_beside_and_is_switched_to_and_back(self, store: Store) -> None:
        require_capabilities(store, "models")
        two = as_reembedding(store)
        first = make_revision("a.md", ["one", "two", "two"])
        await write_revisions(store, first, make_revision("b.md", ["three"]))
        before = await search_nearest(store.reader(SCOPE), make_vector("one"))
        await two.begin(SCOPE, model=SECOND_MODEL, variant=VARIANT, dimension=SECOND_DIMENSION)
        await two.begin(SCOPE, model=SECOND_MODEL, variant=VARIANT, dimension=SECOND_DIMENSION)
        assert await list_model_states(two) == [(MODEL, "active", 0), (SECOND_MODEL, "filling", 4)]
        with pytest.raises(UsageError, match="4 chunks have no vector of the second model yet"):
            await two.switch(SCOPE)
        assert await fill_second_model(two) == 3  # equal texts share one
        await write_revisions(store, make_revision("c.md", ["four"]))
        assert await list_model_states(two) == [(MODEL, "active", 0), (SECOND_MODEL, "filling", 1)]
        assert await fill_second_model(two) == 1
        assert await list_model_states(two) == [(MODEL, "active", 0), (SECOND_MODEL, "ready", 0)]
        beside = await search_nearest(two.second(SCOPE), make_wide_vector("one"))
        async with store.reader(SCOPE) as view:
            await two.switch(SCOPE)
            assert (await view.info()).model == MODEL
            assert len(await view.nearest(make_vector("one"), where=Where(), limit=9)) == 5
        assert await list_model_states(two) == [(SECOND_MODEL, "active", 0), (MODEL, "kept", 0)]
        assert await search_nearest(store.reader(SCOPE), make_wide_vector("one")) == beside
        assert await store.admin.check(SCOPE) == []
        await two.switch(SCOPE)
        await write_revisions(store)
        async with store.writer(SCOPE) as writer:
            await writer.remove([make_revision("c.md", ["four"]).document.id])
            await writer.settle()
        assert await search_nearest(store.reader(SCOPE), make_vector("one")) == before
        assert await store.admin.check(SCOPE) == []

    async def test_a_variant_is_a_second_model_and_lacks_what_came_after_the_switch(self, store: Store) -> None:
        require_capabilities(store, "models")
        two = as_reembedding(store)
        await write_revisions(store, make_revision("a.md", ["one"]))
        await two.begin(SCOPE, model=MODEL, variant="other", dimension=SECOND_DIMENSION)
        await fill_second_model(two)
        await two.switch(SCOPE)
        async with store.writer(SCOPE) as writer:
            await writer.replace([make_revision("b.md", ["two"])])
            while wanted := await writer.find_unembedded(9):
                await writer.put({chunk.vector_key: make_wide_vector(chunk.text) for chunk in wanted})
        assert await list_model_states(two) == [(MODEL, "active", 0), (MODEL, "kept", 1)]
        with pytest.raises(UsageError, match="reembed fill"):
            await two.switch(SCOPE)
        async with two.filler(SCOPE) as filler:
            [chunk] = await filler.find_unembedded(9)
            await filler.put({chunk.vector_key: make_vector(chunk.text)})
        await two.switch(SCOPE)
        assert len(await search_nearest(store.reader(SCOPE), make_vector("one"))) == 2

    async def test_a_writer_of_the_model_before_never_writes_into_the_new_one(self, store: Store) -> None:
        require_capabilities(store, "models")
        two = as_reembedding(store)
        await write_revisions(store, make_revision("a.md", ["one"]))
        await two.begin(SCOPE, model=SECOND_MODEL, variant=VARIANT, dimension=DIMENSION)
        async with store.writer(SCOPE) as writer, two.filler(SCOPE) as filler:
            [chunk] = await filler.find_unembedded(9)
            await filler.put({chunk.vector_key: make_vector("another")})
            await two.switch(SCOPE)
            await writer.replace([make_revision("b.md", ["two"])])
            for each in (writer, filler):
                with pytest.raises(StoreError, match="model"):
                    await each.put({make_vector_key("two"): make_vector("two")})
        assert await list_model_states(two) == [(SECOND_MODEL, "active", 1), (MODEL, "kept", 1)]

    async def test_a_second_model_that_is_given_up_leaves_nothing(self, store: Store) -> None:
        require_capabilities(store, "models")
        two = as_reembedding(store)
        await write_revisions(store, make_revision("a.md", ["one"]))
        for work in (
            two.switch(SCOPE),
            two.forget(SCOPE),
            search_nearest(two.second(SCOPE), make_wide_vector("one")),
            fill_second_model(two),
        ):
            with pytest.raises(UsageError, match=r"no second model.*reembed start"):
                await work
        await two.begin(SCOPE, model=SECOND_MODEL, variant=VARIANT, dimension=SECOND_DIMENSION)
        await fill_second_model(two)
        with pytest.raises(UsageError, match="reembed drop"):
            await two.begin(SCOPE, model="third", variant=VARIANT, dimension=3)
        with pytest.raises(UsageError, match="already"):
            await two.begin(SCOPE, model=MODEL, variant=VARIANT, dimension=DIMENSION)
        await two.forget(SCOPE)
        assert await list_model_states(two) == [(MODEL, "active", 0)]
        assert len(await search_nearest(store.reader(SCOPE), make_vector("one"))) == 1
        assert await store.admin.check(SCOPE) == []
        await two.begin(SCOPE, model="third", variant=VARIANT, dimension=3)
        assert await list_model_states(two) == [(MODEL, "active", 0), ("third", "filling", 1)]
