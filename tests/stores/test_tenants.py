"""Keys of tenants are wrapped anew, replaced and destroyed; killed at any moment, the store opens."""

import subprocess
import sys
from pathlib import Path

import pytest

from ragstone.errors import Busy, NoKey
from ragstone.stores.crypt import Secret
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.master import Master
from ragstone.testing.stores import OTHER, SCOPE, contents, created, make_revision, vector_of, written
from ragstone.types import Run, Scope
from ragstone.where import Where
from tests.stores.victim import MASTER

NEWER = Master(Secret(bytes(range(1, 33))), MASTER.key)
MORE = Scope(SCOPE.tenant, "more")
POINTS = [
    ("rekey", "rekey.written", 1),
    ("rekey", "rekey.moved", 1),
    ("rekey", "rekey.aside", 1),
    ("rekey", "rekey.finished", 1),
    ("encrypt", "rekey.written", 2),
]


async def filled_with_two(root: Path, master: Master | None) -> None:
    """Two collections, one with a vector that was removed and a revision that was replaced."""
    store = EmbeddedStore(root, master=master)
    for scope in (SCOPE, MORE):
        removed = make_revision("gone.md", ["quince"], scope=scope)
        await written(store, make_revision("a.md", ["apple", "pear"], scope=scope), removed, scope=scope)
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
    """Everything is there, in both legs, and nothing is wrong or left over."""
    for scope in (SCOPE, MORE):
        assert await contents(store, "apple pear", scope) == ["apple", "pear"]
        assert [p for p in await store.admin.check(scope) if "not encrypted" not in p] == []
        async with store.reader(scope) as reader:
            [best] = await reader.nearest(vector_of("pear"), where=Where(), limit=1)
            assert [chunk.text for chunk in await reader.chunks([best.id])] == ["pear"]
            assert (await reader.info()).pending_vectors == 0


async def test_a_rotated_key_opens_with_the_new_master_key_alone(tmp_path: Path) -> None:
    await filled_with_two(tmp_path, MASTER)
    before = Tenants(tmp_path, MASTER).keys("acme")
    store = EmbeddedStore(tmp_path, master=NEWER)
    await whole(store)
    await store.rotate("acme")
    await store.close()
    assert Tenants(tmp_path, Master(NEWER.key)).keys("acme") == before
    with pytest.raises(NoKey, match="another master key"):
        Tenants(tmp_path, MASTER).keys("acme")


async def test_a_new_key_encrypts_all_anew_and_the_old_one_opens_nothing(tmp_path: Path) -> None:
    await filled_with_two(tmp_path, MASTER)
    [old] = Tenants(tmp_path, MASTER).keys("acme").values()
    store = EmbeddedStore(tmp_path, master=MASTER)
    await whole(store)
    assert await store.rekey("acme", fresh=True) == 2
    await whole(store)
    await written(store, make_revision("b.md", ["plum"]))
    assert await contents(store, "plum") == ["plum"]
    [new] = Tenants(tmp_path, MASTER).keys("acme").values()
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
    words = (b"apple", b"a.md", b"some-model", vector_of("pear").tobytes())
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
        with pytest.raises(Exception, match="meta"):
            await writer.replace([make_revision("late.md", ["late"])])
    await written(late, make_revision("late.md", ["late"]))
    assert await contents(store, "late") == ["late"]
    await store.close()
    await late.close()


def killed(root: Path, verb: str, point: str, nth: int) -> None:
    command = [sys.executable, "-m", "tests.stores.changer", str(root), verb, point, str(nth)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], timeout=120, check=False)
    assert done.returncode == -9


@pytest.mark.parametrize(("verb", "point", "nth"), POINTS)
async def test_killed_while_keys_are_changed_the_store_opens_and_the_next_call_finishes(
    tmp_path: Path, verb: str, point: str, nth: int
) -> None:
    await filled_with_two(tmp_path, MASTER if verb == "rekey" else None)
    killed(tmp_path, verb, point, nth)
    store = EmbeddedStore(tmp_path, master=MASTER)
    await whole(store)
    await store.rekey("acme", fresh=verb == "rekey" and point != "rekey.finished")
    await whole(store)
    assert len(Tenants(tmp_path, MASTER).keys("acme")) == 1
    assert [path for path in files(tmp_path) if "/." in str(path)] == []
    assert await store.admin.check(SCOPE) == []
    await store.close()


@pytest.mark.parametrize(("point", "finisher"), [("erase.renamed", "erase"), ("erase.shredded", "open")])
async def test_an_erasure_that_was_killed_is_finished_by_who_comes_next(
    tmp_path: Path, point: str, finisher: str
) -> None:
    await filled_with_two(tmp_path, MASTER)
    store = EmbeddedStore(tmp_path, master=MASTER)
    await written(store, make_revision("a.md", ["apple"], scope=OTHER), scope=OTHER)
    await store.close()
    killed(tmp_path, "erase", point, 1)
    store = EmbeddedStore(tmp_path, master=MASTER)
    if finisher == "erase":
        assert await store.admin.erase("acme")
        assert not await store.admin.erase("acme")
    assert await contents(store, "apple", OTHER) == ["apple"]
    assert names(tmp_path) == {"rival", "store.json", "store.lock"}
    await store.close()


async def test_a_tenant_whose_key_is_lost_can_be_erased(tmp_path: Path) -> None:
    await filled_with_two(tmp_path, MASTER)
    store = EmbeddedStore(tmp_path)
    assert await store.admin.erase("acme")
    assert names(tmp_path) == {"store.json", "store.lock"}
    await store.close()


@pytest.mark.parametrize("master", [None, MASTER])
async def test_names_of_any_length_are_listed(tmp_path: Path, master: Master | None) -> None:
    store = EmbeddedStore(tmp_path, master=master)
    for tenant in ("a b/c", "é" * 100):
        await created(store, Scope(tenant, "é" * 100))
        await store.admin.pin(tenant, model="m", dimension=8)
        assert await store.admin.collections(tenant) == ["é" * 100]
    listed = [tenant.name for tenant in await store.admin.tenants("x")]
    assert listed[0] == "a b/c"
    assert listed[1] == "é" * 100 if master is None else listed[1].startswith("~")
    await store.close()
