"""Charts and diagrams: the text and the numbers that they draw."""

import re
from collections.abc import Iterator

from ragstone.core.types import Cell
from ragstone.extraction.ooxml.elements import DGM, A, C, Element, parse_number
from ragstone.extraction.record.builder import BlockDraft

NOISY = re.compile(r"-?\d{1,12}\.\d{13,}")
SERIES, POINTS = 100, 5000  # more than these of a chart are left out


def read_chart(root: Element) -> Iterator[BlockDraft]:
    """A chart's titles, then its cached numbers as a table: a row a category, a column a series."""
    for title in root.iter(C + "title"):
        if text := _read_text(title):
            yield BlockDraft("paragraph", text, caption=True)
    names: list[str] = []
    columns: list[dict[int, str]] = []
    categories: dict[int, str] = {}
    for series in root.iter(C + "ser"):
        if len(columns) == SERIES:
            break
        name = series.find(C + "tx")
        names.append(_read_text(name) if name is not None else "")
        columns.append(_read_points(series, "val", "yVal", "bubbleSize"))
        categories = _read_points(series, "cat", "xVal") | categories
    rows = sorted(set().union(categories, *columns))[:POINTS]
    if rows:
        yield BlockDraft("table", cells=tuple(_build_cells(rows, names, categories, columns)))


def read_diagram(root: Element) -> Iterator[BlockDraft]:
    """The texts of a diagram (SmartArt), one a block, in the order in which they are kept."""
    for point in root.iter(DGM + "pt"):
        if text := _join_runs(point):
            yield BlockDraft("list", f"- {text}", level=1)


def _build_cells(
    rows: list[int], names: list[str], categories: dict[int, str], columns: list[dict[int, str]]
) -> Iterator[Cell]:
    for at, name in enumerate(["", *names]):
        yield Cell(0, at, name, header=True)
    for line, row in enumerate(rows, 1):
        yield Cell(line, 0, categories.get(row, ""))
        for at, column in enumerate(columns, 1):
            yield Cell(line, at, column.get(row, ""))


def _read_points(series: Element, *kinds: str) -> dict[int, str]:
    """The values of the first of these that a series has, by their place."""
    for kind in kinds:
        holder = series.find(C + kind)
        if holder is not None:
            found: dict[int, str] = {}
            for point in holder.iter(C + "pt"):
                at = parse_number(point.get("idx"))
                if at is not None:
                    text = _round_noise(" ".join((point.findtext(C + "v") or "").split()))
                    # Categories of several levels are kept from the innermost out.
                    found[at] = f"{text} {found[at]}" if at in found else text
            return found
    return {}


def _round_noise(text: str) -> str:
    """A number without the noise of its binary form: 4.4000000000000004 is 4.4."""
    return f"{float(text):.12g}" if NOISY.fullmatch(text) else text


def _read_text(element: Element) -> str:
    return _join_runs(element) or " ".join(" ".join(v.text or "" for v in element.iter(C + "v")).split())


def _join_runs(element: Element) -> str:
    paragraphs = ("".join(run.text or "" for run in p.iter(A + "t")) for p in element.iter(A + "p"))
    return " ".join(" ".join(paragraphs).split())
