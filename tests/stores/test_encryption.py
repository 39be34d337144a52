"""A store with a master key: nothing of what is in it stands in its files, and no other key opens it."""

import base64
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ragstone.core.errors import Busy, ConfigError, Corrupt, NoKey, UsageError
from ragstone.core.filters import Where
from ragstone.core.records import Run
from ragstone.core.types import Scope
from ragstone.stores import encryption
from ragstone.stores.embedded import EmbeddedStore, encrypted_rows, vector_files
from ragstone.stores.embedded.collection import Collection
from ragstone.stores.embedded.compaction import rewrite_vectors
from ragstone.stores.embedded.database import CONNECTION_OPTIONS, database_key
from ragstone.stores.embedded.frozen_files import check_unchanged, is_unchanged, open_frozen
from ragstone.stores.embedded.tenants import Tenants
from ragstone.stores.encryption import SecretKey, box_size, open_box, seal_box
from ragstone.stores.master_key import MasterKey
from ragstone.stores.revision_status import utc_now
from ragstone.testing.stores import (
    OTHER,
    SCOPE,
    create_collection,
    make_revision,
    make_vector,
    search_texts,
    write_revisions,
)

MASTER = MasterKey(SecretKey(bytes(range(32))))
ANOTHER = MasterKey(SecretKey(bytes(range(1, 33))))
TEXTS = [f"quinquireme number {n} of Nineveh" for n in range(20)]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    store = EmbeddedStore(tmp_path / "store", master=MASTER)
    yield store
    await store.close()


async def lived(store: EmbeddedStore) -> None:
    """A collection with all kinds of files, and a run that is still going."""
    await create_collection(store)
    run = Run("run-1", "harbour", "running", "2026-01-01T00:00:00Z", config={"about": "quinquireme"})
    await store.ledger(SCOPE).start(run)
    await write_revisions(store, make_revision("cargo/ivory.md", TEXTS, source="harbour", title="Cargoes"))
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    await store.admin.pin(SCOPE.tenant, model="distant-ophir", dimension=8)
    await write_revisions(store, make_revision("cargo/later.md", ["quinquireme again"], source="harbour"))


def telling(root: Path) -> dict[str, bytes]:
    """What must stand in no file, by what it is."""
    return {
        "text": b"quinquireme number 7",
        "term": b"quinquirem",
        "path": b"cargo/ivory",
        "title": b"Cargoes",
        "source": b"harbour",
        "model": b"distant-ophir",
        "vector": make_vector(TEXTS[3]).tobytes(),
        "part of a vector": make_vector(TEXTS[4]).tobytes()[:16],
        "master key": MASTER.key.data,
    }


def found(root: Path, words: dict[str, bytes]) -> set[str]:
    """Which of them stand in a file or in its name."""
    files = [path for path in root.rglob("*") if path.is_file()]
    held = [str(path.relative_to(root)).encode() + path.read_bytes() for path in files]
    return {what for what, word in words.items() if any(word in data for data in held)}


async def test_no_file_of_an_encrypted_store_tells_anything(store: EmbeddedStore, tmp_path: Path) -> None:
    await lived(store)
    names = {path.name.split("-")[0] for path in (tmp_path / "store" / "acme" / "notes").iterdir()}
    assert {"collection.sqlite", "vectors", "index", "locks", "key"} <= names
    assert (tmp_path / "store/acme/notes/collection.sqlite-wal").stat().st_size
    assert found(tmp_path, telling(tmp_path)) == set()
    assert len(await search_texts(store, "quinquireme")) == 21


async def test_the_same_words_stand_in_the_files_of_a_plain_one(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    await lived(store)
    assert found(tmp_path, telling(tmp_path)) == set(telling(tmp_path)) - {"master key"}
    await store.close()


async def test_an_encrypted_store_finds_what_a_plain_one_finds(store: EmbeddedStore, tmp_path: Path) -> None:
    plain = EmbeddedStore(tmp_path / "plain")
    results = []
    for one in (store, plain):
        await lived(one)
        async with one.reader(SCOPE) as reader:
            near = await reader.nearest(make_vector("ophir"), where=Where(), limit=5)
            results.append((near, await reader.matching("quinquireme 7", where=Where(), limit=5)))
    assert results[0] == results[1]
    await plain.close()


async def test_rows_that_are_not_kept_in_memory_are_decrypted_by_each_question(
    store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encrypted_rows, "MAX_CACHED_BYTES", 0)
    await lived(store)
    async with store.reader(SCOPE) as reader:
        for text in (TEXTS[0], TEXTS[19]):
            [best] = await reader.nearest(make_vector(text), where=Where(), limit=1)
            assert [chunk.text for chunk in await reader.chunks([best.id])] == [text]


@pytest.mark.parametrize("master", [None, ANOTHER])
async def test_a_key_that_is_missing_or_wrong_is_said_and_harms_nothing(
    store: EmbeddedStore, tmp_path: Path, master: MasterKey | None
) -> None:
    await lived(store)
    other = EmbeddedStore(tmp_path / "store", master=master)
    before = {path: path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file()}
    with pytest.raises(NoKey, match="tenant 'acme' is encrypted"):
        async with other.reader(SCOPE):
            pass
    with pytest.raises(NoKey, match=r"set encryption\.key"):
        await create_collection(other)
    with pytest.raises(NoKey):
        await other.admin.check(SCOPE, repair=True)
    assert {path: path.read_bytes() for path in before} == before
    assert [tenant.encrypted for tenant in await other.admin.tenants("acme")] == [True]
    await other.close()


async def test_each_tenant_has_a_key_of_its_own(store: EmbeddedStore, tmp_path: Path) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    await write_revisions(store, make_revision("a.md", ["apple"], scope=OTHER), scope=OTHER)
    tenants = Tenants(tmp_path / "store", MASTER)
    assert tenants.read_keys("acme") != tenants.read_keys("rival")
    key_file = tmp_path / "store/acme/tenant.key"
    assert key_file.stat().st_mode & 0o777 == 0o600
    (tmp_path / "store/rival/tenant.key").write_bytes(key_file.read_bytes())
    with pytest.raises(Corrupt, match="put it back from a backup"):
        tenants.read_keys("rival")


async def test_a_plain_tenant_stays_plain_and_new_ones_are_encrypted(tmp_path: Path) -> None:
    plain = EmbeddedStore(tmp_path / "store")
    await write_revisions(plain, make_revision("a.md", ["apple"]))
    await plain.close()
    store = EmbeddedStore(tmp_path / "store", master=MASTER)
    await write_revisions(store, make_revision("b.md", ["apple pie"]))
    await write_revisions(
        store, make_revision("c.md", ["apple"], scope=Scope("acme", "more")), scope=Scope("acme", "more")
    )
    await write_revisions(store, make_revision("a.md", ["apple"], scope=OTHER), scope=OTHER)
    assert {one.name: one.encrypted for one in await store.admin.tenants("acme")} == {"acme": False, "rival": True}
    assert await search_texts(store, "pie") == ["apple pie"]
    assert any("tenants encrypt" in problem for problem in await store.admin.check(SCOPE))
    assert await store.admin.check(OTHER) == []
    await store.close()


async def test_rows_of_a_vector_file_can_be_neither_swapped_nor_brought_from_another(
    store: EmbeddedStore, tmp_path: Path
) -> None:
    await write_revisions(store, make_revision("a.md", ["apple", "pear"]))
    path = tmp_path / "store/acme/notes/vectors-1.f32"
    stride = encrypted_rows.cipher_stride(8)
    data = path.read_bytes()
    rows = [data[vector_files.HEADER_BYTES + i * stride :][:stride] for i in (0, 1)]
    path.write_bytes(data[: vector_files.HEADER_BYTES] + rows[1] + rows[0])
    fresh = EmbeddedStore(tmp_path / "store", master=MASTER)
    async with fresh.reader(SCOPE) as reader:
        with pytest.raises(Corrupt, match=r"checksum|damaged"):
            await reader.nearest(make_vector("apple"), where=Where(), limit=1)
        assert len(await reader.matching("apple", where=Where(), limit=3)) == 1
    assert await fresh.admin.check(SCOPE, repair=True) == []
    assert await search_texts(fresh, "apple") == ["apple"]
    await fresh.close()


@pytest.mark.parametrize("size", [0, 1, encryption.BLOCK, encryption.BLOCK + 1, 3 * encryption.BLOCK - 7])
def test_a_box_gives_back_what_was_put_in(size: int) -> None:
    key, data = SecretKey.generate(), os.urandom(size)
    box = seal_box(key, "p", data, about="me")
    assert len(box) == box_size(size)
    assert open_box(key, "p", box, about="me") == data
    for wrong in (SecretKey.generate(), None):
        with pytest.raises(Corrupt):
            open_box(wrong or key, "p" if wrong else "q", box, about="me")
    with pytest.raises(Corrupt):
        open_box(key, "p", box, about="you")


def test_blocks_of_a_box_can_be_neither_cut_nor_swapped_nor_changed() -> None:
    key, data = SecretKey.generate(), os.urandom(2 * encryption.BLOCK + 5)
    box = seal_box(key, "p", data, about="me")
    head, size = box[: encryption.HEAD.size], encryption.BLOCK + encryption.OVERHEAD
    blocks = [box[len(head) + i * size :][:size] for i in range(3)]
    swapped, short = head + blocks[1] + blocks[0] + blocks[2], head + blocks[0] + blocks[1]
    shorter = encryption.HEAD.pack(encryption.MAGIC, 1, 0, 2 * encryption.BLOCK, head[-16:]) + blocks[0] + blocks[1]
    for wrong in (swapped, short, shorter, box[:-1], box[:100] + bytes([box[100] ^ 1]) + box[101:], b"", box[:9]):
        with pytest.raises(Corrupt):
            open_box(key, "p", wrong, about="me")
    assert open_box(key, "p", box[: len(head) + size + 9], about="me", whole=False) == data[: encryption.BLOCK]


def test_a_master_key_is_read_from_text_or_file_and_never_shown(tmp_path: Path) -> None:
    text = base64.b64encode(bytes(range(32))).decode()
    (tmp_path / "key").write_text(f"{text}\n")
    assert MasterKey.from_settings(text, None) == MasterKey.from_settings(None, str(tmp_path / "key")) == MASTER
    assert MasterKey.from_settings(None, None) is None
    assert text not in repr(MASTER)
    assert "\\x01" not in repr(MASTER)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("AAAA", None), "of 3 bytes: expected 32 bytes in base64; make one with: openssl"),
        (("no base64!", None), "expected 32 bytes in base64"),
        (("ключ", None), "expected 32 bytes in base64"),
        ((None, "/nowhere/key"), "cannot be read"),
        (("AAAA", "/nowhere/key"), "both given"),
        ((None, None, "AAAA"), "invalid encryption.previous of 3 bytes"),
        ((None, None, base64.b64encode(bytes(32)).decode()), "without encryption.key"),
    ],
)
def test_a_master_key_that_is_none_is_one_sentence(given: tuple[str | None, ...], said: str) -> None:
    with pytest.raises(ConfigError, match=said) as error:
        MasterKey.from_settings(*given)
    assert not given[0] or given[0] not in str(error.value)


async def test_without_the_packages_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encryption, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"ragstone\[encryption\]"):
        MasterKey.from_settings(base64.b64encode(bytes(32)).decode(), None)


async def test_an_encrypted_file_that_may_only_be_read_is_opened_as_one_that_never_changes(
    store: EmbeddedStore, tmp_path: Path
) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    await store.close()
    here = Tenants(tmp_path / "store", MASTER).files_of(SCOPE)
    connection = open_frozen(here.database, key=database_key(here.key), **CONNECTION_OPTIONS)
    assert connection.execute("SELECT path FROM documents").fetchall() == [("a.md",)]
    assert is_unchanged(connection)
    later = EmbeddedStore(tmp_path / "store", master=MASTER)
    await write_revisions(later, make_revision("b.md", ["pear"]))
    with pytest.raises(Busy, match="was written to while it was read"):
        check_unchanged(connection)
    connection.close()
    await later.close()


async def test_what_is_remembered_of_a_vector_file_goes_with_it(store: EmbeddedStore) -> None:
    await write_revisions(store, *(make_revision(f"{n}.md", [f"text {n}"]) for n in range(20)))

    async def ask() -> Collection:
        async with store.reader(SCOPE) as reader:
            assert await reader.nearest(make_vector("text 1"), where=Where(), limit=3)
        return store._open_collection(SCOPE)

    for _ in range(4):
        collection = await ask()
        assert len(collection._pages) == len(collection._trusted) == 1
        connection = collection.take_connection()
        rewrite_vectors(collection.place, connection, now=utc_now())
        collection.release(connection)
