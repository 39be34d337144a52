"""Temporary files of the tests lie in memory where there is room: on a disk they cost half as much time again.

A test of a store makes dozens of files and waits for the disk after each write; a database of PostgreSQL is 400 files,
and each test has a fresh one. A `TMPDIR` that is set is respected: `TMPDIR=/tmp make test` runs on the disk, and keeps
the files of tests that fail.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 4 << 30  # bytes that must be free; a whole run of two workers takes less than a quarter of them
PREFIX = "ragstone-tests-"


def has_room() -> bool:
    """Whether a file system in memory is here, with enough memory behind it."""
    try:
        told = Path("/proc/meminfo").read_text()
        free = shutil.disk_usage(MEMORY).free
    except OSError:
        return False
    available = re.search(r"^MemAvailable: +(\d+) kB$", told, re.MULTILINE)
    return os.access(MEMORY, os.W_OK) and available is not None and min(free, int(available[1]) << 10) >= ROOM


@contextmanager
def temporary_files() -> Iterator[None]:
    """Processes that start meanwhile, and this one, make their temporary files in a folder that goes with it."""
    if "TMPDIR" in os.environ or not has_room():
        yield
        return
    _sweep()
    folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=MEMORY)
    Path(folder).chmod(0o755)  # PostgreSQL, which does not run as root, has its folder in it
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    try:
        yield
    finally:
        del os.environ["TMPDIR"]
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Folders of runs that were killed."""
    for folder in MEMORY.glob(f"{PREFIX}*-*"):
        process = folder.name.removeprefix(PREFIX).partition("-")[0]
        if process.isdigit() and not Path(f"/proc/{process}").exists():
            shutil.rmtree(folder, ignore_errors=True)
