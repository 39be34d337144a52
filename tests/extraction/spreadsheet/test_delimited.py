"""What CSV files become: the file itself, its rows, its cells."""

import csv
import io
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import Refused
from ragstone.core.types import Block, Extraction
from ragstone.extraction import DELIMITED
from ragstone.extraction.spreadsheet import delimited
from ragstone.extraction.spreadsheet.csv_rows import parse_rows
from ragstone.testing.extractors import ExtractorContract, check_block, check_spans
from tests.beside import DATA, LARGE
from tests.speed import within

SIMPLE = 'Name,Size\r\nAnn,"1,5"\r\n"Bob ""B""",2\r\n'


class Delimited:
    recipe = DELIMITED.recipe

    def extract(self, data: bytes, *, path: str) -> Extraction:
        return delimited.parse_delimited(data, path=path)


class TestDelimited(ExtractorContract):
    @pytest.fixture
    def extractor(self) -> Delimited:
        return Delimited()

    @pytest.fixture
    def samples(self) -> Mapping[str, bytes]:
        return {
            "a.csv": SIMPLE.replace("\r", "").encode(),
            "lines.csv": b'Title\n\na;b\n1;"x\ny"\n;;\n2;z\n',
            "wide.csv": SIMPLE.encode("utf-16"),
            "old.csv": "Näme,Größe\nJürgen,1\n".encode("cp1252"),
        }


def parse(text: str | bytes, path: str = "a.csv") -> Extraction:
    data = text.encode() if isinstance(text, str) else text
    extraction = delimited.parse_delimited(data, path=path)
    check_spans(extraction)
    for block in extraction.blocks:
        check_block(block, extraction.record)
    return extraction


def table(extraction: Extraction) -> Block:
    [block] = [block for block in extraction.blocks if block.type == "table"]
    return block


def test_the_record_is_the_file_and_each_row_knows_its_characters() -> None:
    extraction = parse(SIMPLE)
    block = table(extraction)
    assert extraction.record == SIMPLE
    assert [extraction.record[s.char_start : s.char_end] for s in block.spans] == SIMPLE.splitlines()
    assert [(s.rows, s.cols, s.line_start) for s in block.spans] == [((n, n), (1, 2), n) for n in (1, 2, 3)]
    assert [one.text for one in block.cells] == ["Name", "Size", "Ann", "1,5", 'Bob "B"', "2"]
    assert [one.header for one in block.cells] == [True, True, False, False, False, False]
    assert extraction.record[block.cells[3].char_start : block.cells[3].char_end] == "1,5"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8-sig", "Name,Größe\nÉva,1\n"),
        ("utf-16", "Name,Größe\nÉva,1\n"),
        ("utf-16-le", "Name,Size\nEva,1\n"),
        ("utf-16-be", "Name,Size\nEva,1\n"),
        ("cp1252", "Name,Größe\nÉva Müller,1 €\n"),
        ("cp1250", "Imię,Miasto\nŁukasz,Łódź\nMałgorzata,Kraków\n"),
        ("cp1251", "Имя,Город\nИван,Москва\nОльга,Тверь\n"),
        ("koi8-r", "Имя,Город\nИван,Москва\nОльга,Тверь\n"),
        ("cp932", "名前,年齢,住所\n佐藤太郎,30,東京\n三木英子,25,大阪\n"),
        ("euc_jp", "名前,年齢,住所\n佐藤さん,30,東京\n三木さん,25,大阪\n"),
        ("gb18030", "姓名,城市\n王小明,北京\n李丽,上海\n张伟,广州\n"),
        ("big5", "姓名,城市\n王小明,臺北\n陳美麗,高雄\n林志明,臺中\n"),
        ("cp949", "이름,도시\n김철수,서울\n이영희,부산\n"),
    ],
)
def test_old_encodings_are_found_by_their_bytes(encoding: str, text: str) -> None:
    extraction = parse(text.encode(encoding))
    assert extraction.record == text
    judged = not encoding.startswith("utf")
    assert bool(extraction.warnings) == judged


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a;b\n1,5;2,5\n3,5;4,5\n", ["a", "b"]),
        ("a\tb\nx,y\tz\n", ["a", "b"]),
        ("a|b\n1|2\n", ["a", "b"]),
        ("sep=;\na,x;b\n1;2\n", ["a,x", "b"]),
        ("Industry\nRetail\nTravel, Leisure\n", ["Industry"]),
        ('a,b\n"x;y;z",2\n"p;q;r",3\n', ["a", "b"]),
        ("a,b,c\n1,2\n3,4,5\n6,7,8,9\n", ["a", "b", "c"]),
    ],
)
def test_the_delimiter_is_found_by_what_rows_have_in_common(text: str, first: list[str]) -> None:
    assert [one.text for one in table(parse(text)).cells if one.row == 0] == first


def test_a_line_break_inside_quotes_ends_no_row() -> None:
    extraction = parse('id,note\n1,"one\ntwo, ""three"""\n2,last\n')
    block = table(extraction)
    assert [(s.rows, s.line_start, s.line_end) for s in block.spans] == [((1, 1), 1, 1), ((2, 2), 2, 3), ((3, 3), 4, 4)]
    assert block.cells[3].text == 'one\ntwo, "three"'


def test_a_stray_quote_swallows_no_rows() -> None:
    block = table(parse('size,name\n"5 inch,pipe\n"6" inch,rod\n7,"so called "x" rod"\n8,bar\n'))
    assert [one.text for one in block.cells if one.col == 1] == ["name", "pipe", "rod", 'so called "x" rod', "bar"]
    assert len(block.spans) == 5


def test_a_title_and_remarks_above_the_header_are_no_rows_of_it() -> None:
    blocks = parse("Sales of May\n\nItem,Price\nSpade,3\nFork,4\n").blocks
    assert [(one.type, one.text) for one in blocks[:1]] == [("heading", "Sales of May")]
    assert blocks[1].spans[0].rows == (3, 3)
    assert [one.text for one in blocks[1].cells if one.header] == ["Item", "Price"]


def test_empty_rows_count_as_a_spreadsheet_counts_them() -> None:
    block = table(parse("a,b\n1,2\n\n3,4\n,\n5,6\n"))
    assert [s.rows for s in block.spans] == [(1, 1), (2, 2), (4, 4), (6, 6)]


def test_what_has_no_text_is_refused() -> None:
    for data in (b"", b"\n\n", b",,,\n,,,\n"):
        with pytest.raises(Refused) as refused:
            delimited.parse_delimited(data, path="a.csv")
        assert refused.value.reason == "empty"
    with pytest.raises(Refused) as refused:
        delimited.parse_delimited(bytes(range(128, 256)) * 9, path="a.csv")
    assert refused.value.reason == "encoding"


def test_beyond_the_limit_of_cells_rows_are_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "MOST_CELLS", 7)
    extraction = parse("a,b\n" + "1,2\n" * 9)
    assert len(table(extraction).spans) == 3
    assert "rows from 4 on left out" in extraction.warnings[0]


@pytest.mark.parametrize(
    "unit", ['"a\n', '"""x\n', ',"', '""', '"\n"', '"a" b,', ";\n", "a\n\n", '"a""\n', '"a"b,', '""x,', 'a,"b"c;\n']
)
def test_hostile_quotes_take_linear_time(unit: str) -> None:
    data = (unit * 100_000).encode()

    def work() -> None:
        try:
            delimited.parse_delimited(data, path="a.csv")
        except Refused as refused:
            assert refused.reason == "empty"  # noqa: PT017

    within(15, work)


FIELDS = st.lists(st.lists(st.text('ab",;\n ', max_size=6), min_size=2, max_size=4), min_size=1, max_size=6)


@settings(max_examples=100, deadline=None)
@given(FIELDS)
def test_what_the_csv_module_writes_is_read_back(values: list[list[str]]) -> None:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(values)
    text = out.getvalue()
    found = list(parse_rows(text, ","))
    assert [row.texts for row in found] == values
    for row in found:
        assert all(text[a:b].replace('""', '"') == said for (a, b), said in zip(row.places, row.texts, strict=True))


@pytest.mark.parametrize("name", ["", pytest.param("markitdown/test_mskanji.csv", marks=LARGE)])
def test_the_known_file_of_an_old_encoding_is_read(name: str) -> None:
    own = "氏名,部署,都市\n山田花子,経理,札幌\n鈴木一郎,営業,福岡\n"
    data = (DATA / "extraction" / name).read_bytes() if name else own.encode("cp932")
    assert parse(data).record == data.decode("cp932")


def test_a_row_of_a_million_fields_keeps_as_many_columns_as_a_sheet_has_and_says_so() -> None:
    rows = [",".join("7" * 1_000_000), "id,name", "1,An Okapi"]
    found = delimited.parse_delimited("\n".join(rows).encode(), path="wide.csv")
    assert "columns from 16,385 on left out of 1 row; split the file" in found.warnings
    assert max(cell.col for block in found.blocks for cell in block.cells) < 16_384
    check_spans(found)
    assert "An Okapi" in {cell.text for block in found.blocks for cell in block.cells}
    wide = max(span.char_end - span.char_start for block in found.blocks for span in block.spans)
    assert wide == 2 * 16_384 - 1
