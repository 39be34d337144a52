"""OpenAI's official client against a server of this store."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx2
import openai
import pytest
from fastapi import FastAPI

from ragstone.config.settings import Settings
from ragstone.server.app import create_app
from tests.server.conftest import JSON, QUESTION, Kept, open_client

OFF_TOPIC = "Who won the chess championship in Reykjavik?"


@asynccontextmanager
async def official(settings: Settings, key: str = "any") -> AsyncIterator[openai.AsyncOpenAI]:
    app: FastAPI = create_app(settings)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=transport) as line:
        yield openai.AsyncOpenAI(base_url="http://localhost/v1", api_key=key, http_client=line, max_retries=0)


@pytest.fixture
async def client(kept: Kept) -> AsyncIterator[openai.AsyncOpenAI]:
    async with official(kept.settings) as client:
        yield client


def ask(text: str = QUESTION, **more: Any) -> dict[str, Any]:
    return {"model": "handbook", "messages": [{"role": "user", "content": text}], **more}


async def test_pipelines_and_collections_are_models(client: openai.AsyncOpenAI) -> None:
    assert [model.id async for model in client.models.list()] == ["handbook", "default"]
    assert (await client.models.retrieve("default")).owned_by == "ragstone"
    with pytest.raises(openai.NotFoundError) as caught:
        await client.models.retrieve("gpt-9")
    assert caught.value.code == "model_not_found"


@pytest.mark.parametrize("model", ["handbook", "default"])
async def test_an_answer_has_its_citations_as_annotations_and_as_a_list(client: openai.AsyncOpenAI, model: str) -> None:
    system: Any = {"role": "system", "content": "Answer as a pirate."}
    made = await client.chat.completions.create(**ask() | {"model": model, "messages": [system, *ask()["messages"]]})
    [choice] = made.choices
    text = choice.message.content or ""
    assert text.startswith("Samples are kept for 15 days by default. [1]")
    assert "\n\nSources:\n[1] storage.md:5" in text
    note = (choice.message.annotations or [])[0]
    assert text[note.url_citation.start_index : note.url_citation.end_index] == "[1]"
    assert note.url_citation.title == "Storage"
    assert (made.object, made.model, choice.finish_reason) == ("chat.completion", model, "stop")
    passage = await client.get(note.url_citation.url.removeprefix("http://localhost/v1"), cast_to=object)
    assert "15 days" in str(passage)


async def test_a_stream_gives_the_same_text_and_citations(client: openai.AsyncOpenAI) -> None:
    whole = (await client.chat.completions.create(**ask())).choices[0].message
    chunks = [
        chunk
        async for chunk in await client.chat.completions.create(
            **ask(), stream=True, stream_options={"include_usage": True}
        )
    ]
    assert len({chunk.id for chunk in chunks}) == 1
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert deltas[0].role == "assistant"
    assert "".join(delta.content or "" for delta in deltas) == whole.content
    assert [note for delta in deltas for note in (delta.to_dict().get("annotations") or [])] == [
        note.to_dict() for note in whole.annotations or []
    ]
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None


async def test_a_refusal_is_an_answer_that_lists_what_is_closest(client: openai.AsyncOpenAI) -> None:
    message = (await client.chat.completions.create(**ask(OFF_TOPIC))).choices[0].message
    assert message.content is not None
    assert message.content.startswith("I don't have enough information")
    assert "\n\nClosest passages:\n- " in message.content
    assert not message.annotations
    chunks = [c async for c in await client.chat.completions.create(**ask(OFF_TOPIC), stream=True)]
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == message.content


async def test_a_conversation_goes_on(client: openai.AsyncOpenAI) -> None:
    turns: Any = [
        {"role": "user", "content": [{"type": "text", "text": "How are samples kept?"}]},
        {"role": "assistant", "content": "On disk."},
        {"role": "user", "content": "And for how long?"},
    ]
    made = await client.chat.completions.create(model="default", messages=turns)
    assert "15 days" in (made.choices[0].message.content or "")


async def test_responses_whole_and_streamed_are_read_by_the_client(client: openai.AsyncOpenAI) -> None:
    made = await client.responses.create(model="handbook", input=QUESTION)
    assert made.output_text.startswith("Samples are kept for 15 days by default. [1]")
    [message] = made.output
    assert message.type == "message"
    [part] = message.content
    assert part.type == "output_text"
    note = part.annotations[0]
    assert note.type == "file_citation"
    assert note.filename == "storage.md"
    assert part.text[: note.index].endswith("[1]")
    async with client.responses.stream(model="handbook", input=QUESTION) as stream:
        kinds = [event.type async for event in stream]
        final = await stream.get_final_response()
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert final.output_text == made.output_text


async def test_vectors_are_those_of_the_collection(client: openai.AsyncOpenAI) -> None:
    made = await client.embeddings.create(model="default", input=["samples", "disk"])
    assert [row.index for row in made.data] == [0, 1]
    assert sum(x * x for x in made.data[0].embedding) == pytest.approx(1, abs=1e-3)
    plain = await client.embeddings.create(model="default", input="samples", encoding_format="float")
    assert plain.data[0].embedding == pytest.approx(made.data[0].embedding)
    assert plain.usage.total_tokens > 0


async def test_a_collection_is_searched_as_a_vector_store(client: openai.AsyncOpenAI) -> None:
    found = await client.vector_stores.search("default", query=QUESTION, max_num_results=2)
    assert found.data[0].filename == "storage.md"
    assert "15 days" in found.data[0].content[0].text
    kept: Any = {"type": "eq", "key": "path", "value": "alerts.md"}
    other = await client.vector_stores.search("default", query=QUESTION, filters=kept)
    assert {one.filename for one in other.data} == {"alerts.md"}
    either: Any = {"type": "or", "filters": [kept, {"type": "in", "key": "path", "value": ["storage.md"]}]}
    both = await client.vector_stores.search("default", query=QUESTION, filters=either)
    assert {one.filename for one in both.data} == {"alerts.md", "storage.md"}


@pytest.mark.parametrize(
    ("path", "body", "status", "code", "said"),
    [
        ("chat/completions", ask() | {"model": "gpt-9"}, 404, "model_not_found", "'gpt-9' does not exist"),
        ("chat/completions", ask() | {"model": "../x"}, 404, "model_not_found", "does not exist"),
        ("chat/completions", ask() | {"messages": []}, 400, "invalid_request", "messages"),
        ("chat/completions", ask(" "), 400, "bad_request", "the last message must be a user's"),
        ("chat/completions", ask("x" * 30_000), 400, "bad_request", "shorten it"),
        ("chat/completions", ask() | {"n": 2}, 400, "invalid_request", "n"),
        ("chat/completions", ask() | {"temperature": "hot"}, 400, "invalid_request", "temperature"),
        (
            "chat/completions",
            ask() | {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
            400,
            "bad_request",
            "'image_url'",
        ),
        (
            "responses",
            {"model": "handbook", "input": "x", "previous_response_id": "r"},
            400,
            "bad_request",
            "not stored",
        ),
        ("embeddings", {"model": "handbook", "input": "x"}, 400, "bad_request", "one of its collections"),
        ("embeddings", {"model": "default", "input": [1, 2]}, 400, "invalid_request", "input"),
        ("embeddings", {"model": "default", "input": "x", "dimensions": 7}, 400, "bad_request", "384, not 7"),
        ("vector_stores/nope/search", {"query": "x"}, 404, "model_not_found", "'nope'"),
        ("vector_stores/default/search", {"query": "x", "max_num_results": 99}, 400, "invalid_request", "max_num"),
        ("vector_stores/default/search", {"query": "x", "filters": {"type": "eq"}}, 400, "bad_request", "a key"),
    ],
)
async def test_mistakes_are_told_as_openai_tells_them(
    kept: Kept, path: str, body: Any, status: int, code: str, said: str
) -> None:
    async with open_client(kept.settings) as client:
        reply = await client.post(f"/v1/{path}", json=body, headers=JSON)
    assert reply.status_code == status, reply.text
    error = reply.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["code"], error["type"]) == (code, "invalid_request_error")
    assert said in error["message"]


async def test_another_tenants_collection_is_a_model_that_does_not_exist(kept: Kept) -> None:
    locked = replace(kept.settings, access=replace(kept.settings.access, trusted=False), pipelines=())
    async with official(locked, kept.keys["rival"]) as rival:
        assert [model.id async for model in rival.models.list()] == []
        errors = []
        for name in ("default", "never"):
            with pytest.raises(openai.NotFoundError) as caught:
                await rival.chat.completions.create(**ask() | {"model": name})
            errors.append(str(caught.value).replace(name, "X"))
        assert errors[0] == errors[1]
    async with official(locked, "wrong") as stranger:
        with pytest.raises(openai.AuthenticationError):
            await stranger.models.list()


async def test_a_placeholder_of_a_key_is_no_key_where_none_is_asked_for(kept: Kept, client: openai.AsyncOpenAI) -> None:
    assert (await client.models.list()).data  # the client's key is "any"
    for wrong in ("rag_0123456789abcdef_" + "x" * 43, "a.b.c"):
        async with official(kept.settings, wrong) as stranger:
            with pytest.raises(openai.AuthenticationError):
                await stranger.models.list()


async def test_a_client_that_goes_away_frees_its_turn(kept: Kept) -> None:
    settings = replace(kept.settings, serve=replace(kept.settings.serve, concurrency=1, queue_size=1))
    async with official(settings) as client:
        stream = await client.chat.completions.create(**ask(), stream=True)
        await stream.close()
        made = await asyncio.wait_for(client.chat.completions.create(**ask()), 60)
        assert "15 days" in (made.choices[0].message.content or "")
