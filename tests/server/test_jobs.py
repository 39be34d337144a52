"""Clients that do not wait: what a server accepted is done once, tried again, or listed as dead, also after a kill."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest

from ragstone.config.serve_settings import ServeSettings
from ragstone.config.settings import AccessSettings, Settings, SourceSettings
from ragstone.core.errors import DiskFull, RagstoneError, StoreError, StoreTooNew
from ragstone.core.ports import Job
from ragstone.engine import Engine
from ragstone.server.ingestion_queue import IngestionQueue, find_pause
from ragstone.server.uploads import Uploads
from tests.commands import Run
from tests.patience import HANG, until, until_async
from tests.server.conftest import Kept, open_client, serve_program

TEA = b"# Tea\n\nGreen tea is brewed at 80 degrees.\n"


async def queue_upload(client: httpx2.AsyncClient, path: str, data: bytes = TEA) -> httpx2.Response:
    return await client.post("/v1/documents?wait=false", files={"file": (path, data)}, data={"path": path})


def reaching(client: httpx2.AsyncClient, response: httpx2.Response, *statuses: str) -> Callable[[], Awaitable[Any]]:
    """A look at a job that gives it once it has one of these states."""

    async def look() -> Any:
        job = (await client.get(response.headers["location"])).json()
        return job if job["status"] in statuses else None

    return look


def quick(own: Settings, **serve: Any) -> Settings:
    return replace(own, serve=ServeSettings(**{"job_pause": 0.0, **serve}))


def list_waiting(settings: Settings) -> list[Path]:
    folder = Path(settings.store.partition(":")[2] + ".uploads") / "waiting"
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_an_upload_that_nobody_waits_for_is_accepted_and_found(own: Settings) -> None:
    async with open_client(quick(own)) as client:
        accepted = await queue_upload(client, "guides/tea.md")
        assert accepted.status_code == 202
        job = accepted.json()["job"]
        assert (job["path"], job["tries"], job["collection"]) == ("guides/tea.md", 0, "default")
        done = await until_async(reaching(client, accepted, "done", "dead"))
        assert (done["status"], done["tries"], done["message"]) == ("done", 1, None)
        listed = (await client.get("/v1/documents")).json()["documents"]
        assert [(one["path"], one["revision"]) for one in listed] == [("guides/tea.md", 1)]
        assert list_waiting(own) == []
        metrics = (await client.get("/metrics")).text
        assert 'ragstone_jobs_finished_total{outcome="done"} 1.0' in metrics
        assert 'ragstone_jobs{status="queued"} 0.0' in metrics


async def test_an_ingestion_of_the_sources_can_be_queued(own: Settings) -> None:
    async with open_client(quick(own)) as client:
        accepted = await client.post("/ingest?wait=false")
        assert accepted.status_code == 202
        assert (await until_async(reaching(client, accepted, "done", "dead")))["status"] == "done"
        assert [one["path"] for one in (await client.get("/v1/documents")).json()["documents"]] == ["storage.md"]


async def test_a_site_that_does_not_answer_keeps_no_other_source_back_and_is_tried_again(own: Settings) -> None:
    away = SourceSettings("http://127.0.0.1:1/", "away", delay=0)
    settings = quick(replace(own, sources=(away, *own.sources)), job_tries=2)
    async with open_client(settings) as client:
        accepted = await client.post("/ingest?wait=false")
        dead = await until_async(reaching(client, accepted, "done", "dead"))
        assert (dead["status"], dead["tries"], dead["code"]) == ("dead", 2, "unavailable")
        assert "source 'away' was not updated" in dead["message"]
        assert [one["path"] for one in (await client.get("/v1/documents")).json()["documents"]] == ["storage.md"]
        at_once = (await client.post("/ingest")).json()
        assert (at_once["status"], at_once["failed"]) == ("partial", ["away"])


async def test_a_document_that_is_refused_is_dead_at_once_and_can_be_retried_and_dropped(
    own: Settings, run: Run
) -> None:
    async with open_client(quick(own)) as client:
        accepted = await queue_upload(client, "b.bin", bytes(range(256)) * 40)
        dead = await until_async(reaching(client, accepted, "done", "dead"))
        assert (dead["status"], dead["tries"], dead["code"]) == ("dead", 1, "document_refused")
        [listed] = (await client.get("/v1/jobs?status=dead")).json()["jobs"]
        assert listed == {name: dead[name] for name in listed}
        again = await client.post(f"/v1/jobs/{dead['id']}/retry")
        assert again.status_code == 202
        await until_async(reaching(client, again, "dead"))
        assert len(list_waiting(own)) == 1
        assert (await client.delete(f"/v1/jobs/{dead['id']}")).json() == {"schema": 1, "dropped": dead["id"]}
        assert (await client.get(f"/v1/jobs/{dead['id']}")).status_code == 404
        assert list_waiting(own) == []


async def test_a_failure_that_may_pass_is_tried_again_and_dead_after_the_last_try(
    own: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, failures = Uploads.add, 2

    async def fail_at_first(*arguments: Any) -> Any:
        nonlocal failures
        failures -= 1
        if failures >= 0:
            raise StoreError("the database is away")
        return await add(*arguments)

    monkeypatch.setattr(Uploads, "add", fail_at_first)
    async with open_client(quick(own, job_tries=3)) as client:
        accepted = await queue_upload(client, "tea.md")
        done = await until_async(reaching(client, accepted, "done", "dead"))
        assert (done["status"], done["tries"]) == ("done", 3)
        failures = 1000
        accepted = await queue_upload(client, "coffee.md")
        dead = await until_async(reaching(client, accepted, "done", "dead"))
        assert (dead["status"], dead["tries"], dead["code"]) == ("dead", 3, "store_failed")
        assert "away" not in dead["message"]  # the sentence is for the log of the server


async def test_work_ends_though_a_job_loses_its_cancellation(own: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()

    async def lose(*_: object) -> bool:
        begun.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return False

    monkeypatch.setattr(IngestionQueue, "_work_once", lose)
    async with asyncio.timeout(HANG), open_client(quick(own)):
        await begun.wait()


@pytest.mark.parametrize("error", [StoreTooNew("schema version 99 by now"), DiskFull("no room left")])
async def test_a_job_waits_for_a_newer_server_and_for_room_however_long_that_takes(
    error: RagstoneError, own: Settings
) -> None:
    async def add_waiting(*_: object) -> None:
        raise error

    async def open_engine(**_: object) -> None:
        return None

    serve = replace(own.serve, job_tries=3)
    state: Any = SimpleNamespace(
        settings=replace(own, serve=serve),
        pool=SimpleNamespace(open=open_engine),
        uploads=SimpleNamespace(add_waiting=add_waiting),
    )
    taken = Job("a", "default", "default", "a.md", 1.0, "running", tries=3)
    ended = await IngestionQueue(clock=lambda: 100.0)._run_job(state, taken)
    assert (ended.status, ended.tries, ended.code) == ("queued", 2, error.code)
    assert ended.due > 100.0


def test_pauses_double_up_to_a_bound() -> None:
    assert [find_pause(tries, first=2.0) for tries in (1, 2, 3, 4, 20)] == [2.0, 4.0, 8.0, 16.0, 300.0]


async def test_a_full_queue_says_so_and_keeps_nothing(own: Settings) -> None:
    async with open_client(quick(own, jobs=1, job_workers=0)) as client:
        assert (await queue_upload(client, "a.md")).status_code == 202
        full = await queue_upload(client, "b.md")
        assert (full.status_code, full.json()["error"]["code"]) == (429, "busy")
        assert int(full.headers["retry-after"]) >= 1
        assert len(list_waiting(own)) == 1


async def test_a_newer_request_for_a_document_decides(own: Settings) -> None:
    async with open_client(quick(own, job_workers=0)) as client:
        first = await queue_upload(client, "tea.md", b"# Tea\n\nOld.\n")
        second = await queue_upload(client, "tea.md", b"# Tea\n\nNewer.\n")
        assert (await reaching(client, first, "superseded")()) is not None
        assert (await reaching(client, second, "queued")()) is not None
        now = await client.post("/v1/documents", files={"file": ("tea.md", TEA)})
        assert now.status_code == 201
        assert (await reaching(client, second, "superseded")()) is not None
        assert list_waiting(own) == []


async def test_a_job_is_for_those_who_may_write_and_of_its_tenant(locked: Settings, kept: Kept, tmp_path: Path) -> None:
    settings = replace(locked, serve=ServeSettings(uploads=str(tmp_path / "uploads"), job_workers=0))
    async with open_client(settings, kept.keys["read"]) as client:
        assert (await queue_upload(client, "a.md")).status_code == 403
        assert (await client.get("/v1/jobs")).status_code == 403
        assert not list((tmp_path / "uploads").rglob("*.md"))
    async with open_client(settings, kept.keys["rival"]) as client:
        accepted = await queue_upload(client, "a.md")
        assert accepted.status_code == 202
    async with open_client(settings, kept.keys["write"]) as client:
        assert (await client.get(accepted.headers["location"])).status_code == 404
        assert (await client.post(f"{accepted.headers['location']}/retry")).status_code == 404
        assert (await client.get("/v1/jobs")).json()["jobs"] == []


async def test_a_store_without_a_queue_says_what_to_do(own: Settings, tmp_path: Path) -> None:
    settings = replace(own, store=f"json:{tmp_path / 'kb.json'}")
    async with open_client(settings) as client:
        refused = await queue_upload(client, "a.md")
        assert refused.status_code == 400
        assert "keeps no queue of jobs" in refused.json()["error"]["message"]
        assert (await client.post("/v1/documents", files={"file": ("a.md", TEA)})).status_code == 201


def test_jobs_are_managed_on_the_command_line(own: Settings, run: Run, tmp_path: Path) -> None:
    async def fail() -> str:
        async with open_client(quick(own)) as client:
            accepted = await queue_upload(client, "b.bin", bytes(range(256)) * 40)
            return str((await until_async(reaching(client, accepted, "dead")))["id"])

    identity = asyncio.run(fail())
    listed = run("jobs", "list", "--status", "dead", "--store", own.store, "--json").json["jobs"]
    assert [(one["id"], one["code"]) for one in listed] == [(identity, "document_refused")]
    assert identity in run("jobs", "list", "--store", own.store).out
    assert run("jobs", "retry", identity, "--store", own.store, "--json").json == {"schema": 1, "jobs": [identity]}
    assert run("jobs", "retry", identity, "--store", own.store).status == 2
    assert run("jobs", "drop", identity, "--store", own.store).status == 0
    assert run("jobs", "list", "--store", own.store, "--json").json["jobs"] == []
    assert run("jobs", "list", "--status", "gone", "--store", own.store).status == 2


def test_what_was_accepted_outlives_the_kill_of_the_server_and_is_done_once(tmp_path: Path) -> None:
    arguments, environment = (
        ("--store", tmp_path / "store"),
        {"RAGSTONE_EMBED__MODEL": "none", "RAGSTONE_SERVE__JOB_LEASE": "1"},
    )
    paths = [f"{number}.md" for number in range(6)]
    with serve_program(*arguments, **environment) as served:
        until(lambda: httpx2.get(f"{served.url}/v1/live", timeout=HANG).status_code == 200)
        for path in paths:
            text = f"# {path}\n\nThe sluice {path} opens at dawn.\n"
            answer = httpx2.post(
                f"{served.url}/v1/documents?wait=false", files={"file": (path, text)}, data={"path": path}, timeout=HANG
            )
            assert answer.status_code == 202
        os.kill(served.process.pid, signal.SIGKILL)
        served.process.wait(HANG)
    with serve_program(*arguments, **environment) as served:
        until(lambda: httpx2.get(f"{served.url}/v1/live", timeout=HANG).status_code == 200)

        def all_done() -> bool:
            jobs = httpx2.get(f"{served.url}/v1/jobs", timeout=HANG).json()["jobs"]
            return {job["status"] for job in jobs} == {"done"}

        until(all_done, pause=0.2)
        documents = httpx2.get(f"{served.url}/v1/documents", timeout=HANG).json()["documents"]
        assert sorted(one["path"] for one in documents) == sorted(paths)
        assert {one["revision"] for one in documents} == {1}
        assert served.stop() == 0


async def test_a_caller_who_may_not_write_leaves_the_jobs_of_others(own: Settings) -> None:
    """An upload of a reader's, refused in the end, took a waiting one of the same path out of the queue before."""
    async with Engine(own) as engine:
        keys = [(await engine.create_key(role, roles=role)).text for role in ("write", "read")]
    locked = replace(quick(own, job_workers=0), access=AccessSettings(trusted=False))
    async with open_client(locked, keys[0]) as writer, open_client(locked, keys[1]) as reader:
        accepted = await queue_upload(writer, "tea.md")
        refused = await reader.post("/v1/documents", files={"file": ("tea.md", TEA)})
        assert (accepted.status_code, refused.status_code) == (202, 403)
        assert (await writer.get(accepted.headers["location"])).json()["status"] == "queued"
