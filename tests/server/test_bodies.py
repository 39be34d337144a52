"""What a body may be, and the headers that every response has."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from ragstone.config.serve_settings import ServeSettings
from ragstone.server import middleware
from tests.server.conftest import JSON, QUESTION, Kept, open_client


@pytest.mark.parametrize(
    ("content", "status", "word"),
    [
        (b"{", 422, "invalid JSON in the body at character 1: expecting property name"),
        (b'{"query": "\xff"}', 400, "it is not UTF-8"),
        (b"", 422, "body"),
        (b"[]", 422, "invalid body: expected an object"),
        (b'{"query": ' + b"[" * 100_000, 400, "nested too deeply"),
        (b'{"query": "x", "top_k": 1' + b"0" * 5000 + b"}", 400, ""),
    ],
)
async def test_a_body_that_is_no_json_is_named(
    client: httpx2.AsyncClient, content: bytes, status: int, word: str
) -> None:
    reply = await client.post("/v1/search", content=content, headers=JSON)
    assert reply.status_code == status
    assert word in reply.json()["error"]["message"]


async def test_a_body_of_another_type_is_refused(client: httpx2.AsyncClient) -> None:
    untyped = await client.post("/v1/search", content=b"{}")
    assert (untyped.status_code, "Content-Type: application/json" in untyped.text) == (415, True)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        reply = await client.post("/v1/search", content=b"{}", headers={"content-type": kind})
        assert (reply.status_code, reply.json()["error"]["code"]) == (415, "unsupported_media_type")
    upload = await client.post("/v1/documents", content=b"{}", headers=JSON)
    assert (upload.status_code, upload.json()["error"]["code"]) == (415, "unsupported_media_type")
    assert "multipart/form-data" in upload.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/v1/embeddings", {"input": []}, "invalid input: expected at least 1 item(s)"),
        ("/v1/embeddings", {"input": [[1, 2]]}, "invalid input.0: expected text"),
        ("/v1/embeddings", {"input": 5}, "invalid input: expected text, not 5"),
        ("/v1/responses", {"input": [{"role": "nobody"}]}, "invalid input.0.role: expected 'system', "),
        ("/v1/search", {"query": "x", "filter": {"conditions": [{"column": "a", "operator": "=", "value": {}}]}},
         "invalid filter.conditions.0.value: expected text"),
        ("/v1/search", {"query": "x", "top_k": "many"}, "invalid top_k: expected a whole number, not 'many'"),
        ("/v1/search", {"query": "x", "top_k": 0}, "invalid top_k: expected at least 1, not 0"),
        ("/v1/search", {"query": "x", "rerank": "on it"}, "invalid rerank: expected true or false, not 'on it'"),
        ("/v1/search", {"query": None}, "invalid query: expected text, not null"),
        ("/v1/search", {"query": "x" * 10_001}, "invalid query: expected at most 10,000 characters"),
        ("/v1/search", {"query": "x", "filter": "y"}, "invalid filter: expected an object, not 'y'"),
        ("/v1/search", {"query": "x", "pipeline": "nope"}, "unknown pipeline 'nope': GET /v1/pipelines lists them"),
        ("/v1/search", {"query": "x", "top-k": 1}, "unknown field 'top-k'; did you mean 'top_k'?"),
        ("/v1/search", {"query": "x", "limit": 1}, "unknown field 'limit'; did you mean 'top_k'?"),
        ("/v1/search", {"q": "x"}, "unknown field 'q'; did you mean 'query'?"),
        ("/v1/search", {"z": "x"}, "missing field 'query'"),
        ("/v1/ask", {"query": "x", "where": {"tags": ["a"]}}, "unknown field 'where'; did you mean 'filter'?"),
        ("/v1/search", {"query": "x", "str": 1}, "unknown field 'str': leave it out, or see /v1/openapi.json"),
        ("/v1/search", {"query": "x", "filter": {"tag": ["a"]}}, "unknown field 'filter.tag'; did you mean 'tags'?"),
        ("/v1/search", {"query": "x", "filter": {"customer": "acme"}},
         "unknown field 'filter.customer': a key of the documents goes into `conditions`, as a `column`"),
        ("/v1/ask", {"query": "x", "messages": [{"role": "user", "content": "y", "zebra": 1}]},
         "unknown field 'messages.0.zebra': expected one of: content, role"),
        ("/v1/search", {"query": "x", "filter": {"conditions": [{"colum": "a"}]}},
         "unknown field 'filter.conditions.0.colum'; did you mean 'column'?"),
        ("/v1/ask", {"query": "x", "messages": [{"role": "user", "content": "y", "rol": 1}]},
         "unknown field 'messages.0.rol'; did you mean 'role'?"),
    ],
)  # fmt: skip
async def test_a_mistake_is_named_by_its_field_and_not_by_the_kinds_that_it_may_have(
    client: httpx2.AsyncClient, path: str, body: dict[str, object], said: str
) -> None:
    model = {} if path in ("/v1/search", "/v1/ask") else {"model": "default"}
    message = (await client.post(path, json={**model, **body})).json()["error"]["message"]
    assert message.startswith(said)


@pytest.mark.parametrize(
    ("method", "address", "said"),
    [
        ("POST", "/v1/search?topk=3", "unknown query parameter 'topk'; did you mean 'top_k'? It belongs in the body"),
        (
            "POST",
            "/v1/ask?stream=true",
            "query parameter 'stream' belongs in the body",
        ),
        ("GET", "/v1/documents?colection=x", "unknown query parameter 'colection'; did you mean 'collection'?"),
        ("GET", "/v1/runs?page=2", "unknown query parameter 'page': this endpoint has collection, limit"),
        ("DELETE", "/v1/collections/x?force=1", "unknown query parameter 'force': this endpoint has none"),
        ("POST", "/v1/jobs/x/retry?now=1", "unknown query parameter 'now': this endpoint has none"),
    ],
)
async def test_an_unknown_query_parameter_is_refused_with_the_nearest_name(
    client: httpx2.AsyncClient, method: str, address: str, said: str
) -> None:
    reply = await client.request(method, address, json={"query": QUESTION} if "/v1/search" in address else None)
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "invalid_request")
    assert reply.json()["error"]["message"] == said


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/search", {"query": QUESTION}),
        ("/v1/query", {"query": QUESTION}),
        ("/v1/pipelines/handbook", {"query": QUESTION}),
        ("/v1/embeddings", {"input": "x"}),
    ],
)
async def test_clients_of_other_systems_may_send_parameters_of_their_own(
    client: httpx2.AsyncClient, path: str, body: dict[str, Any]
) -> None:
    plain, marked = [await client.post(f"{path}{end}", json=body) for end in ("", "?api-version=1")]
    assert (marked.status_code, "query parameter" in marked.text) == (plain.status_code, False)


async def test_what_curl_sends_by_default_is_told_what_to_add(client: httpx2.AsyncClient) -> None:
    kind = {"content-type": "application/x-www-form-urlencoded"}
    reply = await client.post("/v1/search", content=b'{"query": "samples"}', headers=kind)
    assert reply.status_code == 415
    assert "-H 'Content-Type: application/json'" in reply.json()["error"]["message"]
    upload = await client.post("/v1/documents", content=b"# Tea", headers=kind)
    assert "-F file=@" in upload.json()["error"]["message"]


async def test_an_address_with_a_slash_too_many_leads_nowhere_else(client: httpx2.AsyncClient) -> None:
    for path in ("/v1/search/", "/v1/documents/", "/search/"):
        reply = await client.post(path, json={"query": "samples"})
        assert (reply.status_code, "location" in reply.headers) == (404, False)
        assert reply.json()["error"]["message"] == "no endpoint has this path: leave out the slash at its end"


async def test_an_unknown_path_is_said_to_be_one(client: httpx2.AsyncClient) -> None:
    reply = await client.get("/v1/nothing")
    assert reply.status_code == 404
    assert reply.json()["error"]["message"] == "no endpoint has this path: /v1/openapi.json lists them"


async def test_a_large_body_is_refused_before_it_is_read(kept: Kept) -> None:
    small = ServeSettings(body_bytes=100, upload_bytes=200)
    async with open_client(replace(kept.settings, serve=small)) as client:
        for size, status in ((40, 200), (101, 413)):
            body = b'{"query": "samples"}'.ljust(size)
            assert (await client.post("/v1/search", content=body, headers=JSON)).status_code == status

        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(50):
                yield b" " * 10

        assert (await client.post("/v1/search", content=pieces(), headers=JSON)).status_code == 413
        assert (await client.post("/v1/documents", files={"file": b"x" * 300})).status_code == 413


async def test_a_body_that_stops_is_refused(client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "BODY_SECONDS", 0.05)

    async def stops() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(3600)

    reply = await client.post("/v1/search", content=stops(), headers=JSON)
    assert (reply.status_code, reply.json()["error"]["code"]) == (408, "timeout")


async def test_each_response_has_an_id_and_a_link(client: httpx2.AsyncClient) -> None:
    for path in ("/v1/live", "/v1/nothing", "/v1/collections"):
        reply = await client.get(path)
        assert reply.headers["link"] == '</v1/openapi.json>; rel="service-desc"'
        assert len(reply.headers["x-request-id"]) == 32
    own = await client.post("/v1/search", json={"query": QUESTION}, headers={"x-request-id": "abc-1"})
    assert own.headers["x-request-id"] == "abc-1"
    odd = await client.get("/v1/live", headers={"x-request-id": "a b\x07" * 200})
    assert len(odd.headers["x-request-id"]) == 32


async def test_unknown_paths_and_methods_are_said(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/v1/nothing")).json()["error"]["code"] == "not_found"
    assert (await client.delete("/v1/search")).json()["error"]["code"] == "method_not_allowed"


# What a sentence must not have: words of the parts that are used here, several lines, ends without a way on.
FOREIGN = ("input should", "should have", "validation", "pydantic", "Traceback", "Method Not", "\n", "is no ", "--")
WHOLE = {"messages": [{"role": "user", "content": "x"}], "model": "default"}
WRONG = ({"zz": 1}, "qq", -5, 10**9)


async def test_every_operation_says_in_one_sentence_what_is_wrong(client: httpx2.AsyncClient) -> None:
    """Each field of each body with values of every kind, each parameter, unknown fields, things and methods."""
    described = (await client.get("/v1/openapi.json")).json()
    before = await list_collections(client)
    said: dict[str, str] = {}

    async def ask(method: str, path: str, **sent: Any) -> None:
        reply = await client.request(method, path, **sent)
        if reply.status_code >= 400:
            error = reply.json()
            message = error["message"] if "message" in error else error["error"]["message"]
            said[f"{method} {path} {str(sent)[:80]}"] = message

    for path, methods in described["paths"].items():
        await ask("PUT", path)
        for method, operation in methods.items():
            place = path.replace("{name}", "nope").replace("{identity}", "nope").replace("{number}", "x")
            schema = find_schema(described, operation)
            whole = {name: WHOLE.get(name, "x") for name in schema.get("required", ())}
            bodies = [{}, {**whole, "quary": 1}]
            bodies += [{**whole, name: value} for name in schema.get("properties", ()) for value in WRONG]
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "query":
                    for value in ("", "x", "-1"):
                        await ask(method, place, params={parameter["name"]: value})
            for body in bodies if schema else ():
                await ask(method, place, json=body)
            if method == "get":
                await ask(method, place)
    for name in await list_collections(client) - before:
        assert (await client.delete(f"/v1/collections/{name}")).is_success
    assert len(said) > 300
    for asked, message in said.items():
        assert not [word for word in FOREIGN if word in message], (asked, message)
        assert (message[0].islower(), message.endswith(".")) == (True, False), (asked, message)


async def list_collections(client: httpx2.AsyncClient) -> set[str]:
    """The names of all collections."""
    return {one["name"] for one in (await client.get("/v1/collections")).json()["collections"]}


def find_schema(described: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    """What an operation's body of JSON has to be; empty where it has none."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {"schema": {}})
    for one in (content["schema"], *content["schema"].get("anyOf", ())):
        if "$ref" in one:
            found: dict[str, Any] = described["components"]["schemas"][one["$ref"].rpartition("/")[2]]
            return found
    return {}
