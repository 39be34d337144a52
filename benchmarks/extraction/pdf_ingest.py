"""A PDF of 3,000 pages into a store: seconds, chunks, and the peak memory of all processes together.

    python benchmarks/extraction/pdf_ingest.py FILE … [--pages 3000]

The files' pages are repeated into one PDF. Text only, no vectors. Memory is the resident size that /proc tells of
the command and all that it starts, added up ten times a second: what they share is counted more than once.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pdf_speed import repeated

MB = 1 << 20


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += family(int(child))
    return found


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=3000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "docs"
        folder.mkdir()
        (folder / "long.pdf").write_bytes(repeated(given.files, given.pages))
        options = ["--store", f"{scratch}/store", "--embedder", "none", "--json"]
        start, together, largest = time.monotonic(), 0, 0
        command = [sys.executable, "-m", "ragstone", "ingest", str(folder), *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while process.poll() is None:
            try:
                sizes = [resident(pid) for pid in family(process.pid)]
            except (OSError, ValueError, IndexError):
                continue  # one of them just ended
            together, largest = max(together, sum(sizes)), max(largest, *sizes)
            time.sleep(0.1)
        done = json.loads((process.stdout.read() if process.stdout else "").splitlines()[-1])
    figures = {"seconds": round(time.monotonic() - start, 1), "peak_mb": together // MB, "largest_mb": largest // MB}
    print(json.dumps({"pages": given.pages, "chunks": done["chunks"], **figures}))


if __name__ == "__main__":
    main()
