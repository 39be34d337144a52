"""Memory has a ceiling: what a long PDF needs over all processes hardly grows with its pages."""

import json
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.extraction.pdf.sheets import paragraph, pdf, shown
from tests.processes import family

MB = 1 << 20
FEW, MANY = 100, 500
# Bytes that one more page of 900 characters may add: text, places and chunks of it stay until the document is
# written, 60 KB in all processes together. The characters of its page, were they kept, would take as much again.
A_PAGE = 80_000
ALL = 250 * MB  # of which 110 are the programs


def long(pages: int) -> bytes:
    """A PDF of pages that are all different."""
    return pdf(
        [
            shown(50, 50, f"Part {n}", size=16)
            + paragraph(
                50, 90, [f"Line {k} of page {n}: sample {n * 15 + k} is kept for {k + 15} days." for k in range(15)]
            )
            for n in range(pages)
        ]
    )


def peak(pid: int) -> int:
    """The most bytes of memory that a process ever held."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def peaks(folder: Path, pages: int) -> int:
    """Ingest a PDF; the peaks of all processes that did it, added up."""
    docs = folder / f"{pages}"
    docs.mkdir()
    (docs / "long.pdf").write_bytes(long(pages))
    options = ["--store", str(folder / f"store{pages}"), "--embedder", "none", "--json"]
    command = [sys.executable, "-m", "ragstone", "ingest", str(docs), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found: dict[int, int] = {}
    while process.poll() is None:
        for pid in (process.pid, *family(process.pid)):
            with suppress(OSError, ValueError, IndexError):  # it just ended
                found[pid] = peak(pid)
        time.sleep(0.01)
    out, err = process.communicate()
    done = json.loads(out.splitlines()[-1])
    assert done["documents"]["added"] == 1, err
    assert done["chunks"] > pages
    assert len(found) > 1  # the parser's own process was seen
    return sum(found.values())


@pytest.mark.skipif(sys.platform != "linux", reason="memory of processes is looked up in /proc")
def test_a_long_pdf_takes_hardly_more_memory_than_a_short_one(tmp_path: Path) -> None:
    few, many = peaks(tmp_path, FEW), peaks(tmp_path, MANY)
    assert many - few < (MANY - FEW) * A_PAGE
    assert many < ALL
