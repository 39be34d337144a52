"""What the API says that it answers is what it answers: real answers of each endpoint beside the schema of each."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import httpx2
import jsonschema  # type: ignore[import-untyped]

from ragstone.config.settings import PipelineSettings, Settings
from tests.patience import until_async
from tests.server.conftest import DOCUMENTS, QUESTION, open_client

BAD_PDF = ("broken.pdf", b"%PDF-1.7 that ends here")
MAIL = b"""Subject: Lamps
Content-Type: multipart/mixed; boundary=x

--x

The lamp is lit at eight.
--x
Content-Type: text/markdown
Content-Disposition: attachment; filename=a.md

# Pumps

The pump starts at six.
--x--
"""


def _close_objects(schema: Any) -> Any:
    """The schema without room for fields that it does not name."""
    if isinstance(schema, list):
        return [_close_objects(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _close_objects(one) for name, one in schema.items()}
    return closed | {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else closed


class Checked:
    """A client that holds each answer beside its schema."""

    def __init__(self, client: httpx2.AsyncClient, described: dict[str, Any]) -> None:
        self._client = client
        self._components = _close_objects(described["components"])
        self.left: dict[tuple[str, str, str], Any] = {
            (method, path, status): answer["content"]["application/json"]["schema"]
            for path, operations in described["paths"].items()
            for method, operation in operations.items()
            for status, answer in operation["responses"].items()
            if status.startswith("2") and path.startswith("/v1/") and "application/json" in answer.get("content", {})
        }
        self._schemas = dict(self.left)

    async def send(self, method: str, path: str, to: str | None = None, **options: Any) -> Any:
        """An answer, valid; `to` is the address where it is another than the path of the description."""
        reply = await self._client.request(method, to or path, **options)
        assert reply.is_success, reply.text
        key = (method, path, str(reply.status_code))
        schema = self._schemas[key]
        assert schema.get("$ref"), f"{key} has no schema"
        jsonschema.validate(reply.json(), {**schema, "components": self._components})
        self.left.pop(key, None)
        return reply.json()


def _reaching(client: httpx2.AsyncClient, path: str, *statuses: str) -> Callable[[], Awaitable[bool]]:
    async def look() -> bool:
        return (await client.get(path)).json()["status"] in statuses

    return look


async def test_each_answer_is_of_the_shape_that_is_described(own: Settings) -> None:
    pipelines = (PipelineSettings("handbook", "All there is to know", collections=("default",)),)
    async with open_client(replace(own, pipelines=pipelines)) as client:
        checked = Checked(client, client.app.openapi())  # type: ignore[attr-defined]
        send = checked.send
        runs = (await send("post", "/v1/runs", json={}))["runs"]
        await send("get", "/v1/runs/{identity}", f"/v1/runs/{runs[0]['id']}")
        await until_async(_reaching(client, f"/v1/runs/{runs[0]['id']}", "succeeded"))
        await send("get", "/v1/runs")
        texts = {"a.md": {"text": DOCUMENTS["alerts.md"], "meta": {"tags": ["x"]}}, "b.md": ""}
        await send("post", "/v1/texts", json={"texts": texts})
        assert (await send("post", "/v1/documents", files={"file": ("mail.eml", MAIL)}))["members"]
        job = (await send("post", "/v1/documents", "/v1/documents?wait=false", files={"file": BAD_PDF}))["job"]["id"]
        await until_async(_reaching(client, f"/v1/jobs/{job}", "dead"))
        await send("get", "/v1/jobs")
        await send("get", "/v1/jobs/{identity}", f"/v1/jobs/{job}")
        await send("post", "/v1/jobs/{identity}/retry", f"/v1/jobs/{job}/retry")
        await until_async(_reaching(client, f"/v1/jobs/{job}", "dead"))
        await send("delete", "/v1/jobs/{identity}", f"/v1/jobs/{job}")
        document = (await send("get", "/v1/documents"))["documents"][0]["id"]
        await send("get", "/v1/documents/{identity}", f"/v1/documents/{document}?start=0&end=5")
        hits = (await send("post", "/v1/search", json={"query": QUESTION}))["hits"]
        await send("get", "/v1/chunks/{identity}", f"/v1/chunks/{hits[0]['id']}")
        for asked in (QUESTION, "Who won the cup in 1954?"):
            await send("post", "/v1/ask", json={"query": asked})
            await send("post", "/v1/query", json={"question": asked, "debug": True})
        await send("post", "/v1/explain", json={"query": QUESTION, "path": "storage.md"})
        await send("get", "/v1/pipelines")
        question = {"query": QUESTION, "include_sources": True}
        await send("post", "/v1/pipelines/{name}", "/v1/pipelines/handbook", json=question)
        for path in ("/v1/live", "/v1/ready", "/v1/health", "/v1/stats", "/v1/models"):
            await send("get", path)
        await send("get", "/v1/models/{name}", "/v1/models/handbook")
        turns = [{"role": "user", "content": QUESTION}]
        await send("post", "/v1/chat/completions", json={"model": "default", "messages": turns})
        await send("post", "/v1/responses", json={"model": "default", "input": QUESTION})
        await send("post", "/v1/embeddings", json={"model": "default", "input": [QUESTION]})
        found = {"query": QUESTION}
        await send("post", "/v1/vector_stores/{name}/search", "/v1/vector_stores/default/search", json=found)
        await send("delete", "/v1/documents/{identity}", f"/v1/documents/{document}")
        await send("post", "/v1/collections", json={"name": "other"})
        await send("get", "/v1/collections")
        await send("get", "/v1/collections/{name}", "/v1/collections/other")
        await send("delete", "/v1/collections/{name}", "/v1/collections/other")
        assert {key for key in checked.left if not re.search("/events$", key[1])} == set()
