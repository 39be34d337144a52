"""Office documents and web pages against another converter's output: words, list depths, table grids.

    python benchmarks/extraction/office.py DATA [--format docx|pptx|html] [--differences]

DATA is a folder with `docx/sources`, `docx/groundtruth/NAME.json` and the same for `pptx` and `html` (the test
data of github.com/docling-project/docling). That is regression truth, not the truth: what differs is to be
read by eye. Compared are

- words: multisets of `\\w+` tokens; lost = expected and not found, added = found and not expected;
- lists: of the expected items, how many are list items here too, and how many of those at the same depth;
- tables: rows and columns of the grid, and the set of (row, column, rows, columns) of cells that span.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragstone.core.errors import Refused
from ragstone.core.types import Cell, Extraction
from ragstone.extraction import extract
from ragstone.extraction.docx import parse_docx as docx
from ragstone.extraction.pptx.parse import parse_pptx as pptx

TOKEN = re.compile(r"\w+")
TARGET = re.compile(r"\]\([^)\s]*\)")
MARK = re.compile(r"^(?:-|\S{1,12}[.)]|\(\S{1,8}\)|\d[\d.]*)\s+")
SHOWN = 12
Span = tuple[int, int, int, int]


@dataclass
class Seen:
    """What one side says of a document."""

    words: Counter[str] = field(default_factory=Counter)
    items: list[tuple[str, int]] = field(default_factory=list)
    tables: list[tuple[int, int, frozenset[Span]]] = field(default_factory=list)


def words(text: str) -> Counter[str]:
    return Counter(TOKEN.findall(TARGET.sub("]", text)))


def key(text: str) -> str:
    """The words of a list item, the mark left out."""
    return " ".join(TOKEN.findall(TARGET.sub("]", MARK.sub("", text, count=1)))).lower()


def grid(spans: list[Span]) -> tuple[int, int, frozenset[Span]]:
    rows = max((row + height for row, _, height, _ in spans), default=0)
    columns = max((col + width for _, col, _, width in spans), default=0)
    return rows, columns, frozenset(span for span in spans if span[2:] != (1, 1))


def expected(truth: dict[str, Any]) -> Seen:
    seen = Seen()
    nodes: dict[str, dict[str, Any]] = {
        node["self_ref"]: node for kind in ("texts", "groups", "tables", "pictures") for node in truth.get(kind, [])
    }

    def above(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
        while (parent := node.get("parent")) and (reference := parent.get("$ref")) in nodes:
            node = nodes[reference]
            yield node

    for node in truth.get("texts", []):
        parents = list(above(node))
        if any(parent["self_ref"].startswith("#/tables") for parent in parents):
            continue
        seen.words += words(node.get("text", ""))
        if node.get("label") == "list_item":
            depth = sum(parent.get("label") in ("list", "ordered_list") for parent in parents)
            seen.items.append((key(node.get("text") or inline(node, nodes)), depth))
    for table in truth.get("tables", []):
        if any(parent["self_ref"].startswith("#/tables") for parent in above(table)):
            continue
        cells = table["data"]["table_cells"]
        for cell in cells:
            seen.words += words(cell.get("text", ""))
        seen.tables.append(
            grid(
                [
                    (c["start_row_offset_idx"], c["start_col_offset_idx"], c.get("row_span", 1), c.get("col_span", 1))
                    for c in cells
                ]
            )
        )
    return seen


def inline(node: dict[str, Any], nodes: dict[str, dict[str, Any]]) -> str:
    """The text of an item that is kept as pieces of different formats."""
    out: list[str] = []
    waiting = [node]
    while waiting:
        now = waiting.pop()
        if now is not node and now.get("label") in ("list", "ordered_list", "list_item"):
            continue
        out.append(now.get("text", ""))
        waiting += [nodes[child["$ref"]] for child in reversed(now.get("children", [])) if child["$ref"] in nodes]
    return " ".join(out)


def found(extraction: Extraction) -> Seen:
    seen = Seen()
    for block in extraction.blocks:
        seen.words += words(" ".join(cell.text for cell in block.cells) if block.cells else block.text)
        if block.type == "list":
            seen.items.append((key(block.text), block.level))
        if block.type == "table":
            seen.tables.append(grid([span(cell) for cell in block.cells]))
    return seen


def span(cell: Cell) -> Span:
    return cell.row, cell.col, cell.rowspan, cell.colspan


@dataclass
class Counts:
    """What is printed, for a file and in all."""

    files: int = 0
    words: int = 0
    lost: int = 0
    added: int = 0
    items: int = 0
    kept: int = 0
    depth: int = 0
    tables: int = 0
    grids: int = 0
    spans: int = 0
    more: int = 0

    def __str__(self) -> str:
        return (
            f"words {self.words} lost {self.lost} added {self.added} | items {self.items} lists {self.kept} depth "
            f"{self.depth} | tables {self.tables} grids {self.grids} spans {self.spans} more {self.more}"
        )

    def add(self, other: "Counts") -> None:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def compared(true: Seen, ours: Seen) -> Counts:
    counts = Counts(1, true.words.total(), (true.words - ours.words).total(), (ours.words - true.words).total())
    counts.items = len(true.items)
    at = 0
    texts = [text for text, _ in ours.items]
    for text, depth in true.items:
        if text not in texts[at:]:
            continue
        at = texts.index(text, at) + 1
        counts.kept += 1
        counts.depth += ours.items[at - 1][1] == depth
    counts.tables = len(true.tables)
    left = list(ours.tables)
    for rows, columns, spans in true.tables:
        match = next((t for t in left if t == (rows, columns, spans)), None)
        match = match or next((t for t in left if t[:2] == (rows, columns)), None)
        if match is not None:
            left.remove(match)
            counts.grids += 1
            counts.spans += match[2] == spans
    counts.more = len(ours.tables) - counts.grids
    return counts


def html(data: bytes, *, path: str) -> Extraction:
    return extract(data, path=path)


READERS: dict[str, Callable[..., Extraction]] = {"docx": docx, "pptx": pptx, "html": html}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--format", choices=tuple(READERS), action="append")
    arguments.add_argument("--differences", action="store_true", help="the words lost and added")
    options = arguments.parse_args()
    for kind in options.format or READERS:
        total = Counts()
        for source in sorted((options.data / kind / "sources").glob(f"*.{kind}")):
            truth = options.data / kind / "groundtruth" / f"{source.name}.json"
            if not truth.exists():
                print(f"{source.name}: no expected output")
                continue
            try:
                extraction = READERS[kind](source.read_bytes(), path=source.name)
            except Refused as refused:
                print(f"{source.name}: refused, {refused.reason}")
                continue
            true, ours = expected(json.loads(truth.read_text(encoding="utf-8"))), found(extraction)
            counts = compared(true, ours)
            total.add(counts)
            print(f"{source.name}: {counts}")
            if options.differences:
                for name, difference in (("lost", true.words - ours.words), ("added", ours.words - true.words)):
                    if difference:
                        shown = " ".join(f"{word}*{n}" if n > 1 else word for word, n in difference.most_common(SHOWN))
                        print(f"    {name}: {shown}")
        print(f"{kind}, {total.files} files: {total}\n")


if __name__ == "__main__":
    main()
