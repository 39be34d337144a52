"""Word documents: headings, lists, notes, margins, properties."""

import io
import zipfile

import pytest

from ragstone.extraction.docx import parse_docx
from ragstone.extraction.record.numerals import format_numeral
from tests.extraction.docx.files import (
    archive,
    cell,
    document,
    item,
    level,
    numbering,
    p,
    read,
    row,
    run,
    shown,
    style,
    table,
)

DECIMAL = level(0, "decimal", "%1.") + level(1, "decimal", "%1.%2") + level(2, "lowerLetter", "(%3)")
BULLETS = level(0, "bullet", "\uf0b7") + level(1, "bullet", "o")


def labels(body: str, **parts: str) -> list[str]:
    return [text for _, _, text in shown(body, **parts)]


@pytest.mark.parametrize("called", ["heading 2", "Überschrift 2", "Titre 2", "标题 2", "見出し 2", "Заголовок 2"])
def test_headings_by_the_name_of_their_style_in_any_language(called: str) -> None:
    assert shown(p("Scope", style="X"), styles=style("X", called=called)) == [("heading", 2, "Scope")]


def test_headings_by_outline_level_and_by_what_a_style_is_based_on() -> None:
    styles = (
        style("H1", called="heading 1")
        + style("Own", called="Chapter", based="H1")
        + style("Not", called="Contents title", based="H1", paragraph='<w:outlineLvl w:val="9"/>')
        + style("Loop", called="a", based="Loop2")
        + style("Loop2", called="b", based="Loop")
    )
    body = (
        p("A", style="Own")
        + p("B", style="Not")
        + p("C", properties='<w:outlineLvl w:val="3"/>')
        + p("D", style="Loop")
        + p("E", style="H1", properties='<w:outlineLvl w:val="9"/>')
    )
    assert shown(body, styles=styles) == [
        ("heading", 1, "A"),
        ("paragraph", 0, "B"),
        ("heading", 4, "C"),
        ("paragraph", 0, "D"),
        ("paragraph", 0, "E"),
    ]


def test_lists_nest_and_carry_their_numbers() -> None:
    body = (
        item("a")
        + item("b", level=1)
        + item("c", level=2)
        + item("d", level=2)
        + item("e", level=1)
        + item("f")
        + item("g", level=1)
    )
    extraction = read(body, numbering=numbering(DECIMAL))
    assert extraction.record == "1. a\n  1.1 b\n    (a) c\n    (b) d\n  1.2 e\n2. f\n  2.1 g"
    assert [b.level for b in extraction.blocks] == [1, 2, 3, 3, 2, 1, 2]


def test_a_list_goes_on_after_another_and_a_restart_begins_anew() -> None:
    nums = {
        1: (0, ""),
        2: (1, ""),
        3: (0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'),
        4: (0, ""),
    }
    body = item("a") + item("x", 2) + item("b") + item("c", 3) + item("d", 3) + item("e", 4)
    assert labels(body, numbering=numbering(DECIMAL, BULLETS, nums=nums)) == [
        "1. a",
        "- x",
        "2. b",
        "1. c",
        "2. d",
        "3. e",
    ]


def test_lists_of_one_level_each_nest_by_their_indent() -> None:
    far = level(0, "bullet", "-").replace('w:left="720"', 'w:left="1440"')
    body = item("a", 1) + item("b", 2) + item("c", 1)
    assert [lvl for _, lvl, _ in shown(body, numbering=numbering(BULLETS, far))] == [1, 2, 1]


def test_a_number_of_zero_takes_a_paragraph_out_of_its_list() -> None:
    styles = style("L", called="List Number", paragraph='<w:numPr><w:numId w:val="1"/></w:numPr>')
    none = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>'
    body = p("a", style="L") + p("b", style="L", properties=none) + p("c", style="L")
    assert labels(body, styles=styles, numbering=numbering(DECIMAL)) == ["1. a", "b", "2. c"]


def test_headings_carry_their_numbers() -> None:
    numbered = '<w:numPr><w:numId w:val="1"/></w:numPr>'
    styles = style("H1", called="heading 1", paragraph=numbered) + style("H2", called="heading 2", paragraph=numbered)
    levels = level(0, "upperRoman", "%1", more='<w:pStyle w:val="H1"/>') + level(
        1, "decimal", "%1.%2", more='<w:pStyle w:val="H2"/><w:isLgl/>'
    )
    body = p("A", style="H1") + p("B", style="H2") + p("C", style="H2") + p("D", style="H1") + p("E", style="H2")
    assert labels(body, styles=styles, numbering=numbering(levels)) == ["I A", "1.1 B", "1.2 C", "II D", "2.1 E"]


def test_a_deleted_item_takes_no_number() -> None:
    gone = p("<w:del><w:r><w:delText>x</w:delText></w:r></w:del>", properties=(
        '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr><w:del/></w:rPr>'))  # fmt: skip
    assert labels(item("a") + gone + item("b"), numbering=numbering(DECIMAL)) == ["1. a", "2. b"]


@pytest.mark.parametrize(
    ("n", "shape", "text"),
    [
        (28, "lowerLetter", "bb"), (1994, "upperRoman", "MCMXCIV"), (22, "ordinal", "22nd"), (11, "ordinal", "11th"),
        (7, "decimalZero", "07"), (12, "chineseCounting", "十二"),
        (105, "chineseCounting", "一百〇五"), (3, "ideographTraditional", "丙"),
        (5, "decimalEnclosedCircle", "⑤"), (0, "upperLetter", "0"), (9, "somethingElse", "9"),
    ],
)  # fmt: skip
def test_counts_take_the_shape_that_is_asked_for(n: int, shape: str, text: str) -> None:
    assert format_numeral(n, shape) == text


def test_notes_stand_behind_the_paragraph_that_refers_to_them() -> None:
    def refer(kind: str, n: int) -> str:
        return f'<w:r><w:{kind}Reference w:id="{n}"/></w:r>'

    body = p("One", refer("footnote", 7), " more", refer("endnote", 1), ".") + p(
        "Two", refer("footnote", 7), refer("footnote", 8)
    )
    notes = "".join(
        f'<w:footnote w:id="{n}">{p("<w:r><w:footnoteRef/></w:r>", f" Note {n}.")}</w:footnote>' for n in (0, 7, 8)
    )
    ends = f'<w:endnote w:id="1">{p("End.")}{p("Its second.")}</w:endnote>'
    assert labels(body, footnotes=notes, endnotes=ends) == [
        "One[^1] more[^i].",
        "[^1]: Note 7.",
        "[^i]: End.",
        "Its second.",
        "Two[^1][^2]",
        "[^2]: Note 8.",
    ]


def test_a_note_in_a_table_comes_behind_the_table() -> None:
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    grid = table(row(cell(p("a", reference)), "b"), row("c", "d"))
    blocks = shown(grid + p("After"), footnotes=f'<w:footnote w:id="2">{p("Deep.")}</w:footnote>')
    assert [(kind, text) for kind, _, text in blocks][1:] == [("paragraph", "[^1]: Deep."), ("paragraph", "After")]


def test_a_heading_names_its_section_without_notes_and_addresses() -> None:
    body = p(
        "The ",
        f'<w:hyperlink r:id="l">{run("plan")}</w:hyperlink>',
        '<w:r><w:footnoteReference w:id="2"/></w:r>',
        style="H",
    )
    notes = '<w:footnote w:id="2"><w:p/></w:footnote>'
    extraction = read(body, links={"l": "https://x.org"}, styles=style("H", called="heading 1"), footnotes=notes)
    assert extraction.record == "# The [plan](https://x.org)[^1]"
    assert extraction.blocks[0].text == extraction.title == "The plan"


def test_comments_are_kept_beside_the_text_with_what_they_are_about() -> None:
    body = p("We ", '<w:commentRangeStart w:id="0"/>', "pay", '<w:commentRangeEnd w:id="0"/>', " late.")
    extraction = read(body, comments=f'<w:comment w:id="0" w:author="Ann">{p("Never.")}</w:comment>')
    assert extraction.record == "We pay late."
    assert extraction.meta["comments"] == [{"author": "Ann", "text": "Never.", "about": "pay"}]


def test_page_headers_and_footers_have_their_roles() -> None:
    section = '<w:sectPr><w:headerReference r:id="header1"/><w:footerReference r:id="footer1"/></w:sectPr>'
    first = f"<w:p><w:pPr>{section}</w:pPr>{run('Text')}</w:p>"
    extraction = read(first + section, header1=p("ACME"), footer1=p("Page 1"))
    assert [(b.text, b.role) for b in extraction.blocks] == [("ACME", "header"), ("Text", "body"), ("Page 1", "footer")]


def test_title_and_dates_come_from_the_properties() -> None:
    core = "<dc:title>{}</dc:title><dc:creator>Ann</dc:creator><dcterms:created>2024-01-02T03:04:05Z</dcterms:created>"
    later = "<dcterms:modified>2025-01-02T03:04:05Z</dcterms:modified>"
    extraction = read(p("x"), core=core.format("The Plan") + later)
    assert extraction.title == "The Plan"
    assert extraction.meta["author"] == "Ann"
    assert extraction.meta["date"] == "2025-01-02T03:04:05+00:00"
    titled = style("T", called="Title")
    assert read(p("Real", style="T"), core=core.format("Microsoft Word - a.doc"), styles=titled).title == "Real"


def test_a_file_saved_as_strict_reads_the_same() -> None:
    data = document(item("a") + p("b"), numbering=numbering(DECIMAL))
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    for old, new in (
        (b"wordprocessingml/2006/main", b"wordprocessingml/main"),
        (b"officeDocument/2006/", b"officeDocument/"),
    ):
        for name, text in parts.items():
            parts[name] = text.replace(
                b"http://schemas.openxmlformats.org/" + old, b"http://purl.oclc.org/ooxml/" + new
            )
    assert parse_docx(archive(parts), path="b.docx").record == parse_docx(data, path="a.docx").record
