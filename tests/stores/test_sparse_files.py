"""Sparse vectors of the embedded store: after a kill, a flipped byte, an erasure, another key, in an older format."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragstone.core.errors import Corrupt
from ragstone.core.ports import SparseState
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.embedded.database import STEPS
from ragstone.stores.embedded.paths import files_of_scope
from ragstone.testing.stores import (
    SCOPE,
    create_collection,
    fill_sparse,
    make_revision,
    make_sparse,
    search_sparse,
    write_revisions,
)
from ragstone.testing.stores.sparse_index import ENCODER, read_sparse_state
from tests import forked
from tests.patience import HANG
from tests.stores.victim import MASTER, state

POINTS = [("commit.before", number) for number in range(2, 12)] + [("commit.after", number) for number in range(3, 9)]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    store = EmbeddedStore(tmp_path / "store")
    yield store
    await store.close()


def connect(tmp_path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(files_of_scope(tmp_path / "store", SCOPE).database, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


async def prove(root: Path) -> None:
    """After a death every vector is there or wanted, and the next run completes them."""
    store = EmbeddedStore(root)
    await create_collection(store)
    assert await store.admin.check(SCOPE) == []
    found = await search_sparse(store, "alpha")
    number = max((document.revision for document in await store.ledger(SCOPE).documents()), default=0)
    chunks = [chunk for revision in state(number) for chunk in revision.chunks] if number else []
    held = await read_sparse_state(store)
    assert len(found) + (held.pending if held else len(chunks)) == len(chunks)
    await fill_sparse(store)
    score = round(make_sparse("alpha").weights[0] ** 2, 6)
    expected = [(chunk.document.path, chunk.ordinal, score) for chunk in chunks]
    assert await search_sparse(store, "alpha") == expected
    assert await store.admin.check(SCOPE) == []
    await store.close()


@pytest.mark.parametrize(("point", "nth"), POINTS)
def test_killed_while_vectors_come(tmp_path: Path, point: str, nth: int) -> None:
    child = forked.start("tests.stores.sparse_victim", tmp_path / "store", point, str(nth))
    child.communicate(timeout=HANG)
    assert child.returncode == -9
    asyncio.run(prove(tmp_path / "store"))


@pytest.mark.parametrize(
    ("damage", "lost"),
    [
        ("UPDATE sparse_postings SET weights = zeroblob(length(weights)) WHERE term = :term", 0),
        ("UPDATE sparse_postings SET term = term + 1 WHERE term = :term", 0),
        ("DELETE FROM sparse_postings WHERE term = :term", 0),
        ("UPDATE sparse_vectors SET vector = zeroblob(length(vector)) WHERE row = 1", 1),
    ],
)
async def test_damage_is_named_and_mended(tmp_path: Path, store: EmbeddedStore, damage: str, lost: int) -> None:
    await write_revisions(store, make_revision("a.md", ["alpha", "alpha beta", "gamma"]))
    await fill_sparse(store)
    before = await search_sparse(store, "alpha")
    with connect(tmp_path) as connection:
        connection.execute(damage, {"term": make_sparse("alpha").terms[0]})
    connection.close()
    [problem] = await store.admin.check(SCOPE)
    assert "sparse vectors" in problem
    assert "--repair" in problem
    assert await store.admin.check(SCOPE, repair=True) == []
    assert await fill_sparse(store) == lost
    assert await search_sparse(store, "alpha") == before


async def test_changed_weights_are_never_searched(tmp_path: Path, store: EmbeddedStore) -> None:
    await write_revisions(store, make_revision("a.md", ["alpha"]))
    await fill_sparse(store)
    with connect(tmp_path) as connection:
        connection.execute("UPDATE sparse_postings SET weights = zeroblob(length(weights))")
    connection.close()
    with pytest.raises(Corrupt, match="doctor --repair"):
        await search_sparse(store, "alpha")


async def test_an_erased_chunk_leaves_no_number_in_the_postings(tmp_path: Path, store: EmbeddedStore) -> None:
    await write_revisions(store, make_revision("a.md", ["alpha", "secret alpha"]), make_revision("b.md", ["alpha"]))
    await fill_sparse(store)
    async with store.writer(SCOPE) as writer:
        await writer.remove([make_revision("a.md", []).document.id])
        await writer.settle()
    connection = connect(tmp_path)
    kept = connection.execute("SELECT term, length(rows) FROM sparse_postings").fetchall()
    connection.close()
    assert kept == [(make_sparse("alpha").terms[0], 8)]
    assert [place[0] for place in await search_sparse(store, "alpha")] == ["b.md"]


async def test_a_repair_takes_the_terms_of_replaced_texts_out(tmp_path: Path, store: EmbeddedStore) -> None:
    await write_revisions(store, make_revision("a.md", ["alpha"] * 20), make_revision("b.md", ["secret"]))
    await fill_sparse(store, at_once=30)
    await write_revisions(store, make_revision("b.md", ["alpha"], revision=2))
    await fill_sparse(store)
    await store.admin.check(SCOPE, repair=True)
    connection = connect(tmp_path)
    kept = {term for (term,) in connection.execute("SELECT term FROM sparse_postings")}
    connection.close()
    assert kept == {make_sparse("alpha").terms[0]}
    assert await store.admin.check(SCOPE) == []


async def test_a_collection_of_the_format_before_keeps_working(tmp_path: Path, store: EmbeddedStore) -> None:
    await write_revisions(store, make_revision("a.md", ["alpha"]))
    await store.close()
    connection = connect(tmp_path)
    for table in ("sparse_vectors", "sparse_segments", "sparse_postings", "written_links", "written_vectors"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 4")
    connection.close()
    again = EmbeddedStore(tmp_path / "store")
    assert await read_sparse_state(again) is None
    assert await fill_sparse(again) == 1
    assert len(await search_sparse(again, "alpha")) == 1
    async with again.reader(SCOPE) as reader:
        assert (await reader.info()).version == len(STEPS)
    await again.close()


async def test_another_key_takes_the_vectors_along(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "sealed", master=MASTER)
    await write_revisions(store, make_revision("a.md", ["alpha beta", "beta"]))
    await fill_sparse(store)
    before = await search_sparse(store)
    assert await store.rekey(SCOPE.tenant, fresh=True) == 1
    await store.forget_keys(SCOPE.tenant)
    assert len(before) == 2
    assert await search_sparse(store) == before
    assert await read_sparse_state(store) == SparseState(ENCODER, 0)
    await write_revisions(store, make_revision("b.md", ["beta"]))
    assert await fill_sparse(store) == 1
    assert await store.admin.check(SCOPE) == []
    await store.close()


async def test_an_edited_document_leaves_the_segments_as_they_are(tmp_path: Path, store: EmbeddedStore) -> None:
    await write_revisions(store, *(make_revision(f"{n}.md", ["alpha"]) for n in range(20)))
    await fill_sparse(store, at_once=20)
    await write_revisions(store, make_revision("7.md", ["alpha beta"], revision=2))
    await fill_sparse(store)
    connection = connect(tmp_path)
    assert connection.execute("SELECT chunks FROM sparse_segments ORDER BY segment").fetchall() == [(20,), (1,)]
    connection.close()
    assert len(await search_sparse(store, "alpha")) == 20
