"""What a body may be, and the headers that every response has."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest

from ragstone.config.serve_settings import ServeSettings
from ragstone.server import middleware
from tests.server.conftest import JSON, QUESTION, Kept, open_client


@pytest.mark.parametrize(
    ("content", "status", "word"),
    [
        (b"{", 422, "JSON"),
        (b'{"query": "\xff"}', 400, "it is not UTF-8"),
        (b"", 422, "body"),
        (b"[]", 422, ""),
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
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        reply = await client.post("/v1/search", content=b"{}", headers={"content-type": kind})
        assert (reply.status_code, reply.json()["error"]["code"]) == (415, "unsupported_media_type")
    upload = await client.post("/v1/documents", content=b"{}", headers=JSON)
    assert (upload.status_code, upload.json()["error"]["code"]) == (415, "unsupported_media_type")
    assert "multipart/form-data" in upload.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/v1/embeddings", {"input": []}, "invalid input: list should have at least 1 item"),
        ("/v1/embeddings", {"input": [[1, 2]]}, "invalid input.0: input should be a valid string"),
        ("/v1/embeddings", {"input": 5}, "invalid input: input should be a valid string"),
        ("/v1/responses", {"input": [{"role": "nobody"}]}, "invalid input.0.role: input should be 'system', "),
        ("/v1/search", {"query": "x", "filter": {"conditions": [{"column": "a", "operator": "=", "value": {}}]}},
         "invalid filter.conditions.0.value: input should be a valid string"),
        ("/v1/search", {"query": "x", "top-k": 1}, "unknown field 'top-k'"),
        ("/v1/search", {"query": "x", "str": 1}, "unknown field 'str'"),
    ],
)  # fmt: skip
async def test_a_mistake_is_named_by_its_field_and_not_by_the_kinds_that_it_may_have(
    client: httpx2.AsyncClient, path: str, body: dict[str, object], said: str
) -> None:
    model = {} if path == "/v1/search" else {"model": "default"}
    message = (await client.post(path, json={**model, **body})).json()["error"]["message"]
    assert message.startswith(said)


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
