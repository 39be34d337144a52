"""Requests as fast as a server answers them, by `wrk` (Debian's package), and the memory of a process."""

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SCRIPT = """
local requests = {REQUESTS}
local n = 0
request = function()
  n = n + 1
  local one = requests[n % #requests + 1]
  return wrk.format(one[1], one[2], {["Content-Type"] = "application/json"}, one[3])
end
done = function(summary, latency, requests)
  io.write(string.format("%d %d %.2f %.2f %.2f\\n", summary.requests, summary.errors.status + summary.errors.read
    + summary.errors.connect + summary.errors.timeout, latency:percentile(50) / 1000, latency:percentile(95) / 1000,
    latency:percentile(99) / 1000))
end
"""


class Pressed(NamedTuple):
    """Answers a second, refusals in all, and latencies in milliseconds, refusals included."""

    rate: float
    refused: int
    p50: str
    p95: str
    p99: str


def press_server(url: str, requests: Sequence[Sequence[str]], *, clients: int, seconds: int) -> Pressed:
    """Send requests, each a method, a path and a body, again and again from so many clients."""
    rows = ",".join("{" + ",".join(json.dumps(part) for part in one) + "}" for one in requests)
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SCRIPT.replace("REQUESTS", rows))
        script.flush()
        many = ["-t", "1", "-c", str(clients), "-d", f"{seconds}s", "--timeout", "60s"]
        command = ["wrk", *many, "-s", script.name, url]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[-1]
    asked, refused, p50, p95, p99 = told.split()
    return Pressed((int(asked) - int(refused)) / seconds, int(refused), p50, p95, p99)


def measure_memory(pid: int) -> int:
    """Resident megabytes of a process."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) // 1024
