"""Sheets: rows a CPU second and memory of our parsers against the bare readers, and the chunks that come of it.

    python benchmarks/extraction/sheets.py [--rows 100000]

Makes a workbook and a CSV file of eight columns (text, dates, numbers, percentages, formulas) in memory, and reads
each in a process of its own, bare and by us, three times in turn; the least CPU time counts. Memory is the peak of
the process above what it had before reading. Prints one line a reading, then the ratios.
"""

import argparse
import csv
import datetime
import io
import json
import resource
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

PLACES = ("Oslo", "Lima", "Bern", "Kyiv, East", "Graz")
HEAD = ("Order", "Customer", "Place", "Date", "Items", "Price", "Share", "Total")
TURNS = 3


def values(n: int) -> tuple[object, ...]:
    """The eight values of one row."""
    items, price = n % 17 + 1, n % 1000 / 8 + 0.1
    return (
        f"A-{n:06}",
        f"Customer {n * 7919 % 5000}",
        PLACES[n % 5],
        45000 + n % 700,
        items,
        price,
        n % 90 / 100,
        items * price,
    )


def workbook(path: Path, rows: int) -> None:
    """A minimal XLSX file: inline texts, styles for date (1) and percentage (2), formulas with their values."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        )
        out.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" Type="{office}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        out.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="Orders" sheetId="1" r:id="rId1"/>'
            "</sheets></workbook>",
        )
        out.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" Type="{office}/worksheet" '
            f'Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{office}/styles" '
            'Target="styles.xml"/></Relationships>',
        )
        out.writestr(
            "xl/styles.xml",
            f'<styleSheet xmlns="{main}"><cellXfs count="3">'
            '<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/></cellXfs></styleSheet>',
        )
        with out.open("xl/worksheets/sheet1.xml", "w") as sheet:
            sheet.write(f'<worksheet xmlns="{main}"><sheetData>'.encode())
            sheet.write(row_xml(1, HEAD).encode())
            for n in range(rows):
                sheet.write(row_xml(n + 2, values(n)).encode())
            sheet.write(b"</sheetData></worksheet>")


def row_xml(number: int, row: tuple[object, ...]) -> str:
    cells = []
    for i, value in enumerate(row):
        place = f'r="{chr(65 + i)}{number}"'
        if isinstance(value, str):
            cells.append(f'<c {place} t="inlineStr"><is><t>{value}</t></is></c>')
        else:
            style = {3: ' s="1"', 6: ' s="2"'}.get(i, "")
            formula = f"<f>E{number}*F{number}</f>" if i == 7 else ""
            cells.append(f"<c {place}{style}>{formula}<v>{value!r}</v></c>")
    return f'<row r="{number}">{"".join(cells)}</row>'


def table(path: Path, rows: int) -> None:
    """The same as CSV."""
    first = datetime.date(1899, 12, 30)
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(HEAD)
        for n in range(rows):
            row = list(values(n))
            row[3] = first + datetime.timedelta(days=int(str(row[3])))
            writer.writerow(row)


def read(way: str, path: Path) -> None:
    """One reading in this process; prints seconds, bytes and what came of it."""
    data = path.read_bytes()
    if way == "calamine":
        from python_calamine import CalamineWorkbook
    elif way in ("workbook", "csv+ours", "chunks"):
        from ragstone.extraction.spreadsheet import delimited
        from ragstone.extraction.spreadsheet import workbook as ours
    if way == "chunks":
        from ragstone.chunking import make_chunker
        from ragstone.providers import WordPiece
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    made: list[float]
    if way == "calamine":
        sheet = CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0)
        made = [sum(1 for _ in sheet.iter_rows())]
    elif way == "csv":
        made = [len(list(csv.reader(io.StringIO(data.decode(), newline=""))))]
    else:
        extraction = (ours if path.suffix == ".xlsx" else delimited).parse(data, path=path.name)
        made = [sum(len(block.spans) for block in extraction.blocks if block.type == "table"), len(extraction.record)]
    seconds = time.process_time() - start
    if way == "chunks":
        pieces = make_chunker("structure", tokenizer=WordPiece(), reads=254).cut(extraction)
        headed = sum(bool(piece.header) or "Order" in piece.text for piece in pieces)
        made = [len(pieces), headed, round(time.process_time() - start - seconds, 2)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        json.dumps(
            {"way": way, "file": path.suffix, "seconds": seconds, "megabytes": (peak - before) / 1024, "made": made}
        )
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=100_000)
    arguments.add_argument("--read", nargs=2, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.read:
        read(options.read[0], Path(options.read[1]))
        return
    with TemporaryDirectory() as folder:
        book, text = Path(folder) / "made.xlsx", Path(folder) / "made.csv"
        workbook(book, options.rows)
        table(text, options.rows)
        print(f"{options.rows:,} rows: XLSX {book.stat().st_size:,} bytes, CSV {text.stat().st_size:,} bytes")
        ways = (("calamine", book), ("workbook", book), ("csv", text), ("csv+ours", text))
        best: dict[str, dict[str, float]] = {}
        for turn in range(TURNS):
            for way, path in (*ways, *((("chunks", book), ("chunks", text)) if turn == 0 else ())):
                command = [sys.executable, __file__, "--read", way, str(path)]
                line = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                result = json.loads(line)
                print(line, end="")
                if way != "chunks" and result["seconds"] < best.get(way, {"seconds": 1e9})["seconds"]:
                    best[way] = result
    for bare, ours_ in (("calamine", "workbook"), ("csv", "csv+ours")):
        ratio = best[ours_]["seconds"] / best[bare]["seconds"]
        more = best[ours_]["megabytes"] / max(1.0, best[bare]["megabytes"])
        speed = options.rows / best[ours_]["seconds"]
        print(f"{ours_}: {speed:,.0f} rows a CPU second, {ratio:.1f} x the time, {more:.1f} x the memory of {bare}")


if __name__ == "__main__":
    main()
