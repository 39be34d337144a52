"""What a role may do: one that only reads, and how the owner's index comes about for those who own nothing."""

from datetime import UTC, datetime

import pytest

from ragstone.core.errors import UsageError
from ragstone.stores.postgres import PostgresStore
from ragstone.testing.stores import SCOPE, create_collection, make_revision, search_texts, write_revisions
from tests.stores.postgres.server import Server

READER = "ragstone_test_reader"


@pytest.mark.parametrize(("dimension", "kind"), [(384, "vector"), (1536, "vector"), (3072, "halfvec")])
def test_an_index_of_each_dimension_is_made_for_who_may_not_make_one(
    server: Server, database: str, dimension: int, kind: str
) -> None:
    import psycopg

    ask = "SELECT ragstone.ensure_vector_index(%s, %s)"
    with psycopg.connect(server.url(database), autocommit=True) as connection:
        connection.execute("SELECT set_config('ragstone.tenant', 'acme', false)")
        connection.execute("INSERT INTO ragstone.tenants (tenant_id, name) VALUES ('acme', 'acme')")
        statement = """INSERT INTO ragstone.collections (tenant_id, name, embedding_model, embedding_dim)
            VALUES ('acme', 'notes', %s, %s)"""
        model = "m'); DROP TABLE x; --"
        connection.execute(statement, (model, dimension))
        assert connection.execute(ask, ("another", dimension)).fetchall() == [(None,)]
        [[name]] = connection.execute(ask, (model, dimension)).fetchall()
        assert connection.execute(ask, (model, dimension)).fetchall() == [(name,)]
    [[made]] = server.run(f"SELECT indexdef FROM pg_indexes WHERE indexname = '{name}'", database)
    assert f"USING hnsw (((embedding)::{kind}({dimension})) {kind}_cosine_ops)" in str(made)
    assert f"(embedding_dim = {dimension})" in str(made)


async def test_a_role_that_only_reads_finds_and_may_not_write(server: Server, database: str) -> None:
    clock = [datetime(2026, 1, 1, tzinfo=UTC)]
    writer = PostgresStore(server.url(database), now=lambda: clock[0])
    await write_revisions(writer, make_revision("a.md", ["apple"]))
    await write_revisions(writer, make_revision("a.md", ["apple later"], revision=2, effective_at="2026-02-01"))
    if not server.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{READER}'"):
        server.run(f"CREATE ROLE {READER} LOGIN PASSWORD 'r' IN ROLE ragstone_read")
    reader = PostgresStore(server.url(database, READER, "r"), now=lambda: clock[0])
    assert await search_texts(reader, "apple") == ["apple"]
    with pytest.raises(UsageError, match="may not do this"):
        await create_collection(reader, SCOPE.__class__("acme", "other"))
    clock[0] = datetime(2026, 3, 1, tzinfo=UTC)
    assert await search_texts(reader, "apple") == ["apple"]  # waits for somebody who may write
    assert await search_texts(writer, "apple") == ["apple later"]
    assert await search_texts(reader, "apple") == ["apple later"]
    await reader.close()
    await writer.close()


async def test_who_is_in_neither_group_hears_so(server: Server, database: str) -> None:
    if not server.run("SELECT 1 FROM pg_roles WHERE rolname = 'ragstone_test_stranger'"):
        server.run("CREATE ROLE ragstone_test_stranger LOGIN PASSWORD 's'")
    store = PostgresStore(server.url(database, "ragstone_test_stranger", "s"))
    with pytest.raises(UsageError, match="give it the role ragstone_write or ragstone_read"):
        await store.admin.collections("acme")
    await store.close()


async def test_rows_are_counted_when_a_run_ends_by_a_role_that_owns_nothing(server: Server, database: str) -> None:
    store = PostgresStore(server.url(database))
    await write_revisions(store, *(make_revision(f"{n}.md", ["apple", "pear"]) for n in range(50)))
    async with store.writer(SCOPE) as writer:
        await writer.settle()
    counted = (
        "SELECT relname, reltuples::int FROM pg_class WHERE relname IN ('mv_active_chunks', 'documents') "
        "AND relkind = 'r' ORDER BY 1"
    )
    assert server.run(counted, database) == [("documents", 50), ("mv_active_chunks", 100)]
    await store.close()


@pytest.mark.parametrize(
    ("group", "allowed"),
    [("ragstone_write", {"ts_ranked", "count_rows"}), ("ragstone_read", {"ts_ranked"}), ("ragstone_admin", set())],
)
def test_the_owners_functions_are_for_those_who_need_them(
    server: Server, database: str, group: str, allowed: set[str]
) -> None:
    asked = """SELECT proname FROM pg_proc WHERE proname IN ('ts_ranked', 'count_rows')
        AND pronamespace = 'ragstone'::regnamespace AND has_function_privilege('{}', oid, 'EXECUTE')"""
    assert {name for (name,) in server.run(asked.format(group), database)} == allowed
