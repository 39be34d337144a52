"""What a question costs the line: how often it waits for the server, and what is left when a statement fails."""

import asyncio
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from ragstone.config.deadlines import DEFAULT_DEADLINES, Deadlines
from ragstone.core.ports import Store
from ragstone.retrieval.question import Question
from ragstone.retrieval.search import search
from ragstone.retrieval.search_context import SearchContext
from ragstone.stores import open_store
from ragstone.stores.postgres.view import CollectionView
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.stores import EVERYTHING, SCOPE, make_revision
from tests.patience import HANG, until, until_async
from tests.stores.postgres.server import Server

EMBEDDER = BagOfWords(16)
OPENED, CLOSED = 1, 1
LEGS = 3  # the nearest; postings and the places of the best of them
RATED = 1  # signals and texts of both retrievers' candidates


@contextmanager
def counted(port: int) -> Iterator[tuple[int, list[str]]]:
    """A port that leads to the server, and whose turn it was to speak, in order."""
    turns: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as door:
        passing = threading.Thread(target=_pass_on, args=(door, port, turns))
        passing.start()
        yield door.getsockname()[1], turns
        door.shutdown(socket.SHUT_RDWR)
        passing.join()


def _pass_on(door: socket.socket, port: int, turns: list[str]) -> None:
    ends: dict[socket.socket, tuple[str, socket.socket]] = {}
    while True:
        ready, _, _ = select.select([door, *ends], [], [])
        for one in ready:
            if one is door:
                try:
                    ours = door.accept()[0]
                except OSError:  # shut
                    for end in ends:
                        end.close()
                    return
                theirs = socket.create_connection(("127.0.0.1", port))
                ends[ours], ends[theirs] = ("we", theirs), ("they", ours)
            elif one in ends:
                name, other = ends[one]
                if data := one.recv(1 << 20):
                    turns += [name] if turns[-1:] != [name] else []
                    other.sendall(data)
                else:
                    del ends[one], ends[other]
                    one.close()
                    other.close()


async def filled(store: Store) -> SearchContext:
    await store.admin.create(SCOPE, model=EMBEDDER.model, variant=EMBEDDER.variant, dimension=16)
    async with store.writer(SCOPE) as writer:
        await writer.replace([make_revision(f"{n}.md", [f"apple {n}", f"pear {n}"]) for n in range(20)])
        wanted = await writer.find_unembedded(999)
        vectors = await EMBEDDER.embed([chunk.text for chunk in wanted])
        await writer.put({chunk.vector_key: row for chunk, row in zip(wanted, vectors, strict=True)})
    return SearchContext.of_collection(store, SCOPE, EMBEDDER)


async def test_a_question_waits_for_the_server_six_times(server: Server, database: str) -> None:
    port = urlsplit(server.superuser).port
    assert port is not None
    with counted(port) as (ours, turns):
        store = open_store(server.url(database).replace(f":{port}/", f":{ours}/"))
        context = await filled(store)
        await search(context, Question("apple 3"))
        turns.clear()
        found = await search(context, Question("apple 4", fold=False))
        assert turns.count("they") == OPENED + LEGS + RATED + CLOSED
        assert set(found.hits[0].signals) == {"bm25", "cosine"}
        async with store.reader(SCOPE) as reader:
            turns.clear()
            documents = {hit.chunk.document.id: hit.chunk.document for hit in found.hits}
            assert len(documents) > 1
            assert (await reader.records([*documents.values()])).keys() == documents.keys()
            assert turns.count("they") == 1
        await store.close()


BROKEN = "SELECT 1 / (%(collection)s - %(collection)s)", "division by zero"
SLOW = f"SELECT pg_sleep({10 * HANG})", "it took longer than 2 s"


@pytest.mark.parametrize(
    ("sign", "leg", "fault"),
    [("<=>", "cosine", BROKEN), ("FROM postings", "bm25", BROKEN), ("<=>", "cosine", SLOW)],
)
async def test_a_leg_that_fails_in_the_server_or_is_late_leaves_the_other_one(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch, sign: str, leg: str, fault: tuple[str, str]
) -> None:
    store = open_store(server.url(database))
    late = Deadlines(search=4.0) if fault is SLOW else DEFAULT_DEADLINES
    context = replace(await filled(store), deadlines=late)
    plain, failed = CollectionView.fetch_rows, list[str]()

    async def rows(view: CollectionView, sql: str, more: Any = None, *, after: str | None = None) -> Any:
        if sign in sql and not failed:
            failed.append(sql)
            sql = fault[0]
        return await plain(view, sql, more, after=after)

    monkeypatch.setattr(CollectionView, "fetch_rows", rows)
    found = await search(context, Question("apple 4", fold=False))
    assert [note.code for note in found.notes] == [f"{leg}_failed"]
    assert fault[1] in found.notes[0].message
    assert len(found.hits) == 10
    assert set(found.hits[0].signals) == ({"bm25"} if leg == "cosine" else {"bm25", "cosine"})
    asleep = "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%'"
    until(lambda: not server.run(asleep))
    await store.close()


async def test_a_view_is_the_same_after_a_statement_of_it_failed(server: Server, database: str) -> None:
    store = open_store(server.url(database))
    await filled(store)
    async with store.reader(SCOPE) as reader:
        before = await reader.matching("apple", where=EVERYTHING, limit=99)
        async with store.writer(SCOPE) as writer:
            await writer.replace([make_revision("1.md", ["apple new"], revision=2)])
        slow = f"SELECT pg_sleep({HANG})"
        task = asyncio.create_task(reader._view.fetch_rows(slow))  # type: ignore[attr-defined]  # no slow verb
        at_work = f"SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '{slow}%'"
        await until_async(lambda: asyncio.to_thread(server.run, at_work, database))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        again = await reader.rate([one.id for one in before], vector=None, query="apple")
        assert len(again) == len(before) == 20
        assert await reader.matching("apple", where=EVERYTHING, limit=99) == before
    await store.close()
