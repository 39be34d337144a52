"""A store's place that is missing, taken or full: clients get a code and one sentence, the log has the rest."""

import errno
import importlib
import json
import logging
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ragstone.config.model_settings import EmbedSettings
from ragstone.config.settings import PipelineSettings, Settings
from ragstone.core.errors import DiskFull, StoreError
from ragstone.core.query_log import REQUEST_ID
from ragstone.engine import Engine
from ragstone.server.logs import LOGGERS, JsonFormatter
from ragstone.stores.embedded.store import EmbeddedStore
from tests.server.conftest import QUESTION, open_client

BODY = {"query": QUESTION, "question": QUESTION, "input": QUESTION, "model": "default", "name": "other"}
TALK = {"messages": [{"role": "user", "content": QUESTION}]}
# What clients of these paths are told of a store that cannot be used: status and code.
TOLD = {
    "/v1/search": (503, "not_a_store"),
    "/v1/ask": (503, "not_a_store"),
    "/search": (503, "not_a_store"),
    "/ingest": (503, "not_a_store"),
    "/v1/query": (500, "internal"),
    "/v1/pipelines/handbook": (500, "EXECUTION_ERROR"),
    "/v1/vector_stores/default/search": (503, "not_a_store"),
}
SENTENCE = "the store cannot be used now: see the server's log for this request id"


@pytest.fixture
async def settings(own: Settings, tmp_path: Path) -> Settings:
    """A filled store without a model, and a pipeline over it."""
    made = replace(
        own, embed=EmbedSettings("none"), pipelines=(PipelineSettings("handbook", collections=("default",)),)
    )
    async with Engine(made) as engine:
        await engine.ingest()
    return made


def place_of(settings: Settings) -> Path:
    return Path(settings.store.partition(":")[2])


def put_file(place: Path) -> None:
    shutil.rmtree(place)
    place.write_text("mine", "utf-8")


def put_other_files(place: Path) -> None:
    shutil.rmtree(place)
    place.mkdir()
    (place / "notes.txt").write_text("mine", "utf-8")


def put_folders(place: Path) -> None:
    for file in [path for path in place.rglob("*") if path.is_file()]:
        file.unlink()
        file.mkdir()


async def ask_everything(client: httpx2.AsyncClient) -> list[httpx2.Response]:
    """The response of every operation that the description names."""
    described = (await client.get("/v1/openapi.json")).json()["paths"]
    replies = []
    for path, methods in described.items():
        named = path.replace("{name}", "handbook").replace("{vector_store_id}", "default")
        for method, operation in methods.items():
            form = "multipart/form-data" in operation.get("requestBody", {}).get("content", {})
            sent: dict[str, Any] = {"files": {"file": ("tea.md", b"# Tea\n")}} if form else {"json": {**BODY, **TALK}}
            if method in ("get", "delete"):
                sent = {}
            replies.append(await client.request(method, re.sub(r"\{\w+\}", "x", named), **sent))
    return replies


@pytest.mark.parametrize("breaking", [shutil.rmtree, put_file, put_other_files, put_folders])
async def test_no_response_names_the_place_of_a_store_that_broke(
    breaking: Callable[[Path], None], settings: Settings, tmp_path: Path
) -> None:
    async with open_client(settings) as client:
        assert (await client.post("/v1/search", json={"query": QUESTION})).status_code == 200
        breaking(place_of(settings))
        replies = await ask_everything(client)
        assert len(replies) > 35
        for reply in (one for one in replies if not one.url.path.startswith("/v1/runs")):  # a run tells its place
            assert str(tmp_path) not in reply.text, (reply.request.method, reply.request.url, reply.text)
            assert "Traceback" not in reply.text


@pytest.mark.parametrize(("path", "told"), TOLD.items())
async def test_each_client_gets_the_code_that_it_knows_and_the_log_has_the_whole(
    path: str, told: tuple[int, str], settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_client(settings) as client:
        put_file(place_of(settings))
        reply = await client.post(path, json={"question" if path == "/v1/query" else "query": QUESTION})
        error = reply.json()["error"]
        found = (error, reply.json()["message"]) if path == "/v1/query" else (error["code"], error["message"])
        assert (reply.status_code, *found) == (*told, SENTENCE)
        assert f"{place_of(settings)} is not a Ragstone store: it is not a folder" in caplog.text


async def test_a_pipeline_over_another_store_that_broke_does_not_name_its_place(
    settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "taken").write_text("mine", "utf-8")
    pipelines = (
        *settings.pipelines,
        PipelineSettings("broken", collections=("default",), store=f"embedded:{tmp_path / 'taken'}"),
    )
    async with open_client(replace(settings, pipelines=pipelines)) as client:
        alone = await client.post("/v1/pipelines/broken", json={"query": QUESTION})
        assert (alone.status_code, alone.json()["error"]["message"]) == (500, SENTENCE)
    assert str(tmp_path / "taken") in caplog.text


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (DiskFull("no room left on the disk of /srv/kb"), 507, "disk_full"),
        (StoreError("/srv/kb: denied"), 503, "store_failed"),
    ],
)
async def test_a_disk_that_is_full_and_a_store_that_may_not_be_written_have_their_codes(
    error: StoreError, status: int, code: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any, **_options: Any) -> Any:
        raise error

    async with open_client(settings) as client:
        monkeypatch.setattr(EmbeddedStore, "writer", fail)
        reply = await client.post("/v1/documents", files={"file": ("tea.md", b"# Tea\n\nGreen.\n")})
        assert (reply.status_code, reply.json()["error"]) == (status, {"code": code, "message": SENTENCE})


@pytest.mark.parametrize(
    ("written", "place"),
    [("ragstone.server.upload_steps._make_held", "kb.uploads"), ("starlette.requests.Request._get_form", "TMPDIR")],
)
async def test_a_disk_that_is_full_where_uploads_come_in_is_said(
    written: str, place: str, settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fill(*_arguments: Any, **_options: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    settings = replace(settings, serve=replace(settings.serve, uploads="kb.uploads"))
    async with open_client(settings) as client:
        monkeypatch.setattr(written, fill)
        reply = await client.post("/v1/documents", files={"file": ("tea.md", b"# Tea")})
        assert (reply.status_code, reply.json()["error"]) == (507, {"code": "disk_full", "message": SENTENCE})
        assert "no room left on the disk of " in caplog.text
        assert place in caplog.text


def test_a_line_of_the_log_names_the_request_that_it_is_about() -> None:
    record = logging.LogRecord("ragstone", logging.ERROR, "", 0, "the store is gone", None, None)
    assert "request_id" not in json.loads(JsonFormatter().format(record))
    entered = REQUEST_ID.set("abc")
    assert json.loads(JsonFormatter().format(record))["request_id"] == "abc"
    REQUEST_ID.reset(entered)


def test_libraries_with_a_level_of_their_own_write_to_the_servers_log() -> None:
    for name in ("psycopg", "psycopg_pool", "qdrant_client", "grpc", "watchfiles", "opentelemetry"):
        importlib.import_module(name)
        logger = logging.getLogger(name)
        assert logger in LOGGERS or logger.level == logging.NOTSET, name
