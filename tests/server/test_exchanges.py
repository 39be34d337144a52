"""Exchanges with the pgEdge RAG Server, replayed against `ragstone serve --config pgedge.yaml`, byte for byte.

They follow its documentation and specification: that server was not run here. `exchanges/*.json` hold them in the order
in which they are sent; a body is the exact text.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.patience import HANG, until
from tests.server.conftest import Served, serve_program
from tests.server.pgedge import open_place
from tests.stores.postgres.conftest import server
from tests.stores.postgres.server import Server

__all__ = ["server"]
FILES = sorted((Path(__file__).parent / "exchanges").glob("*.json"))


@dataclass(frozen=True)
class Running:
    served: Served
    server: Server
    database: str


@pytest.fixture(scope="module")
def running(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("pgedge")
    with (
        open_place(server, folder) as (file, database),
        serve_program("--config", file, "--store", folder / "none") as served,
    ):
        until(lambda: httpx2.get(f"{served.url}/v1/ready", timeout=HANG).status_code == 200)
        yield Running(served, server, database)


def exchange(url: str, request: dict[str, Any]) -> dict[str, Any]:
    """What the server answers, in the form of the files."""
    body = request["body"] if "body" in request else json.dumps(request["json"]) if "json" in request else None
    headers = {} if body is None else {"content-type": "application/json"}
    reply = httpx2.request(request["method"], f"{url}{request['path']}", content=body, headers=headers, timeout=HANG)
    shown = {name: reply.headers[name] for name in ("content-type", "link") if name in reply.headers}
    return {"status": reply.status_code, "headers": shown, "body": reply.text}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_client_gets_the_same_bytes(running: Running, file: Path) -> None:
    recorded = json.loads(file.read_text("utf-8"))
    if file.stem == "9-failures":
        running.server.run("DROP TABLE gone", running.database)
    for one in recorded:
        assert exchange(running.served.url, one["request"]) == one["response"], one["request"]


def test_a_server_over_tables_alone_loads_no_model_of_its_own(running: Running) -> None:
    parts = [json.loads(line)["message"] for line in running.served.lines if '"ragstone.start"' in line]
    assert "pipeline docs, documents.content: reachable" in parts
    assert not any("minilm" in part or "first question" in part for part in parts)


def test_every_endpoint_and_code_of_that_server_is_in_the_exchanges() -> None:
    recorded = [one for file in FILES for one in json.loads(file.read_text("utf-8"))]
    paths = {one["request"]["path"] for one in recorded}
    assert {"/v1/live", "/v1/health", "/v1/stats", "/v1/pipelines", "/v1/pipelines/docs"} <= paths
    said = "".join(one["response"]["body"] for one in recorded)
    codes = ("INVALID_REQUEST", "PIPELINE_NOT_FOUND", "METHOD_NOT_ALLOWED", "EXECUTION_ERROR", "STREAMING_ERROR")
    assert all(f'"code":"{code}"' in said for code in codes)
