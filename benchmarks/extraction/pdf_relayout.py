"""Reading order, tables and headings of one-page PDFs against Markdown truth.

    python benchmarks/extraction/pdf_relayout.py DATA [--half even|odd] [--pages] [--engine ragstone|liteparse]

DATA holds `pdf/ID.pdf` and `truth/ID.md` (tables as pipes or HTML, headings as `#` lines). Per page:
order: normalised indel similarity (2 LCS / sum of lengths) of all letters, digits and single spaces, markup left out;
tables: tree edit similarity (1 - distance / larger tree) of all tables of the page, trees of table, row and cell,
a cell costs its normalised edit distance where spans agree and 1 where not; only pages whose truth has a table;
headings: edit similarity of the sequence of headings and of the text between them; only pages whose truth has one.
Overall is the mean over pages of the mean of what a page has.
"""

import argparse
import json
import re
import statistics
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

from ragstone.core.errors import Refused
from ragstone.core.types import Block
from ragstone.extraction.image.pdf_with_ocr import parse_pdf

PIPES = re.compile(r"^\s*\|.*\|\s*$")
RULE = re.compile(r"^\s*\|?[\s:|-]+\|?\s*$")
TAG = re.compile(r"<[^>]+>")
MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•]\s+|>\s+)")


class Piece(NamedTuple):
    """A heading, a text or a table (rows of cells: text, rowspan, colspan) in reading order."""

    kind: str
    text: str = ""
    rows: tuple[tuple[tuple[str, int, int], ...], ...] = ()


class Tables(HTMLParser):
    """The rows of an HTML table."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, int, int]]] = []
        self._cell: list[str] | None = None
        self._span = (1, 1)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self._cell = []
            self._span = int(named.get("rowspan") or 1), int(named.get("colspan") or 1)
        elif tag == "br" and self._cell is not None:
            self._cell.append(" ")

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append((clean("".join(self._cell)), *self._span))
            self._cell = None


def clean(text: str) -> str:
    return " ".join(TAG.sub(" ", text.replace("**", "")).split())


def from_markdown(text: str) -> list[Piece]:
    pieces: list[Piece] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if "<table" in line:
            end = at
            while end < len(lines) - 1 and "</table>" not in lines[end]:
                end += 1
            parser = Tables()
            parser.feed("\n".join(lines[at : end + 1]))
            pieces.append(Piece("table", rows=tuple(tuple(row) for row in parser.rows)))
            at = end + 1
        elif PIPES.match(line):
            rows = []
            while at < len(lines) and PIPES.match(lines[at]):
                if not RULE.match(lines[at]):
                    rows.append(tuple((clean(cell), 1, 1) for cell in lines[at].strip().strip("|").split("|")))
                at += 1
            pieces.append(Piece("table", rows=tuple(rows)))
        else:
            if line.strip():
                kind = "heading" if line.lstrip().startswith("#") else "text"
                pieces.append(Piece(kind, clean(MARK.sub("", line))))
            at += 1
    return pieces


def from_pdf(path: Path) -> list[Piece]:
    try:
        extraction = parse_pdf(path.read_bytes(), path=path.name, ocr=False)
    except Refused:
        return []
    return from_blocks(extraction.blocks)


def from_blocks(blocks: Iterable[Block]) -> list[Piece]:
    pieces: list[Piece] = []
    for block in blocks:
        if block.type == "table":
            rows: dict[int, list[tuple[str, int, int]]] = {}
            width = max(c.col + c.colspan for c in block.cells)
            covered = {
                (r, c)
                for cell in block.cells
                for r in range(cell.row, cell.row + cell.rowspan)
                for c in range(cell.col, cell.col + cell.colspan)
            }
            places = [(c.row, c.col, (c.text, c.rowspan, c.colspan)) for c in block.cells]
            height = max(c.row + c.rowspan for c in block.cells)
            places += [(r, c, ("", 1, 1)) for r in range(height) for c in range(width) if (r, c) not in covered]
            for row, _, cell in sorted(places):
                rows.setdefault(row, []).append(cell)
            pieces.append(Piece("table", rows=tuple(tuple(row) for row in rows.values())))
        else:
            kind = "heading" if block.type == "heading" else "text"
            pieces += [Piece(kind, clean(MARK.sub("", line))) for line in block.text.split("\n")]
    return pieces


def from_liteparse(path: Path) -> list[Piece]:
    from liteparse import LiteParse

    parser = LiteParse(
        output_format="markdown", image_mode="off", ocr_enabled=False, quiet=True, keep_headers_footers=True
    )
    return from_markdown(parser.parse(str(path)).pages[0].markdown)


def plain(pieces: list[Piece]) -> str:
    said = [p.text if p.kind != "table" else " ".join(cell[0] for row in p.rows for cell in row) for p in pieces]
    return " ".join(re.sub(r"[^\w\s]", "", " ".join(said)).split())


def common(a: str, b: str) -> int:
    """The length of the longest common subsequence, by bits (Hyyrö 2004)."""
    masks: dict[str, int] = {}
    for i, c in enumerate(a):
        masks[c] = masks.get(c, 0) | 1 << i
    full = (1 << len(a)) - 1
    row = full
    for c in b:
        match = row & masks.get(c, 0)
        row = (row + match) | (row - match)
        row &= full
    return len(a) - row.bit_count()


def similar(a: str, b: str) -> float:
    return 2 * common(a, b) / (len(a) + len(b)) if a or b else 1.0


def tree(pieces: list[Piece]) -> list[tuple[str, str, int]]:
    """The tables as a post-ordered tree: (label, text, leftmost leaf)."""
    nodes: list[tuple[str, str, int]] = []
    for piece in pieces:
        if piece.kind != "table":
            continue
        table = len(nodes)
        for row in piece.rows:
            first = len(nodes)
            for text, high, wide in row:
                nodes.append((f"td {high} {wide}", text, len(nodes)))
            nodes.append(("tr", "", first))
        nodes.append(("table", "", table))
    return nodes


def distance(a: list[tuple[str, str, int]], b: list[tuple[str, str, int]]) -> float:  # noqa: C901  # one formula
    """Tree edit distance (Zhang and Shasha 1989)."""
    a, b = [*a, ("page", "", 0)], [*b, ("page", "", 0)]
    costs: dict[tuple[str, str], float] = {}

    def rename(i: int, j: int) -> float:
        if a[i][0] != b[j][0]:
            return 1.0
        if a[i][1] == b[j][1]:
            return 0.0
        key = (a[i][1], b[j][1])
        if key not in costs:
            costs[key] = 1.0 - similar(*key)
        return costs[key]

    def keyroots(nodes: list[tuple[str, str, int]]) -> list[int]:
        last = {node[2]: i for i, node in enumerate(nodes)}
        return sorted(last.values())

    whole = [[0.0] * len(b) for _ in a]
    for x in keyroots(a):
        for y in keyroots(b):
            lx, ly = a[x][2], b[y][2]
            d = [[0.0] * (y - ly + 2) for _ in range(x - lx + 2)]
            for i in range(1, x - lx + 2):
                d[i][0] = i
            for j in range(1, y - ly + 2):
                d[0][j] = j
            for i in range(lx, x + 1):
                for j in range(ly, y + 1):
                    u, v = i - lx + 1, j - ly + 1
                    best = min(d[u - 1][v], d[u][v - 1]) + 1
                    if a[i][2] == lx and b[j][2] == ly:
                        best = min(best, d[u - 1][v - 1] + rename(i, j))
                        whole[i][j] = best
                    else:
                        best = min(best, d[a[i][2] - lx][b[j][2] - ly] + whole[i][j])
                    d[u][v] = best
    return whole[-1][-1]


def table_score(truth: list[Piece], found: list[Piece]) -> float:
    a, b = tree(truth), tree(found)
    return max(0.0, 1 - distance(a, b) / max(len(a) + 1, len(b) + 1))


def sections(pieces: list[Piece]) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    for piece in pieces:
        text = plain([piece])
        if piece.kind == "heading" or not out or out[-1][0] == "heading":
            out.append(("heading" if piece.kind == "heading" else "text", text))
        else:
            out[-1] = ("text", f"{out[-1][1]} {text}")
    return out


def heading_score(truth: list[Piece], found: list[Piece]) -> float:
    a, b = sections(truth), sections(found)
    row: list[float] = [float(j) for j in range(len(b) + 1)]
    for i, (kind, text) in enumerate(a, 1):
        before, row[0] = row[0], float(i)
        for j, (other, said) in enumerate(b, 1):
            cost = 1 - similar(text, said) if kind == other else 1.0
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + cost)
    return 1 - row[-1] / max(len(a), len(b), 1)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--half", choices=("even", "odd"))
    arguments.add_argument("--pages", action="store_true", help="one line a page, the worst first")
    arguments.add_argument("--engine", choices=("ragstone", "liteparse"), default="ragstone")
    options = arguments.parse_args()
    read = from_pdf if options.engine == "ragstone" else from_liteparse
    paths = sorted((options.data / "pdf").glob("*.pdf"))
    if options.half:
        paths = paths[options.half == "odd" :: 2]
    scores: list[tuple[float, str, dict[str, float]]] = []
    for path in paths:
        truth = from_markdown((options.data / "truth" / f"{path.stem}.md").read_text(encoding="utf-8"))
        found = read(path)
        page = {"order": similar(plain(truth), plain(found))}
        if any(p.kind == "table" for p in truth):
            page["tables"] = table_score(truth, found)
        if any(p.kind == "heading" for p in truth):
            page["headings"] = heading_score(truth, found)
        scores.append((statistics.mean(page.values()), path.stem, page))
    if options.pages:
        for score, name, page in sorted(scores):
            print(f"{name} {score:.3f} " + " ".join(f"{what} {value:.3f}" for what, value in page.items()))
    means = {
        what: statistics.mean(p[what] for _, _, p in scores if what in p) for what in ("order", "tables", "headings")
    }
    print(json.dumps({"pages": len(scores), "overall": statistics.mean(s for s, _, _ in scores), **means}))


if __name__ == "__main__":
    main()
