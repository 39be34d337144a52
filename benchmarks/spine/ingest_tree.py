"""A folder from nothing to searchable to complete, then again unchanged.

    python benchmarks/spine/ingest_tree.py FOLDER [--store DIR] [--keyword]

Prints one JSON object: seconds until the first documents and all documents are searchable by text,
until the vectors are complete, for a second run, and the peak memory of this process in MB.
"""

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import ragstone
from ragstone.core.answers import Event


def main() -> None:
    """Run both ingestions and print what they took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--store", default=None, help="keep the store here")
    parser.add_argument("--keyword", action="store_true", help="no vectors")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        store = given.store or scratch
        settings = ragstone.load(store=f"embedded:{store}", embed__model="none" if given.keyword else None)
        print(json.dumps(measure(given.folder, settings)))


def measure(folder: str, settings: ragstone.Settings) -> dict[str, object]:
    """Ingest twice; all times are wall seconds from the start of the run."""
    out: dict[str, object] = {"folder": Path(folder).name}
    start = time.monotonic()

    def hear(event: Event) -> None:
        now = round(time.monotonic() - start, 2)
        if event.name == "text":
            out.setdefault("first_text_s", now)
            out["all_text_s"] = now
        else:
            out["vectors_s"] = now

    with ragstone.open(settings=settings) as kb:
        cpu = time.process_time()
        [run] = kb.ingest(folder, tell=hear)
        out["complete_s"] = round(time.monotonic() - start, 2)
        out["cpu_s"] = round(time.process_time() - cpu, 2)
        out["documents"] = run.stats["documents"]
        out["chunks"] = kb.info().chunks
        out["embedded"] = run.stats["embedded"]
        out["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        again = time.monotonic()
        [run] = kb.ingest(folder)
        out["second_run_s"] = round(time.monotonic() - again, 2)
        out["second_run_embedded"] = run.stats["embedded"]
        out["store_mb"] = sum(f.stat().st_size for f in Path(settings.store[9:]).rglob("*") if f.is_file()) // 10**6
    return out


if __name__ == "__main__":
    main()
