"""A shell that knows `ragstone`, in a folder that holds `docs/`."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragstone.config.vendors import VENDORS
from tests.docs import warm
from tests.docs.blocks import ROOT
from tests.patience import HANG

Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def forking() -> Iterator[str]:
    """The socket of a process that has imported what commands need."""
    environment = _clean() | {"NO_COLOR": "1", "COLUMNS": "120", "PYTHONUNBUFFERED": "1"}
    with warm.serving(env=environment) as place:
        yield place


@pytest.fixture
def shell(tmp_path: Path, forking: str) -> Shell:
    """`shell("ragstone --help")`: what it printed (stderr with stdout) and its status; `cold-ragstone` is a process
    that imports all by itself."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (tmp_path / "client.py").write_text(warm.CLIENT, encoding="utf-8")
    asking = f"-IS '{tmp_path / 'client.py'}' '{forking}'"
    for name, command in {"ragstone": asking, "cold-ragstone": "-m ragstone", "python": ""}.items():
        (bin_ / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {command} "$@"\n', encoding="utf-8")
        (bin_ / name).chmod(0o755)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    shutil.copytree(ROOT / "demo" / "docs" / "prometheus", scratch / "docs")
    shutil.copytree(ROOT / "demo" / "office", scratch / "office", ignore=shutil.ignore_patterns("README.md"))
    clean = _clean()
    environment = {**clean, "PATH": f"{bin_}{os.pathsep}{clean['PATH']}", "HOME": str(tmp_path), "COLUMNS": "120"}
    environment |= {"XDG_CONFIG_HOME": str(tmp_path / "config"), "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}

    def run(script: str, *, python: bool = False, **more: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", script] if python else ["sh", "-e", "-c", script]
        return subprocess.run(
            command,
            cwd=scratch,
            env={**environment, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=HANG,
            check=False,
        )

    return run


def _clean() -> dict[str, str]:
    """The environment without anything that is for Ragstone or for these tests."""
    keys = {vendor.variable for vendor in VENDORS.values()}
    theirs = {name: value for name, value in os.environ.items() if name not in keys}
    return {name: value for name, value in theirs.items() if not name.startswith(("RAGSTONE_", "PYTEST_"))}
