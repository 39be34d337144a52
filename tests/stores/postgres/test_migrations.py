"""A database is brought up to date once, from every earlier state, whatever happens meanwhile."""

import asyncio
import importlib
import subprocess
import sys
from collections.abc import Awaitable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from ragstone.core.errors import RagstoneError, StoreError, StoreTooNew, UsageError
from ragstone.core.ports.jobs import Job
from ragstone.core.records import Run
from ragstone.core.types import Scope
from ragstone.stores.postgres import PostgresStore, migrate
from ragstone.stores.postgres.migrations import MIGRATIONS, VERSION, Migration
from ragstone.testing.stores import SCOPE, make_revision, search_texts, write_revisions
from tests.patience import HANG, until
from tests.stores.postgres.schema import SNAPSHOT, described
from tests.stores.postgres.server import Server

SLOW = Migration(2, "slow", f"CREATE TABLE half (a int); SELECT pg_sleep({HANG})")
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def bare(server: Server) -> Iterator[str]:
    """A database with the extension and nothing else."""
    with server.database("template0") as name:
        server.run("CREATE EXTENSION vector", name)
        yield name


def schema_of(server: Server, database: str) -> list[tuple[object, ...]]:
    return server.run("SELECT version, name FROM ragstone.schema_migrations ORDER BY 1", database)


@pytest.mark.parametrize("known", range(len(MIGRATIONS) + 1))
async def test_every_earlier_version_migrates_to_the_schema_that_is_committed(
    server: Server, bare: str, known: int
) -> None:
    await migrate(server.owner(bare), migrations=MIGRATIONS[:known])
    done = await migrate(server.owner(bare))
    assert [int(name[:4]) for name in done.applied] == [m.version for m in MIGRATIONS[known:]]
    assert done.version == VERSION
    assert described(server.owner(bare)) == SNAPSHOT.read_text(encoding="utf-8")


async def test_collections_from_before_are_searched_for_words_of_removed_documents(server: Server, bare: str) -> None:
    await migrate(server.owner(bare), migrations=MIGRATIONS[:11])
    server.run("INSERT INTO ragstone.tenants (tenant_id, name) VALUES ('acme', 'Acme')", bare)
    server.run("INSERT INTO ragstone.collections (tenant_id, name) VALUES ('acme', 'old')", bare)
    await migrate(server.owner(bare))
    server.run("INSERT INTO ragstone.collections (tenant_id, name) VALUES ('acme', 'new')", bare)
    assert server.run("SELECT name, erased > 0 FROM ragstone.collections ORDER BY 1", bare) == [
        ("new", False),
        ("old", True),
    ]


async def test_migrating_twice_changes_nothing(server: Server, database: str) -> None:
    before = server.run("SELECT * FROM ragstone.schema_migrations ORDER BY 1", database)
    assert (await migrate(server.owner(database))).applied == ()
    assert server.run("SELECT * FROM ragstone.schema_migrations ORDER BY 1", database) == before


async def test_roles_that_a_restored_dump_lacks_are_made_again(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dump holds no roles: on another server migrate found nothing to do, and nobody could be given access."""
    role = f"restored_{database}"
    monkeypatch.setattr(importlib.import_module("ragstone.stores.postgres.migrate"), "ROLES", (role,))
    may_not = await migrate(server.owner(database))
    assert may_not.notes == (
        f"role {role} could not be made here; make it with CREATEROLE, then run ragstone migrate again",
    )
    made = f"SELECT rolcanlogin FROM pg_roles WHERE rolname = '{role}'"
    assert server.run(made) == []
    try:
        superuser = urlsplit(server.superuser)._replace(path=f"/{database}").geturl()
        assert (await migrate(superuser)).notes == ()
        assert server.run(made) == [(False,)]
    finally:
        server.run(f"DROP ROLE IF EXISTS {role}")


async def test_a_dump_of_an_earlier_version_gets_its_roles_with_the_migrations(
    server: Server, bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a second migrate made them: the first found something else to do."""
    role = f"restored_{bare}"
    superuser = urlsplit(server.superuser)._replace(path=f"/{bare}").geturl()
    await migrate(superuser, migrations=MIGRATIONS[:-1])
    monkeypatch.setattr(importlib.import_module("ragstone.stores.postgres.migrate"), "ROLES", (role,))
    try:
        assert len((await migrate(superuser)).applied) == 1
        assert server.run(f"SELECT rolcanlogin FROM pg_roles WHERE rolname = '{role}'") == [(False,)]
    finally:
        server.run(f"DROP ROLE IF EXISTS {role}")


async def test_two_at_once_migrate_once(server: Server, bare: str) -> None:
    done = await asyncio.gather(*(migrate(server.owner(bare)) for _ in range(4)))
    assert sorted(len(one.applied) for one in done) == [0, 0, 0, len(MIGRATIONS)]


async def test_a_failing_step_leaves_the_steps_before_it_and_nothing_of_its_own(server: Server, bare: str) -> None:
    broken = Migration(2, "broken", "CREATE TABLE half (a int); SELECT 1 / 0")
    with pytest.raises(RagstoneError, match="division by zero"):
        await migrate(server.owner(bare), migrations=(MIGRATIONS[0], broken))
    assert schema_of(server, bare) == [(1, MIGRATIONS[0].name)]
    assert server.run("SELECT to_regclass('ragstone.half')", bare) == [(None,)]
    await migrate(server.owner(bare))
    assert described(server.owner(bare)) == SNAPSHOT.read_text(encoding="utf-8")


def test_a_migration_that_is_killed_half_way_goes_on_from_there(server: Server, bare: str) -> None:
    code = f"""import asyncio
from ragstone.stores.postgres import migrate
from tests.stores.postgres.test_migrations import MIGRATIONS, SLOW
asyncio.run(migrate({server.owner(bare)!r}, migrations=(MIGRATIONS[0], SLOW)))"""
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    sleeps = f"SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep({HANG})'"
    asleep = sleeps + " AND pid <> pg_backend_pid()"
    until(lambda: server.run(asleep, bare))
    process.kill()
    process.wait(HANG)
    server.run(f"SELECT pg_terminate_backend(pid) FROM ({asleep}) AS s", bare)  # the server would notice a little later
    asyncio.run(migrate(server.owner(bare)))
    assert described(server.owner(bare)) == SNAPSHOT.read_text(encoding="utf-8")


async def test_a_changed_step_is_named(server: Server, database: str) -> None:
    server.run("UPDATE ragstone.schema_migrations SET checksum = 'other' WHERE version = 1", database)
    with pytest.raises(StoreError, match="migration 0001 was applied with another text"):
        await migrate(server.owner(database))


async def test_a_schema_that_is_newer_or_older_or_absent_is_named(server: Server, database: str, bare: str) -> None:
    async def refusal(name: str) -> UsageError:
        store = PostgresStore(server.url(name))
        try:
            with pytest.raises(UsageError) as error:
                await store.admin.collections("t")
        finally:
            await store.close()
        return error.value

    assert "no tables of Ragstone yet; run: ragstone migrate" in str(await refusal(bare))
    server.run("INSERT INTO ragstone.schema_migrations (version, name, checksum) VALUES (99, 'later', '')", database)
    assert isinstance(await refusal(database), StoreTooNew)
    with pytest.raises(StoreTooNew, match="schema version 99"):
        await migrate(server.owner(database))
    server.run("DELETE FROM ragstone.schema_migrations WHERE version > 1", database)
    assert "has schema version 1, this program needs" in str(await refusal(database))


async def test_who_may_not_make_tables_hears_so(server: Server) -> None:
    with server.database("template0") as name:
        with pytest.raises(UsageError, match="may not make tables here"):
            await migrate(server.url(name))
        with pytest.raises(UsageError, match="run as a superuser: CREATE EXTENSION vector"):
            await migrate(server.owner(name))
        assert server.run("SELECT to_regnamespace('ragstone')", name) == [(None,)]


async def test_a_tenant_is_needed_to_see_or_write_a_row(server: Server, database: str) -> None:
    """Also for the owner; a forgotten WHERE returns nothing."""
    store = PostgresStore(server.url(database))
    await write_revisions(store, make_revision("a.md", ["apple"]))
    assert await search_texts(store, "apple") == ["apple"]
    await store.close()
    tables = [row[0] for row in server.run("SELECT relname FROM pg_class WHERE relrowsecurity", database)]
    assert len(tables) == 19
    for url in (server.url(database), server.owner(database)):
        # To the application keys are hidden whatever the tenant; the owner alone is not bound where `chunk_fts` is.
        hidden = {"api_keys"} if url == server.url(database) else {"chunk_fts"}
        with psycopg.connect(url, autocommit=True) as connection:
            for tenant in ("", "rival"):
                connection.execute("SELECT set_config('ragstone.tenant', %s, false)", (tenant,))
                for table in set(tables) - hidden:
                    assert connection.execute(f"SELECT FROM ragstone.{table}".encode()).fetchall() == []
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("INSERT INTO ragstone.tenants (tenant_id, name) VALUES ('acme2', 'x')")


async def test_a_program_that_runs_reads_a_schema_that_is_newer_by_now_and_writes_nothing(
    server: Server, database: str
) -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    store = PostgresStore(server.url(database), now=lambda: now[0])
    await write_revisions(store, make_revision("a.md", ["apple"]))
    await write_revisions(store, make_revision("a.md", ["apple pie"], revision=2, effective_at="2026-02-01"))
    server.run("INSERT INTO ragstone.schema_migrations (version, name, checksum) VALUES (99, 'later', '')", database)
    run = Run("1", "docs", "running", "2026-01-01T00:00:00")
    for write in (write_revisions(store, make_revision("b.md", ["apple"])), store.ledger(SCOPE).start(run)):
        with pytest.raises(StoreTooNew, match=r"has schema version 99 by now, this program knows .* searches go on"):
            await write
    now[0] = datetime(2026, 3, 1, tzinfo=UTC)
    assert await search_texts(store, "apple") == ["apple"], "the version whose date has come waits for a newer program"
    assert await store.ledger(SCOPE).runs() == []
    await store.close()


LATER = "ALTER TABLE ragstone.documents ADD COLUMN later text"
READABLE = Migration(VERSION + 1, "readable", f"-- A column more.\n-- readers: {VERSION}\n{LATER}")
NOT_READABLE = Migration(VERSION + 2, "not_readable", "ALTER TABLE ragstone.documents RENAME COLUMN later TO latest")


def test_a_step_says_since_which_version_programs_read_what_it_makes() -> None:
    assert READABLE.readers == VERSION
    assert NOT_READABLE.readers == VERSION + 2
    assert Migration(7, "late", "SELECT 1;\n-- readers: 3\n").readers == 7, "among its first comments alone"
    assert all("-- readers:" in one.sql for one in MIGRATIONS if one.version > 14), "say it: see CONTRIBUTING.md"


async def test_an_earlier_program_starts_on_tables_that_it_can_still_read_and_writes_nothing(
    server: Server, database: str
) -> None:
    """A pod that restarted during an upgrade, or a deployment that was rolled back, was down."""
    before = PostgresStore(server.url(database), now=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    await write_revisions(before, make_revision("a.md", ["apple"]))
    await write_revisions(before, make_revision("a.md", ["pie"], revision=2, effective_at="2026-02-01"))
    assert await before.explain_read_only() is None
    await before.close()
    server.run("ALTER TABLE ragstone.schema_migrations DROP COLUMN readers", database)  # as earlier programs made it
    await migrate(server.owner(database), migrations=(*MIGRATIONS, READABLE))

    store = PostgresStore(server.url(database))
    said = f"has schema version {VERSION + 1}, this program knows {VERSION} and only reads it; install a newer one"
    assert said in (await store.explain_read_only() or "")
    assert await search_texts(store, "apple") == ["apple"]
    assert len(await store.ledger(SCOPE).documents("docs")) == 1
    assert await store.admin.check(SCOPE) == []
    writes: list[Awaitable[object]] = [
        write_revisions(store, make_revision("b.md", ["apple"])),
        store.ledger(SCOPE).start(Run("1", "docs", "running", "2026-01-01T00:00:00")),
        store.admin.create(Scope("t", "new"), model=None, variant=None, dimension=None),
        store.admin.drop(SCOPE),
        store.jobs.add(Job("1", "t", "c", None, 0.0), most=9),
    ]
    for write in writes:
        with pytest.raises(StoreTooNew, match=f"knows {VERSION}"):
            await write
    await store.close()

    await migrate(server.owner(database), migrations=(*MIGRATIONS, READABLE, NOT_READABLE))
    store = PostgresStore(server.url(database))
    with pytest.raises(StoreTooNew, match=f"has schema version {VERSION + 2}, this program knows {VERSION}; install"):
        await store.explain_read_only()
    await store.close()
