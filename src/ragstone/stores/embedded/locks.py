"""One ingestion a source: a file lock that dies with its process, and says who holds it."""

import fcntl
import json
import os
import time
from pathlib import Path

from ragstone.errors import Busy
from ragstone.stores.embedded.paths import Place, encoded, make_directory

TRIES = 5  # looking whether a lock is held takes it for a moment: try again before giving up
PAUSE = 0.05


def lock_file(place: Place, source: str) -> Path:
    """The file whose lock an ingestion of this source holds."""
    return place.locks / f"{encoded(source)}.lock"


def hold(path: Path, *, source: str, since: str) -> int:
    """Take the lock and keep it until the returned descriptor is closed; raises `Busy`."""
    make_directory(path.parent)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    for attempt in range(TRIES):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if attempt == TRIES - 1:
                holder = _holder(path)
                os.close(fd)
                raise Busy(
                    f"another ingestion of source {source!r} is running ({holder}); wait for it or stop it"
                ) from None
            time.sleep(PAUSE)
    os.ftruncate(fd, 0)
    os.pwrite(fd, json.dumps({"process": os.getpid(), "since": since}).encode(), 0)
    return fd


def held(path: Path) -> bool:
    """Whether some process holds the lock."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def _holder(path: Path) -> str:
    try:
        about = json.loads(path.read_bytes())
        return f"process {about['process']}, since {about['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
