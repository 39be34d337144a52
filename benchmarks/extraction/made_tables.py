"""Make PDFs of random tables with known cells, in the form that `pdf_tables.py` scores.

    python benchmarks/extraction/made_tables.py FOLDER [--seed 1] [--each 6] [--kinds typed,pages]
    python benchmarks/extraction/pdf_tables.py FOLDER --kinds

Needs `reportlab` (BSD). Every kind is a habit of setting tables; within it fonts, sizes, rules, spacing and content are
drawn by the seed. Rules of the extractor are made with seed 1 only; the other seeds check them.
"""

import argparse
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from made_content import MadeTable, Shape, make_label, make_sentence, make_table
from made_drawing import TableDrawing, choose_drawing, wrap
from made_typewriter import choose_style, type_table
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT, MARGIN = 612.0, 792.0, 60.0
NEVER_RULED = ("none", "header", "booktabs", "rows")


class Sheet:
    """Pages that are filled from the top down, with running head and foot."""

    def __init__(self, path: Path, rng: random.Random) -> None:
        self.canvas, self.rng = Canvas(str(path), pagesize=(WIDTH, HEIGHT), invariant=1), rng
        self.page, self.y = 1, HEIGHT - MARGIN
        self.running = make_label(rng, 3) if rng.random() < 0.5 else ""
        self.face, self.size = rng.choice(("Helvetica", "Times-Roman")), rng.uniform(9, 11)
        self._start()

    def _start(self) -> None:
        self.canvas.setFont(self.face, 8)
        if self.running:
            self.canvas.drawString(MARGIN, HEIGHT - 30, self.running)
        self.canvas.drawCentredString(WIDTH / 2, 24, str(self.page))
        self.y = HEIGHT - MARGIN

    def turn(self) -> None:
        self.canvas.showPage()
        self.page += 1
        self._start()

    def prose(self, sentences: int, left: float = MARGIN, right: float = WIDTH - MARGIN) -> None:
        text = " ".join(make_sentence(self.rng, self.rng.randint(8, 20)) for _ in range(sentences))
        for line in wrap(text, self.face, self.size, right - left):
            self.line(line, left)
        self.y -= self.size

    def line(self, text: str, left: float = MARGIN, face: str = "", size: float = 0.0) -> None:
        size = size or self.size
        self.canvas.setFont(face or self.face, size)
        self.y -= size * 1.25
        self.canvas.drawString(left, self.y, text)

    def save(self) -> None:
        self.canvas.showPage()
        self.canvas.save()


def typed(sheet: Sheet, *, pages: bool = False) -> list[MadeTable]:
    rng = sheet.rng
    rows = (45, 80) if pages else (5, 16)
    shape = Shape(rows=rows, cols=(2, 4), spanning=0.4, groups=0.5, empty=0.1, words=(1, 5), units=0.2)
    table, style = make_table(rng, shape), choose_style(rng)
    lines = type_table(rng, table, style)
    size = min(rng.uniform(7.5, 11), (WIDTH - 2 * MARGIN) / (0.6 * max(map(len, lines))))
    lead = size * rng.uniform(1.05, 1.4)
    again = rng.random() < 0.6  # the header stands on each page
    caption = f"Table {rng.randint(1, 9)}. {make_label(rng, 4)}"

    def put(text: str) -> None:
        sheet.y -= lead
        if text.strip():
            sheet.canvas.setFont("Courier", size)
            sheet.canvas.drawString(MARGIN, sheet.y, text)

    def prose(count: int) -> None:
        text = " ".join(make_sentence(rng, 14) for _ in range(count))
        for line in wrap(text, "Courier", size, WIDTH - 2 * MARGIN):
            put(line)

    prose(rng.randint(1, 4))
    for text in ("", caption, "") if rng.random() < 0.7 else ("",):
        put(text)
    head = _header_lines(lines, table)
    for text in lines:
        if sheet.y < MARGIN + 2 * lead:
            sheet.turn()
            for line in (f"{caption}--Continued", "", *head) if again else ():
                put(line)
        put(text)
    if rng.random() < 0.5:
        put(f"1/ {make_sentence(rng, 9)}")
    put("")
    prose(rng.randint(1, 3))
    return [table]


def _header_lines(lines: list[str], table: MadeTable) -> list[str]:
    """The typed lines above the first row of the body."""
    first = min((c for c in table.cells if c.row == table.heads), key=lambda c: c.col).text.split()[0]
    end = next(n for n, line in enumerate(lines) if first in line and n >= table.heads)
    return lines[:end]


def typedpages(sheet: Sheet) -> list[MadeTable]:
    return typed(sheet, pages=True)


def drawn(
    sheet: Sheet, shape: Shape, rules: tuple[str, ...], *, repeat: bool = False, notes: int = 0, **style: Any
) -> list[MadeTable]:
    rng = sheet.rng
    table, look = make_table(rng, shape), choose_drawing(rng, rules)
    for name, value in style.items():
        setattr(look, name, value)
    drawing = TableDrawing(table, look)
    while drawing.width > WIDTH - 2 * MARGIN:
        look.size, look.gap, look.label, look.text = (0.92 * v for v in (look.size, look.gap, look.label, look.text))
        drawing = TableDrawing(table, look)
    sheet.prose(rng.randint(1, 4))
    if rng.random() < 0.6:
        sheet.line(f"Table {rng.randint(1, 9)}: {make_label(rng, 4)}")
    sheet.y -= look.size
    x = rng.choice((MARGIN, (WIDTH - drawing.width) / 2))
    at = table.heads
    heads = True
    while at < table.rows:
        room = sheet.y - MARGIN - 20 - (sum(drawing.heights[: table.heads]) if heads else 0)
        end = at
        while end < table.rows and room >= drawing.heights[end]:
            room -= drawing.heights[end]
            end += 1
        if end > at:
            sheet.y = drawing.draw(sheet.canvas, x, sheet.y, range(at, end), heads=heads)
            heads = repeat
        at = end
        if at < table.rows:
            sheet.turn()
    for n in range(notes):
        sheet.line(f"({n + 1}) {make_sentence(rng, rng.randint(6, 12))}", x, size=look.size * 0.9)
    sheet.y -= 2 * look.size
    if sheet.y > MARGIN + 100:
        sheet.prose(rng.randint(1, 3))
    return [table]


def booktabs(sheet: Sheet) -> list[MadeTable]:
    return drawn(sheet, Shape(spanning=0.6, cols=(2, 6), words=(1, 3)), ("booktabs",))


def groups(sheet: Sheet) -> list[MadeTable]:
    texts = sheet.rng.randint(0, 2)
    shape = Shape(groups=1.0, words=(2, 6), texts=texts, text=(6, 14), cols=(0 if texts else 2, 3), spanning=0.2)
    return drawn(sheet, shape, NEVER_RULED, label=90.0)


def pages(sheet: Sheet) -> list[MadeTable]:
    texts = sheet.rng.randint(0, 1)
    shape = Shape((50, 90), (2, 4), spanning=0.2, groups=0.5, words=(2, 5), texts=texts, text=(1, 4))
    return drawn(sheet, shape, (*NEVER_RULED, "grid"), repeat=sheet.rng.random() < 0.6)


def sparse(sheet: Sheet) -> list[MadeTable]:
    return drawn(sheet, Shape(empty=0.4, cols=(3, 6), spanning=0.3, groups=0.3), NEVER_RULED)


def currency(sheet: Sheet) -> list[MadeTable]:
    shape = Shape(signs=True, cols=(2, 4), groups=0.7, words=(2, 6), spanning=0.5, totals=1.0)
    return drawn(sheet, shape, ("none", "header", "zebra"), apart=True, dots=sheet.rng.random() < 0.3)


def textual(sheet: Sheet) -> list[MadeTable]:
    shape = Shape(rows=(4, 9), cols=(0, 0), texts=sheet.rng.randint(1, 3), text=(3, 16), words=(1, 3), totals=0.0)
    return drawn(sheet, shape, ("none", "header", "booktabs", "rows"), pad=4.0, valign="top")


def stub(sheet: Sheet) -> list[MadeTable]:
    shape = Shape(words=(3, 8), cols=(1, 4), groups=0.4)
    return drawn(
        sheet, shape, ("none", "header", "booktabs"), label=100.0, dots=sheet.rng.random() < 0.6, valign="bottom"
    )


def notes(sheet: Sheet) -> list[MadeTable]:
    return drawn(sheet, Shape(cols=(2, 5), spanning=0.3), NEVER_RULED, notes=sheet.rng.randint(2, 5))


def ruled(sheet: Sheet) -> list[MadeTable]:
    shape = Shape(cols=(2, 5), spanning=0.6, empty=0.2, texts=sheet.rng.randint(0, 1), text=(1, 12))
    return drawn(sheet, shape, ("grid", "frame"))


def side(sheet: Sheet) -> list[MadeTable]:
    """Two tables beside each other."""
    rng = sheet.rng
    look = choose_drawing(rng, NEVER_RULED, (6.5, 8.5))
    sheet.prose(2)
    made, top = [], sheet.y
    for k in range(2):
        table = make_table(rng, Shape(rows=(6, 12), cols=(1, 2), words=(1, 2)))
        drawing = TableDrawing(table, look)
        left = MARGIN + k * (WIDTH / 2 - MARGIN + 12)
        sheet.y = top
        sheet.line(f"Table {k + 1}: {make_label(rng, 3)}", left, size=9)
        drawing.draw(sheet.canvas, left, sheet.y - 6, range(table.heads, table.rows), heads=True)
        made.append(table)
    return made


def column(sheet: Sheet) -> list[MadeTable]:
    """A table in one column of a page in two columns."""
    rng = sheet.rng
    look = choose_drawing(rng, NEVER_RULED, (6.5, 8.5))
    table = make_table(rng, Shape(rows=(5, 12), cols=(1, 3), words=(1, 3)))
    drawing = TableDrawing(table, look)
    middle, top, sheet.size = WIDTH / 2, sheet.y, 9.0
    while drawing.width > middle - MARGIN - 15:
        look.size, look.gap, look.label = 0.92 * look.size, 0.92 * look.gap, 0.92 * look.label
        drawing = TableDrawing(table, look)
    held = rng.randrange(2)
    for k in range(2):
        left, right = (MARGIN, middle - 12) if k == 0 else (middle + 12, WIDTH - MARGIN)
        sheet.y = top
        sheet.prose(rng.randint(5, 9), left, right)
        if k == held:
            sheet.y = drawing.draw(sheet.canvas, left, sheet.y - 8, range(table.heads, table.rows), heads=True) - 16
        sheet.prose(rng.randint(5, 9), left, right)
    return [table]


def rotated(sheet: Sheet) -> list[MadeTable]:
    """A wide table on its side."""
    table = make_table(sheet.rng, Shape(cols=(6, 9), spanning=0.5, rows=(8, 16)))
    look = choose_drawing(sheet.rng, NEVER_RULED)
    drawing = TableDrawing(table, look)
    while drawing.width > HEIGHT - 2 * MARGIN or drawing.height > WIDTH - 2 * MARGIN:
        look.size, look.gap, look.label = 0.92 * look.size, 0.92 * look.gap, 0.92 * look.label
        drawing = TableDrawing(table, look)
    sheet.canvas.saveState()
    sheet.canvas.translate(WIDTH, 0)
    sheet.canvas.rotate(90)
    drawing.draw(sheet.canvas, MARGIN, WIDTH - MARGIN, range(table.heads, table.rows), heads=True)
    sheet.canvas.restoreState()
    return [table]


KINDS: dict[str, Callable[[Sheet], list[MadeTable]]] = {
    maker.__name__: maker
    for maker in (
        typed, typedpages, groups, pages, booktabs, sparse, currency,
        textual, stub, notes, ruled, side, column, rotated,
    )
}  # fmt: skip


def describe(table: MadeTable) -> dict[str, Any]:
    cells = [
        {"row": c.row, "end_row": c.row + c.rowspan - 1, "col": c.col, "end_col": c.col + c.colspan - 1, "text": c.text}
        for c in table.cells
    ]
    return {"regions": [{"cells": cells}]}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--each", type=int, default=6, help="documents of each kind")
    arguments.add_argument("--kinds", default=",".join(KINDS))
    options = arguments.parse_args()
    (options.folder / "pdf").mkdir(parents=True, exist_ok=True)
    listed = []
    for kind in options.kinds.split(","):
        for number in range(options.each):
            name = f"{kind}-{options.seed}-{number}"
            sheet = Sheet(options.folder / "pdf" / f"{name}.pdf", random.Random(name))
            tables = KINDS[kind](sheet)
            sheet.save()
            listed.append({"id": name, "pdf": f"pdf/{name}.pdf", "tables": [describe(table) for table in tables]})
    (options.folder / "tables_gt.json").write_text(json.dumps(listed), encoding="utf-8")
    print(f"{len(listed)} documents in {options.folder}")


if __name__ == "__main__":
    main()
