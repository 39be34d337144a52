"""Requests and responses as two other systems document them, sent word for word. `...` stands for any text there."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ragstone.config.model_settings import EmbedSettings, LlmSettings, RerankSettings
from ragstone.config.settings import ChunkSettings, Settings, SourceSettings
from ragstone.engine import Engine
from tests.server.conftest import JSON, open_client

# The production specification, section 6
REQUEST = """{
  "tenant_id": "uuid",
  "question": "string",
  "top_k": 10,
  "debug": false
}"""
SUCCESS = (
    '{"answer":"...","citations":[{"doc_id":"...","doc_version_id":"...","chunk_id":"...","title":"...",'
    '"version_label":"..."}],"abstained":false,"debug":null}'
)
ABSTAIN = (
    '{"answer":"I don\'t have enough information in the current documents to answer that.","citations":[],'
    '"abstained":true,"debug":null}'
)
BAD_REQUEST = '{"error":"bad_request","message":"..."}'
LLM_FAILURE = '{"error":"llm_unavailable","message":"..."}'
INTERNAL = '{"error":"internal","message":"..."}'

# nadir: what it keeps of a passage, and what a search gives of it
KEPT = {
    "header": "1.3 Weighted A* Search",
    "file_path": "week 3 informed search and heuristic function.md",
    "line_start": 122,
}
GIVEN = "file_path, header, line_start, score, text"


def fill(template: Any, value: Any) -> Any:
    """A value with `...` wherever the template has it: equal to the template where it fits, in its order of keys."""
    if template == "..." and (isinstance(value, str) or value is None):
        return "..."
    if isinstance(template, dict) and isinstance(value, dict):
        return {key: fill(template.get(key), one) for key, one in value.items()}
    if isinstance(template, list) and isinstance(value, list) and template:
        return [fill(template[0], one) for one in value]
    return value


def check(reply: httpx2.Response, status: int, example: str) -> None:
    assert reply.status_code == status
    template = json.loads(example)
    filled = fill(template, reply.json())
    assert json.dumps(filled, ensure_ascii=False, separators=(",", ":")) == example


@pytest.fixture
async def settings(tmp_path: Path) -> Settings:
    """A tenant `uuid` whose only document says what a string is, and the notes of the tenant `default`."""
    folders = [tmp_path / "company", tmp_path / "notes"]
    for folder in folders:
        folder.mkdir()
    (folders[0] / "types.md").write_text("# Types\n\nA string is a sequence of characters.\n", "utf-8")
    before = "# 1 Search\n\n## 1.1 Greedy Search\n" + "It follows the heuristic.\n" * 60 + "\n## 1.2 A* Search\n"
    lines = (before + "It adds the cost so far.\n" * 200).splitlines()[:119]
    after = ["", "", "## 1.3 Weighted A* Search", "", "Weighted A* multiplies the heuristic by a weight."]
    (folders[1] / str(KEPT["file_path"])).write_text("\n".join([*lines, *after]) + "\n", "utf-8")
    chunk = ChunkSettings("recursive", {"size": 512, "overlap": 64})
    made = Settings(store=f"embedded:{tmp_path / 'store'}", embed=EmbedSettings("none"), chunk=chunk)
    for tenant, folder in zip(("uuid", "default"), folders, strict=True):
        async with Engine(replace(made, tenant=tenant, sources=(SourceSettings(str(folder)),))) as engine:
            await engine.ingest()
    return made


@pytest.fixture
async def asked(settings: Settings) -> AsyncIterator[httpx2.AsyncClient]:
    async with open_client(settings) as client:
        yield client


async def test_the_request_of_the_specification_gets_its_responses(asked: httpx2.AsyncClient) -> None:
    sent = REQUEST.replace('"question": "string"', '"question": "What is a string?"')
    reply = await asked.post("/v1/query", content=sent, headers=JSON)
    one = json.loads(SUCCESS)["citations"]
    assert len(reply.json()["citations"]) == len(one)
    check(reply, 200, SUCCESS)
    off = REQUEST.replace('"question": "string"', '"question": "Who won the chess championship?"')
    check(await asked.post("/v1/query", content=off, headers=JSON), 200, ABSTAIN)
    check(await asked.post("/v1/query", content=REQUEST.replace('"string"', "3"), headers=JSON), 400, BAD_REQUEST)


async def test_the_request_as_it_stands_is_taken(asked: httpx2.AsyncClient) -> None:
    reply = await asked.post("/v1/query", content=REQUEST, headers=JSON)
    assert reply.status_code == 200
    assert list(reply.json()) == ["answer", "citations", "abstained", "debug"]


async def test_a_reranker_that_is_away_costs_its_order_alone_and_debug_says_so(settings: Settings) -> None:
    """ "On reranker fail-open: include `debug.reranker_skipped=true` (and `debug.reranker_error` if available)."""
    away = RerankSettings("infinity/any", base_url="http://127.0.0.1:9", timeout=0.2, retries=0)
    sent = REQUEST.replace('"question": "string"', '"question": "What is a string?"')
    async with open_client(replace(settings, rerank=away)) as client:
        check(await client.post("/v1/query", content=sent, headers=JSON), 200, SUCCESS)
        told = await client.post("/v1/query", content=sent.replace("false", "true"), headers=JSON)
        debug = told.json()["debug"]
        assert debug["reranker_skipped"] is True
        assert "infinity" in debug["reranker_error"]


async def test_failures_have_the_bodies_of_the_specification(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = LlmSettings("openai/m", base_url="http://127.0.0.1:9/v1", api_key="k", timeout=0.2, total=0.3, retries=0)
    sent = REQUEST.replace('"question": "string"', '"question": "What is a string?"')
    async with open_client(replace(settings, llm=away)) as client:
        check(await client.post("/v1/query", content=sent, headers=JSON), 502, LLM_FAILURE)

        async def fail(*_: Any, **__: Any) -> Any:
            raise RuntimeError("boom")

        monkeypatch.setattr("ragstone.server.routes.query.open_engine", fail)
        check(await client.post("/v1/query", content=sent, headers=JSON), 500, INTERNAL)


async def test_a_search_of_notes_gives_what_they_keep(asked: httpx2.AsyncClient) -> None:
    sent = {"query": "weighted heuristic", "top_k": 1, "filter": {"file_path": KEPT["file_path"]}}
    [result] = (await asked.post("/search", json=sent)).json()["results"]
    assert ", ".join(result) == GIVEN
    assert {key: result[key] for key in KEPT} == KEPT
    assert "multiplies the heuristic" in result["text"]
    again = {**sent, "filter": {"header": KEPT["header"]}}
    assert (await asked.post("/search", json=again)).json()["results"] == [result]
