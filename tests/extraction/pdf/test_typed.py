"""Code in a PDF: told by a font of fixed width, kept with its lines, indents and gaps."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.types import Block, Extraction
from ragstone.extraction.image.pdf_with_ocr import parse_pdf
from tests.extraction.pdf.sheets import paragraph, pdf, shown

CODE = [
    "def area(width, height):",
    "    # sides in metres",
    "    if width < 0:",
    "        raise ValueError",
    "",
    "    return  width * height   # square",
    "",
    "print(area(2, 3))",
]
PROSE = ["This is how an area is computed in our small programme, as everybody who", "has read it knows by now."]
COURIER = b"/F3 << /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >> /F2 <<"


def read(*pages: str) -> Extraction:
    return parse_pdf(pdf(pages).replace(b"/F2 <<", COURIER), path="a.pdf", ocr=False)


def typed(lines: list[str], *, y: float = 110, size: float = 9, x: float = 60) -> str:
    return "\n".join(shown(x, y + 12 * n, text, size=size, font="F3") for n, text in enumerate(lines) if text.strip())


def code(extraction: Extraction) -> list[Block]:
    return [block for block in extraction.blocks if block.type == "code"]


def test_code_keeps_its_lines_indents_and_gaps() -> None:
    extraction = read(paragraph(50, 80, PROSE) + typed(CODE) + paragraph(50, 230, PROSE))
    [block] = code(extraction)
    assert block.text == "\n".join(CODE)
    assert f"```\n{block.text}\n```" in extraction.record
    assert [b.type for b in extraction.blocks] == ["paragraph", "code", "paragraph"]


def test_every_character_of_code_has_its_place() -> None:
    extraction = read(paragraph(50, 80, PROSE) + typed(CODE))
    assert extraction.layout is not None
    at = extraction.record.index("raise")
    [(_, _, page, box)] = extraction.layout.line_boxes(at, at + len("raise"))
    assert page == 1
    assert abs(box[0] - (60 + 8 * 0.6 * 9)) < 2
    assert abs(box[2] - (60 + 13 * 0.6 * 9)) < 2


def test_words_inside_a_sentence_and_a_single_line_are_no_code() -> None:
    inline = shown(50, 100, "Call") + shown(74, 100, "area()", font="F3") + shown(114, 100, "to see how large it is.")
    assert not code(read(paragraph(50, 80, PROSE) + inline))
    assert not code(read(paragraph(50, 80, PROSE) + typed(["make install"]) + paragraph(50, 130, PROSE)))


def test_a_typewritten_page_is_prose_where_it_has_no_signs_of_code() -> None:
    letter = [f"Dear reader number {n}, the river runs along the old walls" for n in range(12)]
    assert not code(read(typed(letter)))
    assert code(read(typed(CODE)))


def test_addresses_below_one_another_are_no_code() -> None:
    assert not code(read(paragraph(50, 80, PROSE) + typed(["anna@example.org", "otto@example.org"])))


def test_numbers_in_columns_stay_a_table_in_such_a_font() -> None:
    rows = [
        "Item        2023    2024",
        "Bread      1,204     998",
        "Milk          77   1,003",
        "Salt           3       4",
    ]
    extraction = read(paragraph(50, 80, PROSE) + typed(rows))
    assert [block.type for block in extraction.blocks] == ["paragraph", "table"]


def test_a_font_whose_letters_differ_in_width_is_none_whatever_its_name() -> None:
    named = COURIER.replace(b"/BaseFont /Courier", b"/BaseFont /Helvetica /FontDescriptor << /Type /FontDescriptor "
        b"/FontName /Mono /Flags 33 /ItalicAngle 0 /Ascent 700 /Descent -200 /CapHeight 700 /StemV 80 >>")  # fmt: skip
    data = pdf([paragraph(50, 80, PROSE) + typed(["will it willow, illicit = lilli;", "WWW MMM mmm = wwww;"])])
    assert not code(parse_pdf(data.replace(b"/F2 <<", named), path="a.pdf", ocr=False))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 12), st.lists(st.from_regex(r"[a-z]{3,9}\(\)?;?", fullmatch=True), min_size=1, max_size=4)
        ),
        min_size=2,
        max_size=6,
    )
)
def test_any_indent_comes_back(lines: list[tuple[int, list[str]]]) -> None:
    least = min(indent for indent, _ in lines)
    written = [" " * (indent - least) + "  ".join(words) for indent, words in lines]
    [block] = code(read(paragraph(50, 80, PROSE) + typed(written)))
    assert block.text.split("\n") == written
