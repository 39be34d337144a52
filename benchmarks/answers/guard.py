"""How often the guard flags attacks and how often it cries wolf on documentation; how it masks secrets.

    python benchmarks/answers/guard.py DATA

DATA holds `safety/` (bipia, deepset_prompt_injections, notinject, secrets) and `kb/` (Markdown trees).
"""

import argparse
import gzip
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragstone.guard import find, flags


def main() -> None:
    """Print one line a set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", type=int, default=0, help="show so many texts of each kind of mistake")
    args = parser.parse_args()
    safety = args.data / "safety"
    _rate(
        "direct (deepset)",
        [r["text"] for r in _rows(safety / "deepset_prompt_injections/deepset_prompt_injections.jsonl")],
        args.show,
        wanted=True,
    )
    bipia = _rows(safety / "bipia/composed.jsonl")
    for category in sorted({r["category"] for r in bipia if r["label"]}):
        _rate(
            f"  indirect: {category}",
            [r["context"] for r in bipia if r.get("category") == category and r["label"]],
            0,
            wanted=True,
        )
    _rate("indirect (bipia)", [r["context"] for r in bipia if r["label"]], args.show, wanted=True)
    _rate("clean contexts (bipia)", [r["context"] for r in bipia if not r["label"]], args.show, wanted=False)
    benign = _rows(safety / "notinject/all.jsonl")
    for source in sorted({(r["source"], r["label"]) for r in benign}):
        _rate(
            f"{source}",
            [r["text"] for r in benign if (r["source"], r["label"]) == source],
            args.show,
            wanted=bool(source[1]),
        )
    for tree in sorted((args.data / "kb").iterdir()):
        paragraphs = list(_paragraphs(tree))
        start = time.process_time()
        _rate(f"paragraphs of {tree.name}", paragraphs, args.show, wanted=False)
        seconds = time.process_time() - start
        print(f"  {sum(map(len, paragraphs)) / 1e6 / seconds:.2f} MB a second")
    _secrets(safety / "secrets/gitleaks_literals.jsonl.gz")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _paragraphs(tree: Path) -> Iterator[str]:
    """Runs of paragraphs of about 1,000 characters, as chunks are; a sample of the files where there are many."""
    files = sorted(tree.rglob("*.md"))
    for path in random.Random(0).sample(files, min(len(files), 400)):
        run = ""
        for paragraph in re.split(r"\n\s*\n", path.read_text(encoding="utf-8", errors="replace")):
            run += paragraph + "\n\n"
            if len(run) > 1000:
                yield run
                run = ""
        if run:
            yield run


def _rate(name: str, texts: list[str], show: int, *, wanted: bool) -> None:
    found = [flags(text) for text in texts]
    hits = sum(1 for names, _ in found if names)
    kinds = Counter(name for names, _ in found for name in names)
    print(f"{name}: {hits}/{len(texts)} = {hits / max(1, len(texts)):.4f} {dict(sorted(kinds.items()))}")
    wrong = [text for text, (names, _) in zip(texts, found, strict=True) if bool(names) != wanted]
    for text in random.Random(1).sample(wrong, min(show, len(wrong))):
        print("    ", flags(text), repr(text[-220:] if wanted else text[:1200]))


def _secrets(path: Path) -> None:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for label in (1, 0):
        texts = [row["text"] for row in rows if row["label"] == label]
        hits = sum(bool(find(text)) for text in texts)
        print(f"{'secrets found' if label else 'look-alikes masked'}: {hits}/{len(texts)} = {hits / len(texts):.3f}")


if __name__ == "__main__":
    main()
