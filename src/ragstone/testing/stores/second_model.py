"""What a store with `models` promises: a second model beside the active one, switched to at once."""

import pytest

from ragstone.core.errors import StoreError, UsageError
from ragstone.core.filters import Where
from ragstone.core.ports import Store
from ragstone.testing.stores.acts import fill_second, near, needs, states, two_models, written
from ragstone.testing.stores.given import Given
from ragstone.testing.stores.made import (
    DIMENSION,
    MODEL,
    SCOPE,
    SECOND,
    VARIANT,
    WIDER,
    key_of,
    make_revision,
    vector_of,
    wide,
)


class SecondModel(Given):
    """A second model beside the active one."""

    async def test_a_second_model_fills_in_beside_and_is_switched_to_and_back(self, store: Store) -> None:
        needs(store, "models")
        two = two_models(store)
        first = make_revision("a.md", ["one", "two", "two"])
        await written(store, first, make_revision("b.md", ["three"]))
        before = await near(store.reader(SCOPE), vector_of("one"))
        await two.begin(SCOPE, model=SECOND, variant=VARIANT, dimension=WIDER)
        await two.begin(SCOPE, model=SECOND, variant=VARIANT, dimension=WIDER)
        assert await states(two) == [(MODEL, "active", 0), (SECOND, "filling", 4)]
        with pytest.raises(UsageError, match="4 chunks have no vector of the second model yet"):
            await two.switch(SCOPE)
        assert await fill_second(two) == 3  # equal texts share one
        await written(store, make_revision("c.md", ["four"]))
        assert await states(two) == [(MODEL, "active", 0), (SECOND, "filling", 1)]
        assert await fill_second(two) == 1
        assert await states(two) == [(MODEL, "active", 0), (SECOND, "ready", 0)]
        beside = await near(two.second(SCOPE), wide("one"))
        async with store.reader(SCOPE) as view:
            await two.switch(SCOPE)
            assert (await view.info()).model == MODEL
            assert len(await view.nearest(vector_of("one"), where=Where(), limit=9)) == 5
        assert await states(two) == [(SECOND, "active", 0), (MODEL, "kept", 0)]
        assert await near(store.reader(SCOPE), wide("one")) == beside
        assert await store.admin.check(SCOPE) == []
        await two.switch(SCOPE)
        await written(store)
        async with store.writer(SCOPE) as writer:
            await writer.remove([make_revision("c.md", ["four"]).document.id])
            await writer.settle()
        assert await near(store.reader(SCOPE), vector_of("one")) == before
        assert await store.admin.check(SCOPE) == []

    async def test_a_variant_is_a_second_model_and_lacks_what_came_after_the_switch(self, store: Store) -> None:
        needs(store, "models")
        two = two_models(store)
        await written(store, make_revision("a.md", ["one"]))
        await two.begin(SCOPE, model=MODEL, variant="other", dimension=WIDER)
        await fill_second(two)
        await two.switch(SCOPE)
        async with store.writer(SCOPE) as writer:
            await writer.replace([make_revision("b.md", ["two"])])
            while wanted := await writer.wanted(9):
                await writer.put({chunk.vector_key: wide(chunk.text) for chunk in wanted})
        assert await states(two) == [(MODEL, "active", 0), (MODEL, "kept", 1)]
        with pytest.raises(UsageError, match="reembed fill"):
            await two.switch(SCOPE)
        async with two.filler(SCOPE) as filler:
            [chunk] = await filler.wanted(9)
            await filler.put({chunk.vector_key: vector_of(chunk.text)})
        await two.switch(SCOPE)
        assert len(await near(store.reader(SCOPE), vector_of("one"))) == 2

    async def test_a_writer_of_the_model_before_never_writes_into_the_new_one(self, store: Store) -> None:
        needs(store, "models")
        two = two_models(store)
        await written(store, make_revision("a.md", ["one"]))
        await two.begin(SCOPE, model=SECOND, variant=VARIANT, dimension=DIMENSION)
        async with store.writer(SCOPE) as writer, two.filler(SCOPE) as filler:
            [chunk] = await filler.wanted(9)
            await filler.put({chunk.vector_key: vector_of("another")})
            await two.switch(SCOPE)
            await writer.replace([make_revision("b.md", ["two"])])
            for each in (writer, filler):
                with pytest.raises(StoreError, match="model"):
                    await each.put({key_of("two"): vector_of("two")})
        assert await states(two) == [(SECOND, "active", 1), (MODEL, "kept", 1)]

    async def test_a_second_model_that_is_given_up_leaves_nothing(self, store: Store) -> None:
        needs(store, "models")
        two = two_models(store)
        await written(store, make_revision("a.md", ["one"]))
        for work in (two.switch(SCOPE), two.forget(SCOPE), near(two.second(SCOPE), wide("one")), fill_second(two)):
            with pytest.raises(UsageError, match=r"no second model.*reembed start"):
                await work
        await two.begin(SCOPE, model=SECOND, variant=VARIANT, dimension=WIDER)
        await fill_second(two)
        with pytest.raises(UsageError, match="reembed drop"):
            await two.begin(SCOPE, model="third", variant=VARIANT, dimension=3)
        with pytest.raises(UsageError, match="already"):
            await two.begin(SCOPE, model=MODEL, variant=VARIANT, dimension=DIMENSION)
        await two.forget(SCOPE)
        assert await states(two) == [(MODEL, "active", 0)]
        assert len(await near(store.reader(SCOPE), vector_of("one"))) == 1
        assert await store.admin.check(SCOPE) == []
        await two.begin(SCOPE, model="third", variant=VARIANT, dimension=3)
        assert await states(two) == [(MODEL, "active", 0), ("third", "filling", 1)]
