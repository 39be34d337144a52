"""The reference of the API: what it loads, the credentials and examples of its description, and the page itself."""

import re
from dataclasses import replace
from typing import Any

import httpx2

from ragstone.config.settings import Settings
from ragstone.engine import Engine
from ragstone.server.described_app import EXAMPLES
from ragstone.server.routes.api_reference import load_reference_files
from tests.server.conftest import Kept, open_client

OPEN = {"/v1/live", "/v1/ready", "/v1/health", "/healthz"}
NAMES = {"/v1/pipelines/{name}": "handbook", "/v1/vector_stores/{name}/search": "default"}


async def describe(client: httpx2.AsyncClient) -> dict[str, dict[str, Any]]:
    paths: dict[str, dict[str, Any]] = (await client.get("/v1/openapi.json")).json()["paths"]
    return paths


async def test_the_page_loads_nothing_from_elsewhere(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/docs")).headers["location"] == "docs/"
    page = await client.get("/docs/")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'")
    assert "connect-src 'self'" in policy
    for name in re.findall(r'(?:src|href)="([^"#]+)"', page.text):
        assert not name.startswith(("http", "//"))
        assert (await client.get(f"/docs/{name}")).status_code == 200
    assert (await client.get("/docs/none.js")).json()["error"]["code"] == "not_found"
    assert b"http" not in load_reference_files()["reference.js"]


async def test_a_generated_client_has_every_endpoint_and_gets_files_as_bytes(client: httpx2.AsyncClient) -> None:
    described = (await client.get("/v1/openapi.json")).json()
    # Two kinds of body of one name get their modules' names, and generators take the last part of these for both.
    assert [name for name in described["components"]["schemas"] if "__" in name] == []
    for place, kind in (("original", "application/octet-stream"), ("pages/{number}", "image/png")):
        answer = described["paths"][f"/v1/documents/{{identity}}/{place}"]["get"]["responses"]["200"]
        assert list(answer["content"]) == [kind]


async def test_the_description_names_credentials_where_a_key_is_asked_for(kept: Kept, locked: Settings) -> None:
    async with open_client(locked) as client:
        described = (await client.get("/v1/openapi.json")).json()
        assert described["components"]["securitySchemes"].keys() == {"bearer", "header"}
        for path, operations in described["paths"].items():
            for operation in operations.values():
                assert ("security" in operation) == (path not in OPEN), path
        key = kept.keys["read"]
        for headers in ({"authorization": f"Bearer {key}"}, {"x-api-key": key}):
            assert (await client.get("/v1/collections", headers=headers)).status_code == 200
        assert (await client.get("/v1/collections")).status_code == 401


async def test_each_example_is_a_request_that_succeeds(own: Settings, kept: Kept) -> None:
    changed = replace(own, pipelines=kept.settings.pipelines)
    async with Engine(changed) as engine:
        await engine.ingest()
    async with open_client(changed) as client:
        asked = set()
        for path, operations in (await describe(client)).items():
            body = operations.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json")
            if body is not None:
                answer = await client.post(path.replace("{name}", NAMES.get(path, "")), json=body["example"])
                assert answer.status_code < 300, (path, answer.text)
                asked.add(path)
        assert asked == EXAMPLES.keys()
