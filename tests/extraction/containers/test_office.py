"""Documents in Office files as members: sheets in texts and slides, files that Windows packed; who may see them."""

import io
import struct
import zipfile

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction import extract, sandbox
from ragstone.extraction.containers import Budget, Container, ContainerLimits, is_candidate, open_container
from ragstone.extraction.embedded_documents import take_attachments
from ragstone.extraction.record.confidentiality import KEY
from tests.extraction.containers.packing import pack_zip
from tests.extraction.docx.files import document, p, relationships, run
from tests.extraction.made import make_archive, make_odt
from tests.extraction.mail.made_msg import write_compound
from tests.extraction.pdf.sheets import pdf, shown
from tests.extraction.spreadsheet.books import grid

SHEET = grid([["Crop", "Acres"], ["Wheat", 120]])
SHOWN = pdf([shown(50, 100, "The plan of the garden")])


def pack_native(label: str, data: bytes) -> bytes:
    """A file as the packager of Windows keeps it."""
    said = label.encode("cp1252") + b"\0"
    body = (
        b"\2\0" + said + said + b"\0\0\3\0" + struct.pack("<L", len(said)) + said + struct.pack("<L", len(data)) + data
    )
    return write_compound({"\x01Ole10Native": struct.pack("<L", len(body)) + body})


def embed(files: dict[str, bytes], *, kind: str = "package", folder: str = "word", custom: str = "") -> bytes:
    """A Word document with these documents in it; `folder` is where their relationships stand."""
    parts: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(document(p(run("The text"))))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    owner = "document" if folder == "word" else "chart1"
    parts[f"{folder}/_rels/{owner}.xml.rels"] = relationships(
        *((f"r{at}", kind, f"/word/embeddings/{name}", False) for at, name in enumerate(files)),
        ("o", kind, "https://example.org/a.xlsx", True),
    ).encode()
    if custom:
        parts["docProps/custom.xml"] = custom.encode()
    return pack_zip({**parts, **{f"word/embeddings/{name}": data for name, data in files.items()}})


def open_office(data: bytes, path: str = "x.docx", limits: ContainerLimits | None = None) -> Container:
    found = open_container(io.BytesIO(data), path=path, budget=Budget.of(limits or ContainerLimits()))
    assert found is not None
    assert found.is_document
    return found


def read_all(data: bytes, path: str = "x.docx") -> dict[str, bytes]:
    found = open_office(data, path)
    return {name: found.read(io.BytesIO(data), name, 1_000_000) for name in found.members}


def test_sheets_and_packed_files_in_a_text_are_members() -> None:
    files = {
        "Sheet1.xlsx": SHEET,
        "oleObject1.bin": pack_native("C:\\plans\\garden.txt", b"the garden"),
        "oleObject2.bin": write_compound({"CONTENTS": SHOWN}),
        "oleObject3.bin": write_compound({"Package": SHEET}),
        "oleObject4.bin": write_compound({"Equation Native": b"x" * 40}),
        "oleObject5.bin": pack_native("cut.txt", b"the garden")[:700],
    }
    found = read_all(embed(files))
    assert found == {
        "Sheet1.xlsx": SHEET,
        "garden.txt": b"the garden",
        "oleObject2.pdf": SHOWN,
        "oleObject3.xlsx": SHEET,
    }
    assert "Wheat" in extract(found["Sheet1.xlsx"], path="x.docx/Sheet1.xlsx").record


def test_the_workbook_behind_a_chart_is_read_as_the_chart_alone() -> None:
    assert not read_all(embed({"Sheet1.xlsx": SHEET}, folder="word/charts"))


ENTRY = '<m:file-entry m:full-path="{}" m:media-type="application/vnd.oasis.opendocument.{}"/>'


def test_objects_of_an_open_document_are_files_of_their_own() -> None:
    kinds = (("/", "presentation"), ("Object 1/", "spreadsheet"), ("Object 2/", "chart"), ("Object 3/", "text"))
    manifest = "".join(ENTRY.format(name, kind) for name, kind in (*kinds, kinds[-1]))
    names = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    names += 'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    body = "<office:body><office:text><text:p>Inside</text:p></office:text></office:body>"
    said = f"<office:document-content {names}>{body}</office:document-content>".encode()
    data = pack_zip(
        {
            "mimetype": b"application/vnd.oasis.opendocument.presentation",
            "content.xml": b"<a/>",
            "META-INF/manifest.xml": f'<m:m xmlns:m="urn:m">{manifest}</m:m>'.encode(),
            **{f"Object {n}/content.xml": said for n in (1, 2, 3)},
        }
    )
    found = read_all(data, "x.odp")
    assert list(found) == ["Object 1.ods", "Object 3.odt"]
    assert extract(found["Object 3.odt"], path="Object 3.odt").record == "Inside"


def test_a_document_without_others_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "get_shared", None)
    assert not open_office(document(p(run("The text")))).members
    assert is_candidate("a/x.PPTX")
    assert open_container(io.BytesIO(b"\xd0\xcf\x11\xe0"), path="x.docx", budget=Budget.of(ContainerLimits())) is None


def test_documents_in_a_restricted_document_are_closed() -> None:
    said = '<property name="Confidentiality"><vt:lpwstr>{}</vt:lpwstr></property>'
    custom = f'<Properties xmlns:vt="urn:v">{said}</Properties>'
    for level, closed in (("restricted", True), ("public", False)):
        [member] = open_office(embed({"a.xlsx": SHEET}, custom=custom.format(level))).members.values()
        assert bool(member.enclosing.closed) is closed


@pytest.mark.parametrize(("level", "closed"), [("restricted", True), ("public", False)])
def test_first_lines_that_close_an_open_document_close_the_documents_in_it(level: str, closed: bool) -> None:
    with zipfile.ZipFile(io.BytesIO(make_odt(f"<text:p>confidentiality: {level}</text:p>"))) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    parts["META-INF/manifest.xml"] = f'<m:m xmlns:m="urn:m">{ENTRY.format("Object 1/", "text")}</m:m>'
    data = make_archive({**parts, "Object 1/content.xml": "<a/>"})
    [member] = open_office(data, "x.odt").members.values()
    assert bool(member.enclosing.closed) is closed is (KEY in extract(data, path="x.odt").meta)


def test_they_are_bounded_as_those_of_an_archive() -> None:
    data = embed({"a.xlsx": SHEET, "b.xlsx": SHEET})
    with pytest.raises(Refused, match="more than the 1 files"):
        open_office(data, limits=ContainerLimits(members=1))
    with pytest.raises(Refused, match="the document that it lies in is damaged"):
        take_attachments(data, path="x.docx/c.xlsx", numbers=[7])
    assert not open_office(data[:-200]).members
