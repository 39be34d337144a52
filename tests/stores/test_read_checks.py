"""What is read is verified: a flipped bit is named, or changes nothing that is found."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ragstone.core.errors import Corrupt, RagstoneError
from ragstone.core.filters import Where
from ragstone.core.types import Candidate
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.embedded.paths import files_of_scope
from ragstone.stores.master_key import MasterKey
from ragstone.testing.stores import (
    SCOPE,
    SECOND_DIMENSION,
    SECOND_MODEL,
    VARIANT,
    fill_second_model,
    make_revision,
    make_vector,
    make_wide_vector,
    search_nearest,
    write_revisions,
)
from tests.stores.victim import MASTER

WORDS = "apple pear plum cherry grape melon peach lemon olive berry".split()
DOCUMENTS = [
    make_revision(
        f"d{n}.md",
        [f"{WORDS[(n * 7 + k) % 10]} {WORDS[(n + 3 * k) % 10]} number {n} part {k} and word{n}x{k}" for k in range(8)],
    )
    for n in range(6)
]
QUESTIONS = ("apple pear", "word2x5 melon", "olive")
FLIPS = 60  # of each store
ENCRYPTED_FLIPS, SLOT_FLIPS = 16, 16
STRIDE = 7_919  # bytes between two flips: a prime, so that they spread over all pages and columns


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stores")


async def make_store(root: Path, *, sealed: bool, master: MasterKey | None = None) -> Path:
    """A store whose index covers all but the last document, or nothing at all."""
    store = EmbeddedStore(root, master=master)
    await write_revisions(store, *DOCUMENTS[:-1])
    if sealed:
        async with store.writer(SCOPE) as writer:
            await writer.settle()
    await write_revisions(store, DOCUMENTS[-1])
    await store.close()
    return root


async def find_all(root: Path, master: MasterKey | None = None) -> list[object]:
    """All that questions read: candidates with their scores, texts, neighbours, records, ratings, weights of terms."""
    store = EmbeddedStore(root, master=master)
    found: list[object] = []
    try:
        async with store.reader(SCOPE) as reader:
            found.append((await reader.info()).chunks)
            for question in QUESTIONS:
                for hits in (
                    await reader.matching(question, where=Where(), limit=5),
                    await reader.nearest(make_vector(question), where=Where(), limit=5),
                ):
                    ids = [hit.id for hit in hits]
                    chunks = await reader.chunks(ids)
                    documents = [one.document for one in chunks]
                    found += [hits, chunks, await reader.records(documents), await reader.layouts(documents)]
                    found += [await reader.at(one.document.path, one.ordinal + 1) for one in chunks]
                found.append(await reader.rate(ids, vector=make_vector(question), query=question))
                found.append(await reader.idf(question))
    finally:
        await store.close()
    return found


@pytest.mark.parametrize("sealed", [True, False])
async def test_no_flipped_bit_changes_a_hit_in_silence(stores: Path, sealed: bool) -> None:
    root = await make_store(stores / f"sealed-{sealed}", sealed=sealed)
    database = files_of_scope(root, SCOPE).database
    whole, named = database.read_bytes(), 0
    wanted = await find_all(root)
    for n in range(FLIPS):
        at = (STRIDE * n + 4_096) % len(whole)
        database.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << n % 8]) + whole[at + 1 :])
        try:
            assert await find_all(root) == wanted, f"bit {n % 8} of byte {at}"
        except RagstoneError:
            named += 1
    assert named > FLIPS // 10


@pytest.mark.parametrize("table", ["terms", "vectors", "revisions"])
async def test_a_table_that_differs_from_its_index_is_named(stores: Path, table: str) -> None:
    root = await make_store(stores / table, sealed=False)
    database = files_of_scope(root, SCOPE).database
    with closing(sqlite3.connect(database)) as connection, connection:
        sql = {
            "terms": "SELECT term FROM terms WHERE term LIKE 'word2x5'",
            "vectors": "SELECT vector_key FROM chunks WHERE ordinal = 5 LIMIT 1",
            "revisions": "SELECT status || substr(facts, 1, 8) FROM revisions LIMIT 1",
        }[table]
        entry = str(connection.execute(sql).fetchone()[0]).encode()
    whole, wanted, named = database.read_bytes(), await find_all(root), []
    places = [at for at in range(len(whole)) if whole.startswith(entry, at)]
    for at in places:
        database.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        try:
            assert await find_all(root) == wanted
        except Corrupt as error:
            named.append(str(error))
    assert any("differs from their table" in one or "which documents are active" in one for one in named)


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("UPDATE chunks SET length = length + 8 WHERE ordinal = 3", "does not match its checksum"),
        ("UPDATE chunks SET terms = zeroblob(6) WHERE ordinal = 3", "does not match its checksum"),
        ("UPDATE chunks SET vector_key = '' WHERE ordinal = 3", "does not match its checksum"),
        ("DELETE FROM chunks WHERE ordinal = 3", "does not match its checksum"),
        ("DELETE FROM records WHERE rev = 2", "has lost its document or its text"),
    ],
)
async def test_what_the_index_file_does_not_cover_is_held_against_its_checksum(
    tmp_path: Path, sql: str, what: str
) -> None:
    root = await make_store(tmp_path / "store", sealed=False)
    with closing(sqlite3.connect(files_of_scope(root, SCOPE).database)) as connection, connection:
        connection.execute(sql)
    with pytest.raises(Corrupt, match=what):
        await find_all(root)


@pytest.mark.parametrize("file", ["collection.sqlite", "vectors-*.f32", "index-*.bin"])
async def test_no_flipped_bit_of_an_encrypted_store_changes_a_hit_in_silence(tmp_path: Path, file: str) -> None:
    """Pages, rows and blocks are each sealed with a code that a changed bit does not match."""
    root = await make_store(tmp_path / "store", sealed=True, master=MASTER)
    [path] = files_of_scope(root, SCOPE).directory.glob(file)
    wanted, whole, named = await find_all(root, MASTER), path.read_bytes(), 0
    for n in range(ENCRYPTED_FLIPS):
        at = (STRIDE * n + 4_096) % len(whole)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << n % 8]) + whole[at + 1 :])
        try:
            assert await find_all(root, MASTER) == wanted, f"bit {n % 8} of byte {at}"
        except RagstoneError:
            named += 1
        for made in path.parent.glob("index-*.bin"):
            made.unlink()
        path.write_bytes(whole)
    assert named > ENCRYPTED_FLIPS // 2 or file == "index-*.bin"  # an index is made anew from the database


async def search_second(root: Path) -> list[Candidate]:
    store = EmbeddedStore(root)
    try:
        return await search_nearest(store.second(SCOPE), make_wide_vector("olive"))
    finally:
        await store.close()


async def test_a_flipped_slot_of_a_second_model_is_named(tmp_path: Path) -> None:
    root = await make_store(tmp_path / "store", sealed=False)
    store = EmbeddedStore(root)
    await store.begin(SCOPE, model=SECOND_MODEL, variant=VARIANT, dimension=SECOND_DIMENSION)
    await fill_second_model(store)
    await store.close()
    database = files_of_scope(root, SCOPE).database
    wanted, named = await search_second(root), 0
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        roots = dict(
            connection.execute("SELECT name, rootpage FROM sqlite_master WHERE tbl_name = 'beside_vectors'").fetchall()
        )
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    whole = database.read_bytes()
    for page in roots.values():
        for n in range(SLOT_FLIPS):
            at = page * size - 1 - 29 * n  # entries fill a page from its end
            database.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            try:
                assert await search_second(root) == wanted, f"byte {at}"
            except RagstoneError:
                named += 1
    assert named > SLOT_FLIPS
