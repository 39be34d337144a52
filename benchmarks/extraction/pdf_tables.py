"""Tables of PDFs against human cell structure: cell-adjacency F1 (Göbel et al., ICDAR 2013), whole documents.

    python benchmarks/extraction/pdf_tables.py DATA [--half even|odd] [--pages] [--kinds] [--engine ragstone|liteparse]

DATA holds `tables_gt.json` ([{id, pdf, tables: [{regions: [{cells: [{row, end_row, col, end_col, text}]}]}]}]) and the
PDFs it names. A relation is (text, text of the next non-empty cell to the right or below, direction); texts are
compared without white space and punctuation, in lower case. F1 is taken of each document's relations, then averaged.
"""

import argparse
import json
import re
import statistics
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ragstone.core.errors import Refused
from ragstone.extraction.image.pdf_with_ocr import parse_pdf


class Cell(NamedTuple):
    """First row, first column, last row, last column, text."""

    top: int
    left: int
    bottom: int
    right: int
    text: str


def normal(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def relations(tables: Iterable[list[Cell]]) -> Counter[tuple[str, str, str]]:
    found: Counter[tuple[str, str, str]] = Counter()
    for cells in tables:
        grid = {
            (row, col): cell
            for cell in cells
            if normal(cell.text)
            for row in range(cell.top, cell.bottom + 1)
            for col in range(cell.left, cell.right + 1)
        }
        height, width = 1 + max((r for r, _ in grid), default=-1), 1 + max((c for _, c in grid), default=-1)
        pairs: set[tuple[Cell, Cell, str]] = set()
        for (row, col), cell in grid.items():
            for name, down, across in (("right", 0, 1), ("down", 1, 0)):
                r, c = row + down, col + across
                while r < height and c < width and grid.get((r, c), cell) is cell:
                    r, c = r + down, c + across
                if (r, c) in grid:
                    pairs.add((cell, grid[r, c], name))
        found.update((normal(a.text), normal(b.text), name) for a, b, name in pairs)
    return found


def truth(document: dict[str, Any]) -> list[list[Cell]]:
    """The tables; the rows of a region on a further page come below those of the first."""
    tables: list[list[Cell]] = []
    for table in document["tables"]:
        offset, cells = 0, []
        for number, region in enumerate(table["regions"]):
            own = region["cells"]
            cells += [Cell(c["row"] + offset, c["col"], c["end_row"] + offset, c["end_col"], c["text"]) for c in own]
            if own and number == 0 and len(table["regions"]) > 1 and min(c["row"] for c in own) == 0:
                offset = max(c["end_row"] for c in own) + 1
        tables.append(cells)
    return tables


def ours(path: Path) -> list[list[Cell]]:
    try:
        blocks = parse_pdf(path.read_bytes(), path=path.name, ocr=False).blocks
    except Refused:
        return []
    return [
        [Cell(c.row, c.col, c.row + c.rowspan - 1, c.col + c.colspan - 1, c.text) for c in block.cells]
        for block in blocks
        if block.type == "table"
    ]


def bare(path: Path) -> list[list[Cell]]:
    from liteparse import LiteParse

    parser = LiteParse(output_format="json", image_mode="off", ocr_enabled=False, quiet=True, extract_blocks=True)
    tables = []
    for page in parser.parse(str(path)).pages:
        for block in page.blocks:
            if block.kind == "table":
                rows = [*([block.header] if block.header else []), *block.rows]
                tables.append([Cell(r, c, r, c, cell.text) for r, row in enumerate(rows) for c, cell in enumerate(row)])
    return tables


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--half", choices=("even", "odd"))
    arguments.add_argument("--pages", action="store_true", help="one line a document")
    arguments.add_argument("--kinds", action="store_true", help="one line for the documents of each kind (`kind-…`)")
    arguments.add_argument("--engine", choices=("ragstone", "liteparse"), default="ragstone")
    options = arguments.parse_args()
    read = ours if options.engine == "ragstone" else bare
    listed = json.loads((options.data / "tables_gt.json").read_text(encoding="utf-8"))
    documents = [d for d in listed if d["pdf"] and (options.data / d["pdf"]).exists()]
    if options.half:
        documents = documents[options.half == "odd" :: 2]
    scores, wanted, given, hit = [], 0, 0, 0
    by_kind: dict[str, list[float]] = {}
    for document in documents:
        want, have = relations(truth(document)), relations(read(options.data / document["pdf"]))
        both = (want & have).total()
        scores.append(2 * both / max(1, want.total() + have.total()))
        by_kind.setdefault(document["id"].split("-")[0], []).append(scores[-1])
        wanted, given, hit = wanted + want.total(), given + have.total(), hit + both
        if options.pages:
            print(f"{document['id']} {scores[-1]:.3f}")
    for kind, own in by_kind.items() if options.kinds else ():
        print(f"{kind} {statistics.mean(own):.3f}")
    print(
        json.dumps(
            {
                "documents": len(scores),
                "precision": round(hit / max(1, given), 4),
                "recall": round(hit / max(1, wanted), 4),
                "macro_f1": round(statistics.mean(scores), 4),
            }
        )
    )


if __name__ == "__main__":
    main()
