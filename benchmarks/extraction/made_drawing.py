"""Draws random tables with fonts, rules and spacing of their own, over pages."""

import random
from dataclasses import dataclass

from made_content import MadeCell, MadeTable
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

FACES = (("Helvetica", "Helvetica-Bold"), ("Times-Roman", "Times-Bold"), ("Helvetica", "Helvetica"))


@dataclass(slots=True)
class Drawn:
    """How one table is drawn; `rules` is none, booktabs, header, rows, grid, frame or zebra."""

    face: tuple[str, str]
    size: float
    lead: float  # of the size, between lines of a cell
    pad: float  # above and below a row
    gap: float  # between columns
    rules: str
    valign: str
    heads: str  # right or center
    dots: bool
    label: float  # width at which labels wrap
    text: float  # the same of texts
    apart: bool  # the sign of a currency stands at the left of its column


def choose_drawing(rng: random.Random, rules: tuple[str, ...], size: tuple[float, float] = (7, 11)) -> Drawn:
    big = rng.uniform(*size)
    return Drawn(
        face=rng.choice(FACES),
        size=big,
        lead=rng.uniform(1.12, 1.3),
        pad=rng.choice((0.0, 1.0, 2.0, 4.0)),
        gap=rng.uniform(1.0, 2.6) * big,
        rules=rng.choice(rules),
        valign=rng.choice(("top", "top", "middle", "bottom")),
        heads=rng.choice(("right", "center")),
        dots=False,
        label=rng.uniform(9, 18) * big,
        text=rng.uniform(10, 20) * big,
        apart=False,
    )


def wrap(text: str, face: str, size: float, width: float) -> list[str]:
    out: list[str] = []
    for word in text.split():
        if out and stringWidth(f"{out[-1]} {word}", face, size) <= width:
            out[-1] += f" {word}"
        else:
            out.append(word)
    return out or [""]


class TableDrawing:
    """A table laid out: widths, lines of each cell and heights of rows, then drawn row by row."""

    def __init__(self, table: MadeTable, style: Drawn) -> None:
        self.table, self.style = table, style
        self.widths = [0.0] * table.cols
        self.lines: dict[int, list[str]] = {}
        for cell in table.cells:
            limit = style.label if cell.kind == "label" else style.text if cell.kind == "text" else 7 * style.size
            lone = cell.row in table.groups
            lines = (
                [cell.text]
                if cell.kind == "figure" or cell.colspan > 1 or lone
                else wrap(cell.text, self.face(cell), style.size, limit)
            )
            self.lines[id(cell)] = lines
            if cell.colspan == 1 and not lone:
                wide = max(self.measure(line, cell) for line in lines) + self.indent(cell)
                self.widths[cell.col] = max(self.widths[cell.col], wide)
        if style.dots:
            self.widths[0] += 4 * style.size
        for cell in table.cells:
            if cell.colspan > 1:
                held = sum(self.widths[cell.col : cell.col + cell.colspan]) + style.gap * (cell.colspan - 1)
                short = max(0.0, self.measure(cell.text, cell) - held) / cell.colspan
                for c in range(cell.col, cell.col + cell.colspan):
                    self.widths[c] += short
        lead = style.size * style.lead
        self.heights = [
            2 * style.pad + lead * max((len(self.lines[id(c)]) for c in table.row(r) if c.rowspan == 1), default=1)
            for r in range(table.rows)
        ]
        for cell in table.cells:
            if cell.rowspan > 1:
                rows = range(cell.row, cell.row + cell.rowspan)
                more = len(self.lines[id(cell)]) * lead + 2 * style.pad - sum(self.heights[r] for r in rows)
                self.heights[rows[-1]] += max(0.0, more)

    @property
    def width(self) -> float:
        return sum(self.widths) + self.style.gap * (self.table.cols - 1)

    @property
    def height(self) -> float:
        return sum(self.heights)

    def face(self, cell: MadeCell) -> str:
        strong = cell.kind == "head" or cell.row in self.table.groups or cell.row in self.table.totals
        return self.style.face[strong]

    def measure(self, text: str, cell: MadeCell) -> float:
        return stringWidth(text, self.face(cell), self.style.size)

    def indent(self, cell: MadeCell) -> float:
        return self.style.size * self.table.indents.get(cell.row, 0) if cell.kind == "label" else 0.0

    def lefts(self, x: float) -> list[float]:
        out = [x]
        for width in self.widths:
            out.append(out[-1] + width + self.style.gap)
        return out

    def draw(self, canvas: Canvas, x: float, top: float, rows: range, *, heads: bool) -> float:
        """Draw some rows from y `top` down, below the header if asked; gives the y below them."""
        numbers = [*range(self.table.heads), *rows] if heads else [*rows]
        tops, y = {}, top
        for r in numbers:
            tops[r] = y
            y -= self.heights[r]
        for cell in self.table.cells:
            if cell.row in tops:
                high = sum(self.heights[r] for r in range(cell.row, cell.row + cell.rowspan))
                self._draw_cell(canvas, cell, x, tops[cell.row], high)
        self._draw_rules(canvas, x, tops, y, heads=heads)
        return y

    def _draw_cell(self, canvas: Canvas, cell: MadeCell, x: float, top: float, high: float) -> None:
        style, lines = self.style, self.lines[id(cell)]
        lefts = self.lefts(x)
        left, right = lefts[cell.col], lefts[cell.col + cell.colspan] - style.gap
        lead = style.size * style.lead
        free = high - 2 * style.pad - lead * len(lines)
        place = "bottom" if cell.kind == "head" else style.valign
        y = top - style.pad - {"top": 0.0, "middle": free / 2, "bottom": free}[place] - style.size * 0.95
        canvas.setFont(self.face(cell), style.size)
        for n, line in enumerate(lines):
            at = y - n * lead
            if cell.colspan > 1 or (cell.kind == "head" and style.heads == "center" and cell.col > self.table_texts()):
                canvas.drawCentredString((left + right) / 2, at, line)
            elif cell.kind == "figure" or (cell.kind == "head" and cell.col > self.table_texts()):
                self._draw_figure(canvas, left, right, at, line)
            else:
                canvas.drawString(left + self.indent(cell), at, line)
                if style.dots and cell.kind == "label" and n == len(lines) - 1 and cell.row not in self.table.groups:
                    begin = left + self.indent(cell) + self.measure(line, cell) + 2
                    count = int((right - begin) / stringWidth(".", self.face(cell), style.size))
                    canvas.drawRightString(right, at, "." * max(0, count))

    def _draw_figure(self, canvas: Canvas, left: float, right: float, y: float, line: str) -> None:
        if self.style.apart and line.startswith("$ "):
            canvas.drawString(left - 0.5 * self.style.size, y, "$")
            line = line[2:]
        hang = 0.0 if line.endswith(")") else stringWidth(")", self.style.face[0], self.style.size) * self.style.apart
        canvas.drawRightString(right - hang, y, line)

    def table_texts(self) -> int:
        """The last column of labels and texts."""
        return max((c.col for c in self.table.cells if c.kind in ("label", "text")), default=0)

    def _draw_rules(self, canvas: Canvas, x: float, tops: dict[int, float], bottom: float, *, heads: bool) -> None:
        style, kind = self.style, self.style.rules
        half = style.gap / 2 if kind in ("grid", "frame") else 0.0
        x0, x1 = x - half, x + self.width + half
        canvas.setLineWidth(0.5)
        first = max(tops.values())
        across = [tops.get(self.table.heads, first) if heads else first] * (kind not in ("none", "zebra"))
        across += [first, bottom] * (kind in ("booktabs", "rows", "grid", "frame"))
        across += [y for r, y in tops.items() if r >= self.table.heads] * (kind in ("rows", "grid"))
        for y in across:
            canvas.line(x0, y, x1, y)
        lefts = self.lefts(x)
        if half:
            canvas.line(x1, first, x1, bottom)
            for r, y in tops.items():
                for c in self._columns_of(r):
                    canvas.line(lefts[c] - half, y, lefts[c] - half, y - self.heights[r])
        for cell in self.table.cells:
            if cell.colspan > 1 and cell.row in tops and kind != "none":
                low = tops[cell.row] - self.heights[cell.row]
                canvas.line(lefts[cell.col] - half, low, lefts[cell.col + cell.colspan] - style.gap + half, low)

    def _columns_of(self, row: int) -> list[int]:
        """The columns at whose left side no cell of a row stands over."""
        own = [s for s in self.table.cells if s.row <= row < s.row + s.rowspan]
        return [c for c in range(self.table.cols) if not any(s.col < c < s.col + s.colspan for s in own)]
