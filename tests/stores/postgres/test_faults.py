"""Servers restart, lines are cut, processes are killed, two ingest at once: nothing is lost, doubled or half."""

import asyncio
import random
import socket
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from ragstone.core.errors import Busy, StoreError, UsageError
from ragstone.core.ports import Store
from ragstone.core.records import Run
from ragstone.stores.postgres import PostgresStore, error_mapping, ledger
from ragstone.stores.postgres.connection import Connection
from ragstone.testing.stores import (
    EVERYTHING,
    SCOPE,
    create_collection,
    make_revision,
    make_vector,
    read_texts,
    search_texts,
    write_revisions,
)
from tests.patience import HANG, until_async
from tests.stores.postgres.server import USER, Server
from tests.stores.postgres.victim import DOCUMENTS, ingest

ROOT = Path(__file__).resolve().parents[3]
VICTIM = "tests.stores.postgres.victim"
KILLS = 6
CUTS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{}' AND datname = '{}'"


async def whole(store: Store, sources: tuple[str, ...]) -> dict[tuple[str, str], int]:
    """The revision of each document, after making sure that it stands there whole, once, and that all counts agree."""
    assert await store.admin.check(SCOPE) == []
    async with store.reader(SCOPE) as reader:
        info = await reader.info()
        found = await reader.matching("apple", where=EVERYTHING, limit=10_000)
        chunks = await reader.chunks([candidate.id for candidate in found])
        near = await reader.nearest(make_vector("apple"), where=EVERYTHING, limit=10_000)
    assert info.chunks == len(found)
    assert len(near) == len(found) - info.pending_vectors
    revisions: dict[tuple[str, str], int] = {}
    parts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for chunk in chunks:
        place = chunk.document.source, chunk.document.path
        assert revisions.setdefault(place, chunk.document.revision) == chunk.document.revision
        assert f"revision{chunk.document.revision} part {chunk.ordinal}" in chunk.text
        parts[place].append(chunk.ordinal)
    for place, revision in revisions.items():
        assert sorted(parts[place]) == list(range(1 + revision % 4))
        assert place[0] in sources
    return revisions


async def fresh(server: Server, database: str) -> PostgresStore:
    store = PostgresStore(server.url(database))
    await create_collection(store)
    return store


def beside(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_the_server_restarts_while_documents_are_written(server: Server, database: str) -> None:
    if server.process is None:
        pytest.skip("the server is not ours to restart")
    failed: list[BaseException] = []
    begun = threading.Semaphore(0)

    async def before(_: int) -> None:
        begun.release()

    def work() -> None:
        try:
            asyncio.run(prepare())
            asyncio.run(ingest(server.url(database), "docs", 1, rounds=30, before=before))
        except BaseException as error:
            failed.append(error)

    async def prepare() -> None:
        await (await fresh(server, database)).close()

    thread = beside(work)
    for rounds in (4, 7, 10):  # 30 are not over before the third restart
        assert all(begun.acquire(timeout=HANG) for _ in range(rounds))
        server.restart()
    thread.join(HANG)
    assert not thread.is_alive()
    assert failed == []

    async def look() -> None:
        store = PostgresStore(server.url(database))
        assert set((await whole(store, ("docs",))).values()) == {30}
        [run] = await store.ledger(SCOPE).runs()
        assert run.status == "succeeded"
        await store.close()

    asyncio.run(look())


def test_the_server_restarts_while_questions_are_asked(server: Server, database: str) -> None:
    if server.process is None:
        pytest.skip("the server is not ours to restart")
    done, answered = threading.Event(), threading.Semaphore(0)
    answers: list[str] = []
    refusals: list[str] = []

    async def ask() -> None:
        store = PostgresStore(server.url(database))
        await write_revisions(store, make_revision("a.md", ["apple one", "apple two"]))
        while not done.is_set() or answers[-1:] != ["apple one|apple two"]:
            try:
                async with store.reader(SCOPE) as reader:
                    found = await reader.matching("apple", where=EVERYTHING, limit=9)
                    await asyncio.sleep(0.01)
                    answers.append("|".join(await read_texts(reader, found)))
                    answered.release()
            except StoreError as error:
                refusals.append(str(error))
        await store.close()

    failed: list[BaseException] = []

    def work() -> None:
        try:
            asyncio.run(ask())
        except BaseException as error:
            failed.append(error)

    thread = beside(work)
    for _ in range(3):
        assert all(answered.acquire(timeout=HANG) for _ in range(5))
        server.restart()
    assert answered.acquire(timeout=HANG)
    done.set()
    thread.join(HANG)
    assert not thread.is_alive()
    assert failed == []
    assert set(answers) == {"apple one|apple two"}
    assert all("lost" in said and "p@ss" not in said for said in refusals)


async def test_connections_are_cut_while_documents_are_written(server: Server, database: str) -> None:
    store, chance = await fresh(server, database), random.Random(7)
    cuts: list[asyncio.Task[list[tuple[object, ...]]]] = []

    async def cut(pause: float) -> list[tuple[object, ...]]:
        await asyncio.sleep(pause)
        return await asyncio.to_thread(server.run, CUTS.format(USER, database))

    async def before(revision: int) -> None:
        """Each time that some rounds were written the line is cut once, somewhere in those that follow; the last cut is
        waited for before the last round, while there are connections."""
        if revision % 4 == 0 or revision == 25:
            await asyncio.gather(*cuts)
        if revision % 4 == 0:
            cuts.append(asyncio.create_task(cut(chance.uniform(0, 0.3))))

    await ingest(server.url(database), "docs", 1, rounds=25, before=before)
    assert all(await asyncio.gather(*cuts))
    assert len(cuts) == 6
    assert set((await whole(store, ("docs",))).values()) == {25}
    await store.close()


async def test_a_lock_is_taken_again_though_its_new_connection_is_cut_too(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = await fresh(server, database), PostgresStore(server.url(database))
    run = Run("1", "docs", "running", "2026-01-01T00:00:00")
    await store.ledger(SCOPE).start(run)
    plain, cuts = ledger._try_lock, 0

    async def taken(connection: Connection, number: int, seconds: float) -> bool:
        nonlocal cuts
        if cuts < 2:
            cuts += len(await asyncio.to_thread(server.run, CUTS.format(USER, database))) > 0
        return await plain(connection, number, seconds)

    await asyncio.to_thread(server.run, CUTS.format(USER, database))
    monkeypatch.setattr(ledger, "_try_lock", taken)
    await store.ledger(SCOPE).update(run)
    assert cuts == 2
    with pytest.raises(Busy, match="another ingestion of source 'docs'"):
        await other.ledger(SCOPE).start(Run("2", "docs", "running", "2026-01-01T00:00:00"))
    await store.ledger(SCOPE).finish(Run("1", "docs", "succeeded", run.started_at))
    await store.close()
    await other.close()


async def test_a_reader_whose_connection_is_cut_says_so(server: Server, database: str) -> None:
    store = PostgresStore(server.url(database))
    await write_revisions(store, make_revision("a.md", ["apple"]))
    async with store.reader(SCOPE) as reader:
        await asyncio.to_thread(server.run, CUTS.format(USER, database))
        with pytest.raises(StoreError, match=r"connection to .* was lost"):
            await reader.matching("apple", where=EVERYTHING, limit=1)
    assert await search_texts(store, "apple") == ["apple"]
    await store.close()


async def test_killed_at_any_moment_a_document_is_old_or_new(server: Server, database: str) -> None:
    chance = random.Random(5)
    store = await fresh(server, database)
    start = 1
    for _ in range(KILLS):
        about = (server.url(database), "docs", str(start))
        process = await asyncio.create_subprocess_exec(sys.executable, "-m", VICTIM, *about, cwd=ROOT)
        await _running(store, f"docs-{start}")
        await asyncio.sleep(chance.uniform(0, 0.6))
        assert process.returncode is None
        process.kill()
        await process.wait()
        await _released(store)
        revisions = await whole(store, ("docs",))
        assert (await store.ledger(SCOPE).runs())[0].status == "interrupted"
        documents = await store.ledger(SCOPE).documents()
        start = max((document.revision for document in documents), default=0) + 1
        assert len(revisions) <= DOCUMENTS
    await ingest(server.url(database), "docs", start, rounds=2)
    assert set((await whole(store, ("docs",))).values()) <= {start, start + 1}
    await store.close()


async def test_a_scan_goes_on_where_its_connection_was_cut(server: Server, database: str) -> None:
    store = PostgresStore(server.url(database))
    paths = [f"{n:04}.md" for n in range(1100)]
    for start in range(0, len(paths), 100):
        await write_revisions(store, *(make_revision(path, ["apple"]) for path in paths[start : start + 100]))
    found: list[str] = []
    async for page in store.ledger(SCOPE).scan_documents():
        found += [document.path for document in page]
        if len(found) < 600:
            await asyncio.to_thread(server.run, CUTS.format(USER, database))
    assert found == paths
    await store.close()


async def _running(store: Store, run: str) -> None:
    async def begun() -> bool:
        return any(one.id == run for one in await store.ledger(SCOPE).runs())

    await until_async(begun)


async def _released(store: Store) -> None:
    """The server notices by itself that a process is gone."""

    async def noticed() -> bool:
        return all(run.status != "running" for run in await store.ledger(SCOPE).runs())

    await until_async(noticed)


async def test_two_ingest_into_one_collection_at_once(server: Server, database: str) -> None:
    store = await fresh(server, database)
    sources = ("ant", "bee", "cat")
    await asyncio.wait_for(
        asyncio.gather(*(ingest(server.url(database), source, 1, rounds=12) for source in sources)), HANG
    )
    assert set((await whole(store, sources)).values()) <= {11, 12}
    await store.close()


async def test_two_write_the_same_document_at_once(server: Server, database: str) -> None:
    """No run lock held: one is told that the other was quicker, and no chunk stands twice."""
    store = await fresh(server, database)

    async def write(text: str, revision: int) -> None:
        async with store.writer(SCOPE) as writer:
            await writer.replace([make_revision("a.md", [f"apple {text}", "apple pie"], revision=revision)])

    for revision in range(1, 8):
        done = await asyncio.gather(*(write(text, revision) for text in "abc"), return_exceptions=True)
        refused = [error for error in done if error is not None]
        assert len(refused) == 2
        assert all(isinstance(error, StoreError) and "not newer" in str(error) for error in refused)
        assert len(await search_texts(store, "apple")) == 2
    assert await store.admin.check(SCOPE) == []
    await store.close()


async def test_a_collection_is_not_erased_under_a_run(server: Server, database: str) -> None:
    one, other = await fresh(server, database), PostgresStore(server.url(database))
    run = Run("1", "docs", "running", "2026-01-01T00:00:00")
    await one.ledger(SCOPE).start(run)
    with pytest.raises(Busy, match="'docs' is being ingested"):
        await other.admin.drop(SCOPE)
    with pytest.raises(Busy, match="another ingestion of source 'docs'"):
        await other.ledger(SCOPE).start(Run("2", "docs", "running", "2026-01-01T00:00:00"))
    assert [found.status for found in await other.ledger(SCOPE).runs()] == ["running"]
    await one.close()
    await _released(other)
    assert [found.status for found in await other.ledger(SCOPE).runs()] == ["interrupted"]
    assert await other.admin.drop(SCOPE)
    await other.close()


@pytest.mark.parametrize(
    ("host", "kind", "said"),
    [
        ("127.0.0.1:1", StoreError, "does not answer"),
        ("127.0.0.1:99999", UsageError, "is not an address of a server"),
        ("none.invalid", UsageError, "there is no such host"),
    ],
)
async def test_a_server_that_is_not_there_is_named_without_its_password(
    host: str, kind: type[Exception], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr("ragstone.stores.postgres.pool.PATIENCE", 0.5)
    if host == "none.invalid":  # some networks answer for every name
        monkeypatch.setattr(socket, "getaddrinfo", unknown)
    store = PostgresStore(f"postgresql://app:s3cret@{host}/x")
    with pytest.raises(kind, match=said) as error:
        await store.admin.collections("t")
    assert "s3cret" not in str(error.value)
    await store.close()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"password": "s3cret"}, "the user or the password is wrong"),
        ({"database": "no-such"}, "there is no such database"),
        ({"user": "nobody_at_all"}, "the user or the password is wrong"),
    ],
)
async def test_a_wrong_url_is_told_at_once(
    server: Server, database: str, wrong: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PostgresStore(server.url(**{"database": database, **wrong}))
    monkeypatch.setattr("ragstone.stores.postgres.pool.RETRY_PAUSES", ())  # whoever tries again fails here
    with pytest.raises(UsageError, match=said) as error:
        await store.admin.collections("t")
    assert "s3cret" not in str(error.value)
    assert "p@ss" not in str(error.value)
    await store.close()


def test_a_transaction_that_the_server_ended_because_it_waited_is_a_lost_connection() -> None:
    error = psycopg.errors.IdleInTransactionSessionTimeout("terminating connection due to idle-in-transaction timeout")
    assert error_mapping.is_connection_lost(error)
    assert "was lost (terminating connection due to idle-in-transaction timeout); run again" in str(
        error_mapping.translate_error(error, "postgresql://host/db")
    )
