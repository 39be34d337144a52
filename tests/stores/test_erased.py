"""What is removed is gone: no file of the store holds a word of it after the run has settled."""

import asyncio
import random
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.ports import Store
from ragstone.core.types import Revision
from ragstone.stores.embedded import EmbeddedStore, database, page_gaps
from ragstone.stores.embedded.paths import files_of_scope
from ragstone.stores.jsonfile import JsonStore
from ragstone.testing.stores import SCOPE, create_collection, make_revision, search_texts, write_revisions

Opener = Callable[[Path], Store]
OPENERS: dict[str, Opener] = {
    "embedded": lambda path: EmbeddedStore(path / "store"),
    "json": lambda path: JsonStore(path / "store.json"),
}


def marked(path: str, marker: str, revision: int, *, size: int = 200) -> Revision:
    """A document with a word of its own in its text, its title and its front matter."""
    texts = [f"{marker} begins " + "and goes on " * size, f"the second {marker}"]
    return make_revision(path, texts, revision=revision, title=f"About {marker}", meta={"tags": [marker]})


def holding(folder: Path, marker: str) -> list[str]:
    """The files in which a word stands."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path.name for path in files if marker.encode() in path.read_bytes()]


@pytest.mark.parametrize("kind", OPENERS)
async def test_a_removed_document_stands_in_no_file(tmp_path: Path, kind: str) -> None:
    store = OPENERS[kind](tmp_path)
    await write_revisions(store, *(marked(f"{n}.md", f"marker{n}x", 1) for n in range(20)))
    async with store.writer(SCOPE) as writer:
        await writer.settle()
        assert holding(tmp_path, "marker7x")
        await writer.remove([make_revision("7.md", []).document.id])
        await writer.replace([marked("8.md", "newer", 2)])
        await writer.settle()
        for marker in ("marker7x", "marker8x"):
            assert holding(tmp_path, marker) == []
        assert holding(tmp_path, "marker9x")
    assert len(await search_texts(store, "newer")) == 2
    await store.close()


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_whatever_was_written_and_removed_leaves_no_trace(seed: int) -> None:
    async def lived(folder: Path) -> None:
        chance, live, gone = random.Random(seed), dict[str, str](), list[str]()
        store = EmbeddedStore(folder / "store")
        await create_collection(store)
        async with store.writer(SCOPE) as writer:
            for revision in range(1, 200):
                path, marker = f"{chance.randrange(60)}.md", f"m{chance.getrandbits(50):x}q{revision}z"
                gone += [live.pop(path)] if path in live else []
                if gone and chance.random() < 0.4:
                    await writer.remove([make_revision(path, []).document.id])
                else:
                    await writer.replace([marked(path, marker, revision, size=chance.choice([1, 9, 90, 900]))])
                    live[path] = marker
            await writer.settle()
            assert [marker for marker in gone if holding(folder, marker)] == []
        assert sorted(await search_texts(store, "begins")) == sorted(
            chunk for chunk in await search_texts(store, " ".join(live.values())) if "begins" in chunk
        )
        assert await store.admin.check(SCOPE) == []
        await store.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(lived(Path(folder)))


async def test_words_of_versions_that_stay_are_not_forgotten(tmp_path: Path) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    store = EmbeddedStore(tmp_path / "store", keep_versions=2, now=lambda: clock[0])
    await write_revisions(store, make_revision("a.md", ["apple gone"]), make_revision("b.md", ["pear"]))
    for revision, word in ((2, "kept"), (3, "active")):
        await write_revisions(store, make_revision("a.md", [f"apple {word}"], revision=revision))
    await write_revisions(store, make_revision("b.md", ["plum later"], revision=2, effective_at="2026-02-01"))
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    connection = sqlite3.connect(files_of_scope(tmp_path / "store", SCOPE).database)
    known = {term for (term,) in connection.execute("SELECT term FROM terms")}
    connection.close()
    assert known == {"appl", "kept", "activ", "pear", "plum", "later"}
    clock[0] = datetime(2026, 2, 1, tzinfo=UTC)
    assert await search_texts(store, "later apple") == ["apple active", "plum later"]
    await store.close()


async def test_ids_of_forgotten_words_come_again_without_harm(tmp_path: Path) -> None:
    store, witness = EmbeddedStore(tmp_path / "store"), EmbeddedStore(tmp_path / "store")
    await write_revisions(store, make_revision("a.md", ["apple"]), make_revision("z.md", ["zebra"]))
    assert await search_texts(witness, "zebra") == ["zebra"]
    async with store.writer(SCOPE) as writer:
        await writer.remove([make_revision("z.md", []).document.id])
        await writer.settle()
        await writer.replace([make_revision("n.md", ["novel"])])
        for one in (store, witness):
            assert await search_texts(one, "zebra novel") == ["novel"]
    await store.close()
    await witness.close()


async def test_a_reader_that_stays_open_delays_the_wiping_and_stops_nothing(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    await write_revisions(store, marked("a.md", "secretword", 1), marked("b.md", "otherword", 1))
    async with store.writer(SCOPE) as writer:
        async with store.reader(SCOPE) as reader:
            await writer.remove([make_revision("a.md", []).document.id])
            await writer.settle()
            assert (await reader.info()).documents == 2
        await writer.settle()
        assert holding(tmp_path, "secretword") == []
    await store.close()


async def test_removing_gives_the_databases_space_back(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    await write_revisions(store, *(marked(f"{n}.md", f"marker{n}x", 1) for n in range(200)), vectors=False)
    database_file = files_of_scope(tmp_path / "store", SCOPE).database
    async with store.writer(SCOPE) as writer:
        await writer.settle()
        before = database_file.stat().st_size
        await writer.remove([make_revision(f"{n}.md", []).document.id for n in range(190)])
        await writer.settle()
    assert database_file.stat().st_size < before / 3
    await store.close()


async def test_a_removal_writes_the_database_anew_only_when_much_of_it_is_free(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    await write_revisions(store, *(marked(f"{n}.md", f"marker{n}x", 1) for n in range(200)), vectors=False)
    database_file = files_of_scope(tmp_path / "store", SCOPE).database
    async with store.writer(SCOPE) as writer:
        await writer.settle()
        sizes = [database_file.stat().st_size]
        for end in (10, 190):
            await writer.remove([make_revision(f"{n}.md", []).document.id for n in range(end)])
            await writer.settle()
            sizes.append(database_file.stat().st_size)
            assert holding(tmp_path, f"marker{end - 1}x") == []
    assert sizes[1] == sizes[0]
    assert sizes[2] < sizes[0] / 3
    await store.close()


async def test_gaps_that_no_program_can_write_go_with_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    store = EmbeddedStore(tmp_path / "store")
    await write_revisions(store, *(marked(f"{n}.md", f"marker{n}x", 1) for n in range(20)))
    async with store.writer(SCOPE) as writer:
        await writer.remove([make_revision("7.md", []).document.id])
        await writer.settle()
    assert holding(tmp_path, "marker7x") == []
    assert "no-python" in caplog.text
    await store.close()


def made_database(path: Path) -> sqlite3.Connection:
    """Rows inserted out of order, so that they move between pages, then half of them deleted."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE TABLE notes (name TEXT PRIMARY KEY, note TEXT) WITHOUT ROWID")
    chance = random.Random(1)
    names = chance.sample(range(5_000), 2_000)
    connection.executemany(
        "INSERT INTO notes VALUES (?, ?)", ((f"n{name:04}", f"word{name:04}x" * chance.randrange(30)) for name in names)
    )
    connection.execute("DELETE FROM notes WHERE CAST(substr(name, 2) AS INTEGER) % 2")
    return connection


def test_zeros_in_gaps_leave_every_row_and_no_deleted_one(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    connection = made_database(path)
    rows = connection.execute("SELECT * FROM notes ORDER BY name").fetchall()
    connection.close()
    odd = {word for word in re.findall(rb"word\d{4}x", path.read_bytes()) if int(word[4:8]) % 2}
    assert odd  # what SQLite alone leaves
    assert page_gaps.wipe_file(str(path)) > 0
    assert page_gaps.wipe_file(str(path)) == 0
    assert not {word for word in re.findall(rb"word\d{4}x", path.read_bytes()) if int(word[4:8]) % 2}
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("SELECT * FROM notes ORDER BY name").fetchall() == rows
    connection.close()


def test_what_is_no_plain_database_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "sealed.sqlite").write_bytes(random.Random(2).randbytes(8_192))
    before = (tmp_path / "sealed.sqlite").read_bytes()
    with pytest.raises(ValueError, match="not a plain SQLite database"):
        page_gaps.wipe_file(str(tmp_path / "sealed.sqlite"))
    assert (tmp_path / "sealed.sqlite").read_bytes() == before


def test_every_connection_overwrites_what_it_deletes(tmp_path: Path) -> None:
    database.create_database(tmp_path / "made.sqlite")
    connection = database.open_database(tmp_path / "made.sqlite")
    assert connection is not None
    assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)
    connection.close()
