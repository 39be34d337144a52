"""Memory that a server freed goes back to the system."""

import asyncio
import subprocess
import sys

import pytest

from ragstone.server import memory
from tests.patience import HANG

# A hundred thousand texts of which the last stays: the arena cannot shrink from its end.
SCATTERED = """
from ragstone.core.freed_memory import limit_arenas, release_memory
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
limit_arenas()
kept = [bytes([n % 251]) * 1000 for n in range(100_000)]
del kept[:-1]
before = resident()
release_memory()
print(before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep no such memory")
def test_freed_memory_goes_back_although_some_of_it_is_still_used() -> None:
    done = subprocess.run([sys.executable, "-c", SCATTERED], capture_output=True, text=True, check=True, timeout=HANG)
    assert int(done.stdout) > 50_000_000


async def test_a_server_gives_memory_back_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, given_back, twice = asyncio.get_running_loop(), [], asyncio.Event()

    def release() -> None:
        given_back.append("once")
        if len(given_back) == 2:
            loop.call_soon_threadsafe(twice.set)

    monkeypatch.setattr(memory, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(memory, "release_memory", release)
    async with memory.release_now_and_then():
        await asyncio.wait_for(twice.wait(), HANG)
