"""The contract of a store that keeps API keys: found by id, of one tenant, revoked, erased."""

import asyncio

import pytest

from ragstone.core.errors import UsageError
from ragstone.core.ports import Store
from ragstone.testing.stores.actions import require_keys, write_revisions
from ragstone.testing.stores.fixtures import StoreFixtures
from ragstone.testing.stores.samples import NEW_YEAR, OTHER, SCOPE, make_key, make_revision


class KeyContract(StoreFixtures):
    """API keys of tenants."""

    async def test_a_key_is_found_by_its_id_as_it_was_added(self, store: Store, key_store: Store) -> None:
        require_keys(key_store)
        key = make_key("a1", roles=("read-restricted", "write"), expires=NEW_YEAR.replace(year=2099))
        assert await store.keys.find("a1") is None
        await key_store.keys.add(key)
        assert await store.keys.find("a1") == key
        assert await store.keys.find("a") is None
        assert await store.keys.find("%") is None
        assert await store.keys.find("") is None

    async def test_a_key_is_kept_beside_what_was_and_what_will_be_written(self, store: Store, key_store: Store) -> None:
        require_keys(key_store)
        await write_revisions(store, make_revision("a.md", ["apple"]))
        await key_store.keys.add(make_key("a1"))
        assert await store.admin.collections(SCOPE.tenant) == [SCOPE.collection]
        assert await store.admin.drop(SCOPE)
        assert await store.keys.find("a1") == make_key("a1")

    async def test_keys_are_listed_by_creation_and_of_one_tenant_alone(self, key_store: Store) -> None:
        require_keys(key_store)
        later = NEW_YEAR.replace(month=2)
        own = [make_key("b"), make_key("c"), make_key("a", created=later)]
        for key in (own[2], make_key("d", tenant=OTHER.tenant), own[1], own[0]):
            await key_store.keys.add(key)
        assert await key_store.keys.of(SCOPE.tenant) == own
        assert [key.id for key in await key_store.keys.of(OTHER.tenant)] == ["d"]
        assert await key_store.keys.of("nobody") == []

    async def test_an_id_is_taken_once(self, store: Store, key_store: Store) -> None:
        require_keys(key_store)
        await key_store.keys.add(make_key("a1"))
        for tenant in (SCOPE.tenant, OTHER.tenant):
            with pytest.raises(UsageError, match="a1"):
                await key_store.keys.add(make_key("a1", tenant=tenant))
        assert await store.keys.find("a1") == make_key("a1")

    async def test_a_key_is_revoked_once_and_by_its_tenant_alone(self, store: Store, key_store: Store) -> None:
        require_keys(key_store)
        await key_store.keys.add(make_key("a1"))
        await key_store.keys.add(make_key("a2"))
        assert not await key_store.keys.revoke(OTHER.tenant, "a1", at=NEW_YEAR)
        assert not await key_store.keys.revoke(SCOPE.tenant, "none", at=NEW_YEAR)
        assert await store.keys.find("a1") == make_key("a1")
        assert await key_store.keys.revoke(SCOPE.tenant, "a1", at=NEW_YEAR)
        assert await key_store.keys.revoke(SCOPE.tenant, "a1", at=NEW_YEAR.replace(year=2030))
        assert [key.revoked for key in await key_store.keys.of(SCOPE.tenant)] == [NEW_YEAR, None]

    async def test_keys_of_an_erased_tenant_are_gone(self, store: Store, key_store: Store) -> None:
        require_keys(key_store)
        assert await key_store.keys.erase(SCOPE.tenant) == 0
        for key in (make_key("a1"), make_key("a2"), make_key("r1", tenant=OTHER.tenant)):
            await key_store.keys.add(key)
        assert await key_store.keys.erase(SCOPE.tenant) == 2
        assert await store.keys.find("a1") is None
        assert await key_store.keys.of(SCOPE.tenant) == []
        assert [key.id for key in await key_store.keys.of(OTHER.tenant)] == ["r1"]

    async def test_keys_that_are_added_at_once_are_all_kept(self, key_store: Store) -> None:
        require_keys(key_store)
        names = [f"{number:02d}" for number in range(24)]
        await asyncio.gather(*(key_store.keys.add(make_key(name)) for name in names))
        assert [key.id for key in await key_store.keys.of(SCOPE.tenant)] == names

    async def test_what_is_no_name_of_a_tenant_or_key_changes_nothing(self, store: Store, key_store: Store) -> None:
        require_keys(key_store)
        await key_store.keys.add(make_key("a1"))
        for odd in ("' OR 1=1 --", "a1'; DELETE FROM api_keys; --", "%", "_", "\\", '"'):
            assert await store.keys.find(odd) is None
            assert await key_store.keys.of(odd) == []
            assert not await key_store.keys.revoke(odd, "a1", at=NEW_YEAR)
            assert not await key_store.keys.revoke(SCOPE.tenant, odd, at=NEW_YEAR)
        assert await key_store.keys.of(SCOPE.tenant) == [make_key("a1")]
