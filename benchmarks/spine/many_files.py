"""Peak memory of a run over 10,000 and over 100,000 tiny files: the listing alone, a first run, a second one.

    python benchmarks/spine/many_files.py [--files 10000 100000]

Prints the peak of each process in MB, and how much of it a file more takes. Without a model, so that text alone counts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LISTING = """
import sys
from ragstone.ingestion.progress import Tally
from ragstone.ingestion.sources.files import FileSource
from ragstone.ingestion.sources.rules import Rules
print(len(Tally().list_files(FileSource("notes", sys.argv[1], rules=Rules()))))
"""


def make_files(folder: Path, count: int) -> Path:
    """A tree of notes of two lines, fifty in a folder."""
    for n in range(count):
        place = folder / f"{n // 1000:03}" / f"{n % 1000 // 50:02}"
        if n % 50 == 0:
            place.mkdir(parents=True)
        (place / f"note-{n:06}.md").write_text(f"# Note {n}\n\nThe sluice number {n} opens at dawn.\n", "utf-8")
    return folder


def measure_peak(*command: str) -> float:
    """Run a command; the most memory that it held, in MB."""
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[:4]} ended with status {process.returncode}")
    return usage.ru_maxrss / 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, nargs=2, default=(10_000, 100_000))
    few, many = parser.parse_args().files
    peaks: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="ragstone-many-") as name:
        for count in (few, many):
            docs = str(make_files(Path(name, f"docs{count}"), count))
            ingest = ("-m", "ragstone", "ingest", docs, "--store", f"{name}/store{count}", "--embedder", "none")
            for step, command in (("listing", ("-c", LISTING, docs)), ("first run", ingest), ("second run", ingest)):
                peaks.setdefault(step, []).append(measure_peak(*command))
                print(f"{count:>8,} files, {step}: {peaks[step][-1]:.0f} MB", flush=True)
    for step, (low, high) in peaks.items():
        grown = (high - low) * 1024 * 1024 / (many - few)
        print(f"{step}: {high / low:.2f} times the memory for {many / few:g} times the files, {grown:.0f} bytes a file")


if __name__ == "__main__":
    main()
