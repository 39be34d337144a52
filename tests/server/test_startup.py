"""The start of a server: what it needs is checked by name and waited for; until then it lives and is not ready."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import httpx2
import pytest

import ragstone
from ragstone.config.load import load
from ragstone.config.model_settings import EmbedSettings, LlmSettings, RerankSettings
from ragstone.config.settings import PipelineSettings, Settings
from ragstone.core.errors import RagstoneError
from ragstone.engine import preparation
from ragstone.engine.shared_parts import SharedParts
from ragstone.server import startup
from ragstone.server.app import create_app
from ragstone.server.startup import Startup, check_alone
from ragstone.stores import migrate_store
from tests.patience import HANG, until_async
from tests.server.conftest import Kept
from tests.server.pgedge import open_place
from tests.stores.postgres.conftest import server
from tests.stores.postgres.server import OWNER, Server

__all__ = ["server"]
# What is loaded before the store is opened, then when the server is ready.
LOADED = """
import asyncio
from ragstone.cli.serve import _start_loading_model
from ragstone.config.settings import PipelineSettings, Settings
from ragstone.engine.shared_parts import SharedParts
from ragstone.providers.minilm import model
from ragstone.server.startup import Startup
async def start():
    settings = Settings(store="STORE", pipelines=tuple([PIPELINES]))
    loading = _start_loading_model(settings)
    first = [one.variant for one in loading] or ["KEPT"]
    shared = SharedParts()
    await Startup(0.0, loading=loading).prepare(settings, shared)
    print(*first, *sorted(variant for _, variant in model._SESSIONS))
asyncio.run(start())
"""
NOBODY = "postgresql://nobody@127.0.0.1:1/kb"
WORDS = EmbedSettings("none")


async def prepare(settings: Settings, *, wait: float = 0.0) -> tuple[list[str], RagstoneError | None]:
    """The lines of a start, and why it failed."""
    lines: list[str] = []
    made, shared = Startup(wait, tell=lines.append), SharedParts()
    await made.prepare(settings, shared)
    await shared.close()
    return lines, made.failure


@asynccontextmanager
async def open_starting(settings: Settings, startup: Startup) -> AsyncIterator[httpx2.AsyncClient]:
    app = create_app(settings, startup=startup)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://localhost") as client:
        client.app = app  # type: ignore[attr-defined]
        yield client


async def test_each_thing_is_checked_by_name_and_the_first_question_finds_it_warm(kept: Kept) -> None:
    lines, failure = await prepare(kept.settings)
    assert failure is None
    assert lines[:-1] == [
        f"store {kept.settings.store}: reachable",
        "pipeline handbook, default: reachable",
        "embedding model minilm: loaded",
        "first question: answered",
    ]
    assert lines[-1].startswith("ready after ")


@pytest.mark.parametrize("kept", ["fp32", "int8"])
@pytest.mark.parametrize("pipelines", [False, True])
def test_only_the_model_that_the_vectors_were_made_with_is_loaded(
    tmp_path: Path, kept: Literal["fp32", "int8"], pipelines: bool
) -> None:
    store = f"embedded:{tmp_path / 'store'}"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "tea.md").write_text("# Tea\n\nGreen tea is brewed at 80 degrees.\n", "utf-8")
    with ragstone.open(store, embed={"precision": kept}) as kb:
        kb.ingest(str(tmp_path / "docs"))
    named = "PipelineSettings('p', 'About tea.', collections=('default',))" if pipelines else ""
    script = LOADED.replace("PIPELINES", named).replace("STORE", store).replace("KEPT", kept)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=HANG)
    assert done.stdout.split() == [kept, kept]


async def test_what_loading_took_and_freed_is_given_back(own: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    given_back: list[str] = []
    monkeypatch.setattr(startup, "release_memory", lambda: given_back.append("once"))
    await prepare(replace(own, embed=WORDS))
    assert given_back == ["once"]
    monkeypatch.undo()


async def test_an_empty_store_is_no_reason_not_to_start(own: Settings) -> None:
    lines, failure = await prepare(replace(own, embed=WORDS))
    assert failure is None
    assert [line.partition(": ")[2] for line in lines[:2]] == [preparation.EMPTY] * 2


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"store": NOBODY}, "127.0.0.1:1/kb does not answer"),
        ({"llm": LlmSettings("openai/m")}, "OPENAI_API_KEY"),
        ({"embed": EmbedSettings("openai/text-embedding-3-small")}, "external.embedding"),
        ({"rerank": RerankSettings("cohere/rerank-v3.5")}, "external.rerank"),
        ({"pipelines": (PipelineSettings("far", store=NOBODY, collections=("default",)),)}, "does not answer"),
    ],
)
async def test_what_is_wrong_for_good_is_one_sentence(kept: Kept, changed: dict[str, object], named: str) -> None:
    lines, failure = await prepare(replace(kept.settings, **{"embed": WORDS, **changed}))  # type: ignore[arg-type]
    assert failure is not None
    assert named in str(failure)
    assert "\n" not in str(failure)
    assert not any(line.startswith("ready") for line in lines)


async def test_a_database_that_is_made_ready_meanwhile_is_waited_for(server: Server) -> None:
    with server.database(template=None) as name:
        server.run("CREATE EXTENSION vector", name)
        url, lines = server.url(name, OWNER), list[str]()
        startup, shared = Startup(300.0, tell=lines.append), SharedParts()
        task = asyncio.ensure_future(startup.prepare(Settings(store=url, embed=WORDS), shared))
        await until_async(lambda: _found(lines, "has no tables of Ragstone yet"))
        waited_for = startup.waits_for
        await migrate_store(url)
        await task
        await shared.close()
    assert (startup.failure, startup.waits_for) == (None, None)
    assert waited_for is not None
    assert any(line.endswith(": reachable, nothing was ingested yet") for line in lines)


async def _found(lines: list[str], said: str) -> bool:
    return any(said in line for line in lines)


def test_tables_need_not_be_told_how_much_their_model_reads(server: Server, tmp_path: Path) -> None:
    with open_place(server, tmp_path) as (file, _):
        file.write_text(file.read_text("utf-8").replace("text-embedding-3-small", "our-own-model"), "utf-8")
        settings = load(file, store=str(tmp_path / "none"))
        lines, failure = asyncio.run(prepare(settings))
        assert failure is None
        assert "embedding model openai/our-own-model: settings are complete; the vendor was not asked" in lines
        with ragstone.open(settings=settings) as kb:
            found = kb.pipeline("docs").search("How long are samples kept?")
        assert "cosine" in found.hits[0].signals
        assert found.notes == ()


async def test_a_server_lives_before_it_is_ready(kept: Kept) -> None:
    startup = Startup(0.0)
    async with open_starting(kept.settings, startup) as client:
        assert (await client.get("/v1/live")).json() == {"status": "ok"}
        early = await client.get("/v1/ready")
        assert (early.status_code, early.json()) == (503, {"status": "starting"})
        assert (await client.get("/healthz")).status_code == 503
        health = await client.get("/v1/health")
        assert (health.status_code, health.json()["status"]) == (200, "degraded")
        app = client.app  # type: ignore[attr-defined]
        async with app.router.lifespan_context(app):

            async def is_ready() -> bool:
                return (await client.get("/v1/ready")).status_code == 200

            await until_async(is_ready)
            assert (await client.get("/healthz")).text == "ok"
            assert (await client.get("/v1/health")).json()["status"] == "healthy"


async def test_a_client_cannot_ask_whether_a_server_is_ready_that_ended(kept: Kept) -> None:
    """A start that is not over when the server ends leaves nothing open."""
    startup = Startup(300.0)
    app = create_app(replace(kept.settings, store=NOBODY, embed=WORDS), startup=startup)
    async with app.router.lifespan_context(app):
        pass
    assert startup.waits_for is not None
    assert startup.failure is None


def test_several_processes_are_not_started_for_nothing() -> None:
    settings = Settings(store=NOBODY, embed=WORDS)
    with pytest.raises(RagstoneError, match="does not answer"):
        check_alone(replace(settings, serve=replace(settings.serve, start_wait=0.0)))


def test_a_server_does_not_start_over_a_folder_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    about = {**os.environ, "RAGSTONE_EMBED__MODEL": "none"}
    command = [sys.executable, "-m", "ragstone", "serve", "--port", "0", "--store", str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=about, timeout=HANG)
    said = f"error: {tmp_path} is not a Ragstone store and not empty; name a new directory for the store"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, said)
    assert os.listdir(tmp_path) == ["notes.txt"]


async def test_an_empty_folder_and_a_new_disk_are_places_for_a_store(own: Settings, tmp_path: Path) -> None:
    (tmp_path / "disk" / "lost+found").mkdir(parents=True)
    lines, failure = await prepare(replace(own, store=f"embedded:{tmp_path / 'disk'}", embed=WORDS))
    assert failure is None
    assert lines[0].endswith(preparation.EMPTY)


def test_a_program_that_cannot_start_ends_with_a_sentence() -> None:
    about = {**os.environ, "RAGSTONE_SERVE__START_WAIT": "0", "RAGSTONE_EMBED__MODEL": "none"}
    command = [sys.executable, "-m", "ragstone", "serve", "--port", "0", "--store", NOBODY]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=about, timeout=HANG)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert [line for line in lines if line.startswith("error: ")] == [lines[-1]]
    assert "does not answer" in lines[-1]
    assert "Traceback" not in done.stderr
