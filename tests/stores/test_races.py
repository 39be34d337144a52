"""Two processes at the same moment: making, erasing, sweeping and starting all end well."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ragstone.core.errors import Busy, NotBuilt, StoreError
from ragstone.core.records import Run
from ragstone.core.types import Scope
from ragstone.stores import fault_points, file_locks, open_store
from ragstone.stores.embedded import EmbeddedStore, admin, paths, safe_removal, tenant_lifecycle
from ragstone.stores.embedded.collection import Collection
from ragstone.testing.stores import SCOPE, create_collection, make_revision, search_texts, write_revisions
from tests.patience import HANG

OTHER = Scope(SCOPE.tenant, "other")
RUN = Run("1", "never seen before", "running", "2026-01-01")


def remains(root: Path) -> list[Path]:
    """What an erasure left."""
    return list(root.rglob(".gone-*"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
async def store(root: Path) -> AsyncIterator[EmbeddedStore]:
    store = EmbeddedStore(root)
    yield store
    await store.close()


async def test_erasing_does_not_mind_that_another_process_swept_first(
    store: EmbeddedStore, root: Path, hooked: None
) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    fault_points.hook = lambda point: safe_removal.sweep_erasures(root) if point == "drop.renamed" else None
    assert await store.admin.drop(SCOPE)
    assert not await store.admin.exists(SCOPE)
    assert remains(root) == []


async def test_erasing_does_not_mind_another_process_that_sweeps_at_the_same_time(
    store: EmbeddedStore, root: Path, hooked: None
) -> None:
    sweeping: list[threading.Thread] = []

    def hook(point: str) -> None:
        if point == "drop.renamed":
            sweeping.append(threading.Thread(target=safe_removal.sweep_erasures, args=(root,)))
            sweeping[-1].start()

    for _ in range(5):
        await write_revisions(store, make_revision("a.md", ["apple"]))
        for number in range(400):
            (paths.files_of_scope(root, SCOPE).directory / f"file-{number}").touch()
        fault_points.hook = hook
        assert await store.admin.drop(SCOPE)
        fault_points.hook = None
    for thread in sweeping:
        thread.join()
    assert remains(root) == []


async def test_of_two_who_erase_only_one_has_erased(store: EmbeddedStore, root: Path) -> None:
    for _ in range(10):
        await write_revisions(store, make_revision("a.md", ["apple"]))
        other = EmbeddedStore(root)
        assert sorted(await asyncio.gather(store.admin.drop(SCOPE), other.admin.drop(SCOPE))) == [False, True]
        await other.close()


async def test_a_run_of_a_new_source_cannot_begin_in_a_collection_that_is_being_erased(
    store: EmbeddedStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    beginning: list[threading.Thread] = []
    outcome: list[BaseException | None] = []

    def begin() -> None:
        async def start() -> None:
            other = EmbeddedStore(root)
            try:
                await other.ledger(SCOPE).start(RUN)
                outcome.append(None)
            except StoreError as error:
                outcome.append(error)
            finally:
                await other.close()

        asyncio.run(start())

    def hold_all_and_wait(here: paths.CollectionFiles, collection: str, locks: ExitStack, *, since: str) -> None:
        tenant_lifecycle.lock_sources(here, collection, locks, since=since)
        beginning.append(threading.Thread(target=begin))
        beginning[-1].start()
        beginning[-1].join(0.5)

    monkeypatch.setattr(admin, "lock_sources", hold_all_and_wait)
    assert await store.admin.drop(SCOPE)
    beginning[0].join()
    [error] = outcome
    assert isinstance(error, NotBuilt)
    assert not paths.files_of_scope(root, SCOPE).directory.exists()


async def test_erasing_and_starting_at_once_let_one_of_both_win(store: EmbeddedStore, root: Path) -> None:
    for number in range(20):
        await write_revisions(store, make_revision("a.md", ["apple"], revision=number + 1))
        other = EmbeddedStore(root)
        calls = other.ledger(SCOPE).start(RUN), store.admin.drop(SCOPE)
        started, dropped = await asyncio.gather(*calls, return_exceptions=True)
        if dropped is True:
            assert isinstance(started, NotBuilt)
            assert not await other.admin.exists(SCOPE)
        else:
            assert started is None
            assert isinstance(dropped, Busy)
            assert [run.status for run in await other.ledger(SCOPE).runs(1)] == ["running"]
        await other.close()


async def test_a_collection_that_is_erased_while_it_is_opened_was_not_built(
    store: EmbeddedStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    other = EmbeddedStore(root)

    def erase_and_open(scope: Scope, place: paths.CollectionFiles) -> Collection:
        asyncio.run(store.admin.drop(scope))
        return Collection(scope, place)

    monkeypatch.setattr("ragstone.stores.embedded.store.Collection", erase_and_open)
    with pytest.raises(NotBuilt):
        await other.ledger(SCOPE).start(RUN)
    assert not paths.files_of_scope(root, SCOPE).directory.exists()
    await other.close()


async def test_erasing_and_making_at_once_leave_a_whole_collection_or_none(store: EmbeddedStore, root: Path) -> None:
    for _ in range(20):
        await write_revisions(store, make_revision("a.md", ["apple"]))
        other = EmbeddedStore(root)
        await asyncio.gather(create_collection(other), store.admin.drop(SCOPE))
        if await other.admin.exists(SCOPE):
            assert await other.admin.check(SCOPE) == []
            await store.admin.drop(SCOPE)
        await other.close()


async def test_a_store_that_is_made_by_another_process_meanwhile_is_not_taken_for_foreign_files(
    store: EmbeddedStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, first = paths.check_store, [True]

    def check_and_wait(where: Path) -> bool:
        found = check(where)
        if first:
            first.clear()
            made = EmbeddedStore(root)
            asyncio.run(write_revisions(made, make_revision("b.md", ["apple"], scope=OTHER), scope=OTHER))
            asyncio.run(made.close())
        return found

    monkeypatch.setattr(paths, "check_store", check_and_wait)
    await write_revisions(store, make_revision("a.md", ["apple"]))
    assert await search_texts(store, "apple") == ["apple"]
    assert await search_texts(store, "apple", OTHER) == ["apple"]


FIRST = """
import asyncio, sys
from dataclasses import replace
from ragstone.stores import open_store
from ragstone.testing.stores import *
from ragstone.core.records import Run
async def main(url, name):
    print("ready", flush=True)
    sys.stdin.readline()
    store = open_store(url)
    await create_collection(store)
    ledger = store.ledger(SCOPE)
    run = Run(name, name, "running", "2026-01-01")
    await ledger.start(run)
    async with store.writer(SCOPE) as writer:
        await writer.replace([make_revision("a.md", [f"apple {name}"], source=name)])
        await writer.settle()
    await ledger.finish(replace(run, status="succeeded"))
    await store.close()
asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("kind", ["embedded", "json"])
def test_first_runs_of_several_processes_at_once_all_succeed(tmp_path: Path, kind: str) -> None:
    for round_ in range(3):
        url = f"{kind}:{tmp_path / 'new' / str(round_)}"
        children = [
            subprocess.Popen(
                [sys.executable, "-c", FIRST, url, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for name in "abc"
        ]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for child in children:
            assert child.stdin is not None
            child.stdin.write("\n")
            child.stdin.flush()
        for child in children:
            child.communicate(timeout=HANG)
        assert [child.returncode for child in children] == [0, 0, 0]

        async def proven(url: str) -> None:
            store = open_store(url)
            assert sorted(await search_texts(store, "apple")) == ["apple a", "apple b", "apple c"]
            runs = await store.ledger(SCOPE).runs()
            assert sorted((run.id, run.status) for run in runs) == [(name, "succeeded") for name in "abc"]
            assert await store.admin.check(SCOPE) == []
            await store.close()

        asyncio.run(proven(url))


def test_a_gate_lets_those_who_share_it_in_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_locks, "GATE_PATIENCE", 0.05)
    file = tmp_path / "gate"
    shared = file_locks.brief_lock(file, shared=True)
    with (
        shared,
        file_locks.brief_lock(file, shared=True),
        pytest.raises(Busy, match="locked by another"),
        file_locks.brief_lock(file),
    ):
        pytest.fail("nobody may be alone among others")
    with file_locks.brief_lock(file), pytest.raises(Busy), file_locks.brief_lock(file, shared=True):
        pytest.fail("nobody may join who is alone")
