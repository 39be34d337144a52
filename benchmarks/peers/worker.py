"""One system over one collection, in a process of its own, so that its time and memory are its own.

    python benchmarks/peers/worker.py SYSTEM MODE FOLDER [--embeddings FILE]

Prints one JSON object. With `--embeddings` vectors are kept in a file between runs: quicker, for quality alone.
"""

import argparse
import hashlib
import json
import pickle
import resource
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class SharedModel:
    """The built-in model of this project for every system, so that none has the better weights."""

    def __init__(self, kept: Path | None) -> None:
        from ragstone.providers import make_embedder

        self._embedder: Any = make_embedder("minilm")
        self._kept = kept
        self._rows: dict[str, Any] = pickle.loads(kept.read_bytes()) if kept and kept.exists() else {}

    def __call__(self, texts: Sequence[str]) -> Any:
        """Vectors of length 1, one row a text."""
        import asyncio

        import numpy as np

        if self._kept is None:
            return np.asarray(asyncio.run(self._embedder.embed(list(texts))), dtype=np.float32)
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._rows}
        if missing:
            made = np.asarray(asyncio.run(self._embedder.embed(list(missing.values()))), dtype=np.float32)
            self._rows |= dict(zip(missing, made, strict=True))
        return np.stack([self._rows[key] for key in keys])

    def keep(self) -> None:
        """Write the vectors down."""
        if self._kept is not None:
            self._kept.write_bytes(pickle.dumps(self._rows))


def read_lines(file: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def cpu_seconds() -> float:
    """Time of the processor of this process and of those that it has ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main() -> None:
    """Fill, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system")
    parser.add_argument("mode", choices=["hybrid", "keyword", "semantic"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embeddings", type=Path)
    given = parser.parse_args()
    documents = [
        (row["_id"], "\n".join(filter(None, (row.get("title"), row["text"]))))
        for row in read_lines(given.folder / "corpus.jsonl")
    ]
    judged = {line.split("\t")[0] for line in next((given.folder / "qrels").glob("*.tsv")).read_text().splitlines()[1:]}
    questions = {row["_id"]: row["text"] for row in read_lines(given.folder / "queries.jsonl") if row["_id"] in judged}
    begun, used = time.perf_counter(), cpu_seconds()
    from systems import SYSTEMS

    model = SharedModel(given.embeddings)
    system = SYSTEMS[given.system](given.mode, model)
    ready = time.perf_counter() - begun
    system.fill(given.folder, documents)
    filled, filling = time.perf_counter() - begun - ready, cpu_seconds() - used
    system.ask(next(iter(questions.values())))  # what is loaded with the first question
    rankings: dict[str, list[str]] = {}
    seconds: list[float] = []
    for id_, text in questions.items():
        at = time.perf_counter()
        rankings[id_] = system.ask(text)
        seconds.append(time.perf_counter() - at)
    model.keep()
    memory = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    found = {
        "system": given.system,
        "mode": given.mode,
        "documents": len(documents),
        "start_s": round(ready, 3),
        "fill_s": round(filled, 2),
        "fill_cpu_s": round(filling, 2),
        "question_p50_ms": round(1000 * statistics.median(seconds), 2),
        "memory_mb": round(memory / 1024, 1),
        "rankings": rankings,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
