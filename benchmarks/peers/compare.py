"""This project beside other systems: one machine, one run, the same weights, each with what it has offline.

    python -m venv PEERS && PEERS/bin/pip install -r benchmarks/peers/requirements.txt -e .
    PEERS/bin/python benchmarks/peers/compare.py FOLDER … [--systems langchain,txtai] [--embeddings FILE]

FOLDER is a collection in BEIR's form. Quality is nDCG@10; each system is run with keywords, with vectors and with both.
`--embeddings` keeps vectors between runs: then only quality counts, not time. Without it one run gives seconds of the
processor for filling (with the first loading), the median of a question, and the most memory of a process.
"""

import argparse
import csv
import json
import math
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

HERE = Path(__file__).parent
PACKAGES = {
    "ragstone": ["ragstone"],
    "langchain": ["langchain-classic", "langchain-community", "langchain-text-splitters", "faiss-cpu", "rank-bm25"],
    "llamaindex": ["llama-index-core", "llama-index-retrievers-bm25"],
    "haystack": ["haystack-ai"],
    "txtai": ["txtai"],
}


def main() -> None:
    """A line for each collection, system and mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--systems", default=",".join(PACKAGES))
    parser.add_argument("--modes", default="hybrid,keyword,semantic")
    parser.add_argument("--embeddings", type=Path)
    given = parser.parse_args()
    systems = given.systems.split(",")
    for name in systems:
        versions = ", ".join(f"{package} {metadata.version(package)}" for package in PACKAGES[name])
        print(f"# {name}: {versions}; {_installed_mb(PACKAGES[name]):.0f} MB with what they need")
    print("collection\tsystem\tmode\tnDCG@10\tfill CPU s\tquestion p50 ms\tmemory MB\tstart s")
    for folder in given.folders:
        relevance = _read_relevance(folder)
        for name in systems:
            for mode in given.modes.split(","):
                found = _run(name, mode, folder, given.embeddings)
                quality = _mean_ndcg(found["rankings"], relevance)
                row = [folder.name, name, mode, f"{quality:.4f}"]
                row += [str(found[key]) for key in ("fill_cpu_s", "question_p50_ms", "memory_mb", "start_s")]
                print("\t".join(row), flush=True)


def _run(system: str, mode: str, folder: Path, embeddings: Path | None) -> dict[str, Any]:
    kept = ["--embeddings", str(embeddings)] if embeddings else []
    command = [sys.executable, str(HERE / "worker.py"), system, mode, str(folder), *kept]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{system} {mode} {folder.name}: {done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _read_relevance(folder: Path) -> dict[str, dict[str, int]]:
    out: dict[str, dict[str, int]] = {}
    with next((folder / "qrels").glob("*.tsv")).open(encoding="utf-8") as file:
        next(file)
        for question, document, grade in csv.reader(file, delimiter="\t"):
            out.setdefault(question, {})[document] = int(grade)
    return out


def _mean_ndcg(rankings: dict[str, list[str]], relevance: dict[str, dict[str, int]], k: int = 10) -> float:
    """Linear gains (trec_eval's), over the questions with a relevant document."""
    values = []
    for question, grades in relevance.items():
        ideal = sum(g / math.log2(n + 2) for n, g in enumerate(sorted(grades.values(), reverse=True)[:k]) if g > 0)
        if ideal and question in rankings:
            gained = (max(0, grades.get(one, 0)) / math.log2(n + 2) for n, one in enumerate(rankings[question][:k]))
            values.append(sum(gained) / ideal)
    return sum(values) / len(values)


def _installed_mb(packages: list[str]) -> float:
    """The files of these packages and of all that they need."""
    todo, seen, size = list(packages), set(), 0
    while todo:
        name = todo.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        size += sum(
            Path(str(file.locate())).stat().st_size for file in found.files or () if Path(str(file.locate())).is_file()
        )
        needed = [Requirement(one) for one in found.requires or ()]
        todo += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    return size / 1e6


if __name__ == "__main__":
    main()
