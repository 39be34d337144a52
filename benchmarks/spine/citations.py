"""Citations over a whole tree: each verified quote must stand in its file, character by character.

    python benchmarks/spine/citations.py FOLDER STORE [--questions N]

STORE was filled from FOLDER by `ragstone ingest`. Questions are the titles and headings of stored chunks, drawn with a
fixed seed. Prints how many citations were checked and how many failed; exit status 1 when one did.
"""

import argparse
import json
import random
import sys
from pathlib import Path

import ragstone
from ragstone.core.types import join_slices


def main() -> None:
    """Ask, compare every citation with the file, print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("store")
    parser.add_argument("--questions", type=int, default=300)
    given = parser.parse_args()
    counts = {"questions": 0, "answered": 0, "citations": 0, "verified": 0, "failed": 0}
    with ragstone.open(given.store) as kb:
        documents = kb.documents()
        for document in random.Random(7).sample(documents, min(given.questions, len(documents))):
            answer = kb.ask(f"What does {document.title or document.path} do?", mode="keyword")
            counts["questions"] += 1
            counts["answered"] += not answer.abstained
            for citation in answer.citations:
                file = (given.folder / citation.document.path).read_bytes().decode("utf-8-sig")
                counts["citations"] += 1
                counts["verified"] += citation.status == "verified"
                held = citation.masked or join_slices(file, citation.spans) == citation.quote
                counts["failed"] += citation.status == "verified" and not held
    print(json.dumps(counts))
    sys.exit(1 if counts["failed"] else 0)


if __name__ == "__main__":
    main()
