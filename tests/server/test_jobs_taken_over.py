"""Two servers that share a store: one is killed in the middle of jobs that it accepted, the other one does them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ragstone.config.model_settings import EmbedSettings
from ragstone.config.serve_settings import ServeSettings
from ragstone.config.settings import Settings
from tests.patience import HANG, until_async
from tests.server.conftest import Served, open_client
from tests.stores.postgres.server import shared
from tests.stores.qdrant.engine import Engine
from tests.stores.qdrant.server import Recorder, serving

LEASE = "2"  # seconds that the other server waits for the killed one
# A server that stops before the ingestion of `before.md`, and between that of `after.md` and the record of its end.
VICTIM = """
import asyncio, sys
from ragstone.cli import main
from ragstone.server import uploads
add = uploads.Uploads.add
async def stop(self, engine, file, path):
    if path == "after.md":
        await add(self, engine, file, path)
    print(path, flush=True)
    await asyncio.sleep(3600)
uploads.Uploads.add = stop
sys.argv = ["ragstone", "serve", "--port", "0"]
sys.exit(main())
"""
TEXT = "# {path}\n\nThe sluice of {path} opens at dawn.\n"


@pytest.fixture(params=["postgresql", "qdrant"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """The settings of both servers: one store, one folder of uploads."""
    with ExitStack() as stack:
        if request.param == "postgresql":
            store = shared().url(stack.enter_context(shared().database()))
        else:
            engine: Any = stack.enter_context(closing(Engine(tmp_path / "engine")))
            store = stack.enter_context(serving(recorder=Recorder(inner=engine))).url(tmp_path / "ledger")
        yield Settings(
            store=store,
            embed=EmbedSettings("none"),
            serve=ServeSettings(uploads=str(tmp_path / "uploads"), job_workers=2, job_pause=0.0),
        )


def start_victim(settings: Settings) -> "subprocess.Popen[str]":
    environment = {
        "RAGSTONE_STORE": settings.store,
        "RAGSTONE_EMBED__MODEL": "none",
        "RAGSTONE_SERVE__UPLOADS": str(settings.serve.uploads),
        "RAGSTONE_SERVE__JOB_WORKERS": "2",
        "RAGSTONE_SERVE__JOB_LEASE": LEASE,
    }
    return subprocess.Popen(
        [sys.executable, "-c", VICTIM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


async def test_a_job_of_a_killed_server_is_done_once_by_another(settings: Settings) -> None:
    process = start_victim(settings)
    served = None
    try:
        served = Served(process)
        accepted = {path: queue_upload(served.url, path) for path in ("before.md", "after.md")}
        assert process.stdout is not None
        assert {process.stdout.readline().strip() for _ in accepted} == set(accepted)
        os.kill(process.pid, signal.SIGKILL)
    finally:
        process.kill()
        process.communicate()
    async with open_client(settings) as client:

        async def all_done() -> list[dict[str, Any]] | None:
            jobs = [(await client.get(place)).json() for place in accepted.values()]
            return jobs if {job["status"] for job in jobs} == {"done"} else None

        jobs = await until_async(all_done)
        assert jobs is not None
        assert all(job["tries"] >= 2 for job in jobs)
        listed = (await client.get("/v1/documents")).json()["documents"]
        assert [(one["path"], one["revision"]) for one in listed] == [("after.md", 1), ("before.md", 1)]
        hits = (await client.post("/v1/search", json={"query": "sluice opens at dawn"})).json()["hits"]
        assert sorted(hit["document"]["path"] for hit in hits) == ["after.md", "before.md"]
    assert list_files(settings) == ["after.md", "before.md"]


def list_files(settings: Settings) -> list[str]:
    return sorted(one.name for one in Path(str(settings.serve.uploads)).rglob("*") if one.is_file())


def queue_upload(url: str, path: str) -> str:
    """The address of an accepted job."""
    files = {"file": (path, TEXT.format(path=path))}
    answer = httpx2.post(f"{url}/v1/documents?wait=false", files=files, data={"path": path}, timeout=HANG)
    assert answer.status_code == 202, answer.text
    return answer.headers["location"]
