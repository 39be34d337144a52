"""Captions and what they belong to: tables and figures right above or below them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ragstone.core.types import Block, Extraction
from ragstone.extraction.image.pdf_with_ocr import parse_pdf
from ragstone.extraction.record.caption_and_list_markers import ALONE, LABEL, caption_kind, is_continued
from tests.beside import DATA, LARGE
from tests.extraction.pdf.sheets import line, paragraph, pdf, shown

ROWS = [("Item", "2023", "2024"), ("Bread", "1,204", "998"), ("Milk", "77", "1,003"), ("Salt", "3", "4")]
PROSE = [f"In year {n} the river ran along the old walls and under all of its bridges, and" for n in range(5)]
PICTURE = "q 300 0 0 160 100 {bottom} cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q"


def table(y: float, rows: Sequence[tuple[str, ...]] = ROWS) -> str:
    return "\n".join(
        shown(x, y + 14 * n, s) for n, row in enumerate(rows) for x, s in zip((60, 200, 300), row, strict=True)
    )


def picture(top: float) -> str:
    return PICTURE.format(bottom=800 - top - 160)


def read(*pages: str) -> Extraction:
    return parse_pdf(pdf(pages), path="a.pdf", ocr=False)


def tables(extraction: Extraction) -> list[Block]:
    return [block for block in extraction.blocks if block.type == "table"]


def captions(extraction: Extraction) -> list[Block]:
    return [block for block in extraction.blocks if block.caption_of]


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("Table 3. Sales", "table"), ("TABLE IV — Rates", "table"), ("Tab. 2: Werte", "table"), ("Tabelle 1", "table"),
        ("Tableau n° 2 : Ventes", "table"), ("Cuadro 4. Ventas", "table"), ("Tabella 7 - Vendite", "table"),
        ("Figure A.1 Density", "figure"), ("Fig. 12: A view", "figure"), ("Abbildung 3: Verlauf", "figure"),
        ("Chart 5", "figure"), ("Figura 2: Andamento", "figure"), ("Exhibit 9: Costs", ""), ("Box 4: The fund", ""),
    ],
)  # fmt: skip
def test_captions_are_told_in_several_languages(said: str, named: str) -> None:
    assert LABEL.match(said)
    assert caption_kind(said) == named


@pytest.mark.parametrize("said", ["Table 3 shows that sales fell", "Tables are made of wood", "Figure it out", "Box"])
def test_a_sentence_that_begins_alike_is_none(said: str) -> None:
    assert not LABEL.match(said)


def test_labels_that_stand_alone_and_tables_that_go_on() -> None:
    assert ALONE.fullmatch("Table 12:")
    assert not ALONE.fullmatch("Table 12: Sales")
    assert is_continued("Table 3 (continued)")
    assert is_continued("Tabelle 3 (Fortsetzung)")
    assert not is_continued("Table 3: What was continued")


def test_a_table_knows_the_caption_above_it_and_a_title_below_a_label_is_part_of_it() -> None:
    page = paragraph(50, 60, PROSE) + shown(60, 150, "Table 1:") + shown(60, 162, "Sales of the shop") + table(180)
    extraction = read(page)
    [found] = tables(extraction)
    assert found.caption == "Table 1: Sales of the shop"
    assert [(block.type, block.text, block.caption_of) for block in captions(extraction)] == [
        ("paragraph", "Table 1:", "table"),
        ("paragraph", "Sales of the shop", "table"),
    ]


def test_a_unit_may_stand_between_and_text_may_not() -> None:
    unit = shown(60, 100, "Table 1: Sales of the shop", font="F2") + shown(60, 114, "(thousands of euros)") + table(132)
    assert tables(read(unit))[0].caption == "Table 1: Sales of the shop"
    text = shown(60, 60, "Table 1: Sales of the shop", font="F2") + paragraph(60, 74, PROSE[:2]) + table(110)
    assert tables(read(text))[0].caption == ""


def test_below_all_tables_or_above_all_of_them() -> None:
    said = ["Table 1: The first of them", "Table 2: The second of them"]
    for first in (94, 168):
        page = "\n".join(
            f"{shown(60, first + 90 * n, text, font='F2')}\n{table(110 + 90 * n)}" for n, text in enumerate(said)
        )
        assert [block.caption for block in tables(read(page))] == said


def test_each_character_of_a_caption_below_stands_where_it_is_read() -> None:
    extraction = read(table(100) + shown(60, 166, "Table 1: Sales of the shop", font="F2"))
    [found] = tables(extraction)
    [caption] = captions(extraction)
    span = caption.spans[0]
    assert extraction.record[span.char_start : span.char_end] == caption.text == found.caption
    assert span.char_start > found.spans[-1].char_end


def test_a_figure_has_its_place_on_the_page() -> None:
    said = shown(120, 300, "Figure 2. A view of the old walls")
    extraction = read("\n".join([paragraph(50, 60, PROSE), picture(125), said, paragraph(50, 320, PROSE)]))
    [caption] = captions(extraction)
    assert caption.caption_of == "figure"
    assert caption.figure == pytest.approx((100, 125, 400, 285), abs=2)


def test_the_rest_of_a_table_on_the_next_page_has_no_caption_of_its_own() -> None:
    rows = [(f"Town {n}", f"{n},204", f"{n}98") for n in range(9)]
    tall = [(f"Place {n}", f"{n},111", f"{n}22") for n in range(30)]
    first = shown(60, 280, "Table 1: Sales of towns", font="F2") + table(300, [ROWS[0], *tall])
    second = shown(60, 80, "Table 1 (continued)", font="F2") + table(100, [ROWS[0], *rows]) + paragraph(50, 400, PROSE)
    extraction = read(first, second)
    [found] = tables(extraction)
    assert found.caption == "Table 1: Sales of towns"
    assert len({cell.row for cell in found.cells}) == 1 + 30 + 9
    assert [block.role for block in extraction.blocks if "continued" in block.text] == ["header"]


def test_a_frame_around_a_note_is_no_figure() -> None:
    frame = "\n".join(line(*side) for side in ((40, 90, 560, 90), (40, 200, 560, 200), (40, 90, 40, 200)))
    page = frame + line(560, 90, 560, 200) + paragraph(50, 110, PROSE) + shown(50, 215, "Figure 1. Nothing at all")
    assert not captions(read(page))


def alike(folder: Path) -> Path:
    """Documents with the captions of the real ones: above their tables, below their figures."""

    def titled(top: float, said: str) -> str:
        return "\n" + shown(60, top, said, font="F2") + "\n" + table(top + 18)

    def drawn(top: float, said: str) -> str:
        return "\n".join(["", picture(top), shown(120, top + 175, said), ""])

    pages = {
        "eu-002.pdf": [paragraph(50, 60, PROSE) + titled(150, "Table 3 - European ABCP issuance")],
        "eu-005.pdf": [
            titled(100, "Table 7.4: Five Firm National Concentration Ratios (%)"),
            paragraph(50, 60, PROSE) + titled(200, "Table 7. 5 Comparisons of C5 from different sources"),
        ],
        "eu-024.pdf": [titled(80, "Table 3.5: Perceived discrimination experienced by students")],
        "eu-017.pdf": [
            paragraph(50, 60, PROSE) + drawn(150, "Figure 1. A view of the old walls"),
            paragraph(50, 60, PROSE),
            drawn(60, "Figure 2. The bridges") + paragraph(50, 280, PROSE) + drawn(400, "Figure 3. The river"),
        ],
    }
    for name, contents in pages.items():
        (folder / name).write_bytes(pdf(contents))
    return folder


@pytest.mark.parametrize("place", ["", pytest.param("extraction/icdar2013_tables_eu/pdf", marks=LARGE)])
def test_captions_of_real_documents_and_of_such_as_are_like_them(place: str, tmp_path: Path) -> None:
    """As they were looked at on the drawn pages."""
    folder = DATA / place if place else alike(tmp_path)
    seen = {
        "eu-002.pdf": ["Table 3 - European ABCP issuance"],
        "eu-005.pdf": [
            "Table 7.4: Five Firm National Concentration Ratios (%)",
            "Table 7. 5 Comparisons of C5 from different sources",
        ],
        "eu-024.pdf": ["Table 3.5: Perceived discrimination experienced by students"],
    }  # fmt: skip
    for name, said in seen.items():
        extraction = parse_pdf((folder / name).read_bytes(), path=name, ocr=False)
        assert [block.caption for block in tables(extraction) if block.caption] == said
    figures = captions(parse_pdf((folder / "eu-017.pdf").read_bytes(), path="eu-017.pdf", ocr=False))
    assert [block.spans[0].page for block in figures if block.caption_of == "figure"] == [1, 3, 3]
