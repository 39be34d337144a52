"""A configuration that changes while the server runs: the last good one stays, nobody's request fails."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
import yaml

from ragstone.config.settings import Settings
from ragstone.engine.preparation import Part, list_parts
from ragstone.engine.shared_parts import SharedParts
from ragstone.providers.minilm.model import MiniLM
from ragstone.server import reload
from ragstone.server.app import create_app
from ragstone.server.reload import Configuration, reload_settings
from tests.patience import HANG, until, until_async
from tests.server.conftest import QUESTION, Kept, open_client, serve_program

T = TypeVar("T")


def write(file: Path, kept: Kept, name: str, **more: Any) -> None:
    """A configuration with one pipeline, put in place at once."""
    data = {"store": kept.settings.store, "pipelines": [{"name": name, "collections": ["default"]}], **more}
    made = file.with_suffix(".new")
    made.write_text(yaml.safe_dump(data), "utf-8")
    os.replace(made, file)


@asynccontextmanager
async def following(configuration: Configuration) -> AsyncIterator[httpx2.AsyncClient]:
    app = create_app(configuration.load(), configuration=configuration)
    transport = httpx2.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        client.app = app  # type: ignore[attr-defined]
        yield client


def passing(look: Callable[[], T]) -> Callable[[], Awaitable[T]]:
    """A look that is awaited, so that others run meanwhile."""

    async def pass_on() -> T:
        return look()

    return pass_on


async def names_of(client: httpx2.AsyncClient) -> list[str]:
    return [one["name"] for one in (await client.get("/v1/pipelines")).json()["pipelines"]]


async def wait_for_names(client: httpx2.AsyncClient, *names: str) -> None:
    async def come() -> bool:
        return await names_of(client) == list(names)

    await until_async(come)


async def test_a_changed_file_is_in_force_without_a_restart(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "ragstone.yaml"
    write(file, kept, "first")
    async with following(Configuration(str(file))) as client:
        assert await names_of(client) == ["first"]
        write(file, kept, "second")
        await wait_for_names(client, "second")
        write(file, kept, "third")
        await wait_for_names(client, "third")


async def test_a_link_that_is_swapped_is_seen(kept: Kept, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "ragstone.yaml", kept, name)
    (tmp_path / "data").symlink_to("one")
    (tmp_path / "ragstone.yaml").symlink_to("data/ragstone.yaml")
    async with following(Configuration(str(tmp_path / "ragstone.yaml"))) as client:
        assert await names_of(client) == ["one"]
        (tmp_path / "next").symlink_to("two")
        os.replace(tmp_path / "next", tmp_path / "data")
        await wait_for_names(client, "two")


async def test_a_broken_file_keeps_the_last_good_one_and_health_says_so(
    kept: Kept, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "ragstone.yaml"
    write(file, kept, "good")
    async with following(Configuration(str(file))) as client:
        file.write_text("pipelines: [{nam: x}]\n", "utf-8")

        async def degraded() -> dict[str, Any]:
            found: dict[str, Any] = (await client.get("/v1/health")).json()
            return found if found["status"] == "degraded" else {}

        health = await until_async(degraded)
        assert "nam" in health["configuration"]
        assert await names_of(client) == ["good"]
        assert "was not loaded again" in caplog.text
        write(file, kept, "better")
        await wait_for_names(client, "better")
        assert (await client.get("/v1/health")).json()["status"] == "healthy"


async def test_a_probe_without_a_key_sees_that_a_file_is_broken_and_not_why(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "ragstone.yaml"
    write(file, kept, "good", access={"trusted": False})
    configuration = Configuration(str(file))
    async with open_client(configuration.load()) as client:
        assert (await client.get("/v1/health")).json() == {"status": "healthy", "pipelines": []}
        file.write_text("pipelines: [{nam: x}]\n", "utf-8")
        assert not await reload_settings(client.app, configuration)  # type: ignore[attr-defined]
        assert (await client.get("/v1/health")).json() == {"status": "degraded", "pipelines": []}


@pytest.mark.parametrize(
    ("places", "model"),
    [
        (("llm",), "openai/m"),
        (("judge",), "openai/m"),
        (("rerank",), "cohere/rerank-v3.5"),
        (("sparse",), "tei/splade"),
        (("tenants", "acme", "rerank"), "cohere/rerank-v3.5"),
        (("tenants", "acme", "collections", "notes", "embed"), "openai/m"),
    ],
    ids=lambda value: ".".join(value) if isinstance(value, tuple) else "",
)
async def test_a_key_file_is_watched_and_its_absence_changes_nothing(
    kept: Kept, tmp_path: Path, places: tuple[str, ...], model: str
) -> None:
    file, key = tmp_path / "ragstone.yaml", tmp_path / "keys" / "vendor"
    key.parent.mkdir()
    key.write_text("first-key", "utf-8")
    named: dict[str, Any] = {"model": model, "base_url": "http://127.0.0.1:9/v1", "api_key_file": str(key)}
    for name in reversed(places):
        named = {name: named}
    write(file, kept, "p", external={"rerank": True, "embedding": True}, **named)
    async with following(Configuration(str(file))) as client:
        app = client.app  # type: ignore[attr-defined]
        before = app.state.server
        key.unlink()
        await until_async(passing(lambda: before.problem is not None))
        assert app.state.server is before
        key.write_text("second-key", "utf-8")
        await until_async(passing(lambda: app.state.server is not before))


async def test_a_request_that_runs_ends_on_the_former_settings(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "ragstone.yaml"
    write(file, kept, "old")
    configuration = Configuration(str(file))
    async with open_client(configuration.load()) as client:
        app: Any = client.app  # type: ignore[attr-defined]
        former = app.state.server
        async with former.admission.enter("x"):
            busy = [former.admission.enter("x") for _ in range(7)]
            for turn in busy:
                await turn.__aenter__()
            running = asyncio.ensure_future(client.post("/v1/pipelines/old", json={"query": QUESTION}))
            await until_async(passing(lambda: former.admission.waiting))
            write(file, kept, "new")
            assert await reload_settings(app, configuration)
            assert await names_of(client) == ["new"]
            assert former._users == 1
            for turn in busy:
                await turn.__aexit__(None, None, None)
            assert "15 days" in (await asyncio.wait_for(running, HANG)).json()["answer"]
        assert former._users == 0
        assert former.pool._kept == {}  # closed


async def test_a_storm_of_reloads_fails_no_request(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "ragstone.yaml"
    write(file, kept, "p")
    configuration = Configuration(str(file))
    async with open_client(configuration.load()) as client:
        app: Any = client.app  # type: ignore[attr-defined]
        ended = asyncio.Event()

        statuses: list[int] = []

        async def ask() -> None:
            while not ended.is_set():
                statuses.append((await client.post("/v1/search", json={"query": QUESTION})).status_code)

        asking = [asyncio.ensure_future(ask()) for _ in range(4)]
        for n in range(8):
            write(file, kept, "p", search={"top_k": n + 1})
            assert await reload_settings(app, configuration)
            await asyncio.sleep(0.01)
        await until_async(passing(lambda: len(statuses) > 4))
        ended.set()
        await asyncio.gather(*asking)
        assert set(statuses) == {200}


async def test_the_former_settings_serve_until_the_new_ones_are_warm(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ragstone.yaml"
    write(file, kept, "old")
    configuration = Configuration(str(file))
    begun, go_on = asyncio.Event(), asyncio.Event()
    opened: list[tuple[Settings, SharedParts]] = []

    def list_slowly(settings: Settings, shared: SharedParts) -> Iterator[Part]:
        async def wait() -> str:
            begun.set()
            await go_on.wait()
            return "open"

        opened.append((settings, shared))
        yield Part("a slow model", wait)
        yield from list_parts(settings, shared)

    monkeypatch.setattr(reload, "list_parts", list_slowly)
    async with open_client(configuration.load()) as client:
        app: Any = client.app  # type: ignore[attr-defined]
        write(file, kept, "new")
        task = asyncio.ensure_future(reload_settings(app, configuration))
        await asyncio.wait_for(begun.wait(), HANG)
        assert await names_of(client) == ["old"]
        assert "15 days" in (await client.post("/v1/pipelines/old", json={"query": QUESTION})).json()["answer"]
        go_on.set()
        assert await asyncio.wait_for(task, HANG)
        assert await names_of(client) == ["new"]
        [(settings, shared)] = opened
        assert app.state.server.pool.shared is shared
        embedder = shared.make_embedder(settings.embed, settings)
        assert isinstance(embedder, MiniLM)
        assert embedder.start_loading().done()  # nobody's question loads it


async def test_settings_that_cannot_be_opened_are_not_put_in_force(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "ragstone.yaml"
    write(file, kept, "good")
    configuration = Configuration(str(file))
    async with open_client(configuration.load()) as client:
        app: Any = client.app  # type: ignore[attr-defined]
        former = app.state.server
        write(file, kept, "bad", rerank={"model": "cohere/rerank-v3.5"})
        assert not await reload_settings(app, configuration)
        assert app.state.server is former
        assert "external.rerank" in former.problem


async def test_a_database_that_is_away_does_not_keep_settings_from_being_put_in_force(
    kept: Kept, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "ragstone.yaml"
    write(file, kept, "before")
    configuration = Configuration(str(file))
    async with open_client(configuration.load()) as client:
        app: Any = client.app  # type: ignore[attr-defined]
        write(file, kept, "after", store="postgresql://nobody@127.0.0.1:1/kb", embed={"model": "none"})
        assert await reload_settings(app, configuration)
        assert await names_of(client) == ["after"]
        assert "127.0.0.1:1/kb does not answer" in caplog.text


def test_every_process_follows_the_file(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "ragstone.yaml"
    write(file, kept, "before", serve={"workers": 2})

    def names(url: str) -> str:
        try:
            return httpx2.get(f"{url}/v1/pipelines").text
        except httpx2.HTTPError:
            return ""

    with serve_program("--config", file) as served:
        until(lambda: "before" in names(served.url))
        write(file, kept, "after", serve={"workers": 2})
        until(lambda: all("after" in names(served.url) for _ in range(10)))
