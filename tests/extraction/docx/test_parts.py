"""Word documents: parts that are missing, documents in a document, what stands in fields, boxes and cells."""

import zipfile
from io import BytesIO

import pytest

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.docx import parse_docx
from tests.extraction.docx.files import NAMES, archive, document, p, read, relationships, row, run, shown, table

HEADER = '<w:sectPr><w:headerReference w:type="default" r:id="header1"/></w:sectPr>'
DELETED = "<w:rPr><w:del/></w:rPr>"
CHUNK = '<w:altChunk r:id="chunk"/>'


def without(data: bytes, name: str) -> bytes:
    """The same archive, one member gone."""
    with zipfile.ZipFile(BytesIO(data)) as file:
        return archive({one: file.read(one) for one in file.namelist() if one != name})


def with_chunk(body: str, name: str, content: bytes) -> Extraction:
    """A document with another one in it."""
    parts = {
        "_rels/.rels": relationships(("a", "officeDocument", "word/document.xml", False)),
        "word/document.xml": f"<w:document {NAMES}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": relationships(("chunk", "aFChunk", name, False)),
    }
    return parse_docx(archive({**parts, f"word/{name}": content}), path="a.docx")


def test_missing_parts_are_said_and_leave_no_mark_of_a_note() -> None:
    body = p("Text", '<w:r><w:footnoteReference w:id="1"/></w:r>', ".") + HEADER
    data = document(body, footnotes=f'<w:footnote w:id="1">{p("Note")}</w:footnote>', header1=p("Head"))
    assert parse_docx(data, path="a.docx").record == "Head\n\nText[^1].\n\n[^1]: Note"
    for name in ("word/footnotes.xml", "word/header1.xml"):
        data = without(data, name)
    extraction = parse_docx(data, path="a.docx")
    assert extraction.record == "Text."
    assert [warning for warning in extraction.warnings if "missing" in warning] == [
        "a part is missing: word/footnotes.xml",
        "a part is missing: word/header1.xml",
        "1 marks of notes were left out: the notes are missing",
    ]


def coded(code: str, form: str = "", result: str = "") -> str:
    """A field, with a result only where there is one."""
    separate = f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(result)}' if result else ""
    return (
        f'<w:r><w:fldChar w:fldCharType="begin">{form}</w:fldChar></w:r><w:r><w:instrText>{code}</w:instrText></w:r>'
        f'{separate}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def dropdown(said: str) -> str:
    entries = "".join(f'<w:listEntry w:val="{one}"/>' for one in ("red", "green", "blue"))
    return f"<w:ffData><w:ddList>{said}{entries}</w:ddList></w:ffData>"


@pytest.mark.parametrize(
    ("field", "shows"),
    [
        (coded("FORMDROPDOWN", dropdown('<w:result w:val="2"/>')), "blue"),
        (coded("FORMDROPDOWN", dropdown('<w:default w:val="1"/>')), "green"),
        (coded("FORMDROPDOWN", dropdown("")), "red"),
        (coded("FORMDROPDOWN", dropdown('<w:result w:val="9"/>')), ""),
        (coded("FORMDROPDOWN", dropdown('<w:result w:val="2"/>'), "blue"), "blue"),
        (coded(" EQ \\f(1,2) "), "\\f(1,2)"),
        (coded(" MACROBUTTON NoMacro [click here] "), "[click here]"),
        ('<w:fldSimple w:instr=" MACROBUTTON NoMacro click "/>', "click"),
        (coded(" PAGE "), ""),
    ],
)
def test_fields_without_a_result_show_what_they_say(field: str, shows: str) -> None:
    assert read(p("a|", field, "|b")).record == f"a|{shows}|b"


def test_a_paragraph_whose_end_was_deleted_does_not_run_into_a_table() -> None:
    note = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    body = p("Before", note, properties=DELETED) + table(row("a", "b"), row("c", "d")) + p("After", properties=DELETED)
    extraction = read(body, footnotes=f'<w:footnote w:id="1">{p("Note")}</w:footnote>')
    assert extraction.record == "Before[^1]\n\n[^1]: Note\n\n| a | b |\n|---|---|\n| c | d |\n\nAfter"


def test_a_long_cell_does_not_make_a_table_a_frame() -> None:
    long = "word " * 1500
    assert [kind for kind, _, _ in shown(table(row(long, "b"), row("c", "d")))] == ["table"]
    assert [kind for kind, _, _ in shown(table(row(long, "b")))] == ["paragraph", "paragraph"]
    assert [kind for kind, _, _ in shown(table(row(long), row("b")))] == ["paragraph", "paragraph"]


def drawing(description: str, box: str) -> str:
    return (
        f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="n" descr="{description}"/><a:graphic><a:graphicData>'
        f"<wps:wsp><wps:txbx><w:txbxContent>{box}</w:txbxContent></wps:txbx></wps:wsp>"
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def test_what_a_drawing_with_a_box_is_said_to_show_is_kept() -> None:
    assert read(p(drawing("A map of the site", p("Gate 1")))).record == "![A map of the site]\n\nGate 1"
    assert read(p(drawing("Gate 1", p("Gate 1")))).record == "Gate 1"


def test_a_page_or_a_text_in_a_document_is_read() -> None:
    html = b"<html><body><h1>Part</h1><p>Words</p></body></html>"
    assert with_chunk(p("Before", properties=DELETED) + CHUNK, "c.html", html).record == "Before\n\n# Part\n\nWords"
    assert with_chunk(CHUNK, "c.htm", b"<p>Words</p>").record == "Words"
    assert with_chunk(CHUNK, "c.txt", b"Words").record == "Words"
    mail = (
        b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n%s\n--x--\n"
    )
    assert with_chunk(CHUNK, "c.mht", mail % html).record == "# Part\n\nWords"


def test_other_documents_in_a_document_are_named() -> None:
    rtf = b"{\\rtf1 Words}"
    assert with_chunk(p("Text") + CHUNK, "c.rtf", rtf).warnings == ("embedded documents were not read: word/c.rtf",)
    with pytest.raises(Refused, match=r"nothing but embedded documents that are not read \(word/c.rtf\)"):
        with_chunk(CHUNK, "c.rtf", rtf)


def test_a_document_whose_text_is_all_in_its_header_is_read() -> None:
    extraction = read(p() + HEADER, header1=p("Letterhead"))
    assert [(block.text, block.role) for block in extraction.blocks] == [("Letterhead", "body")]
    assert any("only headers" in warning for warning in extraction.warnings)
