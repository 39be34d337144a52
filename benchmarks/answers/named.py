"""Questions that name one of many alike documents: does `ask` without a language model quote that one?

    python benchmarks/answers/named.py DATA/qa/docugami_sec10q [--store DIR] [--small]

Twenty quarterly reports of five companies, in files as "2023 Q1 NVDA.pdf", and questions as "How did NVIDIA's operating
expenses compare to its revenues in Q1 2023?". Counted by the kind of question: answers whose first citation is in a
report that the set names as the source (`right`), in another (`wrong`), and refusals; of the right ones those with a
number or name of the expected answer (`fact`, as `sec_questions.py` counts).
"""

import argparse
import csv
import json
import sys
import tempfile
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

import ragstone

sys.path.insert(0, str(Path(__file__).parents[1] / "extraction"))
from sec_questions import facts


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--store", default=None)
    parser.add_argument("--small", action="store_true", help="ask in small letters")
    given = parser.parse_args()
    data = given.folder / "data" / "v1"
    with (data / "qna_data.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    counts: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as scratch, ragstone.open(given.store or scratch) as kb:
        kb.ingest(data / "docs")
        for row in rows:
            own = counts.setdefault(row["Question Type"], Counter())
            answer = kb.ask(row["Question"].lower() if given.small else row["Question"])
            if answer.abstained:
                own["declined"] += 1
            elif not _is_source(answer.citations[0].document.path, row["Source Docs"]):
                own["wrong"] += 1
            else:
                own["right"] += 1
                own["fact"] += any(fact in answer.text for fact in facts(row["Answer"], row["Question"]))
    print(json.dumps({kind: dict(own) for kind, own in sorted(counts.items())}))


def _is_source(path: str, sources: str) -> bool:
    """Whether a file is among the sources, as "*AAPL*" or "2023 Q1 AAPL"."""
    patterns = (one.strip().removesuffix(".pdf") for one in sources.split(","))
    return any(fnmatch(Path(path).stem, pattern) for pattern in patterns)


if __name__ == "__main__":
    main()
