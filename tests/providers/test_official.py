"""The vendors' own clients beside ours: the same request in substance, and the same text out of the same server."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import anthropic
import ollama
import openai
import pytest

from ragstone.config.vendors import VENDORS
from ragstone.core.errors import UsageError
from ragstone.core.ports import Completion, Message, Prompt
from ragstone.providers import make_completion
from ragstone.providers.endpoint import Endpoint
from ragstone.testing.completions import SCHEMA
from tests.providers.serving import backends
from tests.providers.serving.between import Between, standing
from tests.providers.serving.llama import KEY, MODEL

PROMPT = Prompt((Message("system", "You are brief."), Message("user", "Say hello.")), max_tokens=8)
TURNS: list[Any] = [{"role": turn.role, "content": turn.text} for turn in PROMPT.messages]
OPTIONS = {"temperature": 0.0, "num_predict": 8, "num_ctx": 8192}
# What an official client adds that decides nothing.
ADDED = {"tools"}


@pytest.fixture
def relayed(llama: str) -> Iterator[Between]:
    with standing(backends.relay(llama)) as between:
        yield between


async def pieces(model: Completion) -> AsyncIterator[str]:
    async for piece in model.stream(PROMPT):
        if isinstance(piece, str):
            yield piece
    await model.close()


def own(vendor: str, url: str) -> Completion:
    return make_completion(f"{vendor}/{MODEL}", reach=Endpoint(VENDORS[vendor], "llm", base_url=url, key=KEY))


def same_request(between: Between, *headers: str) -> None:
    """The last two requests ask for the same, with the same credentials."""
    theirs, ours = between.requests[-2:]
    assert (theirs.method, theirs.path.partition("?")[0]) == (ours.method, ours.path.partition("?")[0])
    assert {name: value for name, value in theirs.json.items() if name not in ADDED} == ours.json
    assert {name: theirs.headers.get(name) for name in headers} == {name: ours.headers.get(name) for name in headers}


async def test_openais_client_asks_and_hears_the_same(relayed: Between) -> None:
    async with openai.AsyncOpenAI(base_url=f"{relayed.url}/v1", api_key=KEY) as client:
        stream = await client.chat.completions.create(
            model=MODEL,
            messages=TURNS,
            temperature=0,
            max_tokens=8,
            stream=True,
            stream_options={"include_usage": True},
        )
        theirs = [c.choices[0].delta.content async for c in stream if c.choices and c.choices[0].delta.content]
    assert [piece async for piece in pieces(own("openai", f"{relayed.url}/v1"))] == theirs
    same_request(relayed, "authorization", "content-type")


async def test_anthropics_client_asks_and_hears_the_same(relayed: Between) -> None:
    async with anthropic.AsyncAnthropic(base_url=relayed.url, api_key=KEY) as client:
        stream = await client.messages.create(
            model=MODEL,
            system=TURNS[0]["content"],
            messages=TURNS[1:],
            max_tokens=8,
            stream=True,
        )
        theirs = [
            event.delta.text
            async for event in stream
            if event.type == "content_block_delta" and event.delta.type == "text_delta"
        ]
    assert [piece async for piece in pieces(own("anthropic", relayed.url))] == theirs
    same_request(relayed, "anthropic-version", "content-type")
    theirs_, ours_ = relayed.requests  # both ways of saying the key are in its reference
    assert theirs_.headers["authorization"] == f"Bearer {ours_.headers['x-api-key']}" == f"Bearer {KEY}"


async def test_ollamas_client_asks_and_hears_the_same(llama: str) -> None:
    with standing(backends.ollama(llama)) as between:
        client = ollama.AsyncClient(between.url, headers={"Authorization": f"Bearer {KEY}"})
        stream = await client.chat(MODEL, TURNS, stream=True, options=OPTIONS)
        theirs = [part.message.content async for part in stream if part.message.content]
        assert [piece async for piece in pieces(own("ollama", between.url))] == theirs
        same_request(between, "authorization", "content-type")
        names = [model.model for model in (await client.list()).models]
        assert names == [f"{MODEL}:latest"]
        await client.close()  # type: ignore[no-untyped-call]  # theirs


async def test_the_official_clients_send_schemas_alike(relayed: Between) -> None:
    schema: Any = SCHEMA
    shape: Any = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}
    async with openai.AsyncOpenAI(base_url=f"{relayed.url}/v1", api_key=KEY) as client:
        await client.chat.completions.create(model=MODEL, messages=TURNS, max_tokens=1, response_format=shape)
    async with anthropic.AsyncAnthropic(base_url=relayed.url, api_key=KEY) as other:
        output: Any = {"format": {"type": "json_schema", "schema": schema}}
        await other.messages.create(model=MODEL, messages=TURNS[1:], max_tokens=1, output_config=output)
    asked = Prompt(PROMPT.messages, max_tokens=1, schema=SCHEMA)
    for vendor, url in (("openai", f"{relayed.url}/v1"), ("anthropic", relayed.url)):
        model = own(vendor, url)
        await model.complete(asked)
        await model.close()
    bodies = [seen.json for seen in relayed.requests]
    assert bodies[0]["response_format"] == bodies[2]["response_format"]
    assert bodies[1]["output_config"] == bodies[3]["output_config"]


@pytest.mark.parametrize("vendor", ["openai", "anthropic", "ollama"])
async def test_a_real_server_says_when_a_prompt_is_too_long(llama: str, vendor: str) -> None:
    backend = backends.ollama(llama) if vendor == "ollama" else backends.relay(llama)
    with standing(backend) as between:
        model = own(vendor, between.url + ("/v1" if vendor == "openai" else ""))
        with pytest.raises(UsageError, match="longer than the model's context"):
            await model.complete(Prompt((Message("user", "word " * 4000),), max_tokens=4))
        await model.close()


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
async def test_a_real_server_refuses_a_wrong_key(llama: str, vendor: str) -> None:
    below = "/v1" if vendor == "openai" else ""
    reach = Endpoint(VENDORS[vendor], "llm", base_url=llama + below, key="wrong-key")
    model = make_completion(f"{vendor}/{MODEL}", reach=reach)
    with pytest.raises(UsageError, match="refuses the key"):
        await model.complete(PROMPT)
    await model.close()
