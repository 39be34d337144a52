"""A key may make so many requests in a minute, and others go on."""

from dataclasses import replace

import pytest

from ragstone.config.jwt import JwtSettings
from ragstone.config.serve_settings import ServeSettings
from ragstone.config.settings import AccessSettings, Settings
from ragstone.core.errors import QueueFull
from ragstone.server import rates
from ragstone.server.rates import Rates
from tests.access.issuer import AUDIENCE, ISSUER, token
from tests.server.conftest import QUESTION, Kept, open_client


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_tokens_come_back_with_time_and_each_caller_has_its_own() -> None:
    clock = Clock()
    made = Rates(6, clock)
    for _ in range(6):
        made.take("a")
    with pytest.raises(QueueFull) as caught:
        made.take("a")
    assert caught.value.retry_after_seconds == 10
    made.take("b")
    clock.now = 9.9
    with pytest.raises(QueueFull):
        made.take("a")
    clock.now = 10.1
    made.take("a")
    clock.now = 1000.0
    for _ in range(6):
        made.take("a")
    with pytest.raises(QueueFull):
        made.take("a")


def test_no_bound_counts_nothing_and_few_callers_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(100):
        Rates(None).take("a")
    monkeypatch.setattr(rates, "MOST_CALLERS", 3)
    made = Rates(1, Clock())
    for caller in "abcd":
        made.take(caller)
    made.take("a")  # forgotten
    with pytest.raises(QueueFull):
        made.take("d")


async def test_each_accepted_token_is_counted_for_itself_and_made_up_ones_for_their_address(kept: Kept) -> None:
    secret = "x" * 32
    jwt = JwtSettings(ISSUER, AUDIENCE, ("HS256",), key=secret)
    settings = replace(kept.settings, access=AccessSettings(trusted=False, jwt=jwt), serve=ServeSettings(rate=2))
    async with open_client(settings) as client:

        async def ask(text: str) -> int:
            headers = {"authorization": f"Bearer {text}"}
            return (await client.get("/v1/collections", headers=headers)).status_code

        one, other = (token(secret, "HS256", tenant="default", role="read", sub=who) for who in ("a", "b"))
        assert [await ask(one) for _ in range(3)] == [200, 200, 429]
        assert [await ask(other) for _ in range(3)] == [200, 200, 429]
        assert [await ask(f"made.up.{n}") for n in range(3)] == [401, 401, 429]


async def test_a_key_that_asks_too_often_waits_and_another_does_not(kept: Kept, locked: Settings) -> None:
    settings = replace(locked, serve=ServeSettings(rate=2))
    async with open_client(settings) as client:

        async def ask(role: str) -> int:
            headers = {"authorization": f"Bearer {kept.keys[role]}"}
            reply = await client.post("/v1/search", json={"query": QUESTION, "mode": "keyword"}, headers=headers)
            if reply.status_code == 429:
                assert reply.json()["error"]["code"] == "busy"
                assert int(reply.headers["retry-after"]) > 0
            return reply.status_code

        assert [await ask("read") for _ in range(4)] == [200, 200, 429, 429]
        assert [await ask("admin") for _ in range(3)] == [200, 200, 429]
