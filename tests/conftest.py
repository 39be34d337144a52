"""What many tests need: a folder of documents, a collection over it, no user's configuration."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import ragstone
from ragstone.config.environment import silence_telemetry
from ragstone.config.vendors import VENDORS
from ragstone.extraction.sandbox import pool
from ragstone.testing.bag_of_words import BagOfWords
from tests import forked, in_memory, readers
from tests.commands import run
from tests.stores.postgres import server

__all__ = ["run"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    # A shell's job in the background ignores Ctrl-C, and so would all processes of the tests that interrupt them.
    signal.signal(signal.SIGINT, signal.default_int_handler)

silence_telemetry()  # tests import onnxruntime themselves

# How long an example takes says how busy the machine is; what may take long is measured by tests/speed.py.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

DOCUMENTS = {
    "storage.md": """---
title: Storage
tags: [tsdb, disk]
project: core
date: 2024-05-31
---
# Storage

## Retention

Samples are kept for 15 days by default. The flag `--storage.tsdb.retention.time` changes this.

## Layout

Blocks of two hours are written to disk. <!-- editors: check this number -->
A block holds chunks, an index and tombstones.
""",
    "guides/alerts.md": """# Alerts

Alertmanager sends notifications by e-mail, PagerDuty and OpsGenie.

| Receiver | Since |
|---|---|
| E-mail | 0.1 |
| Telegram | 0.24 |
""",
    "notes.txt": "The release manager for version 3.1 is Dana.\n\nMeetings are on Tuesdays at noon.\n",
    "page.html": "<html><head><title>Backup</title></head><body><h1>Backup</h1>"
    "<p>Snapshots are taken with the admin endpoint every night.</p></body></html>",
}


def pytest_configure(config: pytest.Config) -> None:
    """The controller of several workers sets what these inherit."""
    stack = ExitStack()
    stack.enter_context(in_memory.temporary_files())
    config.add_cleanup(stack.close)


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No configuration and no keys of whoever runs the tests; a scratch folder as the working one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for vendor in VENDORS.values():
        monkeypatch.delenv(vendor.variable or "", raising=False)


@pytest.fixture(scope="session", autouse=True)
def _at_the_end() -> Iterator[None]:
    yield
    readers.end_all()
    forked.end()
    server.end()


@pytest.fixture(autouse=True)
def _readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines hand their idle processes on. Where processes are what is tested, a module has none of that."""
    monkeypatch.setattr(pool, "Pool", readers.Readers)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A small folder of documents in all text formats."""
    folder = tmp_path / "docs"
    for path, text in DOCUMENTS.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., ragstone.Knowledge]]:
    """Opens collections over a store in the scratch folder, with the deterministic embedder; closes them all."""
    made: list[ragstone.Knowledge] = []

    def make(store: str = "store", **options: object) -> ragstone.Knowledge:
        options.setdefault("embedder", BagOfWords())
        made.append(ragstone.open(tmp_path / store, **options))  # type: ignore[arg-type]  # options of open
        return made[-1]

    yield make
    for kb in made:
        kb.close()


@pytest.fixture
def kb(docs: Path, opened: Callable[..., ragstone.Knowledge]) -> ragstone.Knowledge:
    """The documents, ingested."""
    knowledge = opened()
    knowledge.ingest(docs)
    return knowledge
