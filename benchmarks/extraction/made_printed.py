"""Print random tables with known cells by programs that people use, in the form that `pdf_tables.py` scores.

    python benchmarks/extraction/made_printed.py FOLDER [--seed 1] [--each 6] [--kinds chromium,latex]
    python benchmarks/extraction/pdf_tables.py FOLDER --kinds

Kinds whose program is missing are left out: `chromium` and `soffice`, `pdflatex` (with booktabs, longtable, multirow),
and the packages `weasyprint`, `typst`, `fpdf2`, `reportlab`. Rules of the extractor are made with seed 1 only.
"""

import argparse
import html
import importlib
import importlib.util
import json
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from made_content import MadeCell, MadeTable, Shape, make_label, make_sentence, make_table
from made_tables import describe

NEWLINE = "\n"
FONT = r"\usepackage{lmodern}\usepackage[T1]{fontenc}"
RULES = ("grid", "separate", "rows", "header", "none", "zebra", "booktabs", "old")
GROUND = {
    "grid": "table{border-collapse:collapse} td,th{border:1px solid %s}",
    "separate": "table{border-spacing:2px} td,th{border:1px solid %s}",
    "old": "table{border:1px outset %s;border-spacing:2px} td,th{border:1px inset #888}",
    "rows": "table{border-collapse:collapse} td,th{border-bottom:1px solid %s}",
    "header": "table{border-collapse:collapse} thead{border-bottom:2px solid %s}",
    "none": "table{border-spacing:6px 0} .x{color:%s}",
    "zebra": "table{border-collapse:collapse} tr:nth-child(even){background:#eee} thead{color:%s}",
    "booktabs": "table{border-collapse:collapse;border-top:2px solid %s;border-bottom:2px solid}"
    " thead{border-bottom:1px solid}",
}


def choose_shape(rng: random.Random) -> Shape:
    rows, texts = rng.choice(((4, 12), (4, 12), (40, 70))), rng.choice((0, 0, 1))
    return Shape(rows, (2, 5), 0.4, 0.4, 0.1, (1, 5), (2, 14), texts, totals=0.4, units=0.15)


def list_rows(table: MadeTable) -> list[list[MadeCell | None]]:
    """The cells of each row; None where there is an empty one."""
    covered = {
        (r, c)
        for cell in table.cells
        for r in range(cell.row, cell.row + cell.rowspan)
        for c in range(cell.col, cell.col + cell.colspan)
        if (r, c) != (cell.row, cell.col)
    }
    at = {(cell.row, cell.col): cell for cell in table.cells}
    return [[at.get((r, c)) for c in range(table.cols) if (r, c) not in covered] for r in range(table.rows)]


def write_page(rng: random.Random, table: MadeTable) -> str:
    rules = rng.choice(RULES)
    colour = rng.choice(("#000", "#999", "#ccc", "#336"))
    css = GROUND[rules] % colour
    css += f"body{{font:{rng.uniform(8, 12):.1f}pt {rng.choice(('serif', 'sans-serif', 'Liberation Sans'))}}}"
    css += f"td,th{{padding:{rng.choice((1, 2, 4, 6))}px {rng.choice((4, 6, 10))}px}}"
    css += f"td.f{{text-align:{rng.choice(('right', 'right', 'center', 'left'))}}}"
    css += f"td,th{{vertical-align:{rng.choice(('top', 'middle', 'baseline'))}}}"
    css += rng.choice(("", "table{width:100%}", "th{background:#ddd}", "th{text-align:left}", "th{font-weight:normal}"))
    css += rng.choice(("", "", "td:first-child{white-space:nowrap}"))
    tags = {cell.row: "th" for cell in table.cells if cell.row < table.heads}
    lines = []
    for number, row in enumerate(list_rows(table)):
        parts = []
        for cell in row:
            tag = tags.get(number, "td")
            spans = f' rowspan="{cell.rowspan}" colspan="{cell.colspan}"' if cell else ""
            kind = ' class="f"' if cell and cell.kind == "figure" else ""
            parts.append(f"<{tag}{spans}{kind}>{html.escape(cell.text) if cell else ''}</{tag}>")
        lines.append("<tr>" + "".join(parts) + "</tr>")
    head, body = "\n".join(lines[: table.heads]), "\n".join(lines[table.heads :])
    title = f"<h1>{make_label(rng, 4)}</h1>" if rng.random() < 0.7 else ""
    caption = f"<caption>Table {rng.randint(1, 9)}. {make_label(rng, 4)}</caption>" if rng.random() < 0.4 else ""
    before, after = (f"<p>{' '.join(make_sentence(rng, 14) for _ in range(rng.randint(0, 3)))}</p>" for _ in range(2))
    return (
        f"<!doctype html><meta charset=utf-8><title>{make_label(rng, 3)}</title><style>{css}</style>{title}{before}"
        f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>{after}"
    )


def run(*command: str, folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)


def chromium(rng: random.Random, table: MadeTable, path: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a.html").write_text(write_page(rng, table), encoding="utf-8")
        more = [] if rng.random() < 0.5 else ["--no-pdf-header-footer"]
        run(
            *("chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={name}/p", *more),
            *(f"--print-to-pdf={path.resolve()}", "a.html"),
            folder=Path(name),
        )


def weasyprint(rng: random.Random, table: MadeTable, path: Path) -> None:
    importlib.import_module("weasyprint").HTML(string=write_page(rng, table)).write_pdf(str(path))


def soffice(rng: random.Random, table: MadeTable, path: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / f"{path.stem}.html").write_text(write_page(rng, table), encoding="utf-8")
        run(
            *(
                "soffice",
                f"-env:UserInstallation=file://{name}/p",
                "--headless",
                "--convert-to",
                "pdf:writer_web_pdf_Export",
            ),
            *("--outdir", str(path.parent.resolve()), f"{path.stem}.html"),
            folder=Path(name),
        )


def escape_tex(text: str) -> str:
    return re.sub(r"([$%&#_{}])", r"\\\1", text)


def latex(rng: random.Random, table: MadeTable, path: Path) -> None:
    style = rng.choice(("booktabs", "booktabs", "lines", "hlines", "none"))
    long = table.rows > 30
    bars = "|" if style == "lines" else ""
    kinds = {cell.col: cell.kind for cell in table.cells if cell.row >= table.heads}
    shapes = [
        rng.choice(("r", "r", "c", "l")) if kinds.get(c) == "figure" else "p{4cm}" if kinds.get(c) == "text" else "l"
        for c in range(table.cols)
    ]
    rules = {
        "booktabs": ("\\toprule", "\\midrule", "\\bottomrule", ""),
        "lines": ("\\hline", "\\hline", "\\hline", "\\hline"),
        "hlines": ("\\hline", "\\hline\\hline", "\\hline", ""),
        "none": ("", "", "", ""),
    }[style]
    lines = []
    for number, row in enumerate(list_rows(table)):
        parts, partial = [], ""
        at, column = {cell.col: cell for cell in row if cell}, 0
        while column < table.cols:
            cell = at.get(column)
            text = escape_tex(cell.text) if cell else ""
            if cell and cell.rowspan > 1:
                text = f"\\multirow{{{cell.rowspan}}}{{*}}{{{text}}}"
            if cell and cell.colspan > 1:
                text = f"\\multicolumn{{{cell.colspan}}}{{{bars if not column else ''}c{bars}}}{{{text}}}"
                partial += f"\\cmidrule(lr){{{column + 1}-{column + cell.colspan}}}" if style == "booktabs" else ""
            parts.append(text)
            column += cell.colspan if cell else 1
        end = rules[1] if number == table.heads - 1 else partial if number < table.heads else rules[3]
        lines.append(" & ".join(parts) + " \\\\ " + (end if number < table.rows - 1 else ""))
    spec = bars + bars.join(shapes) + bars
    if long:
        head = "\n".join(lines[: table.heads])
        body = "\n".join(lines[table.heads :])
        again = f"\\endfirsthead {rules[0]}\n{head}\n\\endhead" if rng.random() < 0.5 else "\\endfirsthead"
        made = f"\\begin{{longtable}}{{{spec}}}{rules[0]}\n{head}\n{again}\n{body}\n{rules[2]}\\end{{longtable}}"
    else:
        start = f"\\begin{{table}}[h]\\centering \\caption{{{make_label(rng, 4)}}}"
        made = (
            f"{start}\\begin{{tabular}}{{{spec}}}{rules[0]}\n{NEWLINE.join(lines)}\n{rules[2]}"
            "\\end{tabular}\\end{table}"
        )
    size = rng.choice(("", "\\small", "\\footnotesize"))
    text = (
        f"\\documentclass[{rng.choice((10, 11, 12))}pt]{{article}}\\usepackage{{booktabs,longtable,multirow}}"
        f"\\usepackage[margin=2cm]{{geometry}}{rng.choice(('', '', FONT))}"
        f"\\begin{{document}}\\section{{{make_label(rng, 3)}}} {make_sentence(rng, 30)} {size}\n{made}\n"
        f"\\normalsize {make_sentence(rng, 40)}\\end{{document}}"
    )
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a.tex").write_text(text, encoding="utf-8")
        run("pdflatex", "-interaction=nonstopmode", "a.tex", folder=Path(name))
        run("pdflatex", "-interaction=nonstopmode", "a.tex", folder=Path(name))
        shutil.copy(Path(name) / "a.pdf", path)


def typst(rng: random.Random, table: MadeTable, path: Path) -> None:
    kinds = {cell.col: cell.kind for cell in table.cells if cell.row >= table.heads}
    align = ", ".join("right" if kinds.get(c) == "figure" else "left" for c in range(table.cols))
    widths = ", ".join("4cm" if kinds.get(c) == "text" else "auto" for c in range(table.cols))
    stroke = rng.choice(
        (
            "1pt", "0.5pt + luma(180)", "none", "(x, y) => if y == 0 { (bottom: 0.7pt) }",
            "(x, y) => (bottom: 0.4pt)", "(x, y) => (left: if x > 0 { 0.5pt }, top: if y > 0 { 0.5pt })",
        )
    )  # fmt: skip
    lines = []
    for row in list_rows(table):
        parts = [
            f"table.cell(rowspan: {cell.rowspan}, colspan: {cell.colspan})[#{json.dumps(cell.text)}]" if cell else "[]"
            for cell in row
        ]
        lines.append(", ".join(parts))
    head, body = ", ".join(lines[: table.heads]), ",\n".join(lines[table.heads :])
    text = (
        f"#set text(size: {rng.choice((8, 10, 11))}pt)\n= {make_label(rng, 3)}\n{make_sentence(rng, 30)}\n\n"
        f"#table(columns: ({widths}), align: ({align}), stroke: {stroke}, table.header({head}),\n{body})\n\n"
        f"{make_sentence(rng, 30)}\n"
    )
    importlib.import_module("typst").compile(text.encode(), output=str(path))


def fpdf2(rng: random.Random, table: MadeTable, path: Path) -> None:
    pdf = importlib.import_module("fpdf").FPDF()
    pdf.add_page()
    pdf.set_font(rng.choice(("Helvetica", "Times")), size=rng.choice((8, 9, 10)))
    pdf.multi_cell(0, text=make_sentence(rng, 30), new_x="LMARGIN", new_y="NEXT")
    layout = rng.choice(("ALL", "HORIZONTAL_LINES", "MINIMAL", "SINGLE_TOP_LINE", "NONE", "NO_HORIZONTAL_LINES"))
    with pdf.table(borders_layout=layout, num_heading_rows=table.heads, padding=rng.choice((0, 1))) as made:
        for row in list_rows(table):
            line = made.row()
            for cell in row:
                if cell:
                    line.cell(cell.text, colspan=cell.colspan, rowspan=cell.rowspan)
                else:
                    line.cell("")
    pdf.output(str(path))


def platypus(rng: random.Random, table: MadeTable, path: Path) -> None:
    parts = importlib.import_module("reportlab.platypus")
    normal = importlib.import_module("reportlab.lib.styles").getSampleStyleSheet()["Normal"]
    grid: list[list[object]] = [[""] * table.cols for _ in range(table.rows)]
    commands: list[tuple[object, ...]] = []
    for cell in table.cells:
        long = cell.kind == "text" and len(cell.text) > 25
        grid[cell.row][cell.col] = parts.Paragraph(html.escape(cell.text), normal) if long else cell.text
        if cell.rowspan > 1 or cell.colspan > 1:
            last = cell.col + cell.colspan - 1, cell.row + cell.rowspan - 1
            commands.append(("SPAN", (cell.col, cell.row), last))
    whole = ((0, 0), (-1, -1))
    commands += rng.choice(
        (
            [("GRID", *whole, 0.5, "black")],
            [("INNERGRID", *whole, 0.25, "grey"), ("BOX", *whole, 1, "black")],
            [("LINEBELOW", *whole, 0.5, "grey")],
            [("LINEBELOW", (0, table.heads - 1), (-1, table.heads - 1), 1, "black")],
            [("BACKGROUND", (0, 0), (-1, table.heads - 1), "lightblue")],
            [],
        )
    )
    if rng.random() < 0.6:
        commands.append(("ALIGN", (1, table.heads), (-1, -1), "RIGHT"))
    commands.append(("FONTSIZE", *whole, rng.choice((7, 8, 9))))
    kinds = {cell.col: cell.kind for cell in table.cells if cell.row >= table.heads}
    widths = [130 if kinds.get(c) == "text" else None for c in range(table.cols)]
    made = parts.Table(grid, colWidths=widths, repeatRows=table.heads if rng.random() < 0.5 else 0, style=commands)
    document = parts.SimpleDocTemplate(str(path))
    document.build(
        [parts.Paragraph(make_sentence(rng, 30), normal), made, parts.Paragraph(make_sentence(rng, 30), normal)]
    )


KINDS: dict[str, Callable[[random.Random, MadeTable, Path], None]] = {
    maker.__name__: maker for maker in (chromium, weasyprint, soffice, latex, typst, fpdf2, platypus)
}
PACKAGES = {"weasyprint": "weasyprint", "typst": "typst", "fpdf2": "fpdf", "platypus": "reportlab"}
PROGRAMS = {"chromium": "chromium", "soffice": "soffice", "latex": "pdflatex"}


def is_there(kind: str) -> bool:
    found = shutil.which(PROGRAMS[kind]) if kind in PROGRAMS else importlib.util.find_spec(PACKAGES[kind])
    return found is not None


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--each", type=int, default=6, help="documents of each kind")
    arguments.add_argument("--kinds", default=",".join(KINDS))
    options = arguments.parse_args()
    (options.folder / "pdf").mkdir(parents=True, exist_ok=True)
    listed = []
    for kind in filter(is_there, options.kinds.split(",")):
        for number in range(options.each):
            name = f"{kind}-{options.seed}-{number}"
            rng = random.Random(name)
            table = make_table(rng, choose_shape(rng))
            try:
                KINDS[kind](rng, table, options.folder / "pdf" / f"{name}.pdf")
            except subprocess.CalledProcessError as error:
                print(f"{name}: {kind} failed with {error.returncode}")
                continue
            listed.append({"id": name, "pdf": f"pdf/{name}.pdf", "tables": [describe(table)]})
    (options.folder / "tables_gt.json").write_text(json.dumps(listed), encoding="utf-8")
    print(f"{len(listed)} documents in {options.folder}")


if __name__ == "__main__":
    main()
