"""Word documents: what is broken, sealed, empty or meant to harm."""

import io
import random
import zipfile

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction.docx import parse_docx
from ragstone.testing.extractors import check_block, check_spans
from tests.extraction.docx.files import (
    NAMES,
    archive,
    document,
    item,
    level,
    numbering,
    p,
    read,
    relationships,
    row,
    table,
)

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MAIN = {"_rels/.rels": relationships(("a", "officeDocument", "word/document.xml", False))}


def refusal(data: bytes) -> str:
    with pytest.raises(Refused) as caught:
        parse_docx(data, path="a.docx")
    assert "a.docx" in str(caught.value)
    return caught.value.reason


def whole(text: str) -> bytes:
    return archive({**MAIN, "word/document.xml": text})


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (OLE + bytes(600) + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (OLE + bytes(600) + "WordDocument".encode("utf-16-le"), "unsupported"),
        (b"PK\x03\x04 no archive", "broken"),
        (archive({"word/document.xml": "<a/>"}), "broken"),
        (whole("<w:document"), "broken"),
        (whole(f"<w:document {NAMES}/>"), "broken"),
        (whole(f'<!DOCTYPE a [<!ENTITY b "c">]><w:document {NAMES}><w:body>&b;</w:body></w:document>'), "broken"),
        (document(p()), "empty"),
        (document(p("<w:r><w:drawing><a:blip/></w:drawing></w:r>")), "no_text"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    assert refusal(data) == reason


def test_a_file_cut_anywhere_is_refused() -> None:
    data = document(p("word " * 500))
    assert {refusal(data[: len(data) * part // 20]) for part in range(1, 20)} == {"broken"}


def test_broken_parts_beside_the_text_are_left_out_with_a_warning() -> None:
    extraction = parse_docx(
        archive({
            **MAIN,
            "word/document.xml": f"<w:document {NAMES}><w:body>{p('x', style='H')}</w:body></w:document>",
            "word/_rels/document.xml.rels": relationships(("s", "styles", "styles.xml", False)),
            "word/styles.xml": "<w:styles",
        }),
        path="a.docx",
    )  # fmt: skip
    assert extraction.record == "x"
    assert "word/styles.xml" in extraction.warnings[0]


def test_nothing_outside_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.socket", None)
    drawing = '<w:r><w:drawing><wp:inline><wp:docPr descr="Far"/><a:blip r:link="l"/></wp:inline></w:drawing></w:r>'
    assert read(p(drawing), links={"l": "http://127.0.0.1:9/a.png"}).record == "![Far]"


@pytest.mark.parametrize("name", ["w:ins", "w:smartTag", "w:sdt><w:sdtContent", "m:oMath", "w:hyperlink"])
def test_deep_nesting_is_read_or_refused(name: str) -> None:
    closing = "".join(f"</{one}>" for one in reversed(name.split("><")))
    for depth in (60, 5000):
        data = document(f"<w:p>{f'<{name}>' * depth}<w:r><w:t>x</w:t></w:r>{closing * depth}</w:p>")
        if depth > 256:
            assert refusal(data) == "broken"
        else:
            assert "x" in parse_docx(data, path="a.docx").record


def test_large_numbers_cost_nothing() -> None:
    huge = "99999999999999999999"
    body = table(
        row('<w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc>', "y")
    )
    lists = numbering(level(0, "upperRoman", "%1%1%1", start=999_999_999))
    extraction = read(body + item("z") + item("w", num=int(huge)), numbering=lists)
    assert len(extraction.record) < 2000


def test_damaged_files_are_read_or_refused() -> None:
    data = document(
        p("Text ", style="H") + item("a") + table(row("a", "b"), row("c", "d")),
        numbering=numbering(level(0, "bullet", "-")),
    )
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    chance = random.Random(7)
    for _ in range(150):
        name = chance.choice(sorted(parts))
        text = bytearray(parts[name])
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(text))
            text[at : at + chance.randint(0, 12)] = chance.choice(
                (b"", b"<", b"w:", b'"', b"9999999999", b"\0", b"&a;")
            )
        try:
            extraction = parse_docx(archive({**parts, name: bytes(text)}), path="a.docx")
        except Refused:
            continue
        check_spans(extraction)
        for block in extraction.blocks:
            check_block(block, extraction.record)
