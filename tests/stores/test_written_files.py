"""Vectors of summaries and questions in the embedded store: after a kill, a flipped byte, an erasure, another key, in
an older format."""

import asyncio
import sqlite3
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragstone.core.chunk_enrichment import list_written
from ragstone.core.errors import Corrupt
from ragstone.core.records import WrittenState
from ragstone.stores.embedded import EmbeddedStore, written_rows
from ragstone.stores.embedded.database import STEPS
from ragstone.stores.embedded.paths import files_of_scope
from ragstone.stores.written_vectors import quantize
from ragstone.testing.stores import (
    SCOPE,
    create_collection,
    fill_written,
    make_revision,
    make_vector,
    make_written,
    search_written,
    write_revisions,
)
from ragstone.testing.stores.written_index import ABOUT, read_state
from tests import forked
from tests.patience import HANG
from tests.stores.victim import MASTER
from tests.stores.written_victim import state

POINTS = [("commit.before", number) for number in range(2, 14)] + [("commit.after", number) for number in (3, 4, 5, 8)]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    store = EmbeddedStore(tmp_path / "store")
    yield store
    await store.close()


def connect(tmp_path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(files_of_scope(tmp_path / "store", SCOPE).database, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def count_rows(tmp_path: Path, table: str) -> int:
    connection = connect(tmp_path)
    [(number,)] = connection.execute(f"SELECT count(*) FROM {table}")
    connection.close()
    return int(number)


async def prove(root: Path) -> None:
    """After a death the vectors of every chunk are there or wanted, and the next run completes them."""
    store = EmbeddedStore(root)
    await create_collection(store)
    assert await store.admin.check(SCOPE) == []
    number = max((document.revision for document in await store.ledger(SCOPE).documents()), default=0)
    chunks = [chunk for revision in state(number) for chunk in revision.chunks] if number else []
    held = await read_state(store)
    if held is not None:
        with_texts = [chunk for chunk in chunks if list_written(chunk)]
        assert len(await search_written(store, "who")) >= len(with_texts) - held.pending
    await fill_written(store)
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    found = await search_written(store, "who")
    wanted = [(chunk.document.path, chunk.ordinal) for chunk in chunks if list_written(chunk)]
    assert sorted(place[:2] for place in found) == sorted(wanted)
    keys = {"|".join(list_written(chunk)) for chunk in chunks if list_written(chunk)}
    assert count_rows(root.parent, "written_vectors") == len(keys)
    assert await store.admin.check(SCOPE) == []
    await store.close()


@pytest.mark.parametrize(("point", "nth"), POINTS)
def test_killed_while_vectors_come(tmp_path: Path, point: str, nth: int) -> None:
    child = forked.start("tests.stores.written_victim", tmp_path / "store", point, str(nth))
    child.communicate(timeout=HANG)
    assert child.returncode == -9
    asyncio.run(prove(tmp_path / "store"))


@pytest.mark.parametrize("damage", ["vectors = zeroblob(length(vectors))", "key = 'why'", "vectors = x'00'"])
async def test_damage_is_never_searched_and_is_mended(tmp_path: Path, store: EmbeddedStore, damage: str) -> None:
    await write_revisions(store, make_written("a.md", {"alpha": ["who"], "beta": ["what"]}))
    await fill_written(store)
    before = await search_written(store, "who")
    connection = connect(tmp_path)
    connection.execute(f"UPDATE written_vectors SET {damage} WHERE id = 1")
    connection.close()
    with pytest.raises(Corrupt, match="doctor --repair"):
        await search_written(store, "who")
    [problem] = await store.admin.check(SCOPE)
    assert "vectors of summaries and questions" in problem
    assert "--repair" in problem
    assert await store.admin.check(SCOPE, repair=True) == []
    assert await read_state(store) == WrittenState(*ABOUT, 1)
    assert await fill_written(store) == ["who"]
    assert await search_written(store, "who") == before


async def test_an_erased_document_leaves_no_byte_of_its_vectors(tmp_path: Path, store: EmbeddedStore) -> None:
    await write_revisions(
        store, make_written("a.md", {"alpha": ["who", "secret"]}), make_written("b.md", {"beta": ["who"]})
    )
    await fill_written(store)
    mark = quantize(make_vector("secret")[None]).tobytes()
    database = files_of_scope(tmp_path / "store", SCOPE).database
    assert mark in database.read_bytes() + database.with_name(database.name + "-wal").read_bytes()
    async with store.writer(SCOPE) as writer:
        await writer.remove([make_revision("a.md", []).document.id])
        await writer.settle()
    assert (count_rows(tmp_path, "written_vectors"), count_rows(tmp_path, "written_links")) == (1, 1)
    assert not [path for path in (tmp_path / "store").rglob("*") if path.is_file() and mark in path.read_bytes()]


async def test_a_collection_of_the_format_before_keeps_working(tmp_path: Path, store: EmbeddedStore) -> None:
    await write_revisions(store, make_written("a.md", {"alpha": ["who"]}))
    await store.close()
    connection = connect(tmp_path)
    for table in ("written_links", "written_vectors"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 5")
    connection.close()
    again = EmbeddedStore(tmp_path / "store")
    assert await read_state(again) is None
    assert await fill_written(again) == ["who"]
    assert [place[:2] for place in await search_written(again, "who")] == [("a.md", 0)]
    async with again.reader(SCOPE) as reader:
        assert (await reader.info()).version == len(STEPS)
    await again.close()


async def test_another_key_takes_the_vectors_along(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "sealed", master=MASTER)
    await write_revisions(store, make_written("a.md", {"alpha": ["who"], "beta": ["what"]}))
    await fill_written(store)
    before = await search_written(store, "who")
    mark = quantize(make_vector("who")[None]).tobytes()
    assert not [path for path in (tmp_path / "sealed").rglob("*") if path.is_file() and mark in path.read_bytes()]
    assert await store.rekey(SCOPE.tenant, fresh=True) == 1
    await store.forget_keys(SCOPE.tenant)
    assert len(before) == 2
    assert await search_written(store, "who") == before
    assert await read_state(store) == WrittenState(*ABOUT, 0)
    assert await store.admin.check(SCOPE) == []
    await store.close()


async def test_many_are_searched_a_block_at_a_time_with_the_scores_of_few(store: EmbeddedStore) -> None:
    """More rows than a block has, and a filter that passes few of them."""
    texts = {f"alpha {n}": [f"who {n}", f"what {n}"] for n in range(300)}
    await write_revisions(store, make_written("a.md", texts), make_written("b.md", {"beta": ["who 7"]}))
    await fill_written(store, at_once=1000)
    found = await search_written(store, "who 7", limit=301)
    assert len(found) == 301
    assert [place[:2] for place in found[:2]] == [("a.md", 7), ("b.md", 0)]
    assert found[0][2] == found[1][2] > 0.99
    assert await search_written(store, "who 7", limit=25) == found[:25]


def test_a_question_holds_the_links_of_all_chunks_in_few_bytes() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE written_links (row INTEGER PRIMARY KEY, vectors INTEGER)")
    connection.executemany("INSERT INTO written_links VALUES (?, ?)", ((n, 7 * n) for n in range(1, 50_001)))
    tracemalloc.start()
    links = written_rows.read_links(connection)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    connection.close()
    assert links.shape == (50_000, 2)
    assert links[-1].tolist() == [50_000, 350_000]
    assert most < 2 * links.nbytes
