"""Random tables with their truth: labels, figures, headings over columns, group rows, cells of several lines."""

import random
from dataclasses import dataclass, field

NOUNS = (
    "acreage barley bridges cattle charges claims coal cotton counties courts deposits duties energy exports farms "
    "ferries fishing forests freight fuel gas grants harbours hospitals housing imports inland insurance interest "
    "labour leases libraries loans mills mines offices orchards parks pensions pipelines police ports poultry prisons "
    "railways rates receipts repairs rents reserves rivers roads royalties salaries schools seeds sheep shipping "
    "sugar tariffs taxes timber tobacco tolls training transport tuition vessels wages water wheat wool"
).split()
ADJECTIVES = (
    "annual average civil commercial current deferred domestic eastern federal foreign general gross indirect "
    "industrial local long-term marine medical minor municipal net northern operating other private public regional "
    "retained rural seasonal short-term southern special temporary total urban western"
).split()
VERBS = "rose fell remained changed grew declined shifted improved recovered continued".split()


@dataclass(slots=True)
class MadeCell:
    """A cell of the truth; `kind` is label, figure, text or head."""

    row: int
    col: int
    text: str
    rowspan: int = 1
    colspan: int = 1
    kind: str = "figure"


@dataclass(slots=True)
class MadeTable:
    """Cells from the top down; `heads` rows are the header, `groups` are rows that hold a group's name only."""

    cols: int
    cells: list[MadeCell] = field(default_factory=list)
    heads: int = 1
    groups: list[int] = field(default_factory=list)
    indents: dict[int, int] = field(default_factory=dict)
    totals: list[int] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return max(cell.row + cell.rowspan for cell in self.cells)

    def row(self, number: int) -> list[MadeCell]:
        return [cell for cell in self.cells if cell.row == number]


def make_label(rng: random.Random, words: int) -> str:
    parts = [rng.choice(ADJECTIVES) for _ in range(words - 1)] + [rng.choice(NOUNS)]
    if words > 3:
        parts.insert(words // 2, rng.choice(("and", "of", "for", "from")))
    return " ".join(parts).capitalize()


def make_sentence(rng: random.Random, words: int) -> str:
    out = [f"The {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {rng.choice(VERBS)}"]
    while len(" ".join(out).split()) < words:
        out.append(
            f"{rng.choice(('in', 'with', 'after', 'beside', 'under'))} the {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}"
        )
    return " ".join(out) + "."


def make_figures(rng: random.Random) -> list[str]:
    """A maker's style for one column, as a list of samples to draw from."""
    style = rng.choice(("int", "int", "thousands", "decimal", "percent", "signed", "small"))
    out = []
    for _ in range(60):
        if style == "int":
            out.append(str(rng.randint(1, 9999)))
        elif style == "thousands":
            out.append(f"{rng.randint(1000, 9_999_999):,}")
        elif style == "decimal":
            out.append(f"{rng.uniform(0.1, 999):.1f}")
        elif style == "percent":
            out.append(f"{rng.uniform(0, 100):.1f}%")
        elif style == "signed":
            value = rng.randint(-99_999, 99_999)
            out.append(f"({-value:,})" if value < 0 else f"{value:,}")
        else:
            out.append(str(rng.randint(0, 99)))
    return out


@dataclass(slots=True)
class Shape:
    """What a random table may have."""

    rows: tuple[int, int] = (5, 18)
    cols: tuple[int, int] = (2, 5)  # of figures, beside the labels
    spanning: float = 0.0  # chance of headings over several columns
    groups: float = 0.0
    empty: float = 0.0
    words: tuple[int, int] = (1, 4)  # of a label
    text: tuple[int, int] = (0, 0)  # words of cells of text, in `texts` columns
    texts: int = 0
    totals: float = 0.3
    signs: bool = False  # a sign for a currency at the first and last amounts
    units: float = 0.0  # chance of a row below the header that names the unit over all figures


def make_table(rng: random.Random, shape: Shape) -> MadeTable:
    figures = rng.randint(*shape.cols)
    cols = 1 + shape.texts + figures
    table = MadeTable(cols)
    at = _add_header(rng, shape, table, figures)
    body = rng.randint(*shape.rows)
    styles = [make_figures(rng) for _ in range(figures)]
    grouped = rng.random() < shape.groups
    left = 0
    for number in range(body):
        if grouped and left == 0 and number < body - 2:
            table.cells.append(
                MadeCell(at, 0, make_label(rng, rng.randint(1, 3)) + rng.choice((":", "", "")), kind="label")
            )
            table.groups.append(at)
            left = rng.randint(2, 5)
            at += 1
        left = max(0, left - 1)
        _add_row(rng, shape, table, at, styles, first=number == 0, last=number == body - 1)
        if grouped:
            table.indents[at] = 1
        at += 1
    return table


def _add_header(rng: random.Random, shape: Shape, table: MadeTable, figures: int) -> int:
    """The header's cells; gives the row below it."""
    first = 1 + shape.texts
    years = rng.random() < 0.5
    start = rng.randint(1985, 2022)
    heads = [str(start + k) if years else make_label(rng, rng.randint(1, 2)) for k in range(figures)]
    deep = figures >= 2 and rng.random() < shape.spanning
    labels = [make_label(rng, 1) for _ in range(first)]
    at = 0
    if deep:
        k = 0
        while k < figures:
            wide = min(figures - k, rng.choice((2, 2, 3)))
            if wide > 1:
                table.cells.append(MadeCell(0, first + k, make_label(rng, 2), 1, wide, "head"))
            else:
                table.cells.append(MadeCell(0, first + k, heads[k], 2, 1, "head"))
                heads[k] = ""
            k += wide
        at = 1
    for c, text in enumerate(labels):
        table.cells.append(MadeCell(0, c, text, 1 + at, 1, "head"))
    for k, text in enumerate(heads):
        if text:
            table.cells.append(MadeCell(at, first + k, text, kind="head"))
    at += 1
    if figures >= 2 and rng.random() < shape.units:
        text = rng.choice(("1,000 tons", "Million dollars", "Percent", "Thousand acres", "Number"))
        table.cells.append(MadeCell(at, first, text, 1, figures, "head"))
        at += 1
    table.heads = at
    return at


def _add_row(
    rng: random.Random, shape: Shape, table: MadeTable, at: int, styles: list[list[str]], *, first: bool, last: bool
) -> None:
    total = last and rng.random() < shape.totals
    label = "Total" if total else make_label(rng, rng.randint(*shape.words))
    if total:
        table.totals.append(at)
    table.cells.append(MadeCell(at, 0, label, kind="label"))
    for c in range(shape.texts):
        text = (
            make_sentence(rng, rng.randint(*shape.text))
            if shape.text[1] > 5
            else make_label(rng, rng.randint(*shape.text))
        )
        table.cells.append(MadeCell(at, 1 + c, text, kind="text"))
    for k, samples in enumerate(styles):
        if rng.random() < shape.empty:
            if rng.random() < 0.3:
                table.cells.append(MadeCell(at, 1 + shape.texts + k, rng.choice(("-", "--", "n/a", "..."))))
            continue
        text = rng.choice(samples)
        if shape.signs and (first or total):
            text = f"$ {text}"
        table.cells.append(MadeCell(at, 1 + shape.texts + k, text))
