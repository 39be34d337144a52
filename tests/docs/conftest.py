"""A shell that knows `ragstone`, in a folder that holds `docs/`."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ragstone.vendors import VENDORS
from tests.docs.blocks import ROOT

Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """`shell("ragstone --help")`: what it printed (stderr with stdout) and its status."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    for name, command in {"ragstone": "-m ragstone", "python": ""}.items():
        (bin_ / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {command} "$@"\n', encoding="utf-8")
        (bin_ / name).chmod(0o755)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    shutil.copytree(ROOT / "demo" / "docs" / "prometheus", scratch / "docs")
    shutil.copytree(ROOT / "demo" / "office", scratch / "office", ignore=shutil.ignore_patterns("README.md"))
    keys = {vendor.variable for vendor in VENDORS.values()}
    theirs = {name: value for name, value in os.environ.items() if name not in keys}
    clean = {name: value for name, value in theirs.items() if not name.startswith(("RAGSTONE_", "PYTEST_"))}
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
            timeout=300,
            check=False,
        )

    return run
