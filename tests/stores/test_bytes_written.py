"""A small change writes little: bytes are counted, not time."""

import random
from pathlib import Path

import pytest

from ragstone.core.types import Revision
from ragstone.stores.embedded import EmbeddedStore
from ragstone.testing.stores import SCOPE, create_collection, make_revision, make_vector, search_texts

COUNTED = Path("/proc/self/io")
DOCUMENTS, CHUNKS = 60, 10
WORDS = [f"word{number}x" for number in range(2_000)]
EDITS = "aardvark badger cormorant dingo emu flamingo gecko heron ibis".split()

pytestmark = pytest.mark.skipif(not COUNTED.exists(), reason="the system counts no bytes of a process")


def bytes_written() -> int:
    return int(COUNTED.read_text().split("wchar: ")[1].split()[0])


def contents(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


def index_files(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("index-*")]


def document(number: int, revision: int = 1) -> Revision:
    chance = random.Random(number)
    texts = [" ".join(chance.choices(WORDS, k=60)) for _ in range(CHUNKS)]
    texts[3] += f" {EDITS[revision]}"
    return make_revision(f"{number}.md", texts, revision=revision)


async def ingest(store: EmbeddedStore, *revisions: Revision) -> int:
    """Take revisions in as a run does; the bytes that it wrote."""
    before = bytes_written()
    async with store.writer(SCOPE) as writer:
        await writer.replace(revisions)
        while chunks := await writer.find_unembedded(256):
            await writer.put({chunk.vector_key: make_vector(chunk.text) for chunk in chunks})
        await writer.settle()
    return bytes_written() - before


async def test_an_edited_line_writes_neither_index_nor_database_anew(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    await create_collection(store)
    await ingest(store, *map(document, range(DOCUMENTS)))
    size = sum(map(len, contents(tmp_path)))
    index = index_files(tmp_path)
    for revision in range(2, 6):
        assert await ingest(store, document(7, revision)) < size / 4
        found = await search_texts(store, EDITS[revision])
        assert len(found) == 1
    assert index_files(tmp_path) == index
    assert await search_texts(store, EDITS[2]) == []
    other = EmbeddedStore(tmp_path / "store")  # another process reads the index of before and what changed since
    assert len(await search_texts(other, EDITS[5])) == 1
    assert await store.admin.check(SCOPE) == []
    await other.close()
    await store.close()


async def test_a_removed_document_writes_the_index_and_not_the_database(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    await create_collection(store)
    await ingest(store, *map(document, range(DOCUMENTS)))
    size = sum(map(len, contents(tmp_path)))
    before = bytes_written()
    async with store.writer(SCOPE) as writer:
        await writer.remove([document(7).document.id])
        await writer.settle()
    assert bytes_written() - before < size / 2
    await store.close()


async def test_many_changes_write_the_index_once_again(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    await create_collection(store)
    await ingest(store, *map(document, range(DOCUMENTS)))
    [first] = index_files(tmp_path)
    for number in range(DOCUMENTS // 4):
        await ingest(store, document(number, 2))
    [last] = index_files(tmp_path)
    assert first != last
    await store.close()


async def test_the_doctor_removes_the_remains_of_replaced_texts(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    await create_collection(store)
    await ingest(store, *map(document, range(DOCUMENTS)))
    for revision in range(2, 9):
        await ingest(store, document(7, revision))
    await store.admin.check(SCOPE, repair=True)
    held = b"".join(contents(tmp_path))
    assert [word for word in EDITS[2:] if word.encode() in held] == [EDITS[8]]
    await store.close()
