"""The embedded store's keys: a file of the owner's alone, whole after any end."""

import asyncio
import sqlite3
import stat
from pathlib import Path

import pytest

from ragstone.core.errors import Corrupt, StoreTooNew
from ragstone.stores.embedded import EmbeddedStore
from ragstone.testing.stores import SCOPE, create_collection, make_key
from tests import forked

ROOT = Path(__file__).parents[2]
ROUNDS = 4


async def kept(root: Path) -> list[str]:
    """The ids of the tenant's keys; fails unless each is whole."""
    store = EmbeddedStore(root)
    found = await store.keys.of(SCOPE.tenant)
    assert found == [make_key(key.id) for key in found]
    await store.close()
    return [key.id for key in found]


def start(root: Path, *more: str) -> forked.Forked:
    return forked.start("tests.stores.keymaker", root, *more)


async def test_looking_for_a_key_makes_no_file(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    assert await store.keys.find("a1") is None
    assert await store.keys.of(SCOPE.tenant) == []
    assert not (tmp_path / "store").exists()
    await create_collection(store)
    assert await store.keys.find("a1") is None
    assert not (tmp_path / "store" / "keys.db").exists()
    await store.close()


async def test_only_the_owner_may_read_the_keys_and_they_outlive_the_process(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    await store.keys.add(make_key("a1"))
    for file in (tmp_path / "store").glob("keys.db*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    await store.close()
    assert await kept(tmp_path / "store") == ["a1"]


def test_killed_at_any_moment_no_key_is_lost_or_half(tmp_path: Path) -> None:
    printed: list[str] = []
    for round_ in range(ROUNDS):
        with start(tmp_path / "store", str(round_)) as process:
            printed += [process.stdout.readline().strip() for _ in range(1 + 7 * round_)]
            process.kill()
            printed += process.stdout.read().split()
        found = asyncio.run(kept(tmp_path / "store"))
        assert set(found) >= set(printed)
        assert len(found) <= len(printed) + round_ + 1  # one may have been committed and not printed


def test_processes_that_make_the_first_keys_at_once_lose_none(tmp_path: Path) -> None:
    processes = [start(tmp_path / "store", name, "5") for name in "abc"]
    assert [len(process.communicate()[0].split()) for process in processes] == [5, 5, 5]
    assert len(asyncio.run(kept(tmp_path / "store"))) == 15


async def test_a_file_that_a_crash_left_empty_holds_no_key_and_takes_the_next(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    await create_collection(store)
    (tmp_path / "store" / "keys.db").touch(mode=0o600)
    assert await store.keys.find("a1") is None
    await store.keys.add(make_key("a1"))
    assert await store.keys.find("a1") == make_key("a1")
    await store.close()


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """The file of a store with one key."""

    async def make() -> None:
        store = EmbeddedStore(tmp_path / "store")
        await store.keys.add(make_key("a1"))
        await store.close()

    asyncio.run(make())
    return tmp_path / "store" / "keys.db"


def test_a_file_of_a_newer_program_is_left_alone(one: Path) -> None:
    connection = sqlite3.connect(one)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreTooNew, match=r"keys\.db has format 99"):
        asyncio.run(kept(one.parent))


def test_a_damaged_file_lets_nobody_in(one: Path) -> None:
    one.write_bytes(b"\0" * 100 + b"no database" * 1000)
    for rest in one.parent.glob("keys.db-*"):
        rest.unlink()
    with pytest.raises(Corrupt, match=r"keys\.db is damaged"):
        asyncio.run(kept(one.parent))
