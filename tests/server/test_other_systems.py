"""The endpoints and bodies of three other systems, as their clients know them."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from ragstone.answering.abstention.abstain import ABSTENTION
from ragstone.config.model_settings import LlmSettings
from ragstone.server.routes import pipelines
from tests.patience import HANG
from tests.server.conftest import JSON, QUESTION, Kept, open_client

OFF_TOPIC = "Who won the chess championship in Reykjavik?"


# The pgEdge RAG Server


async def test_a_pipeline_answers_in_the_shape_of_its_server(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/v1/pipelines/handbook", json={"query": QUESTION})
    assert reply.headers["link"] == '</v1/openapi.json>; rel="service-desc"'
    made = reply.json()
    assert set(made) == {"answer", "tokens_used"}
    assert "15 days" in made["answer"]
    more = {"query": QUESTION, "top_n": 1, "include_sources": True, "messages": [{"role": "user", "content": "Hi"}]}
    [source] = (await client.post("/v1/pipelines/handbook", json=more)).json()["sources"]
    assert set(source) == {"id", "content", "score"}
    assert "15 days" in source["content"]


async def test_a_pipeline_streams_chunks_without_names(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/v1/pipelines/handbook", json={"query": QUESTION, "stream": True})
    lines = [line for line in reply.text.split("\n") if line and not line.startswith(":")]
    assert all(line.startswith('data: {"type":') for line in lines)
    events = [json.loads(line.removeprefix("data: ")) for line in lines]
    assert events[-1] == {"type": "done"}
    said = "".join(event["content"] for event in events[:-1])
    whole = (await client.post("/v1/pipelines/handbook", json={"query": QUESTION})).json()
    assert said == whole["answer"]
    assert "15 days" in said
    assert "[1]" in said


async def test_a_filter_of_conditions_acts_on_a_pipeline(client: httpx2.AsyncClient) -> None:
    conditions = [{"column": "path", "operator": "ILIKE", "value": "ALERTS%"}]
    asked = {"query": QUESTION, "filter": {"conditions": conditions}, "include_sources": True}
    sources = (await client.post("/v1/pipelines/handbook", json=asked)).json()["sources"]
    assert ["Alertmanager" in source["content"] for source in sources] == [True]


async def test_listings_health_and_stats(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/v1/live")).json() == {"status": "ok"}
    listed = (await client.get("/v1/pipelines")).json()
    assert listed == {"pipelines": [{"name": "handbook", "description": "All there is to know"}]}
    health = (await client.get("/v1/health")).json()
    assert health == {"status": "healthy", "pipelines": [{"name": "handbook", "embedding": {"reachable": True}}]}
    before = (await client.get("/v1/stats")).json()["pipelines"][0]["embedding"]["total_tokens"]
    await client.post("/v1/pipelines/handbook", json={"query": QUESTION})
    after = (await client.get("/v1/stats")).json()["pipelines"][0]["embedding"]["total_tokens"]
    assert after > before


async def test_health_is_degraded_while_a_model_is_away(kept: Kept) -> None:
    away = LlmSettings("openai/m", base_url="http://127.0.0.1:9/v1", api_key="k", timeout=0.2, total=0.3, retries=0)
    [pipeline] = kept.settings.pipelines
    async with open_client(replace(kept.settings, pipelines=(replace(pipeline, llm=away),))) as client:
        reply = await client.get("/v1/health")
        assert reply.status_code == 200
        assert reply.json()["status"] == "degraded"
        [found] = reply.json()["pipelines"]
        assert found["completion"]["reachable"] is False
        assert found["completion"]["error"]


async def test_health_waits_for_no_model_for_long_and_for_all_at_once(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipelines, "CHECK_SECONDS", 1.0)
    asked = 0
    all_asked = asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        if asked == 3:
            all_asked.set()
        await reader.read()
        writer.close()

    silent = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    model = LlmSettings("openai/m", base_url=f"http://127.0.0.1:{port}/v1", api_key="k", retries=0)
    [pipeline] = kept.settings.pipelines
    many = tuple(replace(pipeline, name=f"p{n}", llm=model) for n in range(3))
    async with silent, open_client(replace(kept.settings, pipelines=many)) as client:
        await client.get("/v1/live")
        reply = await asyncio.wait_for(client.get("/v1/health"), HANG)
        assert all_asked.is_set()
        assert [one["completion"] for one in reply.json()["pipelines"]] == [
            {"reachable": False, "error": "no answer within 1 s"}
        ] * 3


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "handbook", {}, 400, "INVALID_REQUEST"),
        ("POST", "handbook", {"query": ""}, 400, "INVALID_REQUEST"),
        ("POST", "handbook", {"query": "samples \ud800"}, 400, "INVALID_REQUEST"),
        ("POST", "handbook", {"query": "samples \ud800", "stream": True}, 400, "INVALID_REQUEST"),
        ("POST", "handbook", {"query": "x", "top_n": -1}, 400, "INVALID_REQUEST"),
        ("POST", "handbook", {"query": "x", "messages": [{"role": "system", "content": ""}]}, 400, "INVALID_REQUEST"),
        ("POST", "handbook", {"query": "x", "filter": {"conditions": [{"column": "a"}]}}, 400, "INVALID_REQUEST"),
        ("POST", "nope", {"query": "x"}, 404, "PIPELINE_NOT_FOUND"),
        ("GET", "handbook", None, 405, "METHOD_NOT_ALLOWED"),
    ],
)
async def test_errors_have_the_codes_of_its_server(
    client: httpx2.AsyncClient, method: str, path: str, body: Any, status: int, code: str
) -> None:
    content = None if body is None else json.dumps(body)
    headers = {} if body is None else JSON
    reply = await client.request(method, f"/v1/pipelines/{path}", content=content, headers=headers)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert set(reply.json()) == {"error"}
    assert reply.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/search", {"query": "samples \ud800"}),
        ("/search", {"keyword": "samples \ud800"}),
        ("/search", {"query": "samples \ud800", "generate": True}),
        ("/v1/query", {"question": "samples \ud800"}),
        ("/v1/search", {"query": "samples \ud800"}),
    ],
)
async def test_half_a_character_is_refused_before_a_vendor_is_sent_it(
    client: httpx2.AsyncClient, path: str, body: Any
) -> None:
    reply = await client.post(path, content=json.dumps(body), headers=JSON)
    assert reply.status_code == (422 if path == "/v1/search" else 400)
    assert "ud800" in reply.text


# nadir


async def test_a_search_of_notes_has_their_fields(client: httpx2.AsyncClient) -> None:
    asked = {"query": QUESTION, "top_k": 1, "filter": {"file_path": "storage.md", "header": "Storage"}}
    [result] = (await client.post("/search", json=asked)).json()["results"]
    assert result["file_path"] == "storage.md"
    assert result["header"] == "Storage"
    assert result["line_start"] == 1
    assert set(result) == {"file_path", "header", "line_start", "score", "text"}
    words = (await client.post("/search", json={"keyword": "PagerDuty"})).json()["results"]
    assert [result["file_path"] for result in words] == ["alerts.md"]


async def test_notes_are_answered_as_plain_text(client: httpx2.AsyncClient) -> None:
    reply = await client.post("/search", json={"query": QUESTION, "generate": True})
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "15 days" in reply.text
    assert "[1]" in reply.text
    assert (await client.post("/search", json={"top_k": 3})).status_code == 400
    assert (await client.get("/healthz")).status_code == 200


# The production specification


async def test_a_query_has_the_five_responses(kept: Kept, client: httpx2.AsyncClient) -> None:
    made = (await client.post("/v1/query", json={"tenant_id": "default", "question": QUESTION})).json()
    assert set(made) == {"answer", "citations", "abstained", "debug"}
    assert made["abstained"] is False
    assert made["debug"] is None
    assert set(made["citations"][0]) == {"doc_id", "doc_version_id", "chunk_id", "title", "version_label"}
    off = (await client.post("/v1/query", json={"question": OFF_TOPIC, "debug": True})).json()
    assert (off["answer"], off["citations"], off["abstained"]) == (ABSTENTION, [], True)
    assert off["debug"]["reranker_skipped"] is False
    wrong = await client.post("/v1/query", json={"question": 3})
    assert (wrong.status_code, wrong.json()["error"]) == (400, "bad_request")
    away = LlmSettings("openai/m", base_url="http://127.0.0.1:9/v1", api_key="k", timeout=0.2, total=0.3, retries=0)
    async with open_client(replace(kept.settings, llm=away)) as other:
        failed = await other.post("/v1/query", json={"question": QUESTION})
        assert (failed.status_code, failed.json()["error"]) == (502, "llm_unavailable")


async def test_what_nobody_foresaw_is_internal_and_tells_nothing(
    client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_args: Any, **_options: Any) -> Any:
        raise RuntimeError("boom")

    monkeypatch.setattr("ragstone.server.routes.query.open_engine", fail)
    reply = await client.post("/v1/query", json={"question": QUESTION})
    assert (reply.status_code, reply.json()["error"]) == (500, "internal")
    assert "boom" not in reply.text
    assert reply.headers["link"] == '</v1/openapi.json>; rel="service-desc"'
    assert reply.headers["x-request-id"]
