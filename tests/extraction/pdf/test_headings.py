"""Which lines are headings."""

import pytest

from ragstone.extraction.image.pdf_with_ocr import parse_pdf
from ragstone.extraction.pdf.characters.glyphs import BOLD
from tests.extraction.pdf.sheets import paragraph, pdf, shown

TEXT = [f"Line {k} says that the river runs along old walls and under three bridges" for k in range(12)]


def headings(title: str, size: float) -> list[str]:
    page = shown(50, 100, title, size=size) + "\n" + paragraph(50, 130, TEXT)
    return [b.text for b in parse_pdf(pdf([page]), path="a.pdf", ocr=False).blocks if b.type == "heading"]


def test_a_sentence_that_is_only_a_little_larger_than_the_text_is_no_heading() -> None:
    sentence = "What is it that all the others say about the bridges?"
    assert not headings(sentence, 12)
    assert headings(sentence, 14)
    assert headings("What they say", 12)


@pytest.mark.parametrize("name", ["CMBX12", "ABCDEF+CMBX12", "SFBX1000", "CMSSBX10", "CMB10", "NimbusRomNo9L-Medi"])
def test_a_bold_face_is_known_by_the_names_that_tex_and_urw_give(name: str) -> None:
    font = f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
    page = shown(50, 100, "2.2 Naming", size=14, font="F3") + "\n" + paragraph(50, 130, TEXT)
    blocks = parse_pdf(pdf([page], font=font), path="a.pdf", ocr=False).blocks
    assert [b.text for b in blocks if b.type == "heading"] == ["2.2 Naming"]


@pytest.mark.parametrize("name", ["CMR12", "CMSL10", "CMTT10", "Medium", "Nimbus-Regu", "Laila"])
def test_other_faces_are_not_bold(name: str) -> None:
    assert not BOLD.search(name)
