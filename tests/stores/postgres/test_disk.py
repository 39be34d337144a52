"""The server's disk fills up while documents are written: nothing is lost, nothing doubled, and a sentence says so."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg import sql

from ragstone.core.errors import DiskFull
from ragstone.core.ports import Writer
from ragstone.core.types import Revision
from ragstone.stores.postgres import PostgresStore
from ragstone.testing.stores import EVERYTHING, SCOPE, create_collection, fill_vectors, make_revision
from tests.stores.postgres.server import TEMPLATE, WHO, Server

SMALL, LARGE = "16m", "200m"
MOST = 400


def mounted(folder: Path, *options: str) -> None:
    command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")


@pytest.fixture
def disk(server: Server) -> Iterator[Path]:
    """A file system of its own, beside the server's data, for one tablespace called `small`."""
    if server.home is None or os.getuid() != 0:
        pytest.skip("only root can mount a small disk beside our own server")
    folder = server.home / "disk"
    folder.mkdir()
    mounted(folder, f"size={SMALL}", f"uid={WHO}", f"gid={WHO}", "mode=700")
    try:
        server.run(sql.SQL("CREATE TABLESPACE small LOCATION {}").format(str(folder)))
        yield folder
        server.run("DROP TABLESPACE small")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


@pytest.fixture
def cramped(server: Server, disk: Path) -> Iterator[str]:
    """A fresh database on the small disk."""
    name = f"cramped_{os.getpid()}"
    like = sql.SQL("CREATE DATABASE {} OWNER ragstone_test_owner TEMPLATE {} TABLESPACE small STRATEGY FILE_COPY")
    server.run(like.format(sql.Identifier(name), sql.Identifier(TEMPLATE)))
    try:
        yield name
    finally:
        server.drop(name)


def document(number: int, revision: int = 1) -> Revision:
    texts = [f"apple {number} revision{revision} part {part} " + "pear plum " * 150 for part in range(20)]
    return make_revision(f"{number}.md", texts, revision=revision)


async def test_a_full_disk_is_said_and_the_next_run_completes(server: Server, disk: Path, cramped: str) -> None:
    store = PostgresStore(server.url(cramped))
    await create_collection(store)
    async with store.writer(SCOPE) as writer:
        for tries in range(2):  # full, and full again
            with pytest.raises(DiskFull, match=r"no room left on the disk of .*free some space") as error:
                await until_full(store, writer)
            assert "p@ss" not in str(error.value)
            await whole(store)
            assert len(await store.ledger(SCOPE).documents()) > tries
        mounted(disk, "remount", f"size={LARGE}")
        wanted = {}
        for one in await store.ledger(SCOPE).documents():
            wanted[int(one.path.removesuffix(".md"))] = one.revision + 1
        for number, revision in wanted.items():
            await writer.replace([document(number, revision)])
        await fill_vectors(writer)
        await writer.settle()
    assert await whole(store) == wanted
    await store.close()


async def until_full(store: PostgresStore, writer: Writer) -> None:
    """New documents, each changed once, as long as there is room."""
    first = len(await store.ledger(SCOPE).documents())
    for number in range(first, first + MOST):
        await writer.replace([document(number)])
        await fill_vectors(writer)
        await writer.replace([document(number, 2)])


async def whole(store: PostgresStore) -> dict[int, int]:
    """The revision of each document, after making sure that it stands there once and whole."""
    assert await store.admin.check(SCOPE) == []
    async with store.reader(SCOPE) as reader:
        found = await reader.matching("apple", where=EVERYTHING, limit=100_000)
        chunks = await reader.chunks([candidate.id for candidate in found])
    seen: dict[tuple[int, int], list[int]] = {}
    for chunk in chunks:
        place = int(chunk.document.path.removesuffix(".md")), chunk.document.revision
        seen.setdefault(place, []).append(chunk.ordinal)
    assert all(sorted(ordinals) == list(range(20)) for ordinals in seen.values())
    assert len(seen) == len({number for number, _ in seen})
    known = {one.path: one.revision for one in await store.ledger(SCOPE).documents()}
    assert {f"{number}.md": revision for number, revision in seen} == known
    return dict(seen.keys())
