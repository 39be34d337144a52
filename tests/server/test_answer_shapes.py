"""What the API says that it answers is what it answers: real answers of each endpoint beside the schema of each."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import httpx2
import jsonschema  # type: ignore[import-untyped]

from ragstone.config.settings import AccessSettings, PipelineSettings, Settings
from ragstone.engine import Engine
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
            if "application/json" in answer.get("content", {})
        }
        self._schemas = dict(self.left)

    async def send(self, method: str, path: str, to: str | None = None, **options: Any) -> Any:
        """An answer, valid; `to` is the address where it is another than the path of the description."""
        reply = await self.read(method, path, to, **options)
        assert reply.is_success, reply.text
        return reply.json()

    async def read(self, method: str, path: str, to: str | None = None, **options: Any) -> httpx2.Response:
        """A response, valid, which may be an error."""
        reply = await self._client.request(method, to or path, **options)
        key = (method, path, str(reply.status_code))
        schema = self._schemas[key]
        assert schema.get("$ref"), f"{key} has no schema"
        jsonschema.validate(reply.json(), {**schema, "components": self._components})
        self.left.pop(key, None)
        return reply


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
        assert (await send("delete", "/v1/documents", "/v1/documents?source=uploads"))["removed"] == 2
        assert (await send("delete", "/v1/documents", "/v1/documents?source=texts"))["removed"] == 1
        assert (await send("post", "/ingest"))["status"] == "ok"
        await send("post", "/ingest", "/ingest?wait=false")
        assert (await send("post", "/search", json={"query": QUESTION}))["results"]
        await send("post", "/v1/collections", json={"name": "other"})
        await send("get", "/v1/collections")
        await send("get", "/v1/collections/{name}", "/v1/collections/other")
        await send("delete", "/v1/collections/{name}", "/v1/collections/other")
        assert {key for key in checked.left if key[2].startswith("2")} == set()


async def test_each_error_is_of_the_shape_that_is_described(own: Settings) -> None:
    """Those of other systems have shapes of their own."""
    locked = replace(own, access=AccessSettings(trusted=False))
    async with Engine(own) as engine:
        key = (await engine.create_key("reader", roles="read")).text
    async with open_client(locked) as stranger, open_client(locked, key) as reader, open_client(own) as client:
        described = client.app.openapi()  # type: ignore[attr-defined]
        read = Checked(client, described).read
        shapes = {
            (path, status): answer["content"]["application/json"]["schema"]
            for path, operations in described["paths"].items()
            for operation in operations.values()
            for status, answer in operation["responses"].items()
            if status >= "4" and "application/json" in answer.get("content", {})
        }
        assert all("$ref" in schema for schema in shapes.values())
        assert len({schema["$ref"] for schema in shapes.values()}) == 4
        assert {path for path, status in shapes if status == "401"} == {path for path, s in shapes if s == "429"}
        question = {"query": QUESTION}
        replies = [
            await Checked(stranger, described).read("post", "/v1/search", json=question),
            await Checked(reader, described).read("post", "/v1/runs", json={}),
            await read("post", "/v1/search", json={"query": QUESTION, "pipeline": "x"}),
            await read("post", "/v1/search", json={"query": QUESTION, "top_k": 0}),
            await read("post", "/v1/search", content=b"x" * 2_000_000, headers={"content-type": "application/json"}),
            await read("post", "/v1/search", content=b"x", headers={"content-type": "text/plain"}),
            await read("post", "/v1/texts", json={"texts": {"../a.md": ""}}),
            await read("post", "/search", json={}),
            await read("post", "/v1/pipelines/{name}", "/v1/pipelines/x", json=question),
            await read("post", "/v1/query", json={"question": ""}),
            await read("get", "/v1/models/{name}", "/v1/models/x"),
        ]
        assert [reply.status_code for reply in replies] == [401, 403, 404, 422, 413, 415, 400, 400, 404, 400, 404]


async def test_a_stream_has_events_of_the_shapes_that_are_described(own: Settings) -> None:
    async with open_client(own) as client:
        described = client.app.openapi()  # type: ignore[attr-defined]
        await client.post("/ingest")
        [run, *_] = (await client.get("/v1/runs")).json()["runs"]
        asked = await client.post("/v1/ask", json={"query": QUESTION, "stream": True})
        followed = await client.get(f"/v1/runs/{run['id']}/events")
    for reply, method, path, names in (
        (asked, "post", "/v1/ask", ["search_results", "message", "final_answer", "done"]),
        (followed, "get", "/v1/runs/{identity}/events", ["done"]),
    ):
        content = described["paths"][path][method]["responses"]["200"]["content"]
        schema = content["text/event-stream"]["schema"]["contentSchema"]
        framed = re.findall(r"^event: (\w+)\ndata: (.*)$", reply.text, re.MULTILINE)
        assert list(dict.fromkeys(name for name, _ in framed)) == names
        for name, data in framed:
            event = {"event": name, "data": json.loads(data)}
            jsonschema.validate(event, {**schema, "components": _close_objects(described["components"])})


async def test_only_fields_that_must_be_sent_are_told_to_be(own: Settings) -> None:
    """A field with a default is one that must be sent, for generators of TypeScript."""
    async with open_client(own) as client:
        described = client.app.openapi()  # type: ignore[attr-defined]
    schemas = described["components"]["schemas"]
    assert not [(name, field) for name, schema in schemas.items() for field in find_defaults(schema)]
    assert schemas["FilterBody"]["properties"]["tag_mode"]["description"] == 'Default: "any".'
    assert described["paths"]["/v1/documents"]["post"]["requestBody"]["required"]


def find_defaults(schema: dict[str, Any]) -> list[str]:
    return [name for name, field in schema.get("properties", {}).items() if "default" in field]


async def test_no_shape_has_the_name_of_its_own_field(own: Settings) -> None:
    """openapi-python-client takes the field for the object that it makes."""
    async with open_client(own) as client:
        schemas = client.app.openapi()["components"]["schemas"]  # type: ignore[attr-defined]
    assert not [name for name, schema in schemas.items() if name.lower() in schema.get("properties", {})]


async def test_operations_have_short_names_of_their_own(own: Settings) -> None:
    """A generated client calls its functions so: before, `search_v1_search_post`."""
    async with open_client(own) as client:
        operations = [
            operation["operationId"]
            for path in client.app.openapi()["paths"].values()  # type: ignore[attr-defined]
            for operation in path.values()
        ]
    assert len(set(operations)) == len(operations)
    assert {"search", "ask", "add_texts", "delete_documents", "search_notes"} <= {*operations}
