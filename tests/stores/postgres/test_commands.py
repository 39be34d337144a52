"""The commands on a PostgreSQL store: the same as on a folder, and its password shows nowhere."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ragstone.core.errors import UsageError
from ragstone.stores import migrate_store, open_store
from tests.commands import Run
from tests.stores.postgres.server import PASSWORD, Server

SECRETS = (PASSWORD, "p%40ss%2Fw%3Ard%3F", "p@ss")


@pytest.fixture
def configured(server: Server, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A configuration whose store's URL comes from the environment."""
    monkeypatch.setenv("STORE_URL", server.url(database))
    (tmp_path / "ragstone.yaml").write_text("store: ${STORE_URL}\nembed:\n  model: none\n")
    return server.url(database)


def test_every_command_works_and_none_shows_the_password(run: Run, configured: str, docs: Path) -> None:
    commands: list[tuple[str, ...]] = [
        ("collections", "list"),
        ("ingest", str(docs)),
        ("search", "retention of samples"),
        ("ask", "How long are samples kept?"),
        ("show", "storage.md"),
        ("explain", "retention of samples", "--doc", "storage.md"),
        ("chunk", "storage.md", "0"),
        ("collections", "list"),
        ("collections", "info"),
        ("runs",),
        ("doctor",),
    ]
    said = ""
    for command in commands:
        for more in ((), ("--json",)):
            done = run(*command, *more)
            assert done.status in ((0, 2) if command[0] == "chunk" else (0,)), (command, done.err)
            said += done.out + done.err
    assert "15 days" in said
    assert "postgresql://ragstone_test_app:***@" in said
    assert not [secret for secret in SECRETS if secret in said]


def test_migrating_by_command(run: Run, server: Server) -> None:
    with server.database("template0") as name:
        server.run("CREATE EXTENSION vector", name)
        before = run("search", "x", "--store", server.url(name))
        assert (before.status, "run: ragstone migrate" in before.err) == (2, True)
        done = run("migrate", "--store", server.owner(name))
        assert "applied 0001_tables" in done.out
        again = run("migrate", "--store", server.owner(name), "--json")
        assert '"applied": []' in again.out
        assert not [secret for secret in SECRETS if secret in done.out + done.err + again.out]
        assert run("search", "x", "--store", server.url(name)).status == 1  # nothing was ingested yet
    files = run("migrate", "--store", "folder")
    assert (files.status, "updated when Ragstone opens it" in files.out) == (0, True)


def test_mistakes_are_one_sentence(run: Run, server: Server, database: str) -> None:
    for store in (
        server.url(database, password="wrong"),
        server.url("no_such_database"),
        server.url(database, nonsense="1"),
        server.url(database).replace("%40", "@"),
        "postgresql://",
    ):
        done = run("search", "x", "--store", store)
        assert done.status == 2
        assert done.err.startswith("error: ")
        assert done.err.count("\n") == 1
        assert not [secret for secret in (*SECRETS, "ss%2F") if secret in done.err]


async def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    absent: Callable[[str], None] = lambda _name: None  # noqa: E731
    monkeypatch.setattr("ragstone.stores.kinds.find_spec", absent)
    with pytest.raises(UsageError, match=r"pip install 'ragstone\[postgres\]'"):
        open_store("postgresql://host/db")
    with pytest.raises(UsageError, match=r"pip install 'ragstone\[postgres\]'"):
        await migrate_store("postgres://host/db")
