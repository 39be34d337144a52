"""A question in a warm process: seconds by stage, beside what a bare numpy scan of the same vectors takes.

    python benchmarks/spine/question.py STORE [--collection NAME] [--questions FILE]

STORE was filled by `ragstone ingest` or `ragstone eval --beir`. FILE has a question a line, as JSON with `text` or
`question`; without it titles of the stored documents are asked. Questions are drawn with a fixed seed.
"""

import argparse
import json
import random
import statistics
import time
from pathlib import Path

import numpy as np

import ragstone

QUESTIONS = 100


def main() -> None:
    """Ask 100 questions, print medians and 95th percentiles in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store")
    parser.add_argument("--collection", default=None)
    parser.add_argument("--questions", type=Path)
    given = parser.parse_args()
    with ragstone.open(given.store, collection=given.collection) as kb:
        info = kb.info()
        texts = _read_questions(given.questions) or [d.title or d.path for d in kb.documents()]
        questions = random.Random(7).sample(texts, min(QUESTIONS, len(texts)))
        for question in questions[:5]:
            kb.search(question)
        out: dict[str, object] = {"chunks": info.chunks, "questions": len(questions)}
        for mode in ("hybrid", "keyword", "semantic"):
            stages: dict[str, list[float]] = {}
            for question in questions:
                for stage, seconds in kb.search(question, mode=mode).timings.items():
                    stages.setdefault(stage, []).append(1000 * seconds)
            out[mode] = {stage: _figures(times) for stage, times in stages.items()}
        out["numpy_scan_ms"] = _scan(info.chunks, info.dimension or 384)
    print(json.dumps(out, indent=1))


def _read_questions(file: Path | None) -> list[str]:
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file else []
    return [row.get("text") or row["question"] for row in rows]


def _figures(times: list[float]) -> dict[str, float]:
    return {"p50": round(statistics.median(times), 2), "p95": round(sorted(times)[int(0.95 * len(times))], 2)}


def _scan(rows: int, dimension: int) -> float:
    """The floor of an exact search: one matrix-vector product and the ten best, in milliseconds."""
    matrix = np.random.default_rng(7).standard_normal((rows, dimension), dtype=np.float32)
    vector = matrix[0]
    times = []
    for _ in range(20):
        start = time.perf_counter()
        np.argpartition(matrix @ vector, -10)
        times.append(1000 * (time.perf_counter() - start))
    return round(statistics.median(times), 2)


if __name__ == "__main__":
    main()
