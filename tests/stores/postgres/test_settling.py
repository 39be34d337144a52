"""The end of a run: traces of removed documents, the steps of a merge, what an interruption leaves."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import pytest

from ragstone.stores.postgres import PostgresStore, removed_words, segments, sparse_rows
from ragstone.stores.postgres.pool import Pool
from ragstone.testing.stores import (
    SCOPE,
    fill_sparse,
    fill_vectors,
    make_revision,
    make_sparse,
    search_sparse,
    search_texts,
    write_revisions,
)
from tests.stores.postgres.server import Server

SECRET = "zuckermann"  # a stem of itself


@pytest.fixture
async def store(server: Server, database: str) -> AsyncIterator[PostgresStore]:
    made = PostgresStore(server.url(database))
    texts = [f"apple number{n % 7} pear" for n in range(60)]
    await write_revisions(made, *(make_revision(f"{n}.md", [text]) for n, text in enumerate(texts)))
    await write_revisions(made, make_revision("secret.md", [f"apple {SECRET}", "apple alone"]))
    await fill_sparse(made, at_once=100)
    yield made
    await made.close()


async def remove(store: PostgresStore, path: str) -> None:
    async with store.writer(SCOPE) as writer:
        await writer.remove([make_revision(path, []).document.id])
        await writer.settle()


def read_traces(server: Server, database: str, word: str = SECRET) -> dict[str, int]:
    """How much of a word, and of chunks that are gone, the indexes hold."""
    term = make_sparse(word).terms[0]
    queries = {
        "words": f"SELECT count(*) FROM ragstone.postings WHERE term = '{word}'",
        "dead": "SELECT count(*) FROM ragstone.postings_dead",
        "terms": f"SELECT count(*) FROM ragstone.sparse_postings WHERE term = {term}",
        "numbers": """SELECT sum(length(numbers) / 4) - (SELECT count(*) FROM ragstone.mv_active_chunks)
            FROM ragstone.postings WHERE term = 'appl'""",
        "keys": """SELECT sum(length(chunk_keys) / 8) FROM ragstone.sparse_postings
            WHERE term = (SELECT term FROM ragstone.sparse_postings ORDER BY length(chunk_keys) DESC LIMIT 1)""",
        "vectors": """SELECT count(*) FROM ragstone.chunk_embeddings e WHERE NOT EXISTS (
            SELECT FROM ragstone.chunks c WHERE c.vector_key = e.vector_key)""",
    }
    return {name: int(str(server.run(query, database)[0][0])) for name, query in queries.items()}


@pytest.mark.parametrize("way", ["noted", "many", "other edition"])
async def test_a_removed_document_leaves_nothing_in_the_indexes(
    store: PostgresStore, server: Server, database: str, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """The words of a few chunks are noted, and their postings alone read; else all are."""
    if way == "many":
        monkeypatch.setattr(removed_words, "MOST_CHUNKS", 1)
    elif way == "other edition":
        monkeypatch.setattr(removed_words, "analyzer_edition", lambda: "later")
    monkeypatch.setattr(removed_words, "TERMS_AT_ONCE", 1)
    pages = 0
    read = segments.read_posting_page

    async def count(*given: Any) -> Any:
        nonlocal pages
        pages += 1
        return await read(*given)

    monkeypatch.setattr(segments, "read_posting_page", count)
    before = read_traces(server, database)
    assert (before["words"], before["terms"], before["keys"]) == (1, 1, 62)
    others = await search_texts(store, "number3 pear")
    await remove(store, "secret.md")
    assert (pages > 0) == (way != "noted")
    assert read_traces(server, database) == {
        "words": 0, "dead": 0, "terms": 0, "numbers": 0, "keys": 60, "vectors": 0
    }  # fmt: skip
    assert await search_texts(store, "number3 pear") == others
    assert len(await search_sparse(store, "apple")) == 60
    assert await store.admin.check(SCOPE) == []


async def test_words_of_a_replaced_text_stay_until_a_repair(
    store: PostgresStore, server: Server, database: str
) -> None:
    async def replace(revision: int, texts: Sequence[str]) -> None:
        async with store.writer(SCOPE) as writer:
            await writer.replace([make_revision("secret.md", texts, revision=revision)])
            await fill_vectors(writer)
            await writer.settle()

    await replace(2, ["apple jam", "apple alone"])
    assert read_traces(server, database)["words"] == 1
    assert await store.admin.check(SCOPE, repair=True) == []
    assert read_traces(server, database) | {"keys": 0} == dict.fromkeys(read_traces(server, database), 0)
    await replace(3, [f"apple {SECRET}"])
    await replace(4, ["apple jam"])
    assert read_traces(server, database)["words"] == 1
    await remove(store, "7.md")
    assert (read_traces(server, database)["words"], read_traces(server, database)["dead"]) == (1, 2)
    assert await store.admin.check(SCOPE, repair=True) == []
    assert (read_traces(server, database)["words"], read_traces(server, database)["dead"]) == (0, 0)


async def test_many_small_removals_read_all_postings_once(
    store: PostgresStore, server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each page of words would look through the words of all removals."""
    monkeypatch.setattr(removed_words, "MOST_CHUNKS", 3)
    asked: list[str] = []
    erase = removed_words.erase_page

    async def count(*given: Any) -> str | None:
        last = await erase(*given)
        asked.append(str(last))
        return last

    monkeypatch.setattr(removed_words, "erase_page", count)
    async with store.writer(SCOPE) as writer:
        for path in ("secret.md", "7.md", "8.md"):
            await writer.remove([make_revision(path, []).document.id])
        await writer.settle()
    assert asked == ["None"]
    assert (read_traces(server, database)["words"], read_traces(server, database)["dead"]) == (0, 0)
    assert await store.admin.check(SCOPE) == []


@pytest.mark.parametrize("left", [["apple jam"], []])
async def test_a_removed_document_leaves_no_word_of_its_earlier_texts(
    store: PostgresStore, server: Server, database: str, left: Sequence[str]
) -> None:
    async with store.writer(SCOPE) as writer:
        await writer.replace([make_revision("secret.md", left, revision=2)])
        await fill_vectors(writer)
        await writer.settle()
    assert read_traces(server, database)["words"] == 1
    await remove(store, "secret.md")
    assert (read_traces(server, database)["words"], read_traces(server, database)["dead"]) == (0, 0)
    assert await store.admin.check(SCOPE) == []


@pytest.mark.parametrize("interrupted", ["erase_page", "forget", "merge_page", "finish_merge", "rewrite_segments"])
async def test_the_next_run_goes_on_where_the_end_of_one_was_interrupted(
    store: PostgresStore, server: Server, database: str, monkeypatch: pytest.MonkeyPatch, interrupted: str
) -> None:
    async def fail(*_: Any) -> None:
        raise ConnectionAbortedError

    with monkeypatch.context() as patch:
        patch.setattr(segments, "PAGE", 4)
        patch.setattr(removed_words, "TERMS_AT_ONCE", 1)
        module = next(one for one in (removed_words, segments, sparse_rows) if hasattr(one, interrupted))
        patch.setattr(module, interrupted, fail)
        if module is segments:
            patch.setattr(removed_words, "MOST_CHUNKS", 1)
        with pytest.raises(ConnectionAbortedError):
            await remove(store, "secret.md")
    assert await store.admin.check(SCOPE) == []
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    traces = read_traces(server, database)
    assert traces == dict.fromkeys(traces, 0) | {"keys": 60}
    assert await store.admin.check(SCOPE) == []


@pytest.mark.parametrize("removed", [0, 1, 30])
async def test_other_writers_go_between_the_steps(
    store: PostgresStore, server: Server, database: str, monkeypatch: pytest.MonkeyPatch, removed: int
) -> None:
    for name, value in (("PAGE", 4), ("JOINED_AT_ONCE", 2), ("MAX_SEGMENTS", 3)):
        monkeypatch.setattr(segments, name, value)
    other = PostgresStore(server.url(database))
    run, steps, written = Pool.run_transaction, list[str](), 0

    async def write_between(pool: Pool, tenant: str, work: Callable[[Any, int], Awaitable[Any]]) -> Any:
        nonlocal written
        found = await run(pool, tenant, work)
        if not steps or steps[-1] == "settle":
            steps.append("between")
            written += 1
            async with other.writer(SCOPE) as beside:
                await beside.replace([make_revision("more.md", [f"apple more{written}"], revision=written)])
                if written % 3 == 0:
                    await beside.remove([make_revision(f"{30 + written % 30}.md", []).document.id])
            steps.append("settle")
        return found

    async with store.writer(SCOPE) as writer:
        for number in range(5):
            await writer.replace([make_revision(f"new{number}.md", [f"apple quince pear {number}"])])
        await writer.remove([make_revision(f"{number}.md", []).document.id for number in range(removed)])
        with monkeypatch.context() as patch:
            patch.setattr(Pool, "run_transaction", write_between)
            await writer.settle()
    assert written > 6
    assert await store.admin.check(SCOPE) == []
    assert await search_texts(store, f"more{written}") == [f"apple more{written}"]
    assert len(await search_texts(store, "quince")) == 5
    await remove(store, "secret.md")
    traces = read_traces(server, database)
    assert {name: traces[name] for name in ("words", "dead", "terms", "numbers", "vectors")} == dict.fromkeys(
        ("words", "dead", "terms", "numbers", "vectors"), 0
    )
    assert await store.admin.check(SCOPE) == []
    await other.close()
