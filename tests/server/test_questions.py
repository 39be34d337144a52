"""Our own endpoints for questions, over one collection and through a pipeline."""

import json
from typing import Any

import httpx2
import pytest

from tests.server.conftest import QUESTION, Kept, open_client


def read_events(text: str) -> list[tuple[str, Any]]:
    """Name and data of each event of a stream."""
    found = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines.get("event", ""), json.loads(lines["data"])))
    return found


@pytest.mark.parametrize("where", [{}, {"collection": "default"}, {"pipeline": "handbook"}])
async def test_a_search_gives_what_the_library_gives(client: httpx2.AsyncClient, where: dict[str, str]) -> None:
    reply = await client.post("/v1/search", json={"query": QUESTION, "top_k": 2, **where})
    assert reply.status_code == 200
    found = reply.json()
    assert found["schema"] == 1
    assert found["hits"][0]["document"]["path"] == "storage.md"
    assert "15 days" in found["hits"][0]["text"]
    assert found["hits"][0]["spans"][0]["line_start"] == 1
    assert len(found["hits"]) == 2


async def test_filters_and_options_act(client: httpx2.AsyncClient) -> None:
    asked = {"query": QUESTION, "filter": {"paths": ["alerts.md"]}, "mode": "semantic", "llm_filter": False}
    found = (await client.post("/v1/search", json=asked)).json()
    assert [hit["document"]["path"] for hit in found["hits"]] == ["alerts.md"]


@pytest.mark.parametrize("where", [{}, {"pipeline": "handbook"}])
async def test_an_answer_is_cited_and_a_stream_ends_with_the_same(
    client: httpx2.AsyncClient, where: dict[str, str]
) -> None:
    whole = (await client.post("/v1/ask", json={"query": QUESTION, **where})).json()
    assert "15 days" in whole["answer"]
    assert whole["citations"][0]["status"] == "verified"
    reply = await client.post("/v1/ask", json={"query": QUESTION, "stream": True, **where})
    assert reply.headers["content-type"].startswith("text/event-stream")
    events = read_events(reply.text)
    assert next(name for name, _ in events) == "search_results"
    assert [name for name, _ in events][-2:] == ["final_answer", "done"]
    streamed = events[-2][1]
    for made in (streamed, whole):
        del made["timings"]
    assert streamed == whole


async def test_a_conversation_goes_on(client: httpx2.AsyncClient) -> None:
    turns = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": "15 days."}]
    made = (await client.post("/v1/ask", json={"query": "And by default?", "messages": turns})).json()
    assert any(note["code"] == "standalone" for note in made["notes"])


async def test_explain_says_where_a_document_was_lost(client: httpx2.AsyncClient) -> None:
    asked = {"query": QUESTION, "path": "alerts.md", "top_k": 1}
    assert (await client.post("/v1/explain", json=asked)).json()["stage"] == "below_cut"


async def test_secrets_are_masked_in_every_shape(client: httpx2.AsyncClient) -> None:
    asked = {"query": "What is the password?", "top_k": 4}
    for path in ("/v1/search", "/v1/ask"):
        for more in ({}, {"stream": True}) if path == "/v1/ask" else ({},):
            reply = await client.post(path, json={**asked, **more})
            assert reply.status_code == 200
            assert "hunter2secret99" not in reply.text


@pytest.mark.parametrize(
    ("body", "status", "code", "word"),
    [
        ({"query": "x", "topk": 3}, 422, "invalid_request", "topk"),
        ({"query": "x", "top_k": 0}, 422, "invalid_request", "top_k"),
        ({"query": "x", "top_k": "abc"}, 422, "invalid_request", "top_k"),
        ({}, 422, "invalid_request", "query"),
        ({"query": " "}, 400, "bad_request", "empty"),
        ({"query": "x" * 20_001}, 422, "invalid_request", "query"),
        ({"query": "x", "pipeline": "nope"}, 404, "not_found", "nope"),
        ({"query": "x", "collection": "nope"}, 404, "index_not_built", "not exist"),
        ({"query": "x", "pipeline": "handbook", "collection": "default"}, 400, "bad_request", "leave one out"),
        ({"query": "x", "filter": {"shas": ["ab"]}}, 400, "bad_request", "sha"),
        ({"query": "x", "filter": {"date_from": "soon"}}, 400, "bad_request", "date_from"),
    ],
)
@pytest.mark.parametrize("more", [{}, {"stream": True}], ids=["whole", "stream"])
async def test_a_mistake_is_named(
    client: httpx2.AsyncClient, body: dict[str, Any], status: int, code: str, word: str, more: dict[str, Any]
) -> None:
    reply = await client.post("/v1/ask", json={**body, **more})
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert word in reply.json()["error"]["message"]


async def test_an_error_in_the_middle_of_a_stream_is_an_event(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_client(kept.settings) as client:
        engine = await client.app.state.server.pool.open(trusted=True)  # type: ignore[attr-defined]
        real = engine.events

        async def break_off(*args: Any, **options: Any) -> Any:
            stream = real(*args, **options)
            yield await anext(stream)
            await stream.aclose()
            raise RuntimeError("boom")

        monkeypatch.setattr(engine, "events", break_off)
        reply = await client.post("/v1/ask", json={"query": QUESTION, "stream": True})
        names = [name for name, _ in read_events(reply.text)]
        assert names == ["search_results", "error"]
        assert "boom" not in reply.text


async def test_a_profile_acts_and_an_unknown_one_is_refused(client: httpx2.AsyncClient) -> None:
    found = (await client.post("/v1/search", json={"query": QUESTION, "profile": "templates_lookup"})).json()
    assert all("metadata" in hit["signals"] for hit in found["hits"])
    refused = await client.post("/v1/search", json={"query": QUESTION, "profile": "template_lookup"})
    assert refused.status_code == 400
    assert "unknown profile 'template_lookup'; did you mean templates_lookup?" in refused.text
