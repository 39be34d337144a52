"""Questions on filings: are the numbers and names of the expected answer on a page among the first five found?

    python benchmarks/extraction/sec_questions.py DATA/qa/docugami_sec10q [--store DIR] [--keyword] [--top-k 5]

Ingests the PDFs that have questions and searches for each question as it stands. An expected answer's facts are its
numbers (three digits or more, or with a point or a percent sign) and the capitalised names in it, but for those that
the question has.
Of each question: the share of its facts that stand on a page of the passages found (`facts`), and whether at least
one does (`any`); by its kind of source, text or table. The answers were written by a language model and checked by
people, so not every fact stands in the filings.
"""

import argparse
import csv
import json
import re
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pypdfium2

import ragstone

NUMBER = re.compile(r"\d[\d,]*\.\d+|\d{1,3}(?:,\d{3})+|\d{3,}|\d+(?=%)")
NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+\b")
SOURCE = re.compile(r"\(?SOURCE[^)\n]*\)?|\b20\d\d Q\d [A-Z]+(?:\.pdf)?")


def facts(answer: str, question: str) -> set[str]:
    """What must be found: numbers and names, those of the question left out."""
    answer = SOURCE.sub(" ", answer)
    found = set(NUMBER.findall(answer)) | set(NAME.findall(answer))
    return {fact for fact in found if fact.lower() not in question.lower() and not re.fullmatch(r"20\d\d", fact)}


def pages(folder: Path) -> Iterator[tuple[tuple[str, int], str]]:
    """The plain text of every page, as pdfium gives it."""
    for file in sorted(folder.glob("*.pdf")):
        with pypdfium2.PdfDocument(file) as document:
            for number in range(len(document)):
                text = document[number].get_textpage().get_text_bounded()
                yield (file.name, number + 1), " ".join(text.split())


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--store", default=None)
    parser.add_argument("--keyword", action="store_true")
    parser.add_argument("--top-k", type=int, default=5)
    given = parser.parse_args()
    data = given.folder / "data" / "v1"
    texts = dict(pages(data / "docs"))
    with (data / "qna_data.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    shares: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        model = "none" if given.keyword else None
        with ragstone.open(given.store or scratch, embed__model=model) as kb:
            [run] = kb.ingest(data / "docs")
            for row in rows:
                wanted = facts(row["Answer"], row["Question"])
                if not wanted:
                    continue
                hits = kb.search(row["Question"], top_k=given.top_k).hits
                places = {(h.chunk.document.path, span.page) for h in hits for span in h.chunk.spans if span.page}
                seen = " ".join(texts.get((path.rsplit("/", 1)[-1], page), "") for path, page in places)
                share = sum(fact in seen for fact in wanted) / len(wanted)
                for kind in ("all", row["Source Chunk Type"], row["Question Type"]):
                    shares[kind].append(share)
    out = {
        kind: {
            "questions": len(values),
            "facts": round(statistics.mean(values), 3),
            "any": round(sum(v > 0 for v in values) / len(values), 3),
        }
        for kind, values in sorted(shares.items())
    }
    print(
        json.dumps({"documents": run.stats["documents"], "written": run.stats["written"], "top_k": given.top_k, **out})
    )


if __name__ == "__main__":
    main()
