"""What processes a process started, as /proc tells it."""

import os
import time
from contextlib import suppress
from pathlib import Path

from tests.patience import HANG


def family(pid: int) -> list[int]:
    """All that a process started, and all that these started."""
    found: list[int] = []
    with suppress(OSError):  # it ends meanwhile
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child), *family(int(child))]
    return found


def state(pid: int) -> str:
    """One letter, Z for remains that nobody buried yet; "" where there is no such process."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def gone(pid: int, *, seconds: float = HANG) -> bool:
    """Whether a process ends. An orphan's remains are another's to bury."""
    end = time.monotonic() + seconds
    while state(pid) not in ("", "Z"):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def mine() -> list[int]:
    """All that this process started."""
    return family(os.getpid())
