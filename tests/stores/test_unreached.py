"""A server that is not reached is named by every command, and nothing passes for done."""

import socket
import time
from pathlib import Path

import pytest

from ragstone.core.errors import StoreError, UsageError
from ragstone.stores import open_store
from ragstone.stores.postgres import pool
from ragstone.stores.qdrant import client
from ragstone.testing.stores import SCOPE, create_collection
from tests.commands import Run
from tests.stores.qdrant.server import serving

COMMANDS: list[tuple[str, ...]] = [
    ("ingest", "docs", "--embedder", "none"),
    ("search", "retention"),
    ("ask", "How long are samples kept?"),
    ("show", "storage.md"),
    ("collections", "list"),
    ("collections", "info"),
    ("doctor",),
]


@pytest.mark.usefixtures("docs")
@pytest.mark.parametrize(
    "store",
    [
        "qdrant://no-such-host.invalid:6334",
        "qdrant://127.0.0.1:1",
        "postgresql://someone@no-such-host.invalid/notes",
        "postgresql://someone@127.0.0.1:1/notes",
    ],
)
def test_every_command_names_a_server_that_is_not_reached(
    run: Run, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "FIRST_PATIENCE", 0.0)
    monkeypatch.setattr(client, "PING_PATIENCE", 0.0)
    (tmp_path / "ragstone.yaml").write_text("embed: {model: none}\n", encoding="utf-8")
    place = store.partition("@")[2] or store.partition("//")[2]
    for command in COMMANDS:
        done = run(*command, "--store", store)
        said = [line for line in (done.out + done.err).splitlines() if line]
        assert done.status == (2 if "invalid" in store and command[0] != "doctor" else 1), (command, said)
        assert len(said) == 1, (command, said)
        assert place in said[0], command
        assert "does not answer" in said[0] or "there is no such host" in said[0], command


async def test_a_server_that_takes_calls_and_says_nothing_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "BUSY_PATIENCE", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # nobody accepts
        port = silent.getsockname()[1]
        store = open_store(f"qdrant://127.0.0.1:{port}?ledger=embedded:{tmp_path / 'ledger'}")
        with pytest.raises(StoreError, match=r"does not answer \(nothing came in 0\.1 s\)"):
            await create_collection(store)
        await store.close()


async def test_a_busy_server_is_given_more_time_than_an_absent_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "FIRST_PATIENCE", 0.5)
    with serving() as server:
        server.fault = lambda _method: time.sleep(0.6 if not server.calls[1:] else 0.0)
        store = open_store(server.url(tmp_path / "ledger"))
        await create_collection(store)
        await store.close()


async def test_the_doctor_names_a_server_that_went_away_from_a_collection_without_vectors(tmp_path: Path) -> None:
    with serving() as server:
        store = open_store(server.url(tmp_path / "ledger"))
        await store.admin.create(SCOPE, model=None, variant=None, dimension=None)
        await store.close()
    store = open_store(server.url(tmp_path / "ledger"))
    [problem] = await store.admin.check(SCOPE)
    assert "does not answer" in problem
    await store.close()


@pytest.mark.parametrize(
    "url", ["qdrant:http://127.0.0.1:6333", "qdrant:127.0.0.1:6334", "json:https://h/x.json", "embedded:s3://b/store"]
)
def test_the_address_of_a_server_is_not_taken_for_a_folder(url: str) -> None:
    with pytest.raises(UsageError, match=r"is the address of a server, not a folder or file; expected \w+:"):
        open_store(url)
