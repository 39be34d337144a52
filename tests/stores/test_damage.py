"""Damaged, foreign and newer files: each is named in a sentence, and what can be mended is mended."""

import os
import re
import sqlite3
import struct
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from ragstone.core.errors import Corrupt, NotBuilt, StoreError, StoreTooNew, UsageError
from ragstone.core.filters import Where
from ragstone.stores.embedded import EmbeddedStore, vector_files
from ragstone.stores.embedded.database import STEPS
from ragstone.stores.embedded.paths import CollectionFiles, files_of_scope
from ragstone.stores.encryption import SecretKey
from ragstone.stores.error_mapping import map_errors
from ragstone.testing.stores import SCOPE, fill_vectors, make_revision, make_vector, search_texts, write_revisions

TEXTS = [f"apple number {n}" for n in range(1500)]  # two blocks of vectors


@pytest.fixture
async def root(tmp_path: Path) -> Path:
    """A store with 1,500 vectors and a sealed index, closed."""
    store = EmbeddedStore(tmp_path / "store")
    await write_revisions(store, make_revision("a.md", TEXTS))
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    await store.close()
    return tmp_path / "store"


@pytest.fixture
def here(root: Path) -> CollectionFiles:
    return files_of_scope(root, SCOPE)


@pytest.fixture
async def store(root: Path) -> AsyncIterator[EmbeddedStore]:
    store = EmbeddedStore(root)
    yield store
    await store.close()


async def nearest(store: EmbeddedStore) -> list[str]:
    async with store.reader(SCOPE) as reader:
        found = await reader.nearest(make_vector(TEXTS[7]), where=Where(), limit=3)
        return [chunk.text for chunk in await reader.chunks([candidate.id for candidate in found])]


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0x10
    path.write_bytes(data)


def into_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "x").write_text("x")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a bit of the first block flipped": lambda path: flip(path, vector_files.HEADER_BYTES + 100),
    "the last bit flipped": lambda path: flip(path, -1),
    "a bit of the header flipped": lambda path: flip(path, 13),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-40_000]),
    "cut inside the header": lambda path: path.write_bytes(path.read_bytes()[:30]),
    "empty": lambda path: path.write_bytes(b""),
    "gone": lambda path: path.unlink(),
    "a folder": into_folder,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
async def test_a_damaged_vector_file_is_named_and_mended(
    store: EmbeddedStore, here: CollectionFiles, damage: Callable[[Path], object]
) -> None:
    damage(here.vector_file(1))
    with pytest.raises(Corrupt, match=r"vectors-1\.f32 is damaged.*doctor --repair"):
        await nearest(store)
    assert len(await search_texts(store, "apple")) == len(TEXTS)
    assert any("vectors-1.f32" in sentence for sentence in await store.admin.check(SCOPE))
    assert await store.admin.check(SCOPE, repair=True) == []
    async with store.writer(SCOPE) as writer:
        await fill_vectors(writer)
    assert (await nearest(store))[0] == TEXTS[7]


@pytest.mark.parametrize("name", sorted(DAMAGE.keys() - {"a bit of the first block flipped", "the last bit flipped"}))
async def test_a_vector_file_that_was_read_before_is_named_too(
    store: EmbeddedStore, here: CollectionFiles, name: str
) -> None:
    assert (await nearest(store))[0] == TEXTS[7]
    DAMAGE[name](here.vector_file(1))
    with pytest.raises(Corrupt, match=r"vectors-1\.f32 is damaged.*doctor --repair"):
        await nearest(store)


async def test_repair_rescues_the_rows_below_a_damaged_header(store: EmbeddedStore, here: CollectionFiles) -> None:
    flip(here.vector_file(1), 13)
    await store.admin.check(SCOPE, repair=True)
    async with store.writer(SCOPE) as writer:
        assert await writer.find_unembedded(9) == []


async def test_repair_keeps_the_vectors_of_whole_blocks(store: EmbeddedStore, here: CollectionFiles) -> None:
    flip(here.vector_file(1), -1)
    await store.admin.check(SCOPE, repair=True)
    async with store.writer(SCOPE) as writer:
        assert await fill_vectors(writer) == len(TEXTS) - vector_files.BLOCK_ROWS


async def test_a_damaged_vector_file_is_not_written_to(store: EmbeddedStore, here: CollectionFiles) -> None:
    flip(here.vector_file(1), 13)
    with pytest.raises(Corrupt, match=r"vectors-1\.f32"):
        await write_revisions(store, make_revision("b.md", ["new"]))


@pytest.mark.parametrize("at", [3, 20, 100, 5_000, -1])
async def test_a_flipped_index_file_is_left_aside_and_made_anew(
    store: EmbeddedStore, here: CollectionFiles, at: int, caplog: pytest.LogCaptureFixture
) -> None:
    [index] = here.find_numbered("index").values()
    flip(index, at)
    assert len(await search_texts(store, "apple number 7")) == len(TEXTS)
    assert "index file is left aside" in caplog.text
    assert any(str(index) in sentence for sentence in await store.admin.check(SCOPE))
    assert await store.admin.check(SCOPE, repair=True) == []
    assert not index.exists()


async def test_a_truncated_index_file_is_no_obstacle(store: EmbeddedStore, here: CollectionFiles) -> None:
    [index] = here.find_numbered("index").values()
    for size in (1000, 10, 0):
        index.write_bytes(index.read_bytes()[:size])
        assert (await nearest(store))[0] == TEXTS[7]


async def test_an_index_that_tells_another_story_is_found(store: EmbeddedStore, here: CollectionFiles) -> None:
    connection = sqlite3.connect(here.database)
    connection.execute("UPDATE chunks SET length = 99 WHERE ordinal = 0")
    connection.commit()
    connection.close()
    assert any("does not say what the collection says" in sentence for sentence in await store.admin.check(SCOPE))


async def test_orphans_are_found(store: EmbeddedStore, here: CollectionFiles) -> None:
    connection = sqlite3.connect(here.database)
    connection.execute("DELETE FROM revisions")  # foreign keys are off here
    connection.commit()
    connection.close()
    found = " ".join(await store.admin.check(SCOPE))
    for sentence in ("1 documents have no revision", "1500 chunks have no revision", "1 texts of record have no"):
        assert sentence in found


async def test_a_folder_in_place_of_an_index_file_is_named_and_mended(
    store: EmbeddedStore, here: CollectionFiles
) -> None:
    [index] = here.find_numbered("index").values()
    index.unlink()
    index.mkdir()
    assert len(await search_texts(store, "apple number 7")) == len(TEXTS)
    assert any(str(index) in sentence for sentence in await store.admin.check(SCOPE))
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    assert index.is_file(), "the end of a run puts a file there"
    index.unlink()
    index.mkdir()
    assert await store.admin.check(SCOPE, repair=True) == []


def changed(here: CollectionFiles, sql: str, *parameters: object) -> None:
    """Somebody writes into the database past this program."""
    connection = sqlite3.connect(here.database)
    assert connection.execute(sql, parameters).rowcount > 0
    connection.commit()
    connection.close()


CHANGES = {
    "a chunk's text": "UPDATE chunks SET body = CAST(replace(body, 'ber 7', 'ber X') AS BLOB) WHERE ordinal = 7",
    "a chunk's facts": "UPDATE chunks SET facts = CAST(replace(facts, '3', '4') AS BLOB) WHERE ordinal = 7",
    "a chunk's words": "UPDATE chunks SET terms = (SELECT terms FROM chunks WHERE ordinal = 8) WHERE ordinal = 7",
    "a chunk's length": "UPDATE chunks SET length = 99 WHERE ordinal = 7",
    "a chunk's id": "UPDATE chunks SET id = 'another' WHERE ordinal = 7",
    "a chunk's vector": "UPDATE chunks SET vector_key = 'another' WHERE ordinal = 7",
    "a chunk that is no JSON": "UPDATE chunks SET body = x'00' WHERE ordinal = 7",
    "a chunk that is a number": "UPDATE chunks SET body = 7 WHERE ordinal = 7",
    "a chunk less": "DELETE FROM chunks WHERE ordinal = 7",
    "the document": "UPDATE revisions SET facts = CAST(replace(facts, 'a.md', 'x.md') AS BLOB)",
    "the document's path": "UPDATE documents SET path = 'x.md'",
    "the text of record": "UPDATE records SET record = x'00'",
}


@pytest.mark.parametrize("sql", CHANGES.values(), ids=CHANGES.keys())
async def test_a_document_that_was_changed_in_the_database_is_named_and_taken_out(
    store: EmbeddedStore, here: CollectionFiles, sql: str
) -> None:
    changed(here, sql)
    found = await store.admin.check(SCOPE)
    assert any(".md' of source 'docs' is stored damaged" in sentence for sentence in found)
    [said] = await store.admin.check(SCOPE, repair=True)
    assert said.endswith("was damaged and is taken out; ingest it again")
    assert await store.admin.check(SCOPE) == []
    assert await search_texts(store, "apple") == []
    await write_revisions(store, make_revision("a.md", TEXTS))
    assert len(await search_texts(store, "apple")) == len(TEXTS)
    assert await store.admin.check(SCOPE) == []


async def test_a_text_that_an_earlier_format_wrote_is_held_against_its_record(
    store: EmbeddedStore, here: CollectionFiles
) -> None:
    changed(here, "DELETE FROM proofs")
    assert await store.admin.check(SCOPE) == []
    connection = sqlite3.connect(here.database)
    connection.create_function("bare", 1, lambda data: re.sub(rb',"crc":\d+\}$', b"}", data))
    connection.execute("UPDATE chunks SET body = bare(body)")
    connection.commit()
    connection.close()
    changed(here, CHANGES["a chunk's text"])
    [said] = await store.admin.check(SCOPE)
    assert "chunk 7 is not what the text of the document says there" in said


async def test_of_an_old_revision_only_that_one_is_taken_out(root: Path, here: CollectionFiles) -> None:
    store = EmbeddedStore(root, keep_versions=2)
    await write_revisions(store, make_revision("a.md", ["apple now"], revision=2))
    changed(here, CHANGES["a chunk's text"])
    assert len(await store.admin.check(SCOPE, repair=True)) == 1
    assert await store.admin.check(SCOPE) == []
    assert await search_texts(store, "apple") == ["apple now"]
    await store.close()


async def test_other_documents_stay_when_one_is_taken_out(store: EmbeddedStore, here: CollectionFiles) -> None:
    await write_revisions(store, make_revision("b.md", ["pear"]))
    changed(here, CHANGES["a chunk's text"])
    assert await search_texts(store, "pear") == ["pear"]
    await store.admin.check(SCOPE, repair=True)
    assert [document.path for document in await store.ledger(SCOPE).documents()] == ["b.md"]
    assert await search_texts(store, "apple pear") == ["pear"]


LOST: dict[str, Callable[[Path], object]] = {
    "it is empty": lambda path: path.write_bytes(b""),
    "it is gone": lambda path: path.unlink(),
    "it is not a file": into_folder,
}


@pytest.mark.parametrize(("what", "damage"), LOST.items(), ids=LOST.keys())
async def test_a_database_that_is_lost_is_damage_and_not_a_fresh_start(
    root: Path, here: CollectionFiles, what: str, damage: Callable[[Path], object]
) -> None:
    damage(here.database)
    store = EmbeddedStore(root)
    for attempt in (
        nearest(store),
        store.admin.exists(SCOPE),
        store.admin.check(SCOPE),
        store.admin.create(SCOPE, model=None, variant=None, dimension=None),
    ):
        with pytest.raises(Corrupt, match=rf"collection\.sqlite is damaged \({what}\); ingest anew with --recreate"):
            await attempt
    assert await store.admin.collections(SCOPE.tenant) == [SCOPE.collection]
    assert await store.admin.drop(SCOPE)
    assert not await store.admin.exists(SCOPE)
    await write_revisions(store, make_revision("a.md", ["apple"]))
    assert await search_texts(store, "apple") == ["apple"]
    await store.close()


async def test_a_database_without_its_format_is_damage(root: Path, here: CollectionFiles) -> None:
    connection = sqlite3.connect(here.database)
    connection.execute("PRAGMA user_version = 0")
    connection.close()
    store = EmbeddedStore(root)
    with pytest.raises(Corrupt, match="does not say its format"):
        await nearest(store)
    await store.close()


async def test_what_an_interrupted_first_run_left_is_no_damage(root: Path, here: CollectionFiles) -> None:
    for path in sorted(here.directory.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    here.locks.mkdir()
    here.database.touch()
    store = EmbeddedStore(root)
    assert not await store.admin.exists(SCOPE)
    with pytest.raises(NotBuilt):
        await nearest(store)
    await write_revisions(store, make_revision("a.md", ["apple"]))
    assert await search_texts(store, "apple") == ["apple"]
    await store.close()


async def said_by(root: Path) -> tuple[list[str], str]:
    """The texts that a search finds, or what it says; then what the doctor says."""
    store = EmbeddedStore(root)
    texts, said = [], []
    try:
        texts = await search_texts(store, "apple number 7")
    except StoreError as error:
        said = [str(error)]
    try:
        said += await store.admin.check(SCOPE)
    except StoreError as error:
        said.append(str(error))
    await store.close()
    return sorted(texts), " ".join(said)


async def test_zeroes_anywhere_are_named_or_change_nothing(root: Path, here: CollectionFiles) -> None:
    """64 bytes at a time, in every 509th place."""
    whole = here.database.read_bytes()
    for path in here.find_numbered("index").values():
        path.unlink()
    named = 0
    for at in range(0, len(whole), 64 * 509):
        here.database.write_bytes(whole[:at] + bytes(64) + whole[at + 64 :])
        texts, said = await said_by(root)
        assert said or texts == sorted(TEXTS), at
        assert not said or "damaged" in said, (at, said)
        named += bool(said)
    assert named > 3


SENSELESS = (KeyError(3), TypeError("x"), ValueError("x"), ZeroDivisionError("x"), struct.error("x"), zlib.error("x"))


@pytest.mark.parametrize("error", [*SENSELESS, sqlite3.OperationalError("Could not decode to UTF-8 column 'term'")])
def test_what_senseless_bytes_raise_becomes_a_sentence(error: Exception, tmp_path: Path) -> None:
    with pytest.raises(Corrupt, match=r"is damaged \(.*\w.*\); ingest anew with --recreate"), map_errors(tmp_path):
        raise error


async def test_no_advice_leads_in_a_circle(root: Path, here: CollectionFiles) -> None:
    here.database.write_bytes(b"not a database at all" * 1000)
    _, said = await said_by(root)
    assert "is damaged" in said
    assert "ragstone doctor" not in said


async def test_remains_of_a_crash_are_found_and_removed_by_the_next_writer(
    store: EmbeddedStore, here: CollectionFiles
) -> None:
    remains = [here.vector_file(2), here.directory / "index-9.bin.aside"]
    for path in remains:
        path.write_bytes(b"half")
    found = " ".join(await store.admin.check(SCOPE))
    assert all(str(path) in found for path in remains)
    async with store.writer(SCOPE):
        assert not any(path.exists() for path in remains)
    assert await store.admin.check(SCOPE) == []


async def test_a_database_of_a_newer_format_names_both_versions(store: EmbeddedStore, here: CollectionFiles) -> None:
    connection = sqlite3.connect(here.database)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.raises(StoreTooNew, match=rf"format 7.*up to {len(STEPS)}: upgrade ragstone"):
        await nearest(store)


async def test_a_store_of_a_newer_format_names_both_versions(store: EmbeddedStore, root: Path) -> None:
    (root / "store.json").write_text('{"magic": "ragstone", "format": 2}')
    with pytest.raises(StoreTooNew, match=r"format 2.*up to 1: upgrade ragstone"):
        await nearest(store)


@pytest.mark.parametrize("catalogue", ["", "[]", "{", '{"magic": "other", "format": "x"}'])
async def test_a_broken_catalogue_is_named(store: EmbeddedStore, root: Path, catalogue: str) -> None:
    (root / "store.json").write_text(catalogue)
    with pytest.raises(Corrupt, match=r"store\.json is damaged"):
        await nearest(store)


async def test_a_file_that_is_no_database_is_named(store: EmbeddedStore, here: CollectionFiles) -> None:
    here.database.write_bytes(b"not a database at all" * 1000)
    for path in here.directory.glob("*.sqlite-*"):
        path.unlink()
    with pytest.raises(Corrupt, match=r"collection\.sqlite.*is damaged"):
        await nearest(store)


async def test_a_torn_database_is_reported_by_the_doctor(store: EmbeddedStore, here: CollectionFiles) -> None:
    data = bytearray(here.database.read_bytes())
    for at in range(len(data) // 8192 * 4096, len(data) - 4096, 8192):
        data[at : at + 200] = b"\xa5" * 200
    here.database.write_bytes(data)
    assert any("collection.sqlite" in sentence for sentence in await store.admin.check(SCOPE))


async def test_a_folder_with_other_files_is_not_taken_for_a_store(tmp_path: Path) -> None:
    mine = tmp_path / "notes.md"
    mine.write_text("mine")
    store = EmbeddedStore(tmp_path)
    with pytest.raises(NotBuilt):
        await nearest(store)
    with pytest.raises(UsageError, match="not empty"):
        await write_revisions(store, make_revision("a.md", ["apple"]))
    assert os.listdir(tmp_path) == ["notes.md"]
    await store.close()


async def test_a_file_where_the_store_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    store = EmbeddedStore(tmp_path / "file")
    with pytest.raises(UsageError, match="not a Ragstone store"):
        await write_revisions(store, make_revision("a.md", ["apple"]))
    for attempt in (nearest(store), store.admin.collections("acme"), store.admin.exists(SCOPE)):
        with pytest.raises(UsageError, match="is not a Ragstone store: it is not a folder"):
            await attempt
    below = EmbeddedStore(tmp_path / "file" / "below")
    with pytest.raises(StoreError, match="file"):
        await write_revisions(below, make_revision("a.md", ["apple"]))
    await store.close()
    await below.close()


@pytest.mark.parametrize("bad", [{"x": object()}, {"x": "\ud800"}, {"x": 1.0, "y": {1: {2, "z"}, (1, 2): 3}}])
async def test_what_cannot_be_stored_is_named_and_nothing_is_written(
    store: EmbeddedStore, bad: dict[str, object]
) -> None:
    revision = make_revision("bad.md", ["apple"], meta=bad)
    with pytest.raises(StoreError, match=r"bad\.md"):
        await write_revisions(store, revision)
    assert [d.path for d in await store.ledger(SCOPE).documents()] == ["a.md"]


async def test_text_that_is_no_unicode_is_refused_by_name(store: EmbeddedStore) -> None:
    with pytest.raises(StoreError, match=r"bad\.md"):
        await write_revisions(store, make_revision("bad.md", ["apple"], chunks={"text": "\udcff"}))


def test_a_vector_file_of_another_dimension_or_unencrypted_is_not_read(tmp_path: Path) -> None:
    vector_files.create_file(tmp_path / "vectors-1.f32", 3)
    assert vector_files.read_row_format(tmp_path / "vectors-1.f32", 3).dimension == 3
    for dimension, key in ((4, None), (3, SecretKey(bytes(32)))):
        with pytest.raises(Corrupt, match="it holds 3 dimensions"):
            vector_files.read_row_format(tmp_path / "vectors-1.f32", dimension, key)
