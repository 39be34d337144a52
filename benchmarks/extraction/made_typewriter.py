"""Tables as a typewriter or a program of the time of line printers sets them: columns by spaces, rules of signs."""

import random
import textwrap
from dataclasses import dataclass

from made_content import MadeTable


@dataclass(slots=True)
class Typed:
    """How one table is typed."""

    leader: str  # what fills a label up to the figures
    between: str  # columns
    rule: str  # the sign of rules, or none
    whole: bool  # rules run over the whole width, not column by column
    label: int  # letters of the label column
    gap: int
    spaced: bool  # an empty line between the rows of some
    edge: str  # at both sides of a line


def choose_style(rng: random.Random) -> Typed:
    between = rng.choice(("", "", "", ":", "|"))
    return Typed(
        leader=rng.choice((".", ".", " .", "", "")),
        between=between,
        rule=rng.choice(("-", "-", "=", "_", "")) if not between else rng.choice("-="),
        whole=bool(between) or rng.random() < 0.5,
        label=rng.randint(18, 30),
        gap=rng.randint(2, 5),
        spaced=rng.random() < 0.3,
        edge=between if between == "|" and rng.random() < 0.5 else "",
    )


def type_table(rng: random.Random, table: MadeTable, style: Typed) -> list[str]:
    """The lines of text."""
    widths = [style.label] + [6] * (table.cols - 1)
    for cell in table.cells:
        if cell.col and cell.colspan == 1:
            parts = textwrap.wrap(cell.text, 12) if cell.kind == "head" else [cell.text]
            widths[cell.col] = max(widths[cell.col], *map(len, parts))
    for cell in table.cells:
        if cell.colspan > 1:
            held = sum(widths[cell.col : cell.col + cell.colspan]) + (cell.colspan - 1) * _pitch(style)
            widths[cell.col + cell.colspan - 1] += max(0, len(cell.text) - held)
    rule = _rule(widths, style)
    out = [rule] if rule else []
    for at in range(table.heads):
        out += _head_lines(table, at, widths, style)
    if rule:
        out.append(rule)
    elif rng.random() < 0.5:
        out.append("")
    for at in range(table.heads, table.rows):
        if style.spaced and at > table.heads and (at in table.groups or rng.random() < 0.15):
            out.append(_join([""] * table.cols, widths, style) if style.between else "")
        if at in table.totals and style.rule and not style.between:
            out.append(_join(["", *(style.rule * w for w in widths[1:])], widths, style))
        out += _body_lines(table, at, widths, style)
    return [*out, rule] if rule else out


def _pitch(style: Typed) -> int:
    return style.gap if not style.between else 3


def _rule(widths: list[int], style: Typed) -> str:
    if not style.rule:
        return ""
    if style.whole:
        return style.rule * (sum(widths) + _pitch(style) * (len(widths) - 1) + 2 * len(style.edge))
    return _join([style.rule * width for width in widths], widths, style)


def _join(cells: list[str], widths: list[int], style: Typed) -> str:
    gap = f" {style.between} " if style.between else " " * style.gap
    text = gap.join(
        cell.ljust(width) if k == 0 else cell.rjust(width)
        for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return (style.edge + text + style.edge).rstrip()


def _head_lines(table: MadeTable, at: int, widths: list[int], style: Typed) -> list[str]:
    """A header row; headings of two lines stand at the foot, spans in the middle over a rule of signs."""
    own = [cell for cell in table.cells if cell.row + cell.rowspan - 1 == at and cell.kind == "head"]
    parts = {
        id(cell): textwrap.wrap(cell.text, max(6, widths[cell.col])) if cell.colspan == 1 else [cell.text]
        for cell in own
    }
    high = max(map(len, parts.values()), default=0)
    padded = {key: [""] * (high - len(lines)) + lines for key, lines in parts.items()}
    out = [_head_line([(c.col, c.colspan, padded[id(c)][n]) for c in own], widths, style) for n in range(high)]
    if style.rule and any(c.colspan > 1 for c in own) and at + 1 < table.heads:
        marks = [(c.col, c.colspan, "\0" if c.colspan > 1 else "") for c in own]
        out.append(_head_line(marks, widths, style))
    return out


def _head_line(cells: list[tuple[int, int, str]], widths: list[int], style: Typed) -> str:
    pitch = _pitch(style)
    spans = {col: (wide, text) for col, wide, text in cells}
    out, c = [], 0
    while c < len(widths):
        wide, text = spans.get(c, (1, ""))
        room = sum(widths[c : c + wide]) + (wide - 1) * pitch
        text = style.rule * room if text == "\0" else text
        out.append(text.ljust(room) if c == 0 else text.center(room) if wide > 1 else text.rjust(room))
        c += wide
    gap = f" {style.between} " if style.between else " " * style.gap
    return (style.edge + gap.join(out) + style.edge).rstrip()


def _body_lines(table: MadeTable, at: int, widths: list[int], style: Typed) -> list[str]:
    cells = {cell.col: cell.text for cell in table.row(at)}
    indent = "  " * table.indents.get(at, 0)
    label = textwrap.wrap(cells[0], style.label - 2, initial_indent=indent, subsequent_indent=indent + "  ") or [""]
    if len(cells) == 1:
        if len(label) > 1:
            return [_join([part, *[""] * (len(widths) - 1)], widths, style) for part in label]
        return [_join([label[0], *[""] * (len(widths) - 1)], widths, style)]
    last = label[-1]
    if style.leader:
        room = style.label - len(last) - 1
        last = f"{last} {(style.leader * room)[:room]}" if style.leader == "." else last + (style.leader * room)[:room]
    lines = [_join([part, *[""] * (len(widths) - 1)], widths, style) for part in label[:-1]]
    return [*lines, _join([last, *(cells.get(c, "") for c in range(1, len(widths)))], widths, style)]
