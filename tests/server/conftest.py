"""A server over a small collection: in this process for most tests, as a program for those of sockets and signals."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ragstone.config.settings import AccessSettings, PipelineSettings, Settings, SourceSettings
from ragstone.engine import Engine
from ragstone.server.app import create_app
from tests.patience import HANG, until

DOCUMENTS = {
    "storage.md": "# Storage\n\n## Retention\n\nSamples are kept for 15 days by default.\n\n"
    "## Layout\n\nBlocks of two hours are written to disk.\n",
    "alerts.md": "# Alerts\n\nAlertmanager sends notifications by e-mail and PagerDuty.\n",
    "keys.md": "# Keys\n\nThe password is `password=hunter2secret99`. Keys are rotated every 90 days.\n",
    "closed.md": "---\nconfidentiality: restricted\n---\n# Salaries\n\nThe salary of the director is 9 million.\n",
}
QUESTION = "How long are samples kept?"
JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Kept:
    """A store with one collection of the tenant `default`, and keys of that tenant and of a rival's."""

    folder: Path
    settings: Settings
    keys: dict[str, str] = field(default_factory=dict)


async def _fill(settings: Settings) -> dict[str, str]:
    keys = {}
    async with Engine(settings) as engine:
        await engine.ingest()
        for role in ("read", "read-restricted", "write", "admin"):
            keys[role] = (await engine.create_key(role, roles=role)).text
    async with Engine(replace(settings, tenant="rival")) as engine:
        keys["rival"] = (await engine.create_key("rival", roles="admin")).text
    return keys


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Made once; tests that change it take a copy of it with `settings.store` elsewhere."""
    folder = tmp_path_factory.mktemp("served")
    docs = folder / "docs"
    docs.mkdir()
    for name, text in DOCUMENTS.items():
        (docs / name).write_text(text, "utf-8")
    pipelines = (PipelineSettings("handbook", "All there is to know", collections=("default",)),)
    settings = Settings(
        store=f"embedded:{folder / 'store'}", sources=(SourceSettings(str(docs), "docs"),), pipelines=pipelines
    )
    return Kept(folder, settings, asyncio.run(_fill(settings)))


@pytest.fixture
def kept(made: Kept) -> Kept:
    return made


@asynccontextmanager
async def open_client(settings: Settings, key: str | None = None) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of a server in this process."""
    app = create_app(settings)
    headers = {"authorization": f"Bearer {key}"} if key else {}
    # An error that nobody foresaw is answered, as a socket would have it.
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client,
    ):
        client.app = app  # type: ignore[attr-defined]
        yield client


@pytest.fixture
async def client(kept: Kept) -> AsyncIterator[httpx2.AsyncClient]:
    """A caller whom the server trusts."""
    async with open_client(kept.settings) as client:
        yield client


@pytest.fixture
def locked(kept: Kept) -> Settings:
    """The settings of a server that wants keys."""
    return replace(kept.settings, access=AccessSettings(trusted=False))


@pytest.fixture
def own(tmp_path: Path) -> Settings:
    """The settings of a store of the test's own, with a source."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "storage.md").write_text(DOCUMENTS["storage.md"], "utf-8")
    return Settings(store=f"embedded:{tmp_path / 'store'}", sources=(SourceSettings(str(docs), "docs"),))


class Served:
    """A server as a program of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.url: str = until(self._find_url) or ""

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)

    def _find_url(self) -> str | None:
        assert self.process.poll() is None, "".join(self.lines)
        found = re.search(r"listening on ((?:https?://|unix:)[^\s\"]+)", "".join(self.lines))
        return found[1] if found else None

    def close(self) -> None:
        self._reader.join(HANG)
        assert self.process.stderr is not None
        self.process.stderr.close()

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def stop(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(HANG)


Serve = Callable[..., Any]


@contextmanager
def serve_program(*arguments: object, **environment: str) -> Iterator[Served]:
    """`ragstone serve --port 0 …` until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ragstone", "serve", "--port", "0", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    served = None
    try:
        served = Served(process)
        yield served
    finally:
        process.kill()
        process.wait()
        if served is not None:
            served.close()
