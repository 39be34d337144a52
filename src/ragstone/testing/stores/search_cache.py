"""The contract of a store that caches searches: by key, bounded, gone with their collection."""

import contextlib
from dataclasses import replace

from ragstone.core.errors import StoreError
from ragstone.core.ports import Store
from ragstone.core.types import Scope
from ragstone.testing.stores.actions import open_search_cache
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import NEW_YEAR, OTHER, SCOPE, make_search, make_vector


class SearchCacheContract(StoreFixtures):
    """Earlier searches."""

    async def test_searches_are_kept_by_key_the_latest_first(self, store: Store) -> None:
        memory = await open_search_cache(store)
        assert await memory.find_by_key("k") == []
        for one in (make_search("a", hour=1), make_search("b", hour=2), make_search("c", key="other")):
            await memory.put_search(one, most=9)
        found = await memory.find_by_key("k")
        assert [one.id for one in found] == ["b", "a"]
        assert (found[1].at, found[1].generation, found[1].content) == (NEW_YEAR.replace(hour=1), 5, b"\0 a")
        assert found[1].vector == make_vector("a").tobytes()
        assert await memory.find_by_key("none") == []

    async def test_a_search_is_kept_in_place_of_the_same_one(self, store: Store) -> None:
        memory = await open_search_cache(store)
        await memory.put_search(make_search("a"), most=9)
        await memory.put_search(replace(make_search("a", hour=3), content=b"new"), most=9)
        assert [(one.content, one.at.hour) for one in await memory.find_by_key("k")] == [(b"new", 3)]

    async def test_of_too_many_searches_those_go_that_were_not_used_for_longest(self, store: Store) -> None:
        memory = await open_search_cache(store)
        for hour, name in enumerate("abc", 1):
            await memory.put_search(make_search(name, hour=hour), most=3)
        await memory.mark_used("a", at=NEW_YEAR.replace(hour=4))
        await memory.mark_used("nobody", at=NEW_YEAR.replace(hour=4))
        await memory.put_search(make_search("d", hour=5), most=2)
        assert [one.id for one in await memory.find_by_key("k")] == ["d", "a"]

    async def test_searches_of_earlier_generations_go(self, store: Store) -> None:
        memory = await open_search_cache(store)
        await memory.put_search(make_search("a"), most=9)
        await memory.remove_before(before=5)
        assert [one.id for one in await memory.find_by_key("k")] == ["a"]
        await memory.remove_before(before=6)
        assert await memory.find_by_key("k") == []
        await memory.put_search(make_search("a"), most=9)
        await memory.put_search(replace(make_search("b"), generation=6), most=9)
        assert [one.id for one in await memory.find_by_key("k")] == ["b"]

    async def test_searches_are_of_one_scope_and_go_with_it(self, store: Store) -> None:
        beside = Scope(SCOPE.tenant, "beside")
        memories = [await open_search_cache(store, scope) for scope in (SCOPE, OTHER, beside)]
        for number, memory in enumerate(memories):
            await memory.put_search(make_search(f"{number}"), most=9)
        assert [[one.id for one in await memory.find_by_key("k")] for memory in memories] == [["0"], ["1"], ["2"]]
        await store.admin.drop(SCOPE)
        assert await store.admin.erase(OTHER.tenant)
        for scope in (SCOPE, OTHER):
            assert await (await open_search_cache(store, scope)).find_by_key("k") == []
        assert [one.id for one in await memories[2].find_by_key("k")] == ["2"]

    async def test_nothing_is_kept_of_a_collection_that_is_gone(self, store: Store) -> None:
        memory = await open_search_cache(store)
        await store.admin.drop(SCOPE)
        with contextlib.suppress(StoreError):
            await memory.put_search(make_search("a"), most=9)
        assert await (await open_search_cache(store)).find_by_key("k") == []
