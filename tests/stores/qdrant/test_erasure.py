"""A tenant's points go with it, also where the first erasure was cut short."""

from pathlib import Path

import pytest

from ragstone.stores import fault_points, open_store
from ragstone.stores.qdrant import QdrantStore
from ragstone.testing.stores import OTHER, SCOPE, make_revision, write_revisions


async def points(store: QdrantStore) -> int:
    """How many points there are in all collections."""
    held = await store._client.call(lambda c: c.get_collections())
    names = [one.name for one in held.collections]
    return sum([(await store._client.call(lambda c, n=name: c.count(n))).count for name in names])  # type: ignore[misc]  # bound at once


async def test_an_erasure_that_was_cut_short_is_finished_by_another_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(f"qdrant::memory:?ledger=embedded:{tmp_path / 'ledger'}")
    assert isinstance(store, QdrantStore)
    for scope in (SCOPE, OTHER):
        await write_revisions(store, make_revision("a.md", ["apple", "pear"], scope=scope), scope=scope)
    assert await points(store) == 4

    def cut(point: str) -> None:
        if point == "erase.switched":
            raise KeyError(point)

    monkeypatch.setattr(fault_points, "hook", cut)
    with pytest.raises(KeyError):
        await store.admin.erase(SCOPE.tenant)
    assert SCOPE.tenant in [tenant.name for tenant in await store.admin.tenants(SCOPE.tenant)]
    monkeypatch.setattr(fault_points, "hook", None)
    assert await store.admin.erase(SCOPE.tenant)
    assert await points(store) == 2
    assert not await store.admin.erase(SCOPE.tenant)
    await store.close()
