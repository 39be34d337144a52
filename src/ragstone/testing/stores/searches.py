"""What a store that keeps earlier searches promises of them: by key, bounded, gone with their collection."""

import contextlib
from dataclasses import replace

from ragstone.core.errors import StoreError
from ragstone.core.ports import Store
from ragstone.core.types import Scope
from ragstone.testing.stores.acts import remembering
from ragstone.testing.stores.given import Given
from ragstone.testing.stores.made import NEW_YEAR, OTHER, SCOPE, searched, vector_of


class Searches(Given):
    """Earlier searches."""

    async def test_searches_are_kept_by_key_the_latest_first(self, store: Store) -> None:
        memory = await remembering(store)
        assert await memory.of("k") == []
        for one in (searched("a", hour=1), searched("b", hour=2), searched("c", key="other")):
            await memory.keep(one, most=9)
        found = await memory.of("k")
        assert [one.id for one in found] == ["b", "a"]
        assert (found[1].at, found[1].generation, found[1].content) == (NEW_YEAR.replace(hour=1), 5, b"\0 a")
        assert found[1].vector == vector_of("a").tobytes()
        assert await memory.of("none") == []

    async def test_a_search_is_kept_in_place_of_the_same_one(self, store: Store) -> None:
        memory = await remembering(store)
        await memory.keep(searched("a"), most=9)
        await memory.keep(replace(searched("a", hour=3), content=b"new"), most=9)
        assert [(one.content, one.at.hour) for one in await memory.of("k")] == [(b"new", 3)]

    async def test_of_too_many_searches_those_go_that_were_not_used_for_longest(self, store: Store) -> None:
        memory = await remembering(store)
        for hour, name in enumerate("abc", 1):
            await memory.keep(searched(name, hour=hour), most=3)
        await memory.used("a", at=NEW_YEAR.replace(hour=4))
        await memory.used("nobody", at=NEW_YEAR.replace(hour=4))
        await memory.keep(searched("d", hour=5), most=2)
        assert [one.id for one in await memory.of("k")] == ["d", "a"]

    async def test_searches_of_earlier_generations_go(self, store: Store) -> None:
        memory = await remembering(store)
        await memory.keep(searched("a"), most=9)
        await memory.forget(before=5)
        assert [one.id for one in await memory.of("k")] == ["a"]
        await memory.forget(before=6)
        assert await memory.of("k") == []
        await memory.keep(searched("a"), most=9)
        await memory.keep(replace(searched("b"), generation=6), most=9)
        assert [one.id for one in await memory.of("k")] == ["b"]

    async def test_searches_are_of_one_scope_and_go_with_it(self, store: Store) -> None:
        beside = Scope(SCOPE.tenant, "beside")
        memories = [await remembering(store, scope) for scope in (SCOPE, OTHER, beside)]
        for number, memory in enumerate(memories):
            await memory.keep(searched(f"{number}"), most=9)
        assert [[one.id for one in await memory.of("k")] for memory in memories] == [["0"], ["1"], ["2"]]
        await store.admin.drop(SCOPE)
        assert await store.admin.erase(OTHER.tenant)
        for scope in (SCOPE, OTHER):
            assert await (await remembering(store, scope)).of("k") == []
        assert [one.id for one in await memories[2].of("k")] == ["2"]

    async def test_nothing_is_kept_of_a_collection_that_is_gone(self, store: Store) -> None:
        memory = await remembering(store)
        await store.admin.drop(SCOPE)
        with contextlib.suppress(StoreError):
            await memory.keep(searched("a"), most=9)
        assert await (await remembering(store)).of("k") == []
