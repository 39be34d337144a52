"""What the doctor of a PostgreSQL store finds, and what it mends."""

from collections.abc import AsyncIterator

import pytest

from ragstone.core.types import Scope
from ragstone.stores.postgres import PostgresStore
from ragstone.testing.stores import (
    SCOPE,
    create_collection,
    fill_vectors,
    make_revision,
    make_vector_key,
    search_texts,
    write_revisions,
)
from tests.stores.postgres.server import Server

TEXTS = ["apple pie with cream", "apple and pear", "plum"]


@pytest.fixture
async def store(server: Server, database: str) -> AsyncIterator[PostgresStore]:
    made = PostgresStore(server.url(database))
    await write_revisions(
        made, make_revision("a.md", TEXTS), make_revision("b.md", ["apple jam"]), make_revision("c.md", [])
    )
    yield made
    await made.close()


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("UPDATE collections SET chunks = chunks + 1", "counts 5 chunks, there are 4"),
        ("UPDATE collections SET terms = 1", "counts 1 terms"),
        ("UPDATE collections SET pending = 7", "counts 7 chunks without a vector, there are 0"),
        ("UPDATE collections SET documents = 0", "counts 0 documents, there are 3"),
        ("UPDATE collections SET next_number = 0", "a number that is taken"),
        ("DELETE FROM mv_active_chunks WHERE ordinal = 1", "1 chunks of active versions are not searched"),
        ("DELETE FROM chunk_fts", "4 chunks have no row for websearch_to_tsquery"),
        ("DELETE FROM postings WHERE term = 'plum'", "lacks 'plum' of some chunk"),
        ("UPDATE postings SET counts = '\\x0900' WHERE term = 'plum'", "does not say what the chunks say of 'plum'"),
        ("UPDATE postings SET term = 'prune' WHERE term = 'plum'", "the keyword index"),
        (
            "INSERT INTO postings_dead SELECT tenant_id, collection_id, 99, '\\x00000000', NULL FROM collections",
            "marked as gone",
        ),
        ("UPDATE document_versions SET status = 'kept' WHERE doc_version_id = 1", "that are not of an active version"),
    ],
)
async def test_what_does_not_agree_is_found_and_mended(
    store: PostgresStore, server: Server, database: str, harm: str, said: str
) -> None:
    assert await store.admin.check(SCOPE) == []
    before = await search_texts(store, "apple pear plum")
    server.run(f"SET search_path = ragstone; {harm}", database)
    found = await store.admin.check(SCOPE)
    assert any(said in sentence for sentence in found), found
    assert await store.admin.check(SCOPE, repair=True) == []
    assert await store.admin.check(SCOPE) == []
    if "kept" not in harm:
        assert await search_texts(store, "apple pear plum") == before


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE chunks SET text = 'apple other' WHERE ordinal = 2",
        "UPDATE chunks SET body = '\\x7b7d' WHERE ordinal = 2",
        "UPDATE document_versions SET record = '\\x00' FROM documents d WHERE d.doc_id = document_versions.doc_id"
        " AND path = 'a.md'",
        "UPDATE document_versions SET facts = '\\x00' FROM documents d WHERE d.doc_id = document_versions.doc_id"
        " AND path = 'a.md'",
        "UPDATE documents SET path = 'moved.md' WHERE path = 'a.md'",
        "DELETE FROM chunks WHERE ordinal = 1",
    ],
)
async def test_a_damaged_document_is_named_and_taken_out(
    store: PostgresStore, server: Server, database: str, harm: str
) -> None:
    server.run(f"SET search_path = ragstone; {harm}", database)
    assert any("is stored damaged" in sentence for sentence in await store.admin.check(SCOPE))
    [lost] = await store.admin.check(SCOPE, repair=True)
    assert "was damaged and is taken out; ingest it again" in lost
    assert await store.admin.check(SCOPE) == []
    assert await search_texts(store, "apple plum") == ["apple jam"]


async def test_who_is_beyond_row_level_security_hears_so(server: Server, database: str) -> None:
    store = PostgresStore(f"{server.superuser.rpartition('/')[0]}/{database}")
    await create_collection(store)
    assert any("beyond row-level security" in sentence for sentence in await store.admin.check(SCOPE))
    await store.close()


async def test_segments_are_merged_and_the_dead_go(store: PostgresStore, server: Server, database: str) -> None:
    def rows(table: str) -> int:
        [[count]] = server.run(f"SELECT count(*) FROM ragstone.{table}", database)
        assert isinstance(count, int)
        return count

    async with store.writer(SCOPE) as writer:
        for revision in range(2, 40):
            await writer.replace([make_revision("a.md", [f"apple number{revision}", "plum"], revision=revision)])
        before = await search_texts(store, "apple plum")
        assert rows("postings") > 80
        assert rows("postings_dead") == 38
        await writer.settle()
        assert rows("postings_dead") == 0
        terms = server.run("SELECT count(DISTINCT term) FROM ragstone.postings", database)
        assert [(rows("postings"),)] == terms
        assert await search_texts(store, "apple plum") == before
        for number in range(30):
            await writer.replace([make_revision(f"more{number}.md", [f"apple {number}"])])
        many = await search_texts(store, "apple 7 plum")
        held = rows("postings")
        await writer.settle()
        assert rows("postings") < held
        assert await search_texts(store, "apple 7 plum") == many
    assert await store.admin.check(SCOPE) == []


async def test_vectors_go_with_the_last_chunk_that_has_them(
    store: PostgresStore, server: Server, database: str
) -> None:
    def keys() -> set[str]:
        found = server.run("SELECT encode(vector_key, 'hex') FROM ragstone.chunk_embeddings", database)
        return {str(key) for (key,) in found}

    async with store.writer(SCOPE) as writer:
        await writer.replace([make_revision("a.md", ["plum"], revision=2)])
        assert make_vector_key("apple and pear") in keys()
        await writer.settle()
        assert keys() == {make_vector_key("plum"), make_vector_key("apple jam")}


async def test_a_sibling_collection_lends_its_vectors(store: PostgresStore) -> None:
    other, stranger = Scope(SCOPE.tenant, "more"), Scope("rival", "more")
    for scope, wanted in ((other, 1), (stranger, 2)):
        await create_collection(store, scope)
        async with store.writer(scope) as writer:
            await writer.replace([make_revision("z.md", ["apple jam", "new"], scope=scope)])
            assert await fill_vectors(writer) == wanted
        async with store.reader(scope) as reader:
            assert (await reader.info()).pending_vectors == 0
            assert (
                len(
                    await reader.chunks([c.id for c in make_revision("z.md", ["apple jam", "new"], scope=scope).chunks])
                )
                == 2
            )
        assert await store.admin.check(scope) == []
