"""The methods of paths: HEAD is answered where GET is, and a refusal names every method of its path."""

import httpx2
import pytest

from ragstone.config.settings import Settings
from tests.patience import HANG, until_async
from tests.server.conftest import Kept, open_client


async def test_a_refused_method_is_told_all_methods_of_its_path(client: httpx2.AsyncClient) -> None:
    described = (await client.get("/v1/openapi.json")).json()["paths"]
    assert len(described) > 25
    for path, operations in described.items():
        methods = {name.upper() for name in operations}
        reply = await client.put(path.replace("{", "").replace("}", ""))
        assert reply.status_code == 405, path
        allowed = set(reply.headers["allow"].split(", "))
        assert allowed == methods | ({"HEAD"} if "GET" in methods else set()), path


@pytest.mark.parametrize(
    "path",
    [
        "/v1/live",
        "/v1/ready",
        "/healthz",
        "/v1/health",
        "/metrics",
        "/v1/openapi.json",
        "/v1/documents?limit=1",
        "/ui/",
    ],
)
async def test_head_has_the_status_and_headers_of_get_and_no_body(client: httpx2.AsyncClient, path: str) -> None:
    got, head = await client.get(path), await client.head(path)
    assert head.status_code == got.status_code == 200
    assert head.content == b""
    assert head.headers["content-type"] == got.headers["content-type"]
    assert {*got.headers} == {*head.headers}


async def test_head_of_a_path_without_get_is_refused_and_needs_a_key_as_get_does(kept: Kept, locked: Settings) -> None:
    async with open_client(kept.settings) as client:
        assert (await client.head("/v1/search")).status_code == 405
        assert (await client.head("/v1/documents/nope")).status_code == 404
        assert (await client.head("/nothing")).status_code == 404
    async with open_client(locked) as client:
        assert (await client.head("/v1/documents")).status_code == 401


async def test_head_of_a_stream_ends(own: Settings) -> None:
    async with open_client(own) as client:
        [run] = (await client.post("/v1/runs")).json()["runs"]
        head = await client.head(f"/v1/runs/{run['id']}/events", timeout=HANG)
        assert head.headers["content-type"].startswith("text/event-stream")
        assert head.content == b""

        async def ended() -> bool:
            return bool((await client.get(f"/v1/runs/{run['id']}")).json()["status"] != "running")

        await until_async(ended)


async def test_a_head_is_counted_as_one_of_its_route(client: httpx2.AsyncClient) -> None:
    await client.head("/v1/collections")
    assert 'method="HEAD",route="/v1/collections",status="200"' in (await client.get("/metrics")).text
