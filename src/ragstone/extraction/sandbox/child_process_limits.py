"""The limits that a child puts on itself: some once, some for each document."""

import contextlib
import math
import os
import resource
import signal
import sys
import threading
import time

FILES = 128  # open at once
FILE = 8_000_000  # bytes of a file that it writes: compiled modules, nothing else of use
GRACE = 5.0  # seconds in which the parent ends it before it ends itself
EXHAUSTED = 77  # exit status of a child that found that it had taken too much memory
MEMORY_FILE = "/proc/self/statm"
OOM_SCORE_FILE = "/proc/self/oom_score_adj"


def set_process_limits() -> None:
    """Set the limits for the child's whole life. Raises `OSError` or `ValueError` where limits cannot be set."""
    for kind, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, FILE), (resource.RLIMIT_NOFILE, FILES)):
        hard = _cap_limit(most, resource.getrlimit(kind)[1])
        resource.setrlimit(kind, (hard, hard))
    # Where memory runs short, the system should take this process and no other.
    with contextlib.suppress(OSError), open(OOM_SCORE_FILE, "w", encoding="ascii") as file:
        file.write("1000")
    if sys.platform != "linux":
        threading.Thread(target=watch_parent, args=(os.getppid(),), daemon=True).start()


def set_document_limits(*, cpu: float, wall: float, memory: int) -> None:
    """Set the limits for one document, counted from now; the wall time is a child's own only without a parent."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _set_soft_limit(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + cpu))
    if sys.platform == "linux":
        _set_soft_limit(resource.RLIMIT_AS, memory)
    document_limits["memory"] = memory
    signal.setitimer(signal.ITIMER_REAL, wall + GRACE)


def extend_time_limits(*, cpu: float, wall: float) -> None:
    """Both times of the document that is being read, made longer."""
    soft = resource.getrlimit(resource.RLIMIT_CPU)[0]
    if soft != resource.RLIM_INFINITY:
        _set_soft_limit(resource.RLIMIT_CPU, soft + math.ceil(cpu))
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    if left:
        signal.setitimer(signal.ITIMER_REAL, left + wall)


def lift_document_limits() -> None:
    """Back to no limits of a document."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS):
        with contextlib.suppress(ValueError, OSError):
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (hard, hard))


def resident_bytes() -> int:
    """Bytes of memory that this process holds; the most that it ever held where that alone is known."""
    with contextlib.suppress(OSError), open(MEMORY_FILE, encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


document_limits: dict[str, int] = {}


def watch_parent(parent: int) -> None:
    """End this process when it holds too much or its parent is gone: for systems whose kernel does not do so."""
    while os.getppid() == parent:
        if resident_bytes() > document_limits.get("memory", sys.maxsize):
            os._exit(EXHAUSTED)
        time.sleep(0.05)
    os._exit(0)


def _set_soft_limit(kind: int, most: int) -> None:
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (_cap_limit(most, hard), hard))


def _cap_limit(most: int, hard: int) -> int:
    return most if hard == resource.RLIM_INFINITY else min(most, hard)
