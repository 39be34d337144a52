"""A step that fails costs itself, with a warning that names it; the text of the document stays."""

import time
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction import epub, notebook, odp, odt, optional_steps
from ragstone.extraction.docx.parse import parse_docx
from ragstone.extraction.html.parse import Html, parse_html
from ragstone.extraction.image.pdf_with_ocr import parse_pdf
from ragstone.extraction.optional_steps import FailedStep, StepTooSlow, attempt_step, warn_failed_steps
from ragstone.extraction.pptx.parse import parse_pptx
from ragstone.extraction.record.confidentiality import KEY, says_restricted
from ragstone.extraction.spreadsheet.workbook import parse_workbook
from tests.extraction.docx.files import document, p, run
from tests.extraction.made import make_epub, make_notebook, make_odt
from tests.extraction.pdf.sheets import paragraph, pdf
from tests.extraction.pptx.test_parse import presentation
from tests.extraction.spreadsheet.books import book, rows, sheet

SAID = "The river runs along old walls and under three bridges"
SHEET = pdf([paragraph(50, 100, [f"Page {n}", SAID, "It is long"]) for n in (1, 2)])
WORDS = document(p(run(SAID)), core="<dc:title>Walls</dc:title>", comments="", header1=p(run("Top")))
SLIDE = presentation(f"<p:sp><p:nvSpPr/><p:txBody><a:p><a:r><a:t>{SAID}</a:t></a:r></a:p></p:txBody></p:sp>")
TABLE = book({"S": sheet(rows([["Item", "Text"], ["Walls", SAID]]))})
ODT, ODP = (
    make_odt(body, kind=kind)
    for kind, body in (
        ("text", f"<text:p>{SAID}</text:p>"),
        (
            "presentation",
            f"<draw:page><draw:frame><draw:text-box><text:p>{SAID}</text:p></draw:text-box></draw:frame></draw:page>",
        ),
    )
)
BOOK = make_epub(f"<p>{SAID}</p>", "<p>More of it.</p>")
CELLS = make_notebook(("markdown", SAID, []), ("code", "print(1)", []))
PAGE = f"<html><body><p>{SAID}</p></body></html>".encode()
PIECES, COMPOSE = "ragstone.extraction.pdf.page_pieces", "ragstone.extraction.pdf.document.compose"


def fail(*_: Any, **__: Any) -> NoReturn:
    raise ZeroDivisionError("words of the document")


def read_sheet(data: bytes, *, path: str) -> Extraction:
    return parse_pdf(data, path=path, ocr=False)


@pytest.mark.parametrize(
    ("parse", "data", "step", "warning"),
    [
        (read_sheet, SHEET, f"{PIECES}.ruled.find_frames", "tables drawn with lines were not looked for"),
        (read_sheet, SHEET, f"{PIECES}.aligned.find_aligned_tables", "tables without lines were not looked for"),
        (read_sheet, SHEET, f"{PIECES}.split_zones", "columns, lists and code were not told apart"),
        (read_sheet, SHEET, "ragstone.extraction.pdf.page.read_links", "links were not read"),
        (read_sheet, SHEET, "ragstone.extraction.pdf.page.read_graphics", "lines and pictures were not looked at"),
        (read_sheet, SHEET, "ragstone.extraction.pdf.page.read_annotations", "forms and annotations were not read"),
        (read_sheet, SHEET, "ragstone.extraction.pdf.parse.iterate_embedded", "embedded files were not listed"),
        (read_sheet, SHEET, "ragstone.extraction.pdf.parse.read_info", "the file's properties were not read"),
        *(
            (read_sheet, SHEET, f"{COMPOSE}.{step}", warning)
            for step, warning in (
                ("mark_headings", "headings were not looked for"),
                ("join_pieces", "text over several pages was not joined"),
                ("tie_captions", "captions were not tied to what they name"),
            )
        ),
        (parse_docx, WORDS, "ragstone.extraction.ooxml.properties.read_properties", "the file's properties"),
        (parse_docx, WORDS, "ragstone.extraction.docx.parse.Numbering.next_label", "labels of lists"),
        (parse_docx, WORDS, "ragstone.extraction.docx.parse.Notes.read_comments", "comments were not read"),
        (parse_docx, WORDS, "ragstone.extraction.docx.parse._read_margins", "headers were not read"),
        (parse_docx, WORDS, "ragstone.extraction.docx.parse.order_blocks", "captions were not set"),
        (parse_pptx, SLIDE, "ragstone.extraction.pptx.slide.Slide._read_notes", "slide 1 was read as plain text"),
        (parse_pptx, SLIDE, "ragstone.extraction.pptx.slide.Slide.comments", "comments on slide 1 were not read"),
        (
            parse_workbook,
            TABLE,
            "ragstone.extraction.spreadsheet.worksheet.read_cell_annotations",
            "notes and drawings of sheet 'S' were not read",
        ),
        (odt.parse_odt, ODT, "ragstone.extraction.odt.collect_meta", "the file's properties were not read"),
        (odp.parse_odp, ODP, "ragstone.extraction.odt.collect_meta", "the file's properties were not read"),
        (
            notebook.parse_notebook,
            CELLS,
            "ragstone.extraction.notebook.Markdown.extract",
            "a cell was read as plain text",
        ),
        (parse_html, PAGE, "ragstone.extraction.html.parse.assign_roles", "what frames the page was not told"),
        (parse_html, PAGE, "ragstone.extraction.html.parse.Writer.put", "the page was read as a flat text"),
    ],
)
def test_a_step_that_fails_costs_itself_and_a_warning_names_it(
    monkeypatch: pytest.MonkeyPatch, parse: Callable[..., Extraction], data: bytes, step: str, warning: str
) -> None:
    monkeypatch.setattr(step, fail)
    extraction = parse(data, path="a.x")
    assert SAID in extraction.record
    said, *_ = [said for said in extraction.warnings if "ZeroDivisionError" in said]
    assert said.startswith(warning)
    assert "test_optional_steps.py, line" in said
    assert "words of the document" not in said


@pytest.mark.parametrize(
    ("parse", "data"),
    [(read_sheet, SHEET), (parse_docx, WORDS), (parse_pptx, SLIDE), (odt.parse_odt, ODT), (parse_workbook, TABLE)],
)
def test_only_a_document_whose_properties_fail_is_for_few(
    monkeypatch: pytest.MonkeyPatch, parse: Callable[..., Extraction], data: bytes
) -> None:
    assert KEY not in parse(data, path="a.x").meta
    for step in (
        "pdf.parse.read_info",
        "ooxml.properties.read_levels",
        "odt.collect_meta",
        "spreadsheet.workbook.read_levels",
    ):
        monkeypatch.setattr(f"ragstone.extraction.{step}", fail)
    assert says_restricted(parse(data, path="a.x").meta[KEY])


def test_a_warning_names_the_pages_of_a_step_and_one_page_that_cannot_be_read_is_one_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"{PIECES}.ruled.find_frames", fail)
    assert read_sheet(SHEET, path="a.pdf").warnings[0].endswith("the rest was read: pages 1, 2")
    monkeypatch.setattr("ragstone.extraction.pdf.page._find_visible", fail)
    with pytest.raises(Refused, match=r"a\.pdf is not a readable PDF: a page could not be read \(ZeroDivisionError"):
        read_sheet(SHEET, path="a.pdf")


def test_a_chapter_that_fails_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Html.extract

    def extract(self: Html, data: bytes, *, path: str) -> Extraction:
        return read(self, data, path=path) if SAID.encode() in data else fail()

    monkeypatch.setattr(Html, "extract", extract)
    found = epub.parse_epub(BOOK, path="a.epub")
    assert found.record == SAID
    assert "chapter OEBPS/ch 1.xhtml was not read (ZeroDivisionError" in found.warnings[0]


def test_a_step_ends_when_its_share_of_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optional_steps, "_measure_time_left", lambda: 0.03)
    failed: list[FailedStep] = []

    def spin() -> None:
        while True:
            time.process_time()

    def swallow() -> str:
        attempt_step("the inner step was not done", spin, failed, page=3)
        try:
            spin()
        except StepTooSlow:
            return "the outer one goes on"
        return ""

    assert attempt_step("", swallow, failed) == "the outer one goes on"
    [said] = warn_failed_steps(failed)
    assert said == "the inner step was not done (it took too long); the rest was read: page 3"


def test_failures_that_are_not_named_are_counted() -> None:
    said = list(warn_failed_steps([FailedStep(f"slide {n} was read as plain text", "KeyError") for n in range(13)]))
    assert said[9:] == [
        "slide 9 was read as plain text (KeyError); the rest was read",
        "3 more steps of reading failed",
    ]


@pytest.mark.parametrize("error", [Refused("too_large", "a.pdf is too large"), MemoryError()])
def test_limits_of_the_document_are_not_a_step_s(error: Exception) -> None:
    def work() -> NoReturn:
        raise error

    with pytest.raises(type(error)):
        attempt_step("it", work, [])
