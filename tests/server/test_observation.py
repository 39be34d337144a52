"""Each question leaves a line of JSON and figures for Prometheus; neither tells what was asked."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

import ragstone
from ragstone.config.serve_settings import LogSettings
from ragstone.config.settings import Settings
from ragstone.core import query_log
from ragstone.core.query_log import hash_question
from ragstone.server import access_log
from tests.patience import HANG
from tests.server.conftest import QUESTION, Kept, open_client, serve_program

OFF_TOPIC = "Who won the chess championship in Reykjavik?"
# The fields that the production RAG specification names.
REQUIRED = """
ts tenant_id request_id question_hash k_vec k_fts k_rerank num_vec_candidates num_fts_candidates num_merged_candidates
reranker_used reranker_skipped reranker_latency_ms num_context_chunks context_tokens_est abstained latency_ms_total
latency_ms_vec latency_ms_fts latency_ms_merge latency_ms_rerank latency_ms_llm llm_provider llm_model llm_prompt_tokens
llm_completion_tokens http_status
""".split()


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """The lines of the log of queries."""
    with keep_lines(query_log.log) as found:
        yield found


@contextmanager
def keep_lines(log: logging.Logger) -> Iterator[list[dict[str, Any]]]:
    found: list[dict[str, Any]] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(json.loads(record.getMessage()))

    keeper, level = Keeper(), log.level
    log.addHandler(keeper)
    log.setLevel(logging.INFO)
    yield found
    log.removeHandler(keeper)
    log.setLevel(level)


async def read_metrics(client: httpx2.AsyncClient) -> dict[tuple[str, ...], float]:
    """Samples by their name and the values of their labels."""
    reply = await client.get("/metrics")
    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(reply.text)
    return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


async def test_each_question_leaves_a_line_with_every_field(
    client: httpx2.AsyncClient, lines: list[dict[str, Any]]
) -> None:
    await client.post("/v1/query", json={"question": QUESTION}, headers={"x-request-id": "mine"})
    [line] = lines
    assert set(REQUIRED) <= line.keys()
    assert (line["tenant_id"], line["request_id"], line["http_status"]) == ("default", "mine", 200)
    assert line["question_hash"] == hash_question(f"  {QUESTION.upper()} ") != hash_question(OFF_TOPIC)
    assert line["num_vec_candidates"] >= line["num_fts_candidates"] > 0
    assert line["num_merged_candidates"] >= line["num_context_chunks"] > 0
    assert line["context_tokens_est"] > 0
    assert line["abstained"] is False
    assert line["latency_ms_total"] >= line["latency_ms_vec"] + line["latency_ms_fts"] > 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["ts"])
    assert "samples" not in json.dumps(line).lower()


async def test_streams_searches_refusals_and_errors_are_told_too(
    client: httpx2.AsyncClient, lines: list[dict[str, Any]]
) -> None:
    await client.post("/v1/ask", json={"query": OFF_TOPIC, "stream": True})
    await client.post("/v1/search", json={"query": QUESTION, "mode": "keyword"})
    await client.post("/v1/search", json={"query": QUESTION, "collection": "nope"})
    asked, searched, failed = lines
    assert (asked["verb"], asked["abstained"], asked["http_status"]) == ("ask", True, 200)
    assert asked["reason"]
    assert (searched["verb"], searched["k_vec"], searched["num_vec_candidates"]) == ("search", 0, 0)
    assert (failed["error"], failed["http_status"]) == ("index_not_built", 404)


async def test_the_text_of_a_question_is_logged_only_if_wanted_and_masked(
    kept: Kept, lines: list[dict[str, Any]]
) -> None:
    secret = "What is password=hunter2secret99 for?"
    async with open_client(replace(kept.settings, log=LogSettings(questions=True))) as client:
        await client.post("/v1/search", json={"query": secret})
    [line] = lines
    assert line["question"].startswith("What is password=")
    assert "hunter2secret99" not in json.dumps(line)
    lines.clear()
    async with open_client(replace(kept.settings, log=LogSettings(queries=False))) as client:
        await client.post("/v1/search", json={"query": QUESTION})
    assert lines == []


def test_the_library_writes_lines_only_if_wanted(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    with ragstone.open(settings=kept.settings) as kb:
        kb.ask(QUESTION)
    assert capsys.readouterr().err == ""
    with ragstone.open(settings=replace(kept.settings, log=LogSettings(queries=True))) as kb:
        kb.ask(QUESTION)
        kb.pipeline("handbook").search(QUESTION)
    asked, searched = map(json.loads, capsys.readouterr().err.splitlines())
    assert set(REQUIRED) <= asked.keys()
    assert (asked["target"], asked["http_status"], searched["target"]) == ("default", None, "handbook")
    assert asked["request_id"] != searched["request_id"]


async def test_metrics_count_requests_questions_and_their_stages(client: httpx2.AsyncClient) -> None:
    await client.post("/v1/ask", json={"query": QUESTION, "cache": True})
    await client.post("/v1/ask", json={"query": OFF_TOPIC})
    await client.post("/v1/search", json={"query": QUESTION, "collection": "nope"})
    await client.get("/no/such/place")
    found = await read_metrics(client)
    assert found["ragstone_http_requests_total", "POST", "/v1/ask", "200"] == 2
    assert found["ragstone_http_requests_total", "POST", "/v1/search", "404"] == 1
    assert found["ragstone_http_requests_total", "GET", "unmatched", "404"] == 1
    assert found["ragstone_queries_total", "answered", "ask"] == 1
    assert found["ragstone_queries_total", "abstained", "ask"] == 1
    assert found["ragstone_queries_total", "error", "search"] == 1
    assert sum(value for name, value in found.items() if name[0] == "ragstone_abstentions_total") == 1
    for stage in ("embed", "vec", "fts", "merge"):
        assert found["ragstone_stage_seconds_count", stage] == 2
    assert found["ragstone_candidates_total", "vec"] > 0
    assert found["ragstone_store_bytes",] > 1000
    assert found["ragstone_configuration_ok",] == 1
    assert found["ragstone_requests_running",] == 0


async def test_the_first_failure_raises_its_count(client: httpx2.AsyncClient) -> None:
    text = (await client.get("/metrics")).text
    assert 'ragstone_ingestion_runs_total{status="failed"} 0.0' in text  # an alert asks how much it grew
    assert 'ragstone_configuration_reloads_total{result="failed"} 0.0' in text


async def test_every_step_that_may_fail_has_its_series_from_the_start(client: httpx2.AsyncClient) -> None:
    """Codes that the source names, of steps that are tried and of notes."""
    folder = Path(ragstone.__file__).parent
    texts = [file.read_text("utf-8") for part in ("retrieval", "answering") for file in (folder / part).rglob("*.py")]
    tried = {name for text in texts for name in re.findall(r"\.attempt\(\s*\"(\w+)\"", text)}
    named = {code for text in texts for code in re.findall(r"\"(\w+_(?:failed|refused|unavailable))\"", text)}
    assert {"embedding", "fusion"} <= tried
    assert {"llm_refused", "part_failed"} <= named
    reply = (await client.get("/metrics")).text
    for code in named | {f"{name}_failed" for name in tried}:
        assert f'ragstone_degraded_total{{note="{code}"}} 0.0' in reply, code


async def test_the_runs_of_uploads_are_counted_too(own: Settings) -> None:
    async with open_client(own) as client:
        for data in (b"# Tea\n\nIt is green.\n", b"\0\1\2"):
            await client.post("/v1/documents", files={"file": ("tea.md", data)})
        found = await read_metrics(client)
    assert found["ragstone_ingestion_runs_total", "succeeded"] == 2
    assert found["ragstone_ingestion_documents_total", "added"] == 1
    assert found["ragstone_ingestion_documents_total", "skipped"] == 1


async def test_metrics_name_no_tenant_collection_document_or_question(client: httpx2.AsyncClient) -> None:
    await client.post("/v1/pipelines/handbook", json={"query": "okapi zebra"})
    await client.get("/v1/collections/default")
    text = (await client.get("/metrics")).text
    for word in ("default", "handbook", "storage", "okapi"):
        assert word not in text


async def test_metrics_are_for_this_machine_and_for_admins(kept: Kept, locked: Settings) -> None:
    for key, status in ((None, 401), ("read", 403), ("admin", 200)):
        async with open_client(locked, kept.keys[key] if key else None) as client:
            assert (await client.get("/metrics")).status_code == 200
            forwarded = await client.get("/metrics", headers={"x-forwarded-for": "192.0.2.1"})
            assert forwarded.status_code == status


async def test_runs_and_reloads_are_counted(own: Settings) -> None:
    async with open_client(own) as client:
        assert (await client.post("/ingest")).status_code == 200
        found = await read_metrics(client)
        assert found["ragstone_ingestion_runs_total", "succeeded"] == 1
        assert found["ragstone_ingestion_documents_total", "added"] == 1


def test_several_processes_count_together(kept: Kept) -> None:
    with (
        serve_program("--store", kept.settings.store, "--workers", "2") as server,
        httpx2.Client(base_url=server.url, timeout=HANG) as client,
    ):
        for _ in range(6):
            with httpx2.Client(
                base_url=server.url, timeout=HANG
            ) as other:  # a connection of its own: any of the processes takes it
                assert other.post("/v1/search", json={"query": QUESTION, "mode": "keyword"}).status_code == 200
        families = text_string_to_metric_families(client.get("/metrics").text)
        counts = {
            one.name: one.value for family in families for one in family.samples if "search" in one.labels.values()
        }
        assert counts["ragstone_queries_total"] == 6


async def test_each_request_leaves_a_line_without_what_it_asked(kept: Kept) -> None:
    settings = replace(kept.settings, access=replace(kept.settings.access, trusted=False))
    key = kept.keys["read"]
    with keep_lines(access_log.log) as found:
        async with open_client(settings, key) as client:
            await client.post("/v1/search", json={"query": QUESTION}, headers={"x-request-id": "mine"})
            await client.get("/v1/documents/4a1f?token=secret")
            await client.get("/secret/place")
            await client.get("/v1/ready")
            await client.post("/v1/search", json={"query": QUESTION}, headers={"authorization": f"Bearer {key}x"})
        async with open_client(replace(settings, log=LogSettings(requests=False)), key) as client:
            await client.get("/v1/collections")
    told = [(line["method"], line["path"], line["http_status"], line["tenant_id"], line["key_id"]) for line in found]
    public = key.split("_")[1]
    assert told == [
        ("POST", "/v1/search", 200, "default", public),
        ("GET", "/v1/documents/{identity}", 422, "default", public),
        ("GET", "unmatched", 404, None, None),
        ("POST", "/v1/search", 401, None, None),
    ]
    assert (found[0]["request_id"], found[0]["latency_ms"] > 0) == ("mine", True)
    text = json.dumps(found)
    assert not any(word in text for word in ("secret", "samples", key))
