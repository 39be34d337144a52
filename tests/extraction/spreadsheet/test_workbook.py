"""What workbooks become."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import Refused
from ragstone.core.types import Block, Extraction
from ragstone.extraction import WORKBOOK
from ragstone.extraction.spreadsheet import workbook, worksheet
from ragstone.testing.extractors import ExtractorContract, check_block, check_spans
from tests.beside import DATA, LARGE
from tests.extraction.spreadsheet.binary import binary, compound
from tests.extraction.spreadsheet.books import DATE, HOURS, MAIN, MOMENT, PERCENT, ZEROS, book, cell, grid, rows, sheet
from tests.speed import within

PRICES: list[list[object]] = [["Item", "Price"], ["Spade", 3.0], ["Fork", 4.5]]


class Workbook:
    recipe = WORKBOOK.recipe

    def extract(self, data: bytes, *, path: str) -> Extraction:
        return workbook.parse_workbook(data, path=path)


class TestWorkbook(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Workbook:
        return Workbook()

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        wide = [[f"c{i}" for i in range(300)], list(range(300)), [None] * 299 + ["far | away\nnext"]]
        return {
            "a.xlsx": book(
                {"One": sheet(rows(PRICES)), "Two": sheet(rows([["A title"], [None], *PRICES], top=3, left=4))}
            ),
            "wide.xlsx": grid(wide),
            "merged.xlsx": grid([["a", None, "b"], ["x", 1, 2], [None, 3, 4]], merged=["A1:B1", "A2:A3"]),
        }


def parse(data: bytes) -> Extraction:
    extraction = workbook.parse_workbook(data, path="book.xlsx")
    check_spans(extraction)
    for block in extraction.blocks:
        check_block(block, extraction.record)
    return extraction


def tables(extraction: Extraction) -> list[Block]:
    return [block for block in extraction.blocks if block.type == "table"]


def texts(block: Block) -> list[list[str]]:
    out: list[list[str]] = []
    for one in block.cells:
        while len(out) <= one.row:
            out.append([])
        out[one.row].append(one.text)
    return out


def test_a_sheet_is_a_heading_and_a_table_whose_rows_know_their_place() -> None:
    extraction = parse(book({"Tools": sheet(rows(PRICES, top=3, left=2))}))
    heading, table = extraction.blocks
    assert (heading.type, heading.level, heading.text, heading.spans[0].sheet) == ("heading", 2, "Tools", "Tools")
    assert extraction.record == "## Tools\n\n| Item | Price |\n|---|---|\n| Spade | 3 |\n| Fork | 4.5 |"
    assert [(span.sheet, span.rows, span.cols) for span in table.spans] == [
        ("Tools", (n, n), (2, 3)) for n in (3, 4, 5)
    ]
    assert [one.header for one in table.cells] == [True, True, False, False, False, False]
    assert all(extraction.record[one.char_start : one.char_end] == one.text for one in table.cells)


def test_values_are_shown_as_their_reader_sees_them() -> None:
    values: list[tuple[object, str]] = [
        (3.0, "3"),
        (0.1 + 0.2, "0.3"),
        (-1234567.25, "-1234567.25"),
        ((45000, DATE), "2023-03-15"),
        ((45000.5, MOMENT), "2023-03-15 12:00:00"),
        ((0.125, PERCENT), "12.5%"),
        ((0.07, PERCENT), "7%"),
        ((1234, ZEROS), "01234"),
        ((1.5, HOURS), "36:00:00"),
        (True, "TRUE"),
        ("#DIV/0!", "#DIV/0!"),
        ("#N/A", "#N/A"),
        ("  spaced  ", "spaced"),
        ('<f>"a"</f><v>7</v>', "7"),
    ]
    shown = [
        row[1]
        for row in texts(
            tables(parse(grid([["Name", "Value"], *([f"v{i}", v] for i, (v, _) in enumerate(values))])))[0]
        )[1:]
    ]
    assert shown == [text for _, text in values]


def test_bars_and_line_breaks_in_a_cell_do_not_break_its_row() -> None:
    extraction = parse(grid([["a", "b"], ["x|y", "one\ntwo"]]))
    assert "| x\\|y | one two |" in extraction.record
    assert [one.text for one in tables(extraction)[0].cells][2:] == ["x|y", "one\ntwo"]


def test_merged_cells_span_and_are_said_again_in_each_row() -> None:
    values = [["Region", "Sales", None], [None, "2023", "2024"], ["North", 1, 2], [None, 3, 4], ["South", 5, 6]]
    [table] = tables(extraction := parse(grid(values, merged=["A1:A2", "B1:C1", "A3:A4"])))
    spans = {(one.row, one.col): (one.rowspan, one.colspan) for one in table.cells if one.rowspan * one.colspan > 1}
    assert spans == {(0, 0): (2, 1), (0, 1): (1, 2), (2, 0): (2, 1)}
    assert {one.row for one in table.cells if one.header} == {0, 1}
    assert "| North | 3 | 4 |" in extraction.record


def test_empty_rows_and_columns_set_tables_apart() -> None:
    values = [
        ["a", "b", None, "Name", "Size"],
        [1, 2, None, "x", "big"],
        [3, 4, None, "y", "small"],
        [],
        [],
        ["c", "d"],
        [5, 6],
    ]
    found = tables(parse(grid(values)))
    assert [texts(one)[0] for one in found] == [["a", "b"], ["Name", "Size"], ["c", "d"]]
    assert [(one.spans[0].rows, one.spans[0].cols) for one in found] == [
        ((1, 1), (1, 2)),
        ((1, 1), (4, 5)),
        ((6, 6), (1, 2)),
    ]


def test_an_empty_column_inside_a_table_does_not_part_labels_from_their_numbers() -> None:
    [table] = tables(parse(grid([["Item", None, 2023, 2024], ["Rent", None, 10, 11], ["Food", None, 20, 21]])))
    assert texts(table) == [["Item", "2023", "2024"], ["Rent", "10", "11"], ["Food", "20", "21"]]
    assert table.spans[0].cols == (1, 4)


def test_one_empty_row_before_more_of_the_same_ends_no_table() -> None:
    [table] = tables(parse(grid([["Item", "Price"], ["a", 1], ["b", 2], [], ["c", 3], [], ["Total", 6]])))
    assert [span.rows for span in table.spans] == [(n, n) for n in (1, 2, 3, 5, 7)]


def test_titles_above_a_table_become_headings() -> None:
    for above in ([["Prices of 2024"]], [["Prices of 2024"], []]):
        blocks = parse(grid([*above, *PRICES])).blocks
        assert [(one.type, one.text) for one in blocks[:2]] == [("heading", "S"), ("heading", "Prices of 2024")]
        assert blocks[1].level == 3
        assert texts(blocks[2])[0] == ["Item", "Price"]


def test_a_column_of_prose_becomes_paragraphs() -> None:
    prose = [["This sheet explains at some length what all of the other sheets are there for, and who keeps them."]] * 3
    assert [one.type for one in parse(grid(prose)).blocks] == ["heading"] + ["paragraph"] * 3


@pytest.mark.parametrize(
    ("values", "head"),
    [
        ([["1", "2"], ["a", "b"], ["c", "d"]], 1),
        ([[1, 2], [3, 4], [5, 6]], 0),
        ([["Ann", 1], ["Bob", 2], ["Cy", 3]], 0),
        ([["Name", "City"], ["Ann", "Oslo"], ["Bob", "Lima"]], 1),
        ([["AB-1", "x"], ["AB-2", "y"], ["AB-3", "z"]], 0),
        ([["Item", 2022, 2023, 2024], ["a", 1, 2, 3], ["b", 4, 5, 6]], 1),
    ],
)
def test_header_rows_are_told_from_data(values: Sequence[Sequence[object]], head: int) -> None:
    [table] = tables(parse(grid(values)))
    assert len({one.row for one in table.cells if one.header}) == head


def test_hidden_sheets_rows_and_columns_are_left_out_with_a_warning() -> None:
    hidden = sheet(
        rows([*PRICES, ["secret", 9]], attributes={4: 'hidden="1"'}),
        head='<cols><col min="2" max="2" hidden="1"/></cols>',
    )
    extraction = parse(book({"Shown": hidden, "Back": sheet(rows([["secret"]]))}, states={"Back": "veryHidden"}))
    assert "secret" not in extraction.record
    assert "4.5" not in extraction.record
    assert any("'Back'" in warning for warning in extraction.warnings)
    assert any("1 hidden row and 1 hidden column" in warning for warning in extraction.warnings)


@pytest.mark.parametrize(
    ("attributes", "head", "tail"),
    [
        ('hidden="1"', "", '<autoFilter ref="A1:B4"><filterColumn colId="0"/></autoFilter>'),
        ('hidden="1"', '<sheetPr filterMode="1"/>', ""),
        ('hidden="1" outlineLevel="1"', "", ""),
    ],
)
def test_filtered_and_folded_rows_stay(attributes: str, head: str, tail: str) -> None:
    data = book({"S": sheet(rows([*PRICES, ["Rake", 5]], attributes={4: attributes}), head=head, tail=tail)})
    extraction = parse(data)
    assert "Rake" in extraction.record
    assert extraction.warnings == ()


def test_formulas_without_values_are_counted_by_sheet() -> None:
    values = [["a", "b"], [1, "<f>A2*2</f>"], [2, "<f>A3*2</f><v></v>"], [3, "<f>A4*2</f><v>6</v>"]]
    [warning] = parse(book({"Sums": sheet(rows(values))})).warnings
    assert "'Sums' has 2 formulas without a value" in warning
    assert "open the workbook in a spreadsheet program and save it" in warning


def test_empty_sheets_lose_nothing_and_an_empty_workbook_is_refused() -> None:
    extraction = parse(book({"Empty": sheet(""), "Full": sheet(rows(PRICES))}))
    assert [one.text for one in extraction.blocks if one.type == "heading"] == ["Full"]
    with pytest.raises(Refused) as refused:
        parse(book({"Empty": sheet("")}))
    assert refused.value.reason == "empty"


def test_a_sheet_that_claims_all_rows_and_columns_costs_nothing() -> None:
    data = book({"S": sheet(rows(PRICES), head='<dimension ref="A1:XFD1048576"/>')})
    assert len(tables(within(1, lambda: parse(data)))[0].spans) == 3


@pytest.mark.parametrize(("row", "col"), [(1_048_576, 16_384), (1_048_576, 1), (2, 16_384)])
def test_a_lone_cell_far_away_is_kept_and_costs_nothing(row: int, col: int) -> None:
    filled = [rows([[i, -i]], top=i) for i in range(1, 2001)]
    far = cell(row, col, "far away")
    if row == 2:
        filled[1] = filled[1].replace("</row>", f"{far}</row>")
    else:
        filled.append(f'<row r="{row}">{far}</row>')
    data = book({"Far": sheet("".join(filled))})
    extraction = within(5, lambda: parse(data))
    assert extraction.warnings == ()
    assert extraction.blocks[1].cells[3].text == "-2"
    assert extraction.record.count("far away") == 1


def test_beyond_the_limit_of_cells_rows_are_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worksheet, "MOST_CELLS", 11)
    extraction = parse(book({"S": sheet(rows([["n", "m"], *([i, i] for i in range(20))])), "T": sheet(rows(PRICES))}))
    assert len(tables(extraction)[0].spans) == 5
    assert "rows from 6 on left out" in extraction.warnings[0]
    assert "sheet 'T' left out" in extraction.warnings[1]


def test_a_sheet_of_a_chart_is_named() -> None:
    data = book({"S": sheet(rows(PRICES)), "Chart": sheet("")})
    moved = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(moved, "w") as new:
        for name in old.namelist():
            text = old.read(name).replace(b"worksheets/sheet1.xml", b"chartsheets/sheet1.xml")
            new.writestr(name.replace("worksheets/sheet1", "chartsheets/sheet1"), text)
    assert "'Chart'" in parse(moved.getvalue()).warnings[0]


def test_parts_under_a_prefix_are_surveyed_too() -> None:
    plain = sheet(rows([["a", "b"], [(0.5, PERCENT), "#REF!"], [1, "<f>A3</f>"]]))
    prefixed = plain.replace("<", "<x:").replace("<x:/", "</x:").replace("xmlns=", "xmlns:x=")
    one, two = parse(book({"S": plain})), parse(book({"S": prefixed}))
    assert (one.record, one.warnings) == (two.record, two.warnings)
    assert "| 50% | #REF! |" in two.record


def test_encrypted_and_broken_files_are_told_apart() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
    first = bytes.fromhex("09081000000605000000000000000000060000")
    sealed = compound("Workbook", first + b"\0" + bytes.fromhex("2f003600") + bytes(54))
    cases = [
        ("encrypted", ole + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600),
        ("encrypted", sealed),
        ("broken", ole),
    ]
    for reason, data in cases:
        with pytest.raises(Refused) as refused:
            workbook.parse_workbook(data, path="x.xlsx")
        assert refused.value.reason == reason
    for data in (b"PK\x03\x04", book({"S": sheet(rows(PRICES))})[:-80]):
        with pytest.raises(Refused) as refused:
            workbook.parse_workbook(data, path="x.xlsx")
        assert refused.value.reason == "broken"


def test_title_author_and_date_come_from_the_properties() -> None:
    core = (
        '<p:coreProperties xmlns:p="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/"><dc:title>Budget</dc:title>'
        "<dc:creator>Ann</dc:creator><t:modified>2024-05-06T07:08:09Z</t:modified></p:coreProperties>"
    )
    extraction = parse(book({"S": sheet(rows(PRICES))}, extra={"docProps/core.xml": core}))
    assert extraction.title == "Budget"
    assert extraction.meta == {"author": "Ann", "date": "2024-05-06T07:08:09+00:00"}


CELLS = st.one_of(
    st.none(), st.integers(-99, 99), st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=6)
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(CELLS, max_size=6), max_size=9))
def test_every_filled_cell_is_kept_once_in_its_place(values: list[list[object]]) -> None:
    values = [[None if isinstance(v, str) and (not v.strip() or v[0] in "<#") else v for v in row] for row in values]
    wanted = sorted(
        (r, c, str(v).strip()) for r, row in enumerate(values, 1) for c, v in enumerate(row, 1) if v is not None
    )
    try:
        extraction = parse(grid(values))
    except Refused:
        assert not wanted
        return
    found = [(s.rows[0], one) for b in tables(extraction) for one in b.cells for s in (b.spans[one.row],) if s.rows]
    lone = [(s.rows[0], b.text) for b in extraction.blocks for s in b.spans if b.type != "table" and s.rows]
    assert sorted([(row, one.text) for row, one in found] + lone) == sorted((r, text) for r, _, text in wanted)


@pytest.mark.parametrize(
    "error",
    [
        *("#DIV/0!", "#N/A", "#SPILL!", "#CALC!", "#GETTING_DATA", "#FIELD!", "#BLOCKED!", "#CONNECT!", "#UNKNOWN!"),
        *("#BUSY!", "#PYTHON!", "#ERROR!", "Err:502", "#OF NEXT YEAR!", "#A&B!"),
    ],
)
def test_an_error_of_any_name_is_shown_and_costs_no_other_cell(error: str) -> None:
    said = f'<c r="A2" t="e"><v>{escape(error)}</v></c>{cell(2, 2, "kept")}'
    extraction = parse(book({"S": sheet(rows([["e", "head"]]) + f'<row r="2">{said}</row>')}))
    assert extraction.record == f"## S\n\n| e | head |\n|---|---|\n| {error} | kept |"
    assert extraction.warnings == ()


@pytest.mark.parametrize(
    ("odd", "shown"),
    [
        ('<c r="A2" t="z"><v>1</v></c>', "1"),
        ('<c r="A2" t="b"><v>2</v></c>', "2"),
        ('<c r="A0"><v>1</v></c>', "1"),
        ('<c r="2"><v>1</v></c>', "1"),
        ('<c r="A2" s="5"><v>1e300</v></c>', "1e+300"),
        ('<c r="A2" t="d"><v>next May</v></c>', "next May"),
    ],
)
def test_a_cell_that_no_program_writes_is_shown_as_it_is(odd: str, shown: str) -> None:
    inside = f'<row r="2">{odd}{cell(2, 2, "kept")}</row>'
    extraction = parse(book({"S": sheet(rows([["a", "b"]]) + inside + rows([["c", "d"]], top=3))}))
    assert f"| {shown} | kept |\n| c | d |" in extraction.record


STRINGS = f'<sst xmlns="{MAIN}"><si><r><t>in </t></r><r><t>runs</t></r><rPh sb="0" eb="1"><t>said</t></rPh></si></sst>'


def test_a_text_that_the_workbook_does_not_hold_costs_its_cell_only() -> None:
    inside = f'<c r="A2" t="s"><v>0</v></c>{cell(2, 2, 1)}</row><row r="3"><c r="A3" t="s"><v>7</v></c>{cell(3, 2, 2)}'
    data = book(
        {"S": sheet(rows([["a", "b"]]) + f'<row r="2">{inside}</row>')}, extra={"xl/sharedStrings.xml": STRINGS}
    )
    extraction = parse(data)
    assert extraction.record == "## S\n\n| a | b |\n|---|---|\n| in runs | 1 |\n| | 2 |"
    assert extraction.warnings == (
        "sheet 'S': 1 cell left out whose text the workbook does not hold; save the workbook anew",
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1234567890123456, "1234567890123456"),
        (-9007199254740991, "-9007199254740991"),
        (9007199254740993, "9007199254740993"),
        (12345678901234567890, "12345678901234567890"),
        (2.0**60, "1152921504606846976"),
        ((-5, DATE), "-5"),
        ((-0.25, MOMENT), "-0.25"),
        ((0, DATE), "00:00:00"),
        ((1e300, DATE), "1e+300"),
    ],
)
def test_whole_numbers_keep_their_digits_and_no_date_is_below_zero(value: object, shown: str) -> None:
    [table] = tables(parse(grid([["a", "b"], ["x", value], ["y", 1]])))
    assert table.cells[3].text == shown


def test_a_text_of_digits_stays_one_beside_a_number_of_as_many() -> None:
    inside = '<row r="2"><c r="A2" t="str"><v>01234567890123456789</v></c><c r="B2"><v>12345678901234567</v></c></row>'
    assert "| 01234567890123456789 | 12345678901234567 |" in parse(book({"S": sheet(inside)})).record


def test_errors_are_shown_where_rows_are_out_of_order() -> None:
    data = rows([["c", "#REF!"]], top=3) + rows([["a", "b"], ["b", "#N/A"]])
    assert parse(book({"S": sheet(data)})).record.endswith("| b | #N/A |\n| c | #REF! |")


def test_a_row_of_errors_alone_is_kept() -> None:
    assert parse(grid([["#REF!", "#N/A"]])).record == "## S\n\n| #REF! | #N/A |\n|---|---|"


def test_a_workbook_without_its_list_of_sheets_is_broken() -> None:
    moved = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(grid(PRICES))) as old, zipfile.ZipFile(moved, "w") as new:
        for name in old.namelist():
            if name != "xl/workbook.xml":
                new.writestr(name, old.read(name))
    with pytest.raises(Refused) as refused:
        parse(moved.getvalue())
    assert refused.value.reason == "broken"


VALUES = st.one_of(
    CELLS,
    st.booleans(),
    st.sampled_from(["#REF!", "#ODD!", "x_x0041_", "<f>A1</f><v>2</v>"]),
    st.tuples(st.floats(-9, 3e6).map(lambda days: round(days, 4)), st.sampled_from([DATE, MOMENT, HOURS, PERCENT])),
    st.tuples(st.integers(0, 99), st.just(ZEROS)),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(VALUES, max_size=5), max_size=6), st.booleans())
def test_both_readers_say_the_same(values: list[list[object]], since_1904: bool) -> None:
    data = grid(values, merged=["A1:B1", "C2:C4"])
    if since_1904:
        data = replaced(data, "xl/workbook.xml", "<sheets>", '<workbookPr date1904="1"/><sheets>')
    said: list[object] = []
    for area in (worksheet.MOST_AREA, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(worksheet, "MOST_AREA", area)
            try:
                extraction = parse(data)
                said.append((extraction.blocks, extraction.warnings))
            except Refused as refused:
                said.append(str(refused))
    assert said[0] == said[1]


def replaced(data: bytes, part: str, old: str, new: str) -> bytes:
    """The archive with other words in one of its parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            text = source.read(name).decode()
            target.writestr(name, text.replace(old, new) if name == part else text)
    return out.getvalue()


IDS = (
    "09060124-b5e7-4717-9d07-3c046eb",
    "6ff4173b-42a5-4784-9b19-f49caff4d93d",
    "affc7dad-52dc-4b98-9b5d-51e65d8a8ad0",
)


@pytest.mark.parametrize(
    "name",
    [
        "own.xlsx",
        "own.xls",
        pytest.param("markitdown/test.xlsx", marks=LARGE),
        pytest.param("markitdown/test.xls", marks=LARGE),
    ],
)
def test_known_workbooks_keep_their_words(name: str) -> None:
    values: list[list[str | float]] = [["Alpha", "Größe"], [IDS[1], 89.0], [IDS[2], 0.25]]
    if name == "own.xlsx":
        data = book({IDS[0]: sheet(rows(values)), "Sheet2": sheet(rows(PRICES))})
    elif name == "own.xls":
        data = binary({IDS[0]: values, "Sheet2": [["Item"], ["Spade"]]})
    else:
        data = (DATA / "extraction" / name).read_bytes()
    record = parse(data).record
    for words in (f"## {IDS[0]}", *IDS[1:]):
        assert words in record


def opendocument(content: str, *, manifest: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest or "<manifest/>")
    return out.getvalue()


def test_opendocument_sheets_are_read_and_encrypted_ones_refused() -> None:
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    values = "".join(
        f'<table:table-row><table:table-cell office:value-type="string"><text:p>{name}</text:p></table:table-cell>'
        f'<table:table-cell office:value-type="float" office:value="{n}"><text:p>{n}</text:p></table:table-cell>'
        "</table:table-row>"
        for name, n in (("a", 1), ("b", 2))
    )
    names = "".join(f' xmlns:{name}="{urn}:{name}:1.0"' for name in ("office", "table", "text"))
    content = (
        f"<office:document-content{names}><office:body><office:spreadsheet>"
        f'<table:table table:name="Calc">{values}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    extraction = parse(opendocument(content))
    assert extraction.media_type == "application/vnd.oasis.opendocument.spreadsheet"
    assert extraction.record == "## Calc\n\n| a | 1 |\n|---|---|\n| b | 2 |"
    with pytest.raises(Refused) as refused:
        parse(opendocument(content, manifest="<m:manifest><m:encryption-data/></m:manifest>"))
    assert refused.value.reason == "encrypted"


def test_a_part_that_unpacks_to_far_more_than_it_should_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        parse(book({"S": sheet(rows(PRICES))}, extra={"xl/media/bomb.bin": "\0" * 30_000_000}))
    assert refused.value.reason == "too_large"


WILD = ["", "<row", "<c ", ' r="ZZZ9999999"', '"', "</v>", "<row r='1'>", "\0", 's="99"', "<f", ">", "&x;", "t="]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_of_a_damaged_sheet_the_rows_before_the_damage_come_out_and_other_sheets_whole(data: st.DataObject) -> None:
    text = sheet(rows([["first", "b"], ["second", "#REF!"], [(0.5, PERCENT), "third"], [1, "<f>A3</f>"]]))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    damaged = text[:start] + data.draw(st.sampled_from(WILD)) + text[end:]
    extraction = parse(book({"S": damaged, "T": sheet(rows(PRICES))}))
    own, _, other = extraction.record.partition("## T\n\n")
    assert other == "| Item | Price |\n|---|---|\n| Spade | 3 |\n| Fork | 4.5 |"
    whole = ["first", "#REF!", "third"][: text[:start].count("</row>")]
    assert [word for word in whole if word not in own] == []
    assert own or any("'S'" in warning for warning in extraction.warnings)
