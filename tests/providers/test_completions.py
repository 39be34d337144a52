"""All vendors against one kit: OpenAI's and Anthropic's wire spoken by llama.cpp's server, Ollama's by a shim over it,
Gemini's by a script."""

import asyncio
import json
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ragstone.config.vendors import VENDORS
from ragstone.core.ports import Completion
from ragstone.providers import make_completion
from ragstone.providers.endpoint import Endpoint
from ragstone.testing.completions import CompletionContract
from tests.patience import HANG, until_async
from tests.providers.serving import backends
from tests.providers.serving.between import Between, standing
from tests.providers.serving.llama import KEY, MODEL


class Standing:
    """A vendor's model behind a server of the tests."""

    def __init__(self, vendor: str, between: Between, *, below: str = "", llama: str | None = None) -> None:
        self.vendor = vendor
        self.between = between
        self.below = below
        self.llama = llama
        self.made: list[Completion] = []
        self.schemas = vendor != "anthropic"  # llama.cpp's server speaks its shapes and leaves schemas aside
        self.fail_next, self.cut, self.ends = between.fail_next, between.cut, between.ends
        self.insert_bytes, self.stall_after, self.repeat_event = (
            between.insert_bytes,
            between.stall_after,
            between.repeat_event,
        )

    def completion(self, *, model: str = MODEL, **changes: Any) -> Completion:
        reach = {
            "base_url": self.between.url + self.below,
            "key": KEY,
            "first": 0.001,
            "timeout": HANG,
            "total": HANG,
            **changes,
        }
        self.made.append(
            make_completion(f"{self.vendor}/{model}", reach=Endpoint(VENDORS[self.vendor], "llm", **reach))
        )
        return self.made[-1]

    async def close(self) -> None:
        for model in self.made:
            await model.close()

    def list_requests(self) -> list[tuple[dict[str, str], dict[str, Any]]]:
        return [(seen.headers, seen.json) for seen in self.between.requests if seen.method == "POST"]

    def read_key(self, headers: dict[str, str]) -> str:
        name = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}.get(self.vendor, "authorization")
        assert headers[name].removeprefix("Bearer ") == KEY
        return KEY

    async def has_client_left(self) -> bool:
        return await asyncio.to_thread(self.between.left.wait, HANG)

    async def is_idle(self) -> bool:
        self.between.released.set()
        if self.llama is None:
            return True

        async def resting() -> bool:
            request = urllib.request.Request(f"{self.llama}/slots", headers={"Authorization": f"Bearer {KEY}"})
            with await asyncio.to_thread(urllib.request.urlopen, request) as response:
                return not any(slot["is_processing"] for slot in json.load(response))

        return await until_async(resting)


@asynccontextmanager
async def aclosed(behind: Standing) -> AsyncIterator[Standing]:
    """Its models are closed when the block ends."""
    try:
        yield behind
    finally:
        await behind.close()


class TestOpenAI(CompletionContract):
    @pytest.fixture
    async def behind(self, llama: str) -> AsyncIterator[Standing]:
        with standing(backends.relay(llama)) as between:
            async with aclosed(Standing("openai", between, below="/v1", llama=llama)) as behind:
                yield behind


class TestAnthropic(CompletionContract):
    first = 2

    @pytest.fixture
    async def behind(self, llama: str) -> AsyncIterator[Standing]:
        with standing(backends.relay(llama)) as between:
            async with aclosed(Standing("anthropic", between, llama=llama)) as behind:
                yield behind


class TestOllama(CompletionContract):
    first = 0
    wild = (b'{"mess\n', b"[1, 2]\n", b'{"message": "\xff"}\n', b'{"message": {"content": 7}}\n')

    @pytest.fixture
    async def behind(self, llama: str) -> AsyncIterator[Standing]:
        with standing(backends.ollama(llama)) as between:
            async with aclosed(Standing("ollama", between, llama=llama)) as behind:
                yield behind


class TestGemini(CompletionContract):
    first = 0

    @pytest.fixture
    async def behind(self) -> AsyncIterator[Standing]:
        with standing(backends.gemini) as between:
            async with aclosed(Standing("gemini", between)) as behind:
                yield behind
