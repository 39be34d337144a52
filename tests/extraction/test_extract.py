"""The door: which type a document is, who reads it, and what is refused."""

import io
import random
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.contents import is_contents
from ragstone.core.errors import Refused
from ragstone.extraction import EXTRACTORS, SANDBOXED_FORMATS, Limits, detect, extract, recipe
from ragstone.extraction.media_types import PPTX, PROMISED
from ragstone.ingestion.category import categorize_path
from ragstone.testing.extractors import check_block, check_spans
from tests.beside import TREES, markdown
from tests.extraction.pdf.sheets import pdf, shown
from tests.extraction.spreadsheet.books import grid

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(50)
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return file.getvalue()


def refusal(data: bytes, path: str, limits: Limits | None = None) -> Refused:
    with pytest.raises(Refused) as caught:
        extract(data, path=path, limits=limits or Limits())
    return caught.value


@pytest.mark.parametrize(
    ("data", "path", "media_type"),
    [
        (b"# hi", "a.md", "text/markdown"),
        (b"# hi", "A.MARKDOWN", "text/markdown"),
        (b"hi", "folder.md/readme", "text/plain"),
        (b"hi", "a.pdf", "text/plain"),
        (b"<!DOCTYPE html><p>x", "a.txt", "text/html"),
        (b"\xef\xbb\xbf<!-- c -->\n<?xml version='1.0'?><HTML >", "a", "text/html"),
        (b"<div>x</div>", "a.md", "text/markdown"),
        (b"<p>x", "a.htm", "text/html"),
        (PDF, "a.txt", "application/pdf"),
        (b"how %PDF- files begin", "a.txt", "text/plain"),
        (PNG, "a.md", "image/png"),
        (
            zipped("word/document.xml"),
            "a.zip",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (zipped("xl/workbook.xml"), "a", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (zipped("a.txt"), "a", "application/zip"),
        (b"a\0b", "a.txt", "application/octet-stream"),
        (b"\x01\x02\x03\x04text", "a.txt", "application/octet-stream"),
        (b"BM is a text, MZ too", "a.txt", "text/plain"),
        ("ünï".encode("utf-16"), "a.txt", "text/plain"),
    ],
)
def test_content_decides_and_the_name_comes_second(data: bytes, path: str, media_type: str) -> None:
    assert detect(data, path) == media_type


@pytest.mark.parametrize(
    ("data", "path", "reason", "says"),
    [
        (b"", "a.md", "empty", "is empty"),
        (b" \n\t ", "a.txt", "empty", "is empty"),
        (PNG, "a.md", "broken", "save it again as PNG"),
        (bytes(300), "a.md", "not_text", "binary data"),
        (PDF, "a.md", "broken", "is not a readable PDF"),
        (PDF, "a.pdf", "broken", "is not a readable PDF"),
        (zipped("word/document.xml"), "a.docx", "broken", ""),
        (zipped("a.txt"), "a.md", "not_text", "a ZIP archive"),
        (zipped("a.txt"), "a.zip", "binary", "unpack it"),
        (zipped("password/a.txt"), "a.docx", "broken", "an archive that holds none"),
        (zipped("a.txt"), "a.jar", "binary", "which Ragstone does not open"),
        (bytes(300), "a.bin", "binary", "no format that Ragstone reads"),
        (bytes(range(128, 256)) * 9, "a.md", "encoding", "neither UTF-8 nor in an encoding that its bytes give away"),
        (b"\xff\xfea\0\x00\xd8", "a.txt", "encoding", "UTF-16-LE"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(data: bytes, path: str, reason: str, says: str) -> None:
    error = refusal(data, path)
    assert error.reason == reason
    assert says in str(error)
    assert path in str(error)


def test_a_presentation_that_holds_whole_workbooks_is_a_presentation() -> None:
    """Charts keep their figures in a workbook, often without another compression."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("ppt/presentation.xml", "<p/>")
        made.writestr("ppt/embeddings/Sheet.xlsx", zipped("xl/workbook.xml"))
    assert detect(out.getvalue(), "a") == PPTX


def test_limits_are_per_kind() -> None:
    limits = Limits(text=10, office=100)
    assert refusal(b"x" * 11, "a.md", limits).reason == "too_large"
    assert refusal(PDF + bytes(100), "a.pdf", limits).reason == "too_large"
    assert extract(b"x" * 10, path="a.md", limits=limits).record == "x" * 10


def test_byte_order_marks_are_honoured_and_dropped() -> None:
    for data in (b"\xef\xbb\xbf" + "é".encode(), "é".encode("utf-16"), "é".encode("utf-32")):
        assert extract(data, path="a.md").record == "é"


def test_each_extractor_has_a_recipe() -> None:
    assert recipe("text/markdown") == EXTRACTORS["text/markdown"]().recipe
    assert len({recipe(name) for name in ("text/markdown", "text/html", "text/plain")}) == 3
    assert recipe("application/pdf") == SANDBOXED_FORMATS["application/pdf"].recipe
    assert recipe("application/zip") == ""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("design/ui-components/button.md", "ui-component"),
        ("Brand/Logo.md", "brand"),
        ("docs/product-brief.md", "product-brief"),
        ("docs/how_to/restart.md", "help-doc"),
        ("tasks/2024/plan.md", "task"),
        ("docs/architecture/index.md", "architecture"),
        ("docs/readme.md", "documentation"),
        ("src/helper/branding-free-taskbar.md", "brand"),
        ("multitasking/helpers.md", "documentation"),
        ("notes.help", "documentation"),
    ],
)
def test_the_category_comes_from_whole_words_of_the_path(path: str, expected: str) -> None:
    assert categorize_path(path) == expected


def test_categories_can_be_extended() -> None:
    assert categorize_path("team/meeting/help.md", {"minutes": ("meeting",)}) == "minutes"


def test_contents_are_lines_that_lead_to_pages() -> None:
    assert is_contents("Chapter One ........ 3\nChapter Two . . . . 17\nand its story\n21\niv\n")
    assert not is_contents("12\n13")
    assert not is_contents("The year was 1984\nand the book was long\nwith 300 pages\n12\n")
    assert is_contents("Contents\nOne    1\nTwo    7\nThree    9")
    assert is_contents("Page 1 of 9\nPage 2 of 9\nPage 3 of 9")


@pytest.mark.parametrize(
    "text",
    [
        "Open these ports on the firewall of each host:\n80\n443\n8080\n9090\n9093\n",
        "80\n443\n8080\n",
        "ssh    22\nhttp    80\nhttps    443\n",
        "Tea ..... 4\nCake ..... 5\nWater ..... 1\n",
        "Call the office at any of these extensions.\nSales ..... 12\nRepairs ..... 17\nHouse ..... 30\n",
    ],
)
@pytest.mark.parametrize("path", ["a.txt", "a.md", "a.html"])
def test_lists_of_numbers_are_text(text: str, path: str) -> None:
    body = f"<p>{text.replace(chr(10), '<br>')}</p>" if path == "a.html" else text
    assert [block.role for block in extract(body.encode(), path=path).blocks] == ["body"]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["a.md", "a.txt", "a.html", "a.pdf", "a"]))
def test_any_bytes_are_read_or_refused(data: bytes, path: str) -> None:
    try:
        extraction = extract(data, path=path)
    except Refused:
        return
    check_spans(extraction)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="<>/abtdrhpul=\"'!- \n&;1", max_size=200), st.sampled_from(["a.md", "a.html"]))
def test_any_markup_gives_spans_in_order(text: str, path: str) -> None:
    try:
        extraction = extract(text.encode(), path=path)
    except Refused:
        return
    check_spans(extraction)
    for block in extraction.blocks:
        check_block(block, extraction.record)


@pytest.mark.parametrize("trees", TREES)
def test_real_documentation_is_read_whole(trees: list[Path]) -> None:
    files = markdown(trees)
    files = files[:: max(1, len(files) // 100)]
    assert len(files) > 50
    refused = 0
    for file in files:
        try:
            extraction = extract(file.read_bytes(), path=file.name)
        except Refused:  # front matter alone
            refused += 1
            continue
        check_spans(extraction)
        for block in extraction.blocks:
            check_block(block, extraction.record)
    assert refused <= 3


OFFICE = (".docx", ".docm", ".xlsx", ".xlsm", ".xlsb", ".pptx", ".pptm", ".ods")


@pytest.mark.parametrize("ending", OFFICE)
def test_an_office_file_that_is_broken_is_called_so_with_what_to_do(ending: str) -> None:
    path = f"a{ending}"
    parts = {"d": "word/document.xml", "x": "xl/workbook.xml", "p": "ppt/presentation.xml"}
    whole = grid([["a", "b"], [1, 2]]) if ending[1] in "xo" else zipped(parts[ending[1]])
    noise = random.Random(1).randbytes(3000)
    for cut in (whole[: len(whole) // 2], whole[:100], whole[:5], b"PK\x03\x04" + noise):
        error = refusal(cut, path)
        assert (error.reason, str(error)) == (
            "broken",
            f"{path} is cut short: the end of its archive is missing; copy or download the file again",
        )
    for other, why in (
        (zipped("a.txt"), "it is an archive that holds none"),
        (zipped(), "it is an archive that holds none"),
        (noise, "its content is of no kind that is known"),
        (bytes(3000), "its content is of no kind that is known"),
    ):
        error = refusal(other, path)
        assert error.reason == "broken"
        assert str(error).endswith(f" as its name says: {why}; get the file anew, or leave it out")
    assert refusal(b"", path).reason == "empty"


@pytest.mark.parametrize("ending", [*sorted(PROMISED), ".csv", ".html", ".md"])
def test_what_is_nothing_known_is_broken_or_no_text_and_what_is_known_is_read(ending: str) -> None:
    for noise in (random.Random(2).randbytes(3000), bytes(3000)):
        error = refusal(noise, f"a{ending}")
        assert error.reason == ("broken" if ending in PROMISED else "not_text")
        assert "leave it out" in str(error) or "rename it to match its content" in str(error)
    page = extract(b"<html><body><p>Hello</p></body></html>", path=f"a{ending}")
    assert page.record.strip() == "Hello"
    made = extract(pdf([shown(50, 50, "Hello there")]), path=f"a{ending}")
    assert (made.media_type, made.record.strip()) == ("application/pdf", "Hello there")
    assert refusal(b" \n", f"a{ending}").reason == "empty"


def test_a_pointer_to_a_large_file_is_not_taken_for_its_text() -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    error = refusal(pointer, "a.pdf")
    assert (error.reason, "git lfs pull" in str(error)) == ("broken", True)
    assert extract(pointer, path="a.txt").record == pointer.decode()


@pytest.mark.parametrize(
    ("data", "path", "media_type"),
    [
        ("Größe: how %PDF- files begin".encode("latin-1"), "a.txt", "text/plain"),
        ("Größe: how %PDF- files begin".encode("latin-1"), "a.md", "text/markdown"),
        (b"\xef\xbb\xbf\r\n" + PDF, "a.bin", "application/pdf"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + PDF, "a.pdf", "application/pdf"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + PDF, "a.txt", "text/plain"),
        (b"x" * 1100 + PDF, "a.pdf", "text/plain"),
    ],
)
def test_a_pdf_begins_with_its_mark_or_is_called_one(data: bytes, path: str, media_type: str) -> None:
    assert detect(data, path) == media_type
