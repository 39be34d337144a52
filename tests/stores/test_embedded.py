"""What the embedded store promises beside the kit: its files, other processes, space, siblings."""

import asyncio
import mmap
import os
import sqlite3
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.core.errors import Busy, DiskFull, NotBuilt, StoreError, UsageError
from ragstone.core.filter_matching import collect_facts
from ragstone.core.filters import CHUNK_FACTS, DOCUMENT_FACTS, Where
from ragstone.core.records import Run
from ragstone.core.types import Scope
from ragstone.stores import open_store
from ragstone.stores.cosine import cosines
from ragstone.stores.embedded import EmbeddedStore, compaction, database, paths, vector_files
from ragstone.stores.embedded import reader as reader_module
from ragstone.stores.embedded import store as store_module
from ragstone.stores.embedded.chunk_rows import decode_filter_facts, encode_chunk
from ragstone.stores.embedded.paths import NETWORK_FILE_SYSTEM, file_system_kind, files_of_scope
from ragstone.stores.embedded.reader import EmbeddedReader
from ragstone.stores.error_mapping import translate_error
from ragstone.stores.file_names import decode_name, encode_name
from ragstone.testing.stores import (
    EVERYTHING,
    MODEL,
    SCOPE,
    VARIANT,
    create_collection,
    fill_vectors,
    make_revision,
    make_vector,
    make_vector_key,
    search_texts,
    write_revisions,
)
from tests.parts import lacking
from tests.patience import HANG

ROOT = Path(__file__).parents[2]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    store = EmbeddedStore(tmp_path / "store")
    yield store
    await store.close()


def python(code: str, *arguments: str) -> "subprocess.Popen[str]":
    """A process of its own, with the kit imported."""
    start = "import asyncio, os, sys\nfrom pathlib import Path\nfrom ragstone.testing.stores import *\n"
    start += "from ragstone.stores.embedded import EmbeddedStore\n"
    command = [sys.executable, "-c", start + textwrap.dedent(code), *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


# Files


@given(st.text(max_size=80))
def test_an_encoded_name_is_plain_and_leads_back(name: str) -> None:
    part = encode_name(name)
    assert all(c in "abcdefghijklmnopqrstuvwxyz0123456789_-%~" for c in part)
    assert len(part) <= 255
    assert decode_name(part) in (name, None)


@given(st.text(max_size=8), st.text(max_size=8))
def test_two_names_never_share_a_path_even_where_case_is_ignored(one: str, other: str) -> None:
    assert (encode_name(one).lower() == encode_name(other).lower()) == (one == other)


async def test_only_the_owner_can_read_a_store(store: EmbeddedStore, tmp_path: Path) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    await store.ledger(SCOPE).start(Run("1", "docs", "running", "2026-01-01"))
    async with store.writer(SCOPE) as writer:
        await writer.settle()
        modes = {
            path: stat.S_IMODE(path.stat().st_mode) for path in [tmp_path / "store", *(tmp_path / "store").rglob("*")]
        }
    assert len(modes) > 6
    assert all(mode == (0o700 if path.is_dir() else 0o600) for path, mode in modes.items()), modes


async def test_opening_and_looking_creates_nothing(store: EmbeddedStore, tmp_path: Path) -> None:
    with pytest.raises(NotBuilt):
        async with store.reader(SCOPE):
            pass
    assert await store.admin.collections("acme") == []
    assert os.listdir(tmp_path) == []


async def test_a_read_only_store_is_refused_with_a_sentence(tmp_path: Path) -> None:
    error = translate_error(PermissionError(13, "Permission denied"), tmp_path)
    assert type(error) is StoreError
    assert "owner and permissions" in str(error)


def test_network_file_systems_are_known_by_their_mounts() -> None:
    mounts = "dev / ext4 rw\nhost:/x /data nfs4 rw\ntmp /data/local tmpfs rw\nme@h: /mnt/a\\040b fuse.sshfs rw\n"
    kinds = [
        file_system_kind(Path(path), mounts)
        for path in ("/home", "/data/x", "/data/local/x", "/mnt/a b/c", "/database")
    ]
    assert kinds == ["ext4", "nfs4", "tmpfs", "fuse.sshfs", "ext4"]
    assert [bool(NETWORK_FILE_SYSTEM.fullmatch(kind)) for kind in kinds] == [False, True, False, True, False]


async def test_a_store_on_a_network_file_system_is_refused(
    store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "file_system_kind", lambda path, mounts: "cifs")
    with pytest.raises(StoreError, match=r"network file system \(cifs\)"):
        await create_collection(store)


def test_the_schema_is_what_all_steps_add_up_to(tmp_path: Path) -> None:
    database.create_database(tmp_path / "made.sqlite")
    made = sqlite3.connect(tmp_path / "made.sqlite")
    plain = sqlite3.connect(":memory:")
    plain.executescript((Path(database.__file__).parent / "schema.sql").read_text())
    sql = "SELECT name, sql FROM sqlite_master ORDER BY name"
    assert made.execute(sql).fetchall() == plain.execute(sql).fetchall()
    assert made.execute("PRAGMA user_version").fetchone() == (len(database.STEPS),)
    made.close()
    plain.close()


# Other processes


async def test_another_stores_changes_are_seen_by_the_next_reader(store: EmbeddedStore, tmp_path: Path) -> None:
    other = EmbeddedStore(tmp_path / "store")
    await write_revisions(store, make_revision("a.md", ["apple"]))
    assert await search_texts(other, "apple pear") == ["apple"]
    await write_revisions(store, make_revision("a.md", ["pear"], revision=2))
    assert await search_texts(other, "apple pear") == ["pear"]
    await store.admin.drop(SCOPE)
    with pytest.raises(NotBuilt):
        await search_texts(other, "pear")
    await write_revisions(store, make_revision("b.md", ["plum"]))
    assert await search_texts(other, "apple pear plum") == ["plum"]
    await other.close()


async def test_a_view_survives_compaction_and_erasure_by_others(
    store: EmbeddedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "MIN_DEAD_ROWS", 1)
    other = EmbeddedStore(tmp_path / "store")
    await write_revisions(store, make_revision("a.md", ["apple one", "apple two", "apple three"]))
    async with other.reader(SCOPE) as reader:
        await write_revisions(store, make_revision("a.md", ["apple four"], revision=2))
        async with store.writer(SCOPE) as writer:
            await writer.settle()
        await store.admin.drop(SCOPE)
        assert len(await reader.nearest(make_vector("x"), where=Where(), limit=9)) == 3
        assert len(await reader.matching("apple", where=Where(), limit=9)) == 3
    await other.close()


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    code = """
    async def main(name):
        store = EmbeddedStore(Path(sys.argv[1]))
        for n in range(1, 9):
            await write_revisions(store, make_revision(f"{name}.md", [f"alpha {name} {n}", f"beta {n}"], revision=n))
        async with store.writer(SCOPE) as writer:
            await writer.settle()
        await store.close()
    asyncio.run(main(sys.argv[2]))
    """
    children = [python(code, str(tmp_path / "store"), name) for name in "abc"]
    for child in children:
        child.communicate(timeout=HANG)
    assert [child.returncode for child in children] == [0, 0, 0]

    async def proven() -> None:
        store = EmbeddedStore(tmp_path / "store")
        assert sorted(await search_texts(store, "alpha")) == [f"alpha {name} 8" for name in "abc"]
        async with store.reader(SCOPE) as reader:
            assert len(await reader.nearest(make_vector("x"), where=EVERYTHING, limit=99)) == 6
        assert await store.admin.check(SCOPE) == []
        await store.close()

    asyncio.run(proven())


async def test_an_ingestion_of_another_process_is_named_and_its_death_frees_the_source(
    store: EmbeddedStore, tmp_path: Path
) -> None:
    await create_collection(store)
    code = """
    from ragstone.core.records import Run
    async def main():
        store = EmbeddedStore(Path(sys.argv[1]))
        await store.ledger(SCOPE).start(Run("theirs", "docs", "running", "2026-01-01T10:00:00"))
        print("started", flush=True)
        sys.stdin.read()
    asyncio.run(main())
    """
    child = python(code, str(tmp_path / "store"))
    assert child.stdout is not None
    assert child.stdout.readline() == "started\n"
    mine = Run("mine", "docs", "running", "2026-01-02T10:00:00")
    with pytest.raises(Busy, match=rf"'docs' is running \(process {child.pid}, since 2026-01-01T10:00:00\)"):
        await store.ledger(SCOPE).start(mine)
    with pytest.raises(Busy, match="cannot be erased now"):
        await store.admin.drop(SCOPE)
    assert [run.status for run in await store.ledger(SCOPE).runs()] == ["running"]
    child.kill()
    child.communicate()
    assert [run.status for run in await store.ledger(SCOPE).runs()] == ["interrupted"]
    await store.ledger(SCOPE).start(mine)
    assert [(run.id, run.status) for run in await store.ledger(SCOPE).runs()] == [
        ("mine", "running"),
        ("theirs", "interrupted"),
    ]


async def test_looking_at_runs_never_makes_a_start_fail(store: EmbeddedStore) -> None:
    await create_collection(store)
    ledger = store.ledger(SCOPE)

    async def look() -> None:
        for _ in range(60):
            await ledger.runs()

    async def run() -> None:
        for number in range(15):
            one = Run(str(number), "docs", "running", "2026-01-01")
            await ledger.start(one)
            await ledger.finish(one)

    await asyncio.gather(look(), look(), run())


async def test_a_lock_that_cannot_be_looked_at_is_named(store: EmbeddedStore, tmp_path: Path) -> None:
    await create_collection(store)
    await store.ledger(SCOPE).start(Run("1", "docs", "running", "2026-01-01"))
    lock = files_of_scope(tmp_path / "store", SCOPE).lock_file("docs")
    lock.unlink()
    lock.mkdir()
    with pytest.raises(StoreError, match=str(tmp_path)):
        await store.ledger(SCOPE).runs()


async def test_what_is_still_open_when_the_store_closes_can_be_let_go(store: EmbeddedStore) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))
    async with store.reader(SCOPE) as reader, store.writer(SCOPE) as writer:
        await store.close()
        with pytest.raises(StoreError, match="closed"):
            await reader.idf("apple")
        with pytest.raises(StoreError, match="closed"):
            await writer.settle()


async def test_a_batch_is_written_whole_or_not_at_all(store: EmbeddedStore) -> None:
    await write_revisions(store, make_revision("b.md", ["apple"], revision=5))
    with pytest.raises(StoreError):
        await write_revisions(store, make_revision("a.md", ["apple"]), make_revision("b.md", ["pear"], revision=1))
    assert [d.path for d in await store.ledger(SCOPE).documents()] == ["b.md"]
    assert await search_texts(store, "apple pear") == ["apple"]


def test_what_filters_ask_about_is_the_same_from_a_row_and_from_a_chunk() -> None:
    more = {"kind": "table", "tokens": 7, "risk_score": 0.25, "flags": ("a", "b"), "heading_path": ("Top", "Below")}
    for set_ in ({}, more):
        [chunk] = make_revision("a.md", ["apple"], meta={"n": 1}, chunks=set_).chunks
        whole, row = collect_facts(chunk), decode_filter_facts(chunk.document, chunk.ordinal, encode_chunk(chunk)[0])
        for column in (*CHUNK_FACTS, *DOCUMENT_FACTS, "n", "none"):
            assert row.get(column) == whole.get(column)
        assert list(row.heading_path) == list(whole.heading_path)


async def test_a_cancelled_reader_gives_its_connection_back(store: EmbeddedStore) -> None:
    await write_revisions(store, make_revision("a.md", ["apple"]))

    async def open_and_wait() -> None:
        async with store.reader(SCOPE):
            await asyncio.sleep(10)

    for pause in (0, 0, 0.001, 0.01):
        task = asyncio.create_task(open_and_wait())
        await asyncio.sleep(pause)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await search_texts(store, "apple") == ["apple"]


async def test_both_legs_of_one_reader_can_be_asked_at_once(store: EmbeddedStore) -> None:
    await write_revisions(store, *(make_revision(f"{n}.md", [f"apple {n}"]) for n in range(20)))
    async with store.reader(SCOPE) as reader:
        legs = await asyncio.gather(
            *(reader.matching(f"apple {n}", where=Where(), limit=20) for n in range(8)),
            *(reader.nearest(make_vector(f"apple {n}"), where=Where(), limit=20) for n in range(8)),
        )
    assert [len(leg) for leg in legs] == [20] * 16
    assert [leg[0].place[0] for leg in legs] == [f"{n}.md" for n in range(8)] * 2


async def test_a_question_that_was_given_up_leaves_its_connection_to_the_next_view(
    store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread compares vectors without the connection, and ends after the view was closed."""
    await write_revisions(store, *(make_revision(f"{n}.md", [f"apple {n}"]) for n in range(20)))
    comparing, closed, ended, late = threading.Event(), threading.Event(), threading.Event(), list[object]()
    search, pick = EmbeddedReader._search_nearest, EmbeddedReader._pick_best

    def compare(*given: Any) -> Any:
        comparing.set()
        closed.wait(HANG)
        return cosines(*given)

    def search_and_tell(*given: Any) -> Any:
        try:
            return search(*given)
        finally:
            ended.set()

    def note_and_pick(*given: Any) -> Any:
        late.append(given)
        return pick(*given)

    async def ask() -> None:
        async with store.reader(SCOPE) as reader:
            await reader.nearest(make_vector("apple 1"), where=Where(), limit=3)

    monkeypatch.setattr(reader_module, "cosines", compare)
    monkeypatch.setattr(EmbeddedReader, "_search_nearest", search_and_tell)
    monkeypatch.setattr(EmbeddedReader, "_pick_best", note_and_pick)
    given_up = asyncio.create_task(ask())
    assert await asyncio.to_thread(comparing.wait, HANG)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    async with store.reader(SCOPE):
        closed.set()
        assert await asyncio.to_thread(ended.wait, HANG)
    assert late == []


async def test_a_vector_file_stays_mapped_between_views(store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    real, mapped = mmap.mmap, list[int]()

    def count_maps(*given: Any, **options: Any) -> Any:
        mapped.append(1)
        return real(*given, **options)

    async def ask(text: str) -> str:
        async with store.reader(SCOPE) as reader:
            [best] = await reader.nearest(make_vector(text), where=Where(), limit=1)
            return (await reader.chunks([best.id]))[0].text

    texts = [f"apple {n}" for n in range(30)]
    await write_revisions(store, make_revision("a.md", texts))
    monkeypatch.setattr(mmap, "mmap", count_maps)
    assert [await ask(text) for text in texts] == texts
    assert len(mapped) == 1
    await write_revisions(store, make_revision("b.md", ["pear"]))
    mapped.clear()
    assert [await ask("pear"), await ask(texts[3]), await ask("pear")] == ["pear", texts[3], "pear"]
    assert len(mapped) == 1
    assert await store.admin.check(SCOPE) == []


# Space


async def test_dead_vectors_are_overwritten_at_once_and_their_space_is_given_back_when_it_is_worth_it(
    store: EmbeddedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = files_of_scope(tmp_path / "store", SCOPE)
    texts = [f"text {n}" for n in range(40)]
    await write_revisions(store, make_revision("a.md", texts))
    await write_revisions(store, make_revision("a.md", texts[30:], revision=2))
    assert make_vector(texts[0]).tobytes() in here.vector_file(1).read_bytes()
    async with store.writer(SCOPE) as writer:
        await writer.settle()
        held = here.vector_file(1).read_bytes()
        assert [text for text in texts if make_vector(text).tobytes() in held] == texts[30:]
        assert len(held) == vector_files.HEADER_BYTES + 40 * 32
        async with store.reader(SCOPE) as reader:
            before = await reader.nearest(make_vector("x"), where=Where(), limit=99)
        assert await store.admin.check(SCOPE) == []
        monkeypatch.setattr(compaction, "MIN_DEAD_ROWS", 10)
        await writer.settle()
        async with store.reader(SCOPE) as reader:
            assert await reader.nearest(make_vector("x"), where=Where(), limit=99) == before
        assert len(before) == 10
        assert list(here.find_numbered("vectors")) == [2]
        assert here.vector_file(2).stat().st_size == vector_files.HEADER_BYTES + 10 * 32
        assert await writer.find_unembedded(9) == []
        await writer.replace([make_revision("a.md", texts[:2] + texts[30:], revision=3)])
        assert await fill_vectors(writer) == 2
    async with store.reader(SCOPE) as reader:
        for text in (texts[0], texts[35]):
            [best] = await reader.nearest(make_vector(text), where=Where(), limit=1)
            assert [chunk.text for chunk in await reader.chunks([best.id])] == [text]
    assert await store.admin.check(SCOPE) == []


async def test_vectors_that_an_open_view_still_sees_are_overwritten_when_it_is_closed(
    store: EmbeddedStore, tmp_path: Path
) -> None:
    here = files_of_scope(tmp_path / "store", SCOPE)
    await write_revisions(store, make_revision("a.md", ["apple"]), make_revision("b.md", ["pear"]))
    apple = make_vector("apple").tobytes()
    async with store.writer(SCOPE) as writer:
        async with store.reader(SCOPE) as reader:
            await writer.remove([make_revision("a.md", []).document.id])
            await writer.settle()
            [best] = await reader.nearest(make_vector("apple"), where=Where(), limit=1)
            assert best.score == pytest.approx(1)
            assert apple in here.vector_file(1).read_bytes()
        await writer.settle()
    assert apple not in here.vector_file(1).read_bytes()
    assert await store.admin.check(SCOPE) == []


async def test_a_damaged_block_is_not_blessed_when_a_vector_in_it_is_forgotten(
    store: EmbeddedStore, tmp_path: Path
) -> None:
    here = files_of_scope(tmp_path / "store", SCOPE)
    await write_revisions(store, make_revision("a.md", ["apple"]), make_revision("b.md", ["pear"]))
    with here.vector_file(1).open("r+b") as file:
        file.seek(vector_files.HEADER_BYTES + 32)
        file.write(b"\xff\xff")
    async with store.writer(SCOPE) as writer:
        await writer.remove([make_revision("a.md", []).document.id])
        await writer.settle()
    assert any("checksum" in problem for problem in await store.admin.check(SCOPE))


async def test_settling_leaves_one_index_file_and_forgets_the_log(store: EmbeddedStore, tmp_path: Path) -> None:
    here = files_of_scope(tmp_path / "store", SCOPE)
    for revision in range(1, 4):
        await write_revisions(store, make_revision("a.md", [f"apple {revision}"], revision=revision))
        async with store.writer(SCOPE) as writer:
            await writer.settle()
    assert len(here.find_numbered("index")) == 1
    connection = sqlite3.connect(here.database)
    assert connection.execute("SELECT count(*) FROM changes").fetchone() == (0,)
    connection.close()


async def test_a_reader_that_slept_over_many_settlings_wakes_up_right(store: EmbeddedStore, tmp_path: Path) -> None:
    sleeper = EmbeddedStore(tmp_path / "store")
    await write_revisions(store, make_revision("a.md", ["apple 1"]))
    assert await search_texts(sleeper, "apple") == ["apple 1"]
    for revision in range(2, 5):
        await write_revisions(store, make_revision("a.md", [f"apple {revision}"], revision=revision))
        async with store.writer(SCOPE) as writer:
            await writer.settle()
    assert await search_texts(sleeper, "apple") == ["apple 4"]
    await sleeper.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        lacking("root, to mount a small file system")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


async def test_a_full_disk_is_named_and_what_was_committed_stays(small_disk: Path) -> None:
    store, done = EmbeddedStore(small_disk / "store"), 0
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 240_000)

    async def fill() -> None:
        nonlocal done
        for number in range(1, 200):
            text = f"alpha {number} " + " ".join(f"w{number}x{i}" for i in range(600))
            await write_revisions(store, make_revision(f"{number}.md", [text]))
            done = number

    with pytest.raises(DiskFull, match="no room left on the disk"):
        await fill()
    found = await search_texts(store, "alpha")
    assert done > 3
    assert len(found) in (done, done + 1)
    ballast.unlink()
    await store.close()
    again = EmbeddedStore(small_disk / "store")
    assert await search_texts(again, "alpha") == found
    await write_revisions(again, make_revision("last.md", ["alpha last"]))
    assert await again.admin.check(SCOPE) == []
    await again.close()


@pytest.mark.parametrize("limit", [200_000, 260_000, 330_000])
def test_a_file_that_may_not_grow_loses_nothing(tmp_path: Path, limit: int) -> None:
    code = """
    import resource
    from ragstone.core.errors import StoreError
    async def main():
        store = EmbeddedStore(Path(sys.argv[1]))
        await create_collection(store)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
        try:
            for n in range(1, 400):
                await write_revisions(store, make_revision(f"{n}.md", [f"alpha {n} " + "x" * 900]), vectors=False)
                print(n, flush=True)
        except StoreError as error:
            print(type(error).__name__, error, flush=True)
        os._exit(0)
    asyncio.run(main())
    """
    child = python(code, str(tmp_path / "store"), str(limit))
    lines = child.communicate(timeout=HANG)[0].splitlines()
    assert child.returncode == 0
    assert lines[-1].startswith(("StoreError", "DiskFull"))

    async def proven() -> None:
        store = EmbeddedStore(tmp_path / "store")
        assert len(await search_texts(store, "alpha")) in (len(lines) - 1, len(lines))
        assert await store.admin.check(SCOPE) == []
        await store.close()

    asyncio.run(proven())


# Siblings


async def test_a_second_collection_borrows_instead_of_embedding(store: EmbeddedStore) -> None:
    sibling = Scope(SCOPE.tenant, "second")
    await write_revisions(store, make_revision("a.md", ["apple", "pear"]))
    await create_collection(store, sibling)
    async with store.writer(sibling) as writer:
        await writer.replace([make_revision("b.md", ["pear", "plum"], scope=sibling)])
        assert [chunk.text for chunk in await writer.find_unembedded(9)] == ["plum"]
        await fill_vectors(writer)
    async with store.reader(sibling) as reader:
        found = await reader.nearest(make_vector("pear"), where=Where(), limit=1)
    assert [(candidate.score, candidate.place) for candidate in found] == [(1.0, ("b.md", "docs", 0))]


async def test_another_tenant_or_another_model_lends_nothing(store: EmbeddedStore) -> None:
    foreign, other_model = Scope("rival", "first"), Scope(SCOPE.tenant, "other")
    await write_revisions(store, make_revision("a.md", ["apple"], scope=foreign), scope=foreign)
    await store.admin.create(other_model, model="another", variant=None, dimension=8)
    async with store.writer(other_model) as writer:
        await writer.replace([make_revision("a.md", ["apple"], scope=other_model)])
        await fill_vectors(writer)
    await create_collection(store)
    async with store.writer(SCOPE) as writer:
        await writer.replace([make_revision("a.md", ["apple"])])
        assert [chunk.text for chunk in await writer.find_unembedded(9)] == ["apple"]


@pytest.mark.parametrize("what", ["collection.sqlite", "vectors-1.f32"])
async def test_a_damaged_sibling_lends_nothing_and_does_no_harm(
    store: EmbeddedStore, tmp_path: Path, what: str
) -> None:
    sibling = Scope(SCOPE.tenant, "second")
    await write_revisions(store, make_revision("a.md", ["apple"], scope=sibling), scope=sibling)
    await store.close()
    broken = files_of_scope(tmp_path / "store", sibling).directory / what
    data = bytearray(broken.read_bytes())
    data[:16] = data[-16:] = b"\xa5" * 16
    broken.write_bytes(data)
    again = EmbeddedStore(tmp_path / "store")
    await create_collection(again)
    async with again.writer(SCOPE) as writer:
        await writer.replace([make_revision("a.md", ["apple"])])
        assert [chunk.text for chunk in await writer.find_unembedded(9)] == ["apple"]
    await again.close()


TAMPERED = {
    "a slot beyond the file": "UPDATE vectors SET slot = 5000",
    "a slot below zero": "UPDATE vectors SET slot = -1",
    "a slot that is a text": "UPDATE vectors SET slot = 'x'",
    "a slot beyond all numbers": "UPDATE vectors SET slot = 9e300",
    "a counter that is a text": "UPDATE meta SET value = 'many' WHERE key = 'next_slot'",
    "a counter below zero": "UPDATE meta SET value = -5 WHERE key = 'next_slot'",
    "a counter that is no whole number": "UPDATE meta SET value = 0.5 WHERE key = 'next_slot'",
    "a missing fact": "DELETE FROM meta WHERE key = 'next_slot'",
    "a checksum that is a text": "UPDATE vector_blocks SET crc = 'x', rows = 'y', block = 1e9",
    "a block that is nowhere": "UPDATE vector_blocks SET block = 77",
    "no table": "DROP TABLE vectors",
    "a file that is not there": "UPDATE meta SET value = '../../x' WHERE key = 'vector_file'",
}


@pytest.mark.parametrize("sql", TAMPERED.values(), ids=TAMPERED.keys())
async def test_a_sibling_with_anything_in_it_lends_nothing_wrong(
    store: EmbeddedStore, tmp_path: Path, sql: str
) -> None:
    sibling = Scope(SCOPE.tenant, "second")
    await write_revisions(store, make_revision("a.md", ["apple"], scope=sibling), scope=sibling)
    connection = sqlite3.connect(files_of_scope(tmp_path / "store", sibling).database)
    connection.execute(sql)
    connection.commit()
    connection.close()
    await create_collection(store)
    async with store.writer(SCOPE) as writer:
        await writer.replace([make_revision("a.md", ["apple"])])
        assert [chunk.text for chunk in await writer.find_unembedded(9)] == ["apple"]


async def test_a_sibling_whose_vectors_have_another_length_lends_nothing(store: EmbeddedStore, tmp_path: Path) -> None:
    sibling = Scope(SCOPE.tenant, "second")
    await write_revisions(store, make_revision("a.md", ["apple"], scope=sibling), scope=sibling)
    here, row = files_of_scope(tmp_path / "store", sibling), make_vector("apple") * 2
    vector_files.append_rows(here.vector_file(1), row[None, :], first=0)
    connection = sqlite3.connect(here.database)
    connection.execute("UPDATE vector_blocks SET crc = ?", (vector_files.rows_checksum(row[None, :]),))
    connection.commit()
    connection.close()
    await create_collection(store)
    async with store.writer(SCOPE) as writer:
        await writer.replace([make_revision("a.md", ["apple"])])
        assert [chunk.text for chunk in await writer.find_unembedded(9)] == ["apple"]


# Opening


async def test_putting_vectors_without_a_model_is_refused(store: EmbeddedStore) -> None:
    await store.admin.create(SCOPE, model=None, variant=None, dimension=None)
    async with store.writer(SCOPE) as writer:
        with pytest.raises(StoreError, match="without an embedding model"):
            await writer.put({make_vector_key("x"): make_vector("x")})


async def test_a_dimension_needs_a_model(store: EmbeddedStore) -> None:
    for model, dimension in ((None, 8), (MODEL, 0)):
        with pytest.raises(UsageError):
            await store.admin.create(SCOPE, model=model, variant=VARIANT, dimension=dimension)


async def test_collections_beyond_the_number_kept_open_still_answer(
    store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "MAX_OPEN", 2)
    scopes = [Scope("many", str(number)) for number in range(5)]
    for scope in scopes:
        await write_revisions(store, make_revision("a.md", [f"apple {scope.collection}"], scope=scope), scope=scope)
    async with store.reader(scopes[0]) as reader:
        for scope in scopes:
            assert await search_texts(store, "apple", scope) == [f"apple {scope.collection}"]
        assert len(await reader.matching("apple", where=Where(), limit=1)) == 1


async def test_documents_are_read_for_searches_alone(store: EmbeddedStore) -> None:
    """A run of an ingestion, which opens a collection and writes its index, holds none of them."""
    fruits = ["apple", "banana", "cherry", "damson"]
    await write_revisions(store, *(make_revision(f"{fruit}.md", [fruit]) for fruit in fruits))
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    async with store.reader(SCOPE) as reader:
        assert (await reader.info()).recipes == ("kit-1",)
        documents = reader._mirror.revisions.documents
        assert len(documents) == 0
        [found] = await reader.matching("cherry", where=EVERYTHING, limit=5)
        assert (found.place[0], len(documents)) == ("cherry.md", 4)
    await write_revisions(store, make_revision("cherry.md", ["cherry again"], revision=2))
    async with store.writer(SCOPE) as writer:
        await writer.remove([make_revision(f"{fruit}.md", []).document.id for fruit in ("apple", "banana")])
    async with store.reader(SCOPE) as reader:
        assert (
            len(await reader.chunks([one.id for one in await reader.matching("cherry", where=EVERYTHING, limit=5)]))
            == 1
        )
        assert (await reader.info()).documents == 2


async def test_many_equal_scores_are_cut_in_the_total_order(store: EmbeddedStore) -> None:
    await write_revisions(store, make_revision("b.md", ["same"] * 700), make_revision("a.md", ["same"] * 700))
    async with store.reader(SCOPE) as reader:
        for found in (
            await reader.matching("same", where=Where(), limit=705),
            await reader.nearest(make_vector("same"), where=Where(), limit=705),
        ):
            assert [candidate.place[::2] for candidate in found] == [
                *(("a.md", n) for n in range(700)),
                *(("b.md", n) for n in range(5)),
            ]


@pytest.mark.parametrize("share", [1, 3, 40])
async def test_nearest_is_exact_however_few_chunks_pass_the_filter(store: EmbeddedStore, share: int) -> None:
    texts = {f"{n}.md": f"text {n}" for n in range(400)}
    await write_revisions(store, *(make_revision(path, [text]) for path, text in texts.items()))
    chosen = list(texts)[::share]
    question = make_vector("question").astype(np.float64)
    wanted = sorted(chosen, key=lambda path: -float(make_vector(texts[path]).astype(np.float64) @ question))[:10]
    async with store.reader(SCOPE) as reader:
        found = await reader.nearest(make_vector("question"), where=Where(paths=tuple(chosen)), limit=10)
    assert [candidate.place[0] for candidate in found] == wanted


def test_a_url_names_a_store() -> None:
    for url, provider in (("embedded:x", "embedded"), ("./x:y", "embedded"), ("x", "embedded"), ("json:x", "json")):
        assert open_store(url).provider == provider


@pytest.mark.parametrize("url", ["mongo:x", "mysql://host/db", "embedded:", "json:"])
def test_a_url_that_names_none_is_refused_with_the_known_ones(url: str) -> None:
    with pytest.raises(UsageError, match=r"embedded:|json:"):
        open_store(url)


def test_keeping_versions_must_be_possible() -> None:
    for url in ("x", "json:x"):
        with pytest.raises(UsageError, match="at least 1"):
            open_store(url, keep_versions=0)


async def test_a_collection_that_lost_all_documents_takes_new_ones_when_it_is_opened_again(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path)
    await write_revisions(store, make_revision("a.md", ["apple"]))
    async with store.writer(SCOPE) as writer:
        await writer.settle()
        await writer.remove([make_revision("a.md", []).document.id])
    await store.close()
    again = EmbeddedStore(tmp_path)
    assert await search_texts(again, "apple pear") == []
    await write_revisions(again, make_revision("b.md", ["pear"]))
    assert await search_texts(again, "apple pear") == ["pear"]
    await again.close()
