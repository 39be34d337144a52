"""Killed at any moment, a store loses nothing that was committed and shows no half of anything."""

import asyncio
import random
import time
from pathlib import Path

import pytest

from ragstone.core.filters import Where
from ragstone.core.types import Scope
from ragstone.stores import fault_points
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.master_key import MasterKey
from ragstone.testing.stores import SCOPE, create_collection, fill_vectors, make_vector
from tests import forked
from tests.killing import KILLS
from tests.patience import HANG
from tests.stores.victim import MASTER, PASSING, state

POINTS = [
    ("append.before", 3),
    ("append.written", 3),
    ("append.synced", 3),
    ("commit.before", 1),
    ("commit.before", 3),
    ("commit.before", 7),
    ("commit.before", 8),
    ("commit.before", 9),
    ("commit.before", 10),
    ("commit.after", 7),
    ("commit.after", 8),
    ("commit.after", 9),
    ("seal.written", 2),
    ("seal.renamed", 2),
    ("compact.written", 1),
    ("compact.switched", 1),
    ("purge.forgotten", 1),
    ("wipe.written", 1),
    ("drop.renamed", 1),
]
SEALED = [("append.written", 3), ("commit.before", 8), ("compact.switched", 1), ("purge.forgotten", 1)]


def start(root: Path, *fault: str) -> forked.Forked:
    """A writing process."""
    return forked.start("tests.stores.victim", root, *fault)


async def number_seen(store: EmbeddedStore) -> int:
    """At which number the documents stand; fails unless both stand there whole, in both retrievers."""
    async with store.reader(SCOPE) as reader:
        found = await reader.matching("alpha", where=Where(), limit=99)
        chunks = await reader.chunks([candidate.id for candidate in found])
        assert len(chunks) == len(found)
        numbers = {int(chunk.text.split()[1]) for chunk in chunks}
        assert len(numbers) <= 1, f"a mixture of revisions: {numbers}"
        number = numbers.pop() if numbers else 0
        wanted = {chunk.id for revision in state(number) for chunk in revision.chunks} if number else set()
        assert {chunk.id for chunk in chunks} == wanted
        near = await reader.nearest(make_vector("q"), where=Where(), limit=99)
        assert {candidate.id for candidate in near} <= wanted
        return number


async def proven(root: Path, committed: int, master: MasterKey | None = None) -> None:
    """After a death: nothing lost, nothing torn, nothing orphaned, and the next run completes it."""
    store = EmbeddedStore(root, master=master)
    await create_collection(store)  # as every run begins: it may have died before that
    number = await number_seen(store)
    assert committed <= number <= committed + 1
    async with store.writer(SCOPE) as writer:
        assert await store.admin.check(SCOPE) == []
        await fill_vectors(writer)
        await writer.replace(state(number + 1))
        await fill_vectors(writer)
        await writer.settle()
    assert await number_seen(store) == number + 1
    assert await store.admin.check(SCOPE) == []
    async with store.reader(SCOPE) as reader:
        assert (await reader.info()).pending_vectors == 0
    assert set(await store.admin.collections(SCOPE.tenant)) <= {SCOPE.collection, PASSING.collection}
    await store.close()


@pytest.mark.parametrize(("point", "nth"), POINTS)
def test_killed_at_a_fault_point(tmp_path: Path, point: str, nth: int) -> None:
    child = start(tmp_path / "store", point, str(nth))
    out, _ = child.communicate(timeout=HANG)
    assert child.returncode == -9
    numbers = [int(line) for line in out.splitlines()]
    asyncio.run(proven(tmp_path / "store", max(numbers, default=0)))
    assert not list(tmp_path.rglob(".gone-*"))


@pytest.mark.parametrize(("point", "nth"), SEALED)
def test_killed_at_a_fault_point_while_encrypted(tmp_path: Path, point: str, nth: int) -> None:
    child = start(tmp_path / "store", point, str(nth), "sealed")
    out, _ = child.communicate(timeout=HANG)
    assert child.returncode == -9
    asyncio.run(proven(tmp_path / "store", max(map(int, out.split()), default=0), MASTER))


@pytest.mark.parametrize("round_", range(KILLS))
def test_killed_at_random_while_another_process_reads(tmp_path: Path, round_: int) -> None:
    chance = random.Random(round_)
    root = tmp_path / "store"
    child = start(root)
    assert child.stdout is not None
    committed = int(child.stdout.readline())

    async def watch(seconds: float) -> int:
        store, views, last = EmbeddedStore(root), 0, 0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            number = await number_seen(store)
            assert number >= last
            last, views = number, views + 1
        await store.close()
        return views

    try:
        views = asyncio.run(watch(chance.uniform(0.05, 0.8)))
    finally:
        child.kill()
        rest, _ = child.communicate()
    # a line that the kill cut short does not count
    numbers = [int(line) for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    assert views > 0
    asyncio.run(proven(root, max([committed, *numbers])))


def test_without_a_hook_a_fault_point_does_nothing() -> None:
    assert fault_points.hook is None
    fault_points.reach_point("commit.before")


async def test_a_collection_is_made_where_a_process_ended_before_it_had_a_file(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path)
    await create_collection(store, PASSING)
    (tmp_path / "other" / SCOPE.collection).mkdir(parents=True)
    await create_collection(store, Scope("other", SCOPE.collection))
    assert await store.admin.collections("other") == [SCOPE.collection]
    await store.close()
