"""Who may do what with keys in PostgreSQL: applications find one by its id, and nothing more."""

from dataclasses import replace

import psycopg
import pytest

from ragstone.access import authenticate_key
from ragstone.config.settings import Settings
from ragstone.core.errors import Busy, Unauthorized, UsageError
from ragstone.core.records import Run
from ragstone.core.types import Scope
from ragstone.engine import Engine
from ragstone.stores.postgres import PostgresStore
from ragstone.testing.bag_of_words import BagOfWords
from ragstone.testing.stores import NEW_YEAR, SCOPE, create_collection, make_key, make_revision, write_revisions
from tests.stores.postgres.server import ADMIN, OWNER, USER, Server
from tests.stores.postgres.test_roles import READER

STATEMENTS = (
    "SELECT * FROM ragstone.api_keys",
    "SELECT count(*) FROM ragstone.api_keys WHERE key_id = 'a1'",
    "INSERT INTO ragstone.api_keys (key_id, tenant_id, name, roles, digest, created_at) "
    "VALUES ('b', 'acme', 'b', '{admin}', decode(repeat('00', 32), 'hex'), now())",
    "UPDATE ragstone.api_keys SET roles = '{admin}'",
    "DELETE FROM ragstone.api_keys",
    "TRUNCATE ragstone.api_keys",
)


@pytest.fixture
async def keyed(server: Server, database: str) -> str:
    """A database with a key of each of two tenants."""
    store = PostgresStore(server.url(database, ADMIN))
    await store.keys.add(make_key("a1"))
    await store.keys.add(make_key("r1", tenant="rival"))
    await store.close()
    if not server.run(f"SELECT 1 FROM pg_roles WHERE rolname = '{READER}'"):
        server.run(f"CREATE ROLE {READER} LOGIN PASSWORD 'r' IN ROLE ragstone_read")
    return database


@pytest.mark.parametrize(("user", "password"), [(USER, None), (READER, "r")])
async def test_who_may_not_make_keys_sees_no_row_of_them(
    server: Server, keyed: str, user: str, password: str | None
) -> None:
    url = server.url(keyed, user, *([password] if password else []))
    with psycopg.connect(url, autocommit=True) as connection:
        for setting, value in (("ragstone.tenant", "acme"), ("ragstone.key", "a1")):
            connection.execute("SELECT set_config(%s, %s, false)", (setting, value))
        for statement in STATEMENTS:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.encode())
    store = PostgresStore(url)
    assert await store.keys.find("a1") == make_key("a1")
    for attempt in (
        store.keys.add(make_key("b")),
        store.keys.of("acme"),
        store.keys.revoke("acme", "a1", at=NEW_YEAR),
        store.keys.erase("acme"),
    ):
        with pytest.raises(UsageError, match="as a role in ragstone_admin, or as the tables' owner"):
            await attempt
    assert await store.keys.find("a1") == make_key("a1")
    await store.close()


@pytest.mark.parametrize("user", [ADMIN, OWNER])
async def test_who_makes_keys_makes_those_of_the_tenant_that_is_named(server: Server, keyed: str, user: str) -> None:
    with psycopg.connect(server.url(keyed, user), autocommit=True) as connection:
        assert connection.execute("SELECT FROM ragstone.api_keys").fetchall() == []
        connection.execute("SELECT set_config('ragstone.tenant', 'acme', false)")
        assert connection.execute("SELECT key_id FROM ragstone.api_keys").fetchall() == [("a1",)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
            connection.execute(STATEMENTS[2].replace("'acme'", "'rival'").encode())
        assert connection.execute("UPDATE ragstone.api_keys SET name = 'x'").rowcount == 1


async def test_a_keys_admin_may_not_read_documents(server: Server, database: str) -> None:
    store = PostgresStore(server.url(database))
    await write_revisions(store, make_revision("a.md", ["apple"]))
    await store.close()
    with psycopg.connect(server.url(database, ADMIN), autocommit=True) as connection:
        connection.execute("SELECT set_config('ragstone.tenant', %s, false)", (SCOPE.tenant,))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT * FROM ragstone.chunks")


def test_the_look_at_a_key_opens_nothing_else(server: Server, keyed: str) -> None:
    """Not by objects of the caller's own in its way, not by what it leaves behind, not by odd ids."""
    with psycopg.connect(server.url(keyed), autocommit=True) as connection:
        connection.execute("CREATE TEMP TABLE api_keys (LIKE pg_catalog.pg_class)")
        connection.execute(
            "CREATE FUNCTION pg_temp.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS 'SELECT 1'"
        )
        connection.execute("SET search_path = pg_temp, ragstone")
        ask = "SELECT key_id FROM ragstone.find_key(%s)"
        with connection.transaction():
            assert connection.execute(ask, ("a1",)).fetchall() == [("a1",)]
            assert connection.execute("SELECT current_setting('ragstone.key', true)").fetchall() == [("",)]
        for odd in ("", None, "%", "a1' OR 'a'='a", "a1'; DELETE FROM ragstone.api_keys; --"):
            assert connection.execute(ask, (odd,)).fetchall() == []
    assert server.run("SELECT key_id FROM ragstone.api_keys ORDER BY 1", keyed) == [("a1",), ("r1",)]


def test_no_function_is_for_everybody(server: Server, database: str) -> None:
    everybody = """SELECT proname FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) AS right_
        WHERE pronamespace = 'ragstone'::regnamespace AND right_.grantee = 0"""
    assert server.run(everybody, database) == []


async def test_an_application_recognises_a_key_and_serves_its_tenant(server: Server, database: str) -> None:
    admin = Settings(store=server.url(database, ADMIN), tenant="acme")
    async with Engine(admin, embedder=BagOfWords()) as kb:
        made = await kb.create_key("alice", roles=["write"], expires="1d")
    stored = str(server.run("SELECT * FROM ragstone.api_keys", database))
    assert made.key.id in stored
    assert made.text.rpartition("_")[2] not in stored
    async with Engine(Settings(store=server.url(database), key=made.text), embedder=BagOfWords()) as kb:
        assert (await kb.create()).scope.tenant == "acme"
        async with Engine(admin) as other:
            await other.revoke_key(made.text)
        with pytest.raises(Unauthorized, match="was revoked"):
            await kb.info()


async def test_a_database_without_the_table_says_what_to_run(server: Server, database: str) -> None:
    server.run("DELETE FROM ragstone.schema_migrations WHERE version > 2", database)
    store = PostgresStore(server.url(database))
    with pytest.raises(UsageError, match=r"this program needs \d+; run: ragstone migrate"):
        await authenticate_key(f"rag_{'0' * 16}_{'A' * 43}", store.keys, now=NEW_YEAR)
    await store.close()


async def test_who_may_not_erase_a_tenant_hears_who_may_before_anything_is_gone(server: Server, database: str) -> None:
    made = Settings(store=server.url(database), tenant="acme")
    async with Engine(made, embedder=BagOfWords()) as kb:
        await kb.create()
        with pytest.raises(UsageError, match=r"may not erase a tenant: .* in ragstone_admin as well as in"):
            await kb.erase_tenant("acme")
        assert [(one.name, one.problem) for one in await kb.tenants()] == [("acme", None)]
    async with Engine(Settings(store=server.owner(database), tenant="acme"), embedder=BagOfWords()) as kb:
        await kb.create_key("alice")
        assert await kb.erase_tenant("acme")
        assert await kb.keys() == []
        assert not await kb.erase_tenant("acme")


async def test_a_tenant_that_is_being_erased_takes_no_run_and_says_so_until_it_is_gone(
    server: Server, database: str
) -> None:
    owner, app = PostgresStore(server.owner(database)), PostgresStore(server.url(database))
    await write_revisions(app, make_revision("a.md", ["apple"]))
    run = Run("1", "docs", "running", "2026-01-01T00:00:00")
    await app.ledger(SCOPE).start(run)
    with pytest.raises(Busy, match="'notes' cannot be erased now: source 'docs' is being ingested"):
        await owner.admin.begin_erasing(SCOPE.tenant)
    assert [one.problem for one in await app.admin.tenants(SCOPE.tenant)] == [None]
    await app.ledger(SCOPE).finish(replace(run, status="succeeded"))
    assert await owner.admin.begin_erasing(SCOPE.tenant)
    said = "'acme' is being erased, and that is not finished; run: ragstone tenants erase acme"
    for attempt in (
        app.ledger(SCOPE).start(run),
        create_collection(app),
        create_collection(app, Scope(SCOPE.tenant, "more")),
    ):
        with pytest.raises(Busy, match=said):
            await attempt
    [tenant] = await app.admin.tenants(SCOPE.tenant)
    assert said in (tenant.problem or "")
    assert await owner.admin.begin_erasing(SCOPE.tenant)
    assert await owner.admin.erase(SCOPE.tenant)
    assert not await owner.admin.begin_erasing(SCOPE.tenant)
    await create_collection(app)
    await owner.close()
    await app.close()
