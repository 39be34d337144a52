"""The tools for agents over a PostgreSQL store; its password shows nowhere, also where it cannot be reached."""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mcp.client.stdio import StdioServerParameters, stdio_client

from mcp import Client
from tests.mcp.conftest import call, fail
from tests.stores.postgres.server import PASSWORD, Server

SECRETS = (PASSWORD, "p%40ss%2Fw%3Ard%3F", "p@ss")


@asynccontextmanager
async def connect(store: str, folder: Path) -> AsyncIterator[Client]:
    """The command over a store; it leaves no word on stderr."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGSTONE")}
    environment = {**kept, "RAGSTONE_STORE": store, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = StdioServerParameters(command=sys.executable, args=["-m", "ragstone", "mcp"], env=environment, cwd=folder)
    with (folder / "errors.txt").open("w+", encoding="utf-8") as errors:
        async with Client(stdio_client(command, errlog=errors)) as client:
            yield client
        assert (folder / "errors.txt").read_text("utf-8") == ""


async def test_an_agent_ingests_finds_reads_and_asks(server: Server, database: str, docs: Path, tmp_path: Path) -> None:
    settings = {"embed": {"model": "none"}, "sources": [{"path": str(docs)}]}
    (tmp_path / "ragstone.yaml").write_text(json.dumps(settings), "utf-8")
    async with connect(server.url(database), tmp_path) as client:
        assert (await call(client, "status"))["state"] == "missing"
        assert (await call(client, "ingest"))["runs"][0]["documents"]["added"] == 4
        found = await call(client, "search", query="retention of samples")
        read = await call(client, "fetch", id=found["results"][0]["id"])
        assert "15 days" in read["text"]
        assert "15 days" in (await call(client, "ask", question="How long are samples kept?"))["answer"]


async def test_a_database_that_cannot_be_reached_is_a_sentence(server: Server, tmp_path: Path) -> None:
    away = server.url("nowhere")  # no such database
    async with connect(away, tmp_path) as client:
        for name, arguments in (("search", {"query": "a"}), ("status", {}), ("fetch", {"id": "a.md"})):
            said = await fail(client, name, **arguments)
            assert "there is no such database" in said
            assert not [secret for secret in SECRETS if secret in said]
