"""The store is lost while the server runs: probes tell, other figures stay, clients learn when to ask again."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from ragstone.config.deadlines import Deadlines
from ragstone.config.model_settings import EmbedSettings
from ragstone.config.settings import Settings
from ragstone.core.errors import Corrupt, NotAStore, StoreError, StoreNotReady, StoreTooNew, Unavailable
from ragstone.core.waits import WaitCause, explain_wait
from ragstone.server import store_probe
from ragstone.server.errors import describe_error
from ragstone.stores import outage
from ragstone.stores.postgres import pool
from tests.patience import HANG, until_async
from tests.server.conftest import QUESTION, open_client
from tests.stores.postgres.conftest import database, server
from tests.stores.postgres.server import USER, Server
from tests.stores.postgres.test_waits import CUT

__all__ = ["database", "server"]
AWAY = Settings(
    store="postgresql://nobody@127.0.0.1:1/kb", embed=EmbedSettings("none"), deadlines=Deadlines(search=0.05)
)


async def test_probes_tell_of_it_and_the_other_figures_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "FIRST_PATIENCE", 0.0)
    async with open_client(AWAY) as client:
        ready = await client.get("/v1/ready")
        assert (ready.status_code, ready.json()) == (503, {"status": "store_failed"})
        assert (await client.get("/healthz")).status_code == 503
        assert (await client.get("/v1/live")).status_code == 200
        health = await client.get("/v1/health")
        assert health.json() == {"status": "degraded", "pipelines": [], "store": "the store cannot be used now"}
        figures = await client.get("/metrics")
        assert figures.status_code == 200
        assert "ragstone_store_reachable 0.0" in figures.text


async def test_a_key_is_not_looked_for_longer_than_a_search_may_take() -> None:
    settings = replace(AWAY, access=replace(AWAY.access, trusted=False))
    async with open_client(settings, f"rag_{'a' * 16}_{'b' * 43}") as client:
        reply = await client.post("/v1/search", json={"query": QUESTION})
        assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5")


@pytest.mark.parametrize(
    ("cause", "status"), [(WaitCause("all connections are in use", is_busy=True), 200), (None, 503)]
)
async def test_a_store_that_is_busy_gets_questions(
    cause: WaitCause | None, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0

    async def wait(*_: Any) -> str:
        nonlocal looks
        looks += 1
        if cause is not None:
            with explain_wait(lambda: cause):
                await asyncio.Event().wait()
        await asyncio.Event().wait()
        return ""

    monkeypatch.setattr(store_probe, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(store_probe, "FRESH_SECONDS", 1000.0)
    monkeypatch.setattr(store_probe, "check_store", wait)
    async with open_client(AWAY) as client:
        replies = await asyncio.gather(*(client.get("/v1/ready") for _ in range(3)))
        assert [reply.status_code for reply in replies] == [status] * 3
    assert looks == 1


async def test_a_driver_that_does_not_even_stop_waiting_holds_up_no_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = asyncio.Event()

    async def wait(*_: Any) -> str:
        while not ended.is_set():
            with suppress(asyncio.CancelledError):
                await ended.wait()
        raise StoreError("gone")

    monkeypatch.setattr(store_probe, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(store_probe, "END_SECONDS", 0.01)
    monkeypatch.setattr(store_probe, "check_store", wait)
    async with asyncio.timeout(HANG), open_client(AWAY) as client:
        assert (await client.get("/v1/ready")).status_code == 503
        ended.set()


async def test_a_store_that_answers_is_ready(server: Server, database: str) -> None:
    async with open_client(replace(AWAY, store=server.url(database))) as client:
        assert (await client.get("/v1/ready")).status_code == 200
        assert "ragstone_store_reachable 1.0" in (await client.get("/metrics")).text


async def test_a_lost_database_makes_a_server_not_ready_until_it_is_back_and_restarts_none(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_probe, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(outage, "GRACE", 0.0)
    connect = psycopg.AsyncConnection.connect.__func__  # type: ignore[attr-defined]
    is_lost = False

    async def refuse(*given: Any, **more: Any) -> Any:
        if is_lost:
            raise psycopg.OperationalError("Connection refused")
        return await connect(*given, **more)

    monkeypatch.setattr(psycopg.AsyncConnection, "connect", classmethod(refuse))
    async with open_client(replace(AWAY, store=server.url(database))) as client:

        async def answer(path: str) -> int:
            return (await client.get(path)).status_code

        assert await answer("/v1/ready") == 200
        is_lost = True
        await asyncio.to_thread(server.run, CUT.format(USER, database))
        for _ in range(2):
            assert (await answer("/v1/ready"), await answer("/v1/live")) == (503, 200)
            assert await answer("/v1/documents") == 503  # at once: half a minute before
        is_lost = False
        await until_async(lambda: is_ready(answer))


async def is_ready(answer: Callable[[str], Awaitable[int]]) -> bool:
    return await answer("/v1/ready") == 200


@pytest.mark.parametrize(
    ("error", "wait"),
    [
        (StoreError("away"), "5"),
        (StoreNotReady("no tables"), "5"),
        (Unavailable("the model is away"), "5"),
        (StoreTooNew("schema version 99"), "5"),
        (Corrupt("damaged"), None),
        (NotAStore("a file"), None),
    ],
)
def test_clients_learn_when_to_ask_again_where_that_may_help(error: Exception, wait: str | None) -> None:
    problem = describe_error(error)
    assert (problem.status, problem.headers.get("Retry-After")) == (503, wait)
