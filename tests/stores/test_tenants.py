"""Keys of tenants are wrapped anew, replaced and destroyed; killed at any moment, the store opens."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragstone.core.errors import Busy, NoKey
from ragstone.core.filters import Where
from ragstone.core.records import Run
from ragstone.core.types import Scope
from ragstone.stores import fault_points
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.encryption import SecretKey
from ragstone.stores.master_key import MasterKey
from ragstone.testing.stores import (
    OTHER,
    SCOPE,
    create_collection,
    make_revision,
    make_vector,
    search_texts,
    write_revisions,
)
from tests import forked
from tests.patience import HANG
from tests.stores.victim import MASTER

NEWER = MasterKey(SecretKey(bytes(range(1, 33))), MASTER.key)
MORE = Scope(SCOPE.tenant, "more")
POINTS = [
    ("rekey", "keys.kept", 1),
    ("rekey", "rekey.written", 1),
    ("rekey", "rekey.moved", 1),
    ("rekey", "rekey.aside", 1),
    ("rekey", "rekey.finished", 1),
    ("encrypt", "rekey.written", 2),
]


async def filled_with_two(root: Path, master: MasterKey | None) -> None:
    """Two collections, one with a vector that was removed and a revision that was replaced."""
    store = EmbeddedStore(root, master=master)
    for scope in (SCOPE, MORE):
        removed = make_revision("gone.md", ["quince"], scope=scope)
        await write_revisions(store, make_revision("a.md", ["apple", "pear"], scope=scope), removed, scope=scope)
        async with store.writer(scope) as writer:
            await writer.remove([removed.document.id])
            await writer.settle()
    await store.admin.pin(SCOPE.tenant, model="some-model", dimension=8)
    await store.close()


def files(root: Path) -> list[Path]:
    """All files below a folder."""
    return [path for path in root.rglob("*") if path.is_file()]


def names(root: Path) -> set[str]:
    """What stands in a folder."""
    return {path.name for path in root.iterdir()}


async def whole(store: EmbeddedStore) -> None:
    """Everything is there, in both retrievers, and nothing is wrong or left over."""
    for scope in (SCOPE, MORE):
        assert await search_texts(store, "apple pear", scope) == ["apple", "pear"]
        assert [p for p in await store.admin.check(scope) if "not encrypted" not in p] == []
        async with store.reader(scope) as reader:
            [best] = await reader.nearest(make_vector("pear"), where=Where(), limit=1)
            assert [chunk.text for chunk in await reader.chunks([best.id])] == ["pear"]
            assert (await reader.info()).pending_vectors == 0


async def test_a_rotated_key_opens_with_the_new_master_key_alone(tmp_path: Path) -> None:
    await filled_with_two(tmp_path, MASTER)
    before = Tenants(tmp_path, MASTER).read_keys("acme")
    store = EmbeddedStore(tmp_path, master=NEWER)
    await whole(store)
    await store.rotate("acme")
    await store.close()
    assert Tenants(tmp_path, MasterKey(NEWER.key)).read_keys("acme") == before
    with pytest.raises(NoKey, match="another master key"):
        Tenants(tmp_path, MASTER).read_keys("acme")


async def test_a_new_key_encrypts_all_anew_and_the_old_one_opens_nothing(tmp_path: Path) -> None:
    await filled_with_two(tmp_path, MASTER)
    [old] = Tenants(tmp_path, MASTER).read_keys("acme").values()
    store = EmbeddedStore(tmp_path, master=MASTER)
    await whole(store)
    assert await store.rekey("acme", fresh=True) == 2
    await whole(store)
    await store.forget_keys("acme")
    await whole(store)
    await write_revisions(store, make_revision("b.md", ["plum"]))
    assert await search_texts(store, "plum") == ["plum"]
    [new] = Tenants(tmp_path, MASTER).read_keys("acme").values()
    assert new != old
    assert [tenant.model for tenant in await store.admin.tenants("acme")] == ["some-model"]
    await store.close()


async def test_a_plain_tenant_is_encrypted_with_nothing_left_of_the_plain_files(tmp_path: Path) -> None:
    await filled_with_two(tmp_path, None)
    store, reader = EmbeddedStore(tmp_path, master=MASTER), EmbeddedStore(tmp_path, master=MASTER)
    await whole(reader)
    assert await store.rekey("acme", fresh=False) == 2
    assert await store.rekey("acme", fresh=False) == 0
    await whole(store)
    await whole(reader)
    held = [path.read_bytes() for path in files(tmp_path)]
    words = (b"apple", b"a.md", b"some-model", make_vector("pear").tobytes())
    assert not any(word in data for data in held for word in words)
    assert await store.admin.check(SCOPE) == []
    await store.close()
    await reader.close()


async def test_keys_are_not_changed_while_a_source_is_ingested(tmp_path: Path) -> None:
    await filled_with_two(tmp_path, MASTER)
    store = EmbeddedStore(tmp_path, master=MASTER)
    await store.ledger(SCOPE).start(Run("r", "docs", "running", "2026-01-01T00:00:00Z"))
    with pytest.raises(Busy, match="'notes' cannot be encrypted anew now"):
        await store.rekey("acme", fresh=True)
    await whole(store)
    await store.close()


async def test_what_waits_to_write_while_a_key_is_changed_is_not_lost_silently(tmp_path: Path) -> None:
    """A connection from before the change may not write to what was replaced."""
    await filled_with_two(tmp_path, MASTER)
    store, late = EmbeddedStore(tmp_path, master=MASTER), EmbeddedStore(tmp_path, master=MASTER)
    async with late.writer(SCOPE) as writer:
        await store.rekey("acme", fresh=True)
        with pytest.raises(Busy, match="encrypted with another key meanwhile; run again"):
            await writer.replace([make_revision("late.md", ["late"])])
    await write_revisions(late, make_revision("late.md", ["late"]))
    assert await search_texts(store, "late") == ["late"]
    await store.close()
    await late.close()


def killed(root: Path, verb: str, point: str, nth: int) -> None:
    assert forked.run("tests.stores.changer", root, verb, point, nth) == -9


@pytest.mark.parametrize(("verb", "point", "nth"), POINTS)
async def test_killed_while_keys_are_changed_the_store_opens_and_the_next_call_finishes(
    tmp_path: Path, verb: str, point: str, nth: int
) -> None:
    await filled_with_two(tmp_path, MASTER if verb == "rekey" else None)
    killed(tmp_path, verb, point, nth)
    store = EmbeddedStore(tmp_path, master=MASTER)
    await whole(store)
    await store.rekey("acme", fresh=verb == "rekey" and point != "rekey.finished")
    await store.forget_keys("acme")
    await whole(store)
    assert len(Tenants(tmp_path, MASTER).read_keys("acme")) == 1
    assert [path for path in files(tmp_path) if "/." in str(path)] == []
    assert await store.admin.check(SCOPE) == []
    await store.close()


@pytest.mark.parametrize("point", ["erase.doomed", "erase.renamed", "erase.shredded"])
async def test_an_erasure_that_was_killed_is_said_until_another_call_has_finished_it(
    tmp_path: Path, point: str
) -> None:
    await filled_with_two(tmp_path, MASTER)
    store = EmbeddedStore(tmp_path, master=MASTER)
    await write_revisions(store, make_revision("a.md", ["apple"], scope=OTHER), scope=OTHER)
    await store.close()
    killed(tmp_path, "erase", point, 1)
    store = EmbeddedStore(tmp_path, master=MASTER)
    assert await search_texts(store, "apple", OTHER) == ["apple"]
    assert names(tmp_path) >= {".erasing-acme", "rival"}
    assert not [path for path in files(tmp_path) if ".gone-" in str(path)]
    unfinished = [tenant.name for tenant in await store.admin.tenants("x") if "not finished" in (tenant.problem or "")]
    assert unfinished == ["acme"]
    assert await store.admin.begin_erasing("acme")
    assert await store.admin.erase("acme")
    assert not await store.admin.erase("acme")
    assert not await store.admin.begin_erasing("acme")
    assert await search_texts(store, "apple", OTHER) == ["apple"]
    assert names(tmp_path) == {"rival", "store.json", "store.lock"}
    await store.close()


async def test_a_tenant_whose_key_is_lost_can_be_erased(tmp_path: Path) -> None:
    await filled_with_two(tmp_path, MASTER)
    store = EmbeddedStore(tmp_path)
    assert await store.admin.erase("acme")
    assert names(tmp_path) == {"store.json", "store.lock"}
    await store.close()


@pytest.mark.parametrize("master", [None, MASTER])
async def test_names_of_any_length_are_listed(tmp_path: Path, master: MasterKey | None) -> None:
    store = EmbeddedStore(tmp_path, master=master)
    await store.admin.create(Scope("é" * 100, "without a record"), model=None, variant=None, dimension=None)
    assert len(await store.admin.tenants("x")) == 1
    await store.admin.erase("é" * 100)
    for tenant in ("a b/c", "é" * 100):
        await create_collection(store, Scope(tenant, "é" * 100))
        await store.admin.pin(tenant, model="m", dimension=8)
        assert await store.admin.collections(tenant) == ["é" * 100]
    listed = [tenant.name for tenant in await store.admin.tenants("x")]
    assert listed[0] == "a b/c"
    assert listed[1] == "é" * 100
    await store.close()


# Beside a change of keys


class Between:
    """Stops whoever reaches a fault point in another thread, until it is let go on."""

    def __init__(self, point: str) -> None:
        self._point = point
        self.reached, self._goes_on = threading.Event(), threading.Event()

    def __call__(self, point: str) -> None:
        if point == self._point:
            self.reached.set()
            assert self._goes_on.wait(HANG)

    async def until(self) -> None:
        """Wait for whoever comes there."""
        assert await asyncio.to_thread(self.reached.wait, HANG)

    def go_on(self) -> None:
        self._goes_on.set()


@pytest.fixture
def between() -> Iterator[Callable[[str], Between]]:
    """Sets a stop at a point."""

    def at(point: str) -> Between:
        fault_points.hook = (stop := Between(point))
        return stop

    yield at
    fault_points.hook = None


@pytest.mark.parametrize("master", [None, MASTER])
async def test_while_a_copy_is_made_readers_go_on_and_writers_hear_who_is_at_it(
    tmp_path: Path, between: Callable[[str], Between], master: MasterKey | None
) -> None:
    await filled_with_two(tmp_path, master)
    store, other = EmbeddedStore(tmp_path, master=MASTER), EmbeddedStore(tmp_path, master=MASTER)
    stop = between("rekey.written")
    changing = asyncio.create_task(store.rekey("acme", fresh=master is not None))
    await stop.until()
    assert await search_texts(other, "apple", MORE) == ["apple"]
    fresh = EmbeddedStore(tmp_path, master=MASTER)
    assert await search_texts(fresh, "apple", MORE) == ["apple"]  # the first that is copied is 'more'
    await create_collection(fresh, OTHER)
    for attempt in (
        create_collection(fresh, MORE),
        fresh.ledger(MORE).start(Run("r", "docs", "running", "2026-01-01T00:00:00Z")),
        fresh.admin.drop(MORE),
    ):
        with pytest.raises(Busy, match=r"'more' cannot be .* now: it is being encrypted anew \(process \d+, since"):
            await attempt
    for whole_tenant in (fresh.admin.begin_erasing("acme"), fresh.rekey("acme", fresh=True)):
        with pytest.raises(Busy, match=r"'acme' is being encrypted anew already \(process \d+, since"):
            await whole_tenant
    await write_revisions(fresh, make_revision("b.md", ["plum"]))  # the other collection is not at work
    stop.go_on()
    assert await changing == 2
    fault_points.hook = None
    for one in (other, fresh):
        await whole(one)
        assert await search_texts(one, "plum") == ["plum"]
    await asyncio.gather(*(one.close() for one in (store, other, fresh)))


@pytest.mark.parametrize("point", ["rekey.moved", "rekey.aside"])
async def test_who_opens_a_collection_in_the_middle_of_the_switch_waits_for_it(
    tmp_path: Path, between: Callable[[str], Between], point: str
) -> None:
    await filled_with_two(tmp_path, MASTER)
    store, warm, cold = (EmbeddedStore(tmp_path, master=MASTER) for _ in range(3))
    assert await search_texts(warm, "apple", MORE) == ["apple"]
    stop = between(point)
    changing = asyncio.create_task(store.rekey("acme", fresh=True))
    await stop.until()
    readings = [asyncio.create_task(search_texts(one, "apple", MORE)) for one in (warm, cold)]
    writing = asyncio.create_task(write_revisions(warm, make_revision("b.md", ["plum"], scope=MORE), scope=MORE))
    await asyncio.wait(readings, timeout=0.2)
    stop.go_on()
    assert await asyncio.gather(*readings) == [["apple"], ["apple"]]
    await changing
    await writing
    assert await search_texts(store, "plum", MORE) == ["plum"]
    await asyncio.gather(*(one.close() for one in (store, warm, cold)))


async def test_what_waits_for_the_copy_to_be_made_writes_nothing_to_the_old_files(
    tmp_path: Path, between: Callable[[str], Between]
) -> None:
    await filled_with_two(tmp_path, MASTER)
    store, late = EmbeddedStore(tmp_path, master=MASTER), EmbeddedStore(tmp_path, master=MASTER)
    stop = between("rekey.written")
    async with late.writer(MORE) as writer:
        changing = asyncio.create_task(store.rekey("acme", fresh=True))
        await stop.until()
        waiting = asyncio.create_task(writer.replace([make_revision("late.md", ["late"], scope=MORE)]))
        await asyncio.wait([waiting], timeout=0.2)
        stop.go_on()
        await changing
        with pytest.raises(Busy, match="encrypted with another key meanwhile; run again"):
            await waiting
    await write_revisions(late, make_revision("late.md", ["late"], scope=MORE), scope=MORE)
    assert await search_texts(store, "late", MORE) == ["late"]
    await store.close()
    await late.close()
