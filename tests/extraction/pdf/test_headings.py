"""Which lines are headings."""

from ragstone.extraction.image.pdf_with_ocr import parse_pdf
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
