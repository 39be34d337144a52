"""A text of many megabytes: refused by its size, or taken in with memory in proportion to it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Run
from tests.patience import HANG

LINE = "The quick brown fox number {} jumps over the lazy dog while rain keeps falling on stone {}.\n\n"
BYTES_A_BYTE = 40  # of memory at the peak, measured: 28 for a text of 3 MB, 20 for one of 12 MB (without a model)
LIMIT = 1_000_000


def written(file: Path, size: int) -> Path:
    """A text of paragraphs that are all different."""
    file.parent.mkdir(exist_ok=True)
    with file.open("w", encoding="utf-8") as out:
        number = 0
        while out.tell() < size:
            out.write("".join(LINE.format(n, n * 7) for n in range(number, number + 1000)))
            number += 1000
    return file


def test_a_text_of_50_megabytes_is_skipped_with_one_sentence_and_the_rest_goes_on(run: Run, docs: Path) -> None:
    with (docs / "huge.txt").open("w", encoding="utf-8") as out:
        for _ in range(50):
            out.write("many words\n" * (1_000_000 // 11) + "x\n" * 5)
    outcome = run("ingest", docs, "--store", "store", "--embedder", "none")
    size = f"{(docs / 'huge.txt').stat().st_size:,}"
    assert outcome.status == 0
    assert "4 added, 1 skipped" in outcome.out
    assert (
        f"skipped huge.txt (too_large): huge.txt has {size} bytes, more than the 10,000,000 allowed for text/plain; "
        "split it or raise limits.text_bytes\n"
    ) in outcome.err


def test_with_the_limit_raised_a_large_text_is_taken_in_with_memory_in_proportion(tmp_path: Path) -> None:
    """Two megabytes over a limit of one stand for fifty over ten: those would take minutes to index."""
    if not STATUS.exists():
        pytest.skip("this system does not say how much memory a process took at most")
    large = written(tmp_path / "large" / "text.txt", 2 * LIMIT)
    few = written(tmp_path / "few" / "text.txt", 1000)
    refused = ingested(large, limit=LIMIT)
    assert (refused["documents"]["added"], refused["skipped"][0]["reason"]) == (0, "too_large")
    taken, base = ingested(large, limit=10 * LIMIT), ingested(few, limit=10 * LIMIT)
    assert taken["documents"]["added"] == 1
    assert taken["chunks"] > 1000
    assert taken["peak"] - base["peak"] <= BYTES_A_BYTE * large.stat().st_size


CHILD = "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv.pop(1)),) * 2)"
STATUS = Path("/proc/self/status")
RUN = f"""
from ragstone.cli import main
try:
    main()
finally:
    # Not getrusage: its figure begins with the peak of the process that started this one.
    print(next(line.split()[1] for line in open("{STATUS}") if line.startswith("VmHWM:")), file=sys.stderr)
"""
ADDRESSES = 4 * 2**30  # bytes of address space: whatever goes wrong, this machine stays usable


def ingested(file: Path, *, limit: int) -> Any:
    """The last line of `ragstone ingest --json` in a process of its own, and its peak memory in bytes."""
    arguments = ["ingest", str(file.parent), "--store", f"{file.parent}-{limit}", "--embedder", "none", "--json"]
    command = [sys.executable, "-c", CHILD + RUN, str(ADDRESSES), *arguments]
    environment = {**os.environ, "RAGSTONE_LIMITS__TEXT_BYTES": str(limit)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=True, env=environment)
    return {**json.loads(done.stdout.splitlines()[-1]), "peak": int(done.stderr.splitlines()[-1]) * 1024}
