"""File locks that die with their process: one ingestion a source, and gates for short pieces of work."""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragstone.core.errors import Busy
from ragstone.stores.durable_files import make_directory

LOCK_PATIENCE = 0.25  # seconds: looking whether a lock is held takes it for a moment, so try again before giving up
LOCK_PAUSE = 0.05
GATE_PATIENCE = 10.0  # seconds before a gate: whoever is behind it does little
GATE_PAUSE = 0.005


def acquire_lock(path: Path, *, what: str, since: str) -> int:
    """Take a lock and keep it until the returned descriptor is closed; raises `Busy`, which says `what` holds it."""
    make_directory(path.parent)
    fd = _open_lock_file(path)
    try:
        if not _try_lock(fd, fcntl.LOCK_EX, seconds=LOCK_PATIENCE, pause=LOCK_PAUSE):
            raise Busy(f"{what} ({describe_holder(path)}); wait for it or stop it")
        os.ftruncate(fd, 0)
        os.pwrite(fd, json.dumps({"process": os.getpid(), "since": since}).encode(), 0)
    except BaseException:
        os.close(fd)
        raise
    return fd


def is_locked(path: Path) -> bool:
    """Whether some process holds the lock; True where this user may not look."""
    try:
        fd = os.open(path, (os.O_RDWR if os.access(path, os.W_OK) else os.O_RDONLY) | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except PermissionError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


@contextmanager
def brief_lock(path: Path, *, shared: bool = False) -> Iterator[None]:
    """Keep others out for a short piece of work, or with `shared` only those who want it for themselves.

    Raises `Busy` after `GATE_PATIENCE` seconds.
    """
    fd = _open_lock_file(path)
    try:
        if not _try_lock(fd, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, seconds=GATE_PATIENCE, pause=GATE_PAUSE):
            raise Busy(f"{path} is locked by another process; wait for it and run again")
        yield
    finally:
        os.close(fd)


def _open_lock_file(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _try_lock(fd: int, kind: int, *, seconds: float, pause: float) -> bool:
    """Whether the lock could be had in time."""
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(pause)


def describe_ingestion(source: str) -> str:
    """The holder of a source's lock."""
    return f"another ingestion of source {source!r} is running"


def describe_holder(path: Path) -> str:
    """Which process holds a lock, and since when, as far as that is written in it."""
    try:
        about = json.loads(path.read_bytes())
        return f"process {about['process']}, since {about['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
