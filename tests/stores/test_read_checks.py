"""What is read is verified: a flipped bit is named, or changes nothing that is found."""

import sqlite3
from pathlib import Path

import pytest

from ragstone.core.errors import Corrupt, RagstoneError
from ragstone.core.filters import Where
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.embedded.paths import files_of_scope
from ragstone.testing.stores import SCOPE, make_revision, make_vector, write_revisions

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
STRIDE = 7_919  # bytes between two flips: a prime, so that they spread over all pages and columns


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stores")


async def make_store(root: Path, *, sealed: bool) -> Path:
    """A store whose index covers all but the last document, or nothing at all."""
    store = EmbeddedStore(root)
    await write_revisions(store, *DOCUMENTS[:-1])
    if sealed:
        async with store.writer(SCOPE) as writer:
            await writer.settle()
    await write_revisions(store, DOCUMENTS[-1])
    await store.close()
    return root


async def find_all(root: Path) -> list[object]:
    """All that questions read: candidates with their scores, texts, ratings and weights of terms."""
    store = EmbeddedStore(root)
    found: list[object] = []
    try:
        async with store.reader(SCOPE) as reader:
            for question in QUESTIONS:
                for hits in (
                    await reader.matching(question, where=Where(), limit=5),
                    await reader.nearest(make_vector(question), where=Where(), limit=5),
                ):
                    ids = [hit.id for hit in hits]
                    found += [hits, await reader.chunks(ids)]
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
    with sqlite3.connect(database) as connection:
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
    with sqlite3.connect(files_of_scope(root, SCOPE).database) as connection:
        connection.execute(sql)
    with pytest.raises(Corrupt, match=what):
        await find_all(root)
