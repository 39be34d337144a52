"""Streamable HTTP: keys, tenants, hosts and origins, by the official client and by hand."""

import json
import os
import socket
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp.client.streamable_http import streamable_http_client

from mcp import Client
from tests.commands import Run
from tests.mcp.conftest import DOCUMENTS, Place, call, fail
from tests.patience import HANG

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
OPENING: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def connect(url: str, key: str | None = None, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


def post(url: str, body: Any = OPENING, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.post(url, json=body, headers={**ACCEPT, **named}, timeout=HANG)


@pytest.fixture(scope="module")
def served(place: Place) -> Iterator[str]:
    """The address of one server for the tests that ask it alone."""
    with place.serving() as url:
        yield url


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_without_keys_this_machine_is_served(served: str, mode: str) -> None:
    async with connect(served, mode=mode) as client:
        assert "ingest" in [tool.name for tool in (await client.list_tools()).tools]
        found = await call(client, "search", query="samples of water")
        read = await call(client, "fetch", id=found["results"][0]["id"])
        assert read["text"] == DOCUMENTS["samples.md"]
        assert "unknown parameter" in await fail(client, "search", query="a", limit=1)
        assert len((await client.list_resources()).resources) == len(DOCUMENTS) - 1


async def test_each_key_has_its_own_tenant_and_rights(place: Place, served: str) -> None:
    """Another tenant's key learns nothing: neither names, nor counts, nor that they exist."""
    async with connect(served, place.keys["rival"]) as rival, connect(served, place.keys["reader"]) as reader:
        own = await call(rival, "search", query="samples of water heron", top_k=100)
        assert [one["title"] for one in own["results"]] == ["Plan"]
        other = await call(reader, "search", query="rival quokka plan", top_k=100)
        assert "quokka" not in json.dumps(other)
        assert [one["documents"] for one in (await call(rival, "list_collections"))["collections"]] == [1]
        assert [one.name for one in (await rival.list_resources()).resources] == ["plan.md"]
        for place_ in ("zoo/samples.md", "zoo/zebra.txt", "no/zebra.txt"):
            message = await fail(rival, "fetch", id=f"ragstone://default/{place_}")
            assert message.replace(place_, "PLACE") == (
                "there is no document 'ragstone://default/PLACE'; call search, and fetch an id of its results\n"
                "Next step: change the arguments and call again."
            )
        assert "role write or admin" in await fail(reader, "ingest")
        assert "no configured source" not in await fail(reader, "ingest", path="docs")


async def test_callers_without_a_key_have_no_more_rights_than_the_configured_one(place: Place) -> None:
    with place.serving(key=place.keys["rival"]) as url:
        async with connect(url) as client:
            own = await call(client, "search", query="samples of water heron", top_k=100)
            assert [one["title"] for one in own["results"]] == ["Plan"]
    with place.serving(key=place.keys["reader"]) as url:
        async with connect(url) as client:
            assert "role write or admin" in await fail(client, "ingest")


async def test_a_revoked_key_ends_at_once_also_in_an_open_session(own_place: Place, run: Run) -> None:
    key = own_place.keys["reader"]
    with own_place.serving() as url:
        opened = post(url, Authorization=f"Bearer {key}")
        session = opened.headers["mcp-session-id"]
        headers = {"Authorization": f"Bearer {key}", "Mcp-Session-Id": session}
        assert post(url, PING, **headers).status_code == 200
        revoked = run("keys", "revoke", key, "--store", own_place.folder / "store")
        assert revoked.status == 0
        assert post(url, PING, **headers).status_code == 401


async def test_a_session_belongs_to_the_key_that_opened_it(place: Place, served: str) -> None:
    opened = post(served, Authorization=f"Bearer {place.keys['reader']}")
    session = opened.headers["mcp-session-id"]
    foreign = post(served, PING, Authorization=f"Bearer {place.keys['rival']}", Mcp_Session_Id=session)
    nobody = post(served, PING, Mcp_Session_Id=session)
    unknown = post(served, PING, Authorization=f"Bearer {place.keys['rival']}", Mcp_Session_Id="0" * 32)
    assert (foreign.status_code, foreign.text) == (unknown.status_code, unknown.text)
    assert foreign.status_code == nobody.status_code == 404


def test_a_wrong_key_is_the_same_refusal_whatever_is_wrong(place: Place, served: str) -> None:
    good = place.keys["reader"]
    wrong = ["Bearer rag_a_b", f"Bearer {good[:-2]}xx", "Bearer", f"Basic {good}", "Bearer a.b.c"]
    answers = [post(served, Authorization=text) for text in wrong]
    assert {(answer.status_code, answer.text) for answer in answers} == {
        (401, '{"error":"unauthorized","message":"a valid key is needed: Authorization: Bearer KEY"}')
    }
    assert {answer.headers["www-authenticate"] for answer in answers} == {"Bearer"}


def test_other_hosts_and_pages_of_other_origins_are_refused(place: Place) -> None:
    with place.serving("--allowed-host", "mcp.example.org") as url:
        port = url.split(":")[2].split("/")[0]
        assert post(url).status_code == 200
        assert post(url, Host="mcp.example.org").status_code == 200
        assert post(url, Host=f"localhost:{port}", Origin=f"http://localhost:{port}").status_code == 200
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "mcp.example.org.evil.example"):
            assert post(url, Host=host).status_code == 421, host
        for origin in ("https://evil.example", "null", "http://localhost.evil.example"):
            assert post(url, Origin=origin).status_code == 403, origin
        assert post(url, Origin="https://evil.example", Authorization="Bearer x").status_code == 403


def test_beyond_this_machine_and_where_the_configuration_says_so_a_key_is_needed(own_place: Place) -> None:
    key = {"Authorization": f"Bearer {own_place.keys['reader']}"}
    with own_place.serving("--host", "0.0.0.0") as url:
        reached = url.replace("0.0.0.0", "127.0.0.1")
        host = url.split("/")[2]
        assert post(reached, Host=host).status_code == 401
        assert post(reached, Host=host, **key).status_code == 200
        assert post(reached).status_code == 421
    file = own_place.folder / "ragstone.yaml"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "access": {"trusted": False}}), "utf-8")
    with own_place.serving() as url:
        assert post(url).status_code == 401
        assert post(url, **key).status_code == 200


def test_it_says_at_start_that_no_key_is_needed(place: Place) -> None:
    process = place.start("--http", "--port", "0", "--read-only")
    assert process.stderr is not None
    lines = [process.stderr.readline().decode() for _ in range(2)]
    process.terminate()
    process.communicate(timeout=HANG)
    assert lines[0].startswith("serving MCP at http://127.0.0.1:")
    assert lines[1] == (
        "without keys: everyone on this machine may read tenant 'default' (access.trusted: false asks for keys)\n"
    )


def test_a_port_in_use_is_a_sentence(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = place.start("--http", "--port", str(port))
        out, err = process.communicate(timeout=HANG)
    assert (process.returncode, out) == (2, b"")
    assert err.decode() == f"error: cannot listen on 127.0.0.1:{port}: Address already in use; choose another --port\n"


def test_odd_requests_get_a_refusal_and_the_next_one_an_answer(served: str) -> None:
    root = served.removesuffix("/mcp")
    assert httpx2.get(f"{root}/").status_code == 404
    assert httpx2.request("PUT", served, headers=ACCEPT).status_code == 405
    assert httpx2.post(served, content=b"{", headers={**ACCEPT, "Content-Type": "application/json"}).status_code == 400
    assert httpx2.post(served, content=b"\xff", headers={**ACCEPT, "Content-Type": "text/plain"}).status_code == 400
    assert post(served, [PING]).status_code == 400
    assert post(served, {"a": "b" * (2 << 20)}).status_code == 413
    assert post(served).status_code == 200


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_it_with_a_session_open(place: Place, number: str) -> None:
    import signal

    process = place.start("--http", "--port", "0")
    assert process.stderr is not None
    url = process.stderr.readline().decode().split()[3].rstrip(";")
    session = post(url).headers["mcp-session-id"]
    with httpx2.stream("GET", url, headers={**ACCEPT, "Mcp-Session-Id": session}, timeout=HANG):
        process.send_signal(getattr(signal, number))
        process.wait(timeout=HANG)
    _, err = process.communicate()
    assert process.returncode == (130 if number == "SIGINT" else 0)  # all was given back
    assert b"Traceback" not in err
    assert os.name == "posix"


def test_in_another_thread_it_serves_without_signals() -> None:
    """As in a program or a test that starts it beside other work."""
    from ragstone.mcp.http_transport import _Server

    with ThreadPoolExecutor() as threads:
        threads.submit(_Server(uvicorn.Config("app")).handle_hang_up).result()
