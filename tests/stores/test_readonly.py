"""A store that this user may only read: everything that reads works, what writes says why not, nothing is touched."""

import asyncio
import json
import os
import sqlite3
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ragstone.core.errors import Busy, DiskFull, StoreError, StoreTooNew
from ragstone.core.filters import Where
from ragstone.core.ports import Job
from ragstone.core.records import Run
from ragstone.stores import open_store
from ragstone.stores.embedded import EmbeddedStore, database
from ragstone.stores.embedded.database import CONNECTION_OPTIONS, open_database
from ragstone.stores.embedded.frozen_files import check_unchanged, is_unchanged, open_frozen
from ragstone.stores.embedded.paths import files_of_scope
from ragstone.stores.file_locks import is_locked
from ragstone.testing.stores import (
    SCOPE,
    make_revision,
    make_vector,
    search_sparse,
    search_texts,
    search_written,
    write_revisions,
)

NOBODY = 65534
TEXTS = ["apple tart", "plum cake", "pear pie"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A store with vectors, a run and a sealed index, closed."""

    async def make() -> None:
        store = EmbeddedStore(tmp_path / "store")
        await write_revisions(store, make_revision("a.md", TEXTS))
        run = Run("1", "docs", "running", "2026-01-01")
        await store.ledger(SCOPE).start(run)
        await store.ledger(SCOPE).finish(run)
        async with store.writer(SCOPE) as writer:
            await writer.settle()
        await store.close()

    asyncio.run(make())
    return tmp_path / "store"


def as_nobody(work: Callable[[], Any]) -> Any:
    """What `work` gives in a process that owns nothing here; an error comes as its text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            try:
                found = work()
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            os.write(writing, json.dumps(found).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found = json.loads(pipe.read())
    os.waitpid(child, 0)
    return found


@contextmanager
def closed_to_writers(root: Path) -> Iterator[None]:
    """Everybody may read, nobody but root may write."""
    for folder in root.parents:
        if os.geteuid() == 0 and folder.is_relative_to(tempfile.gettempdir()) and folder != Path(tempfile.gettempdir()):
            folder.chmod(folder.stat().st_mode | 0o055)
    everything = [root, *root.rglob("*")]
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path in everything:
            if path.exists():
                path.chmod(0o700 if path.is_dir() else 0o600)


@contextmanager
def mounted(root: Path) -> Iterator[Path]:
    """The same directory through a mount that takes no writes."""
    there = root.with_name("mounted")
    there.mkdir()
    try:
        made = subprocess.run(["mount", "--bind", "-o", "ro", root, there], check=False, capture_output=True)
        if made.returncode or os.access(there, os.W_OK):
            pytest.skip("this machine does not let us mount a folder read-only")
        yield there
    finally:
        subprocess.run(["umount", there], check=False, capture_output=True)


def files(root: Path) -> dict[str, tuple[int, int]]:
    return {str(p.relative_to(root)): (p.stat().st_size, p.stat().st_mtime_ns) for p in sorted(root.rglob("*"))}


def everything(root: Path) -> dict[str, Any]:
    """What all verbs that only read give."""

    async def read() -> dict[str, Any]:
        store = EmbeddedStore(root)
        ledger = store.ledger(SCOPE)
        async with store.reader(SCOPE) as reader:
            chunk = await reader.at("a.md", 1)
            assert chunk is not None
            found = {
                "nearest": [c.score for c in await reader.nearest(make_vector(TEXTS[1]), where=Where(), limit=3)],
                "matching": [c.id for c in await reader.matching("plum", where=Where(), limit=3)],
                "chunk": chunk.text,
                "record": (await reader.records([chunk.document]))[chunk.document.id],
                "points": (await reader.info()).chunks,
            }
        found["documents"] = [document.path for document in await ledger.documents()]
        found["runs"] = [run.status for run in await ledger.runs()]
        found["collections"] = await store.admin.collections(SCOPE.tenant)
        found["exists"] = await store.admin.exists(SCOPE)
        found["problems"] = await store.admin.check(SCOPE)
        await store.close()
        return found

    return asyncio.run(read())


def writes(root: Path) -> list[str]:
    """What verbs that write say."""

    async def attempt() -> list[str]:
        store = EmbeddedStore(root)
        said = []
        tries: list[Awaitable[object]] = [
            store.admin.drop(SCOPE),
            store.admin.create(SCOPE, model=None, variant=None, dimension=None),
            store.ledger(SCOPE).start(Run("2", "docs", "running", "2026-01-01")),
            write_revisions(store, make_revision("b.md", ["new"])),
        ]
        for one in tries:
            with pytest.raises(StoreError) as refused:
                await one
            said.append(str(refused.value))
        await store.close()
        return said

    return asyncio.run(attempt())


def test_another_user_reads_what_it_may_not_write(root: Path) -> None:
    wanted = everything(root)
    assert wanted["problems"] == []
    with closed_to_writers(root):
        before = files(root)
        assert as_nobody(lambda: everything(root)) == wanted
        assert all("may only be read here" in said or "permissions" in said for said in as_nobody(lambda: writes(root)))
        assert files(root) == before


def test_a_read_only_mount_is_read(root: Path) -> None:
    wanted = everything(root)
    before = files(root)
    with mounted(root) as there:
        assert everything(there) == wanted
        assert all("may only be read here" in said for said in writes(there))
    assert files(root) == before


def test_a_reader_without_rights_sees_what_a_writer_has_just_committed(root: Path) -> None:
    """The log and its index are there: SQLite reads with them, whoever may write."""
    connection = open_database(files_of_scope(root, SCOPE).database)
    assert connection is not None
    connection.execute("UPDATE meta SET value = '2031-01-01T00:00:00+00:00' WHERE key = 'built_at'")

    async def built_at() -> str | None:
        store = EmbeddedStore(root)
        async with store.reader(SCOPE) as reader:
            return (await reader.info()).built_at

    with closed_to_writers(root):
        assert as_nobody(lambda: asyncio.run(built_at())) == "2031-01-01T00:00:00+00:00"
    connection.close()


def test_a_log_that_cannot_be_read_is_not_passed_over(root: Path) -> None:
    """As in a copy of a store that was in use: without the log's content old text would come back."""
    database = files_of_scope(root, SCOPE).database
    log = database.with_name("collection.sqlite-wal")
    log.write_bytes(b"something")
    with closed_to_writers(root):
        assert "has a log (collection.sqlite-wal)" in as_nobody(lambda: everything(root))


def test_what_was_read_while_somebody_wrote_is_not_given_out(root: Path) -> None:
    database = files_of_scope(root, SCOPE).database
    still = open_frozen(database)
    assert still.execute("SELECT count(*) FROM chunks").fetchone() == (3,)
    check_unchanged(still)
    writer = open_database(database)
    assert writer is not None
    assert is_unchanged(still), "opening a store for writing changes nothing yet"
    writer.execute("DELETE FROM chunks")
    with pytest.raises(Busy, match="was written to while it was read"):
        check_unchanged(still)
    writer.close()  # moves the log into the database and removes it
    assert not is_unchanged(still)
    still.close()


def test_a_frozen_connection_is_not_used_again_after_a_write(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def read() -> list[str]:
        store, writer = EmbeddedStore(root), EmbeddedStore(root)
        found = []
        for number in (2, 3):
            with monkeypatch.context() as only_read:
                only_read.setattr("ragstone.stores.embedded.store.is_writable", lambda _: False)
                only_read.setattr(
                    "ragstone.stores.embedded.collection.open_database",
                    lambda at, _: open_frozen(at, **CONNECTION_OPTIONS),
                )
                found += await search_texts(store, "apple")
            await write_revisions(writer, make_revision("a.md", [f"apple {number}"], revision=number))
            async with writer.writer(SCOPE) as tidy:
                await tidy.settle()
        await store.close()
        await writer.close()
        return found

    assert asyncio.run(read()) == ["apple tart", "apple 2"]


def test_a_revision_whose_day_comes_waits_for_somebody_who_may_write(root: Path) -> None:
    async def later(now: datetime) -> list[str]:
        store = EmbeddedStore(root, now=lambda: now)
        found = await search_texts(store, "apple")
        await store.close()
        return found

    async def prepare() -> None:
        store = EmbeddedStore(root)
        await write_revisions(store, make_revision("a.md", ["apple later"], revision=2, effective_at="2099-01-01"))
        await store.close()

    asyncio.run(prepare())
    day = datetime(2100, 1, 1, tzinfo=UTC)
    with closed_to_writers(root):
        assert "apple tart" in as_nobody(lambda: asyncio.run(later(day)))
    assert asyncio.run(later(day)) == ["apple later"]


async def sparse_found(root: Path) -> list[tuple[str, int, float]]:
    store = EmbeddedStore(root)
    found = await search_sparse(store, "apple")
    await store.close()
    return found


async def written_found(root: Path) -> list[tuple[str, int, float]]:
    store = EmbeddedStore(root)
    found = await search_written(store, "apple")
    await store.close()
    return found


def make_earlier(root: Path) -> Path:
    """The database of the store, put back into the first format."""
    path = files_of_scope(root, SCOPE).database
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE proofs")
    sparse = ("sparse_vectors", "sparse_segments", "sparse_postings")
    for table in ("layouts", "beside_vectors", "beside_blocks", *sparse, "written_links", "written_vectors"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    return path


def format_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return database.read_format(connection)
    finally:
        connection.close()


def test_an_earlier_format_is_read_where_it_cannot_be_brought_up_to_date(root: Path) -> None:
    wanted = everything(root)
    make_earlier(root)
    with closed_to_writers(root):
        assert as_nobody(lambda: everything(root)) == wanted
        assert as_nobody(lambda: asyncio.run(sparse_found(root))) == []
        assert as_nobody(lambda: asyncio.run(written_found(root))) == []
    assert everything(root) == wanted


async def test_an_earlier_format_stays_until_somebody_writes(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A search by a new version must not take the store from the earlier one that serves it."""
    earlier = make_earlier(root)
    await asyncio.to_thread(everything, root)
    store = EmbeddedStore(root)
    assert await store.models(SCOPE)
    assert await store.admin.tenants("t")
    assert (format_of(earlier), caplog.messages) == (1, [])
    await write_revisions(store, make_revision("b.md", ["quince jam"]))
    assert format_of(earlier) == len(database.STEPS)
    assert [one.partition(": ")[2] for one in caplog.messages] == [
        f"format 1 is now {len(database.STEPS)}; earlier versions cannot open it any more"
    ]
    assert await store.admin.check(SCOPE) == []
    await store.close()


async def test_a_format_that_became_newer_is_not_written_over_an_open_connection(root: Path) -> None:
    store = EmbeddedStore(root)
    await store.ledger(SCOPE).documents()  # leaves a connection for the next one
    later = sqlite3.connect(files_of_scope(root, SCOPE).database)
    later.execute(f"PRAGMA user_version = {len(database.STEPS) + 1}")
    later.close()
    with pytest.raises(StoreTooNew, match=f"reads up to {len(database.STEPS)}: upgrade ragstone"):
        await write_revisions(store, make_revision("b.md", ["quince jam"]))
    await store.close()


def test_a_doctor_who_may_only_read_names_the_damage_and_mends_nothing(root: Path) -> None:
    connection = sqlite3.connect(files_of_scope(root, SCOPE).database)
    connection.execute("UPDATE chunks SET length = 99")
    connection.commit()
    connection.close()

    async def check() -> list[str]:
        store = EmbeddedStore(root)
        found = await store.admin.check(SCOPE, repair=True)
        await store.close()
        return found

    with closed_to_writers(root):
        found = as_nobody(lambda: asyncio.run(check()))
    assert "'a.md' of source 'docs' is stored damaged" in found[0]
    assert found[-1].endswith("may only be read here: nothing was repaired")


def test_a_lock_that_may_not_be_looked_at_counts_as_held(tmp_path: Path) -> None:
    lock = tmp_path / "docs.lock"
    lock.write_bytes(b"")
    with closed_to_writers(tmp_path):
        assert as_nobody(lambda: is_locked(lock)) is False
        lock.chmod(0)
        assert as_nobody(lambda: is_locked(lock)) is True


def test_a_json_store_is_read_by_who_may_only_read(tmp_path: Path) -> None:
    async def make() -> None:
        await write_revisions(open_store(f"json:{tmp_path}/index.json"), make_revision("a.md", TEXTS))

    async def read() -> list[str]:
        store = open_store(f"json:{tmp_path}/index.json")
        return [*await search_texts(store, "plum"), *await store.admin.collections(SCOPE.tenant)]

    async def write() -> None:
        await write_revisions(open_store(f"json:{tmp_path}/index.json"), make_revision("b.md", TEXTS))

    asyncio.run(make())
    with closed_to_writers(tmp_path):
        assert as_nobody(lambda: asyncio.run(read())) == ["plum cake", SCOPE.collection]
        assert "StoreError: " in as_nobody(lambda: asyncio.run(write()))


async def test_a_store_on_a_full_disk_is_read_and_is_written_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index of SQLite's log has no room there, so that nothing could be opened at all."""
    now, full, open_connection = [datetime(2026, 1, 1, tzinfo=UTC)], True, database._open_connection

    def open_where_there_is_room(*arguments: Any) -> Any:
        if full:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
            raise error
        return open_connection(*arguments)

    before = EmbeddedStore(tmp_path / "store", now=lambda: now[0])
    await write_revisions(before, make_revision("a.md", ["apple"]))
    await write_revisions(before, make_revision("a.md", ["apple pie"], revision=2, effective_at="2026-02-01"))
    await before.jobs.add(Job("a", "acme", "default", "a.md", 1.0), most=9)
    await before.close()
    now[0] = datetime(2026, 3, 1, tzinfo=UTC)
    monkeypatch.setattr(database, "_open_connection", open_where_there_is_room)
    store = EmbeddedStore(tmp_path / "store", now=lambda: now[0])
    assert await search_texts(store, "apple") == ["apple"]
    with pytest.raises(DiskFull, match="no room left on the disk of"):
        await write_revisions(store, make_revision("b.md", ["apple"]))
    with pytest.raises(DiskFull, match="no room left on the disk of"):
        await store.jobs.take(now=2.0, lease=3.0, tries=1)
    full = False
    assert await store.jobs.take(now=2.0, lease=3.0, tries=1) is not None
    assert await search_texts(store, "apple") == ["apple pie"]
    await write_revisions(store, make_revision("b.md", ["apple tart"]))
    assert sorted(await search_texts(store, "apple")) == ["apple pie", "apple tart"]
    await store.close()
