"""One bit of a plain store: what is read is verified, no run goes on for ever, and the doctor mends what it names."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import ragstone
from ragstone.core.errors import Corrupt, RagstoneError
from ragstone.core.ports import Vectors
from ragstone.core.types import Scope
from ragstone.stores.embedded import EmbeddedStore
from ragstone.stores.embedded.paths import CollectionFiles, files_of_scope
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.stores import SCOPE, create_collection, fill_vectors, make_revision, search_texts, write_revisions

Open = Callable[..., ragstone.Knowledge]
TEXTS = [f"apple number {n}" for n in range(6)]


class Counting(BagOfWords):
    """Counts the texts that it embeds, and refuses when they are far more than the collection has."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = 0

    async def embed(self, texts: Sequence[str], *, kind: str = "document") -> Vectors:
        self.texts += len(texts)
        assert self.texts < 100, "one chunk is embedded again and again"
        return await super().embed(texts, kind=kind)  # type: ignore[arg-type]  # as it is called


def only_file(here: CollectionFiles) -> None:
    """Bring all that is written into the database file itself."""
    connection = sqlite3.connect(here.database)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def places_of(data: bytes, word: bytes) -> Iterator[int]:
    return (found.start() for found in re.finditer(re.escape(word), data))


def flip(here: CollectionFiles, whole: bytes, at: int) -> None:
    """One bit of the database; nothing else is left that was made from it."""
    for path in [*here.directory.glob("*.sqlite-*"), *here.find_numbered("index").values()]:
        path.unlink()
    here.database.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])


@pytest.fixture
async def here(tmp_path: Path) -> CollectionFiles:
    """A store of one document with six chunks."""
    store = EmbeddedStore(tmp_path / "store")
    await create_collection(store)
    await write_revisions(store, make_revision("a.md", TEXTS))
    async with store.writer(SCOPE) as writer:
        await fill_vectors(writer)
        await writer.settle()
    await store.close()
    found = files_of_scope(tmp_path / "store", SCOPE)
    only_file(found)
    return found


async def test_a_flipped_text_is_never_shown(here: CollectionFiles, tmp_path: Path) -> None:
    whole, shown = here.database.read_bytes(), 0
    for at in places_of(whole, b"apple number 3"):
        flip(here, whole, at + 2)
        store = EmbeddedStore(tmp_path / "store")
        try:
            assert set(await search_texts(store, "number")) <= set(TEXTS)
        except Corrupt as error:
            shown += "'a.md' of source 'docs' does not match its checksum; run: ragstone doctor --repair" in str(error)
        assert any("is stored damaged" in problem for problem in await store.admin.check(SCOPE)) or not shown
        await store.close()
    assert shown


@pytest.mark.parametrize("field", [b'"path":"a.md"', b'"source":"docs"'])
async def test_a_flipped_fact_of_a_document_is_never_shown(here: CollectionFiles, tmp_path: Path, field: bytes) -> None:
    whole = here.database.read_bytes()
    [at] = list(places_of(whole, field))
    flip(here, whole, at + len(field) - 2)
    store = EmbeddedStore(tmp_path / "store")
    with pytest.raises(Corrupt, match=r"'a\.md' of source 'docs' does not match its checksum"):
        await search_texts(store, "number")
    assert len(await store.admin.check(SCOPE, repair=True)) == 1
    assert await store.admin.check(SCOPE) == []
    await store.close()


async def test_a_chunk_with_another_id_is_missed_aloud(here: CollectionFiles, tmp_path: Path) -> None:
    identity = make_revision("a.md", TEXTS).chunks[3].id.encode()
    whole, said = here.database.read_bytes(), 0
    places = list(places_of(whole, identity))
    for at in places:
        flip(here, whole, at + len(identity) - 1)
        store = EmbeddedStore(tmp_path / "store")
        try:
            assert len(await search_texts(store, "number")) == len(TEXTS)
        except Corrupt:
            said += 1
        await store.close()
    assert said == 1 < len(places)  # in the table; without the entry of an index a search finds all


async def test_rows_of_an_earlier_version_have_no_checksum_and_are_read(here: CollectionFiles, tmp_path: Path) -> None:
    connection = sqlite3.connect(here.database)
    connection.create_function("bare", 1, lambda data: re.sub(rb',"crc":\d+\}$', b"}", data))
    connection.execute("UPDATE chunks SET body = bare(body)")
    connection.execute("UPDATE revisions SET facts = bare(facts)")
    connection.commit()
    connection.close()
    store = EmbeddedStore(tmp_path / "store")
    assert sorted(await search_texts(store, "number")) == TEXTS
    await store.close()


def damages(kb: ragstone.Knowledge) -> list[str]:
    """The problems but that chunks wait for their vectors, which the next ingestion makes."""
    return [problem for problem in kb.doctor() if "no vector yet; run: ragstone ingest" not in problem]


def test_a_flip_of_an_index_ends_the_run_with_a_sentence_and_the_doctor_mends_it(docs: Path, tmp_path: Path) -> None:
    model = Counting()
    with ragstone.open(str(tmp_path / "kb"), embedder=model) as kb:
        kb.ingest(docs)
        key = kb.chunk("notes.txt", 0).vector_key.encode()
    here = files_of_scope(tmp_path / "kb", Scope("default", "default"))
    only_file(here)
    whole, named = here.database.read_bytes(), 0
    for at in places_of(whole, key):
        flip(here, whole, at + len(key) - 1)
        model.texts = 0
        with ragstone.open(str(tmp_path / "kb"), embedder=model) as kb:
            said = kb.doctor()
            try:
                kb.ingest(docs)
            except RagstoneError as error:
                named += "run: ragstone doctor --repair" in str(error)
                assert said
                kb.doctor(repair=True)
                assert damages(kb) == []
                kb.ingest(docs, refresh=True)
                assert damages(kb) == []
    assert named


@pytest.mark.parametrize("content", [b"", b"{", b'{"magic": "other"}', None])
def test_the_catalogue_of_a_store_is_mended(
    docs: Path, kb: ragstone.Knowledge, opened: Open, content: bytes | None
) -> None:
    kb.close()
    catalogue = Path(kb.engine.settings.store) / "store.json"
    before = catalogue.read_bytes()
    catalogue.write_bytes(content) if content is not None else catalogue.unlink()
    other = opened()
    assert content is None or any("store.json is damaged" in problem for problem in other.doctor())
    assert other.doctor(repair=True) == []
    assert catalogue.read_bytes() == before
    assert len(other.documents()) == 4


def test_the_record_of_a_tenant_is_mended(docs: Path, kb: ragstone.Knowledge, opened: Open) -> None:
    kb.wait(kb.engine.store.admin.pin("default", model="words", dimension=64))
    record = Path(kb.engine.settings.store) / "default" / "tenant.json"
    before = record.read_bytes()
    record.write_bytes(before[:-9])
    assert any("tenant.json is damaged" in problem for problem in kb.doctor())
    assert kb.doctor(repair=True) == []
    assert json.loads(record.read_bytes()) == {
        **json.loads(before),
        "embedding_model": kb.info().model,
        "embedding_dim": kb.info().dimension,
    }


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM revisions",
        "DELETE FROM documents",
        "DELETE FROM records",
        "UPDATE vectors SET slot = 99 WHERE slot = 1",
    ],
)
def test_rows_that_belong_to_nothing_are_taken_out(docs: Path, kb: ragstone.Knowledge, opened: Open, sql: str) -> None:
    kb.close()
    connection = sqlite3.connect(Path(kb.engine.settings.store) / "default" / "default" / "collection.sqlite")
    connection.execute(sql)  # foreign keys are off here
    connection.commit()
    connection.close()
    other = opened()
    assert other.doctor()
    other.doctor(repair=True)
    assert damages(other) == []
    other.ingest(docs)
    assert len(other.documents()) == 4
    assert other.info().pending_vectors == 0
