"""Two processes: one tidies up after its removals while the other removes, reads, settles."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from ragstone.core.types import Revision
from ragstone.stores import fault_points
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.embedded.paths import files_of_scope
from ragstone.testing.stores import SCOPE, fill_sparse, make_revision, make_sparse, search_sparse, write_revisions
from tests.patience import HANG

# Removes a document and waits: before the end of its run, or after it with a view from before, which it then searches.
REMOVING = """
import asyncio, sys
from ragstone.stores import open_store
from ragstone.testing.stores import *
async def remove(store, path, *, settle):
    async with store.writer(SCOPE) as writer:
        await writer.remove([make_revision(path, []).document.id])
        if settle:
            await writer.settle()
    print("removed", flush=True)
    sys.stdin.readline()
    async with store.writer(SCOPE) as writer:
        await writer.settle()
async def main(url, path, how):
    store = open_store(url)
    if how == "remove":
        await remove(store, path, settle=False)
    else:
        async with store.reader(SCOPE) as reader:
            await reader.info()
            await remove(store, path, settle=True)
            found = await reader.nearest(make_vector("secret apple"), where=EVERYTHING, limit=1)
            [chunk] = await reader.chunks([one.id for one in found])
            print(chunk.text, found[0].score)
    await store.close()
asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    store = EmbeddedStore(tmp_path / "store")
    await write_revisions(store, *(document(f"{n}.md", f"pear {n}") for n in range(30)))
    await write_revisions(store, document("mine.md", "plum"), document("theirs.md", "secret apple"))
    await fill_sparse(store, at_once=100)
    yield store
    await store.close()


def document(path: str, text: str) -> Revision:
    return make_revision(path, [text])


def start_other(root: Path, how: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", REMOVING, f"embedded:{root}", "theirs.md", how]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


async def remove_mine(store: EmbeddedStore, at: Callable[[str, int], bool], meanwhile: Callable[[], None]) -> None:
    """Remove a document and end the run; `meanwhile` once, at the point of which `at` tells by name and number."""
    points: list[str] = []

    def hook(point: str) -> None:
        points.append(point)
        if at(point, len(points)):
            fault_points.hook = None
            meanwhile()

    async with store.writer(SCOPE) as writer:
        await writer.remove([make_revision("mine.md", []).document.id])
        fault_points.hook = hook
        await writer.settle()
    assert fault_points.hook is None, points


def read_terms(root: Path) -> set[int]:
    connection = sqlite3.connect(files_of_scope(root, SCOPE).database)
    try:
        return {term for (term,) in connection.execute("SELECT term FROM sparse_postings")}
    finally:
        connection.close()


async def test_a_document_that_is_removed_while_another_run_ends_leaves_no_term_when_its_own_run_ends(
    store: EmbeddedStore, tmp_path: Path, hooked: None
) -> None:
    """The other removal comes when sparse vectors are tidied already, and before the first run notes what it erased."""
    started: list[subprocess.Popen[str]] = []
    committed = 0

    def is_tidied(point: str, _: int) -> bool:
        nonlocal committed
        committed += point == "commit.after"
        return committed == 2  # vectors are forgotten, sparse vectors are tidied

    def remove_theirs() -> None:
        started.append(start_other(tmp_path / "store", "remove"))
        assert started[0].stdout is not None
        assert started[0].stdout.readline() == "removed\n"

    assert make_sparse("secret").terms[0] in read_terms(tmp_path / "store")
    await remove_mine(store, is_tidied, remove_theirs)
    await asyncio.to_thread(started[0].communicate, "\n", HANG)
    assert started[0].returncode == 0
    assert read_terms(tmp_path / "store") == {make_sparse(word).terms[0] for word in ["pear", *map(str, range(30))]}
    assert len(await search_sparse(store, "pear")) == 30
    assert await store.admin.check(SCOPE) == []


async def test_a_view_keeps_vectors_that_are_removed_while_another_run_ends(
    store: EmbeddedStore, tmp_path: Path, hooked: None
) -> None:
    """The view is opened, and the removal made, when no reader is left that needs what the first run overwrites."""
    started: list[subprocess.Popen[str]] = []
    wiped = False

    def is_wiped(point: str, _: int) -> bool:
        nonlocal wiped
        wiped = wiped or point == "wipe.written"
        return wiped and point == "commit.after"

    def remove_theirs() -> None:
        started.append(start_other(tmp_path / "store", "view"))
        assert started[0].stdout is not None
        assert started[0].stdout.readline() == "removed\n"

    await remove_mine(store, is_wiped, remove_theirs)
    said, _ = await asyncio.to_thread(started[0].communicate, "\n", HANG)
    assert said == "secret apple 1.0\n"
    assert started[0].returncode == 0
    assert await store.admin.check(SCOPE) == []
