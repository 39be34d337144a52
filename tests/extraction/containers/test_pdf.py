"""Files in PDFs as members: of the whole document and of pages; who may see them."""

import io

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction import sandbox
from ragstone.extraction.containers import Budget, Container, ContainerLimits, looks_like_container, open_container
from tests.extraction.containers.packing import pack_zip
from tests.extraction.pdf.sheets import pdf, shown, stream

INVOICE = "<Invoice><Total>9000</Total></Invoice>"


def make_pdf(files: dict[str, str], *, info: str = "", pinned: str = "", shows: str = "") -> bytes:
    """A PDF with files of the whole document, and one that is attached to its page."""
    objects, names = [], ""
    for at, (called, content) in enumerate({**files, **({pinned: "1,2"} if pinned else {})}.items()):
        objects += [
            stream(content, "/Type /EmbeddedFile"),
            f"<< /Type /Filespec /F ({called}) /EF << /F {3 + 2 * at} 0 R >> >>",
        ]
        names += f"({called}) {4 + 2 * at} 0 R "
    names = names.rpartition(f"({pinned})")[0] if pinned else names
    pin = f"/Annots [<< /Type /Annot /Subtype /FileAttachment /Rect [50 680 60 690] /FS {2 + len(objects)} 0 R >>]"
    catalog = f"/Names << /EmbeddedFiles << /Names [{names}] >> >>"
    objects += [f"<< {info} >>"]
    made = pdf([shown(50, 100, shows)], catalog=catalog, page=pin if pinned else "", objects=objects)
    return made.replace(b"trailer <<", f"trailer << /Info {2 + len(objects)} 0 R".encode())


def open_pdf(data: bytes, path: str = "x.pdf", limits: ContainerLimits | None = None) -> Container:
    found = open_container(io.BytesIO(data), path=path, budget=Budget.of(limits or ContainerLimits()))
    assert found is not None
    assert found.is_document
    return found


def read_all(data: bytes) -> dict[str, bytes]:
    found = open_pdf(data)
    return {name: found.read(io.BytesIO(data), name, 1000) for name in found.members}


def test_files_of_the_document_and_of_its_pages_are_members() -> None:
    data = make_pdf({"factur-x.xml": INVOICE, "../a/plan.txt": "plan", "empty.txt": ""}, pinned="sums.csv")
    expected = {"factur-x.xml": INVOICE.encode(), "plan.txt": b"plan", "sums.csv": b"1,2"}
    assert read_all(data) == expected
    assert looks_like_container(data, "x.pdf")


def test_a_pdf_without_files_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "get_shared", None)
    assert not open_pdf(pdf([""])).members
    assert not open_pdf(make_pdf({"a.txt": "text"}), limits=ContainerLimits(document=100)).members


@pytest.mark.parametrize(
    ("info", "closed"),
    [
        ("/Confidentiality (restricted)", True),
        ("/confidentiality (Restricted: board)", True),
        ("/Subject (Confidentiality: restricted)", True),
        ("/Confidentiality (public) /Title (Restricted)", False),
    ],
)
def test_files_in_a_restricted_pdf_are_closed(info: str, closed: bool) -> None:
    [member] = open_pdf(make_pdf({"a.txt": "text"}, info=info)).members.values()
    assert bool(member.enclosing.closed) is closed


def test_of_a_pdf_that_cannot_be_parsed_the_members_are_not_known() -> None:
    packed = "\x01\x02\x03\x04" * 2000
    for data in (b"%PDF-1.7 /EmbeddedFile", bytes(100) + make_pdf({"a.txt": packed})[9:]):
        found = open_pdf(data)
        assert ([(one.name, one.reason) for one in found.problems], dict(found.members)) == ([("/", "broken")], {})


def test_files_of_a_pdf_are_bounded_as_those_of_an_archive() -> None:
    data = make_pdf({"a.txt": "text", "b.txt": "text"})
    with pytest.raises(Refused, match="more than the 1 files"):
        open_pdf(data, limits=ContainerLimits(members=1))
    with pytest.raises(Refused, match="more than the 7 bytes"):
        open_pdf(data, limits=ContainerLimits(total=7))


def test_a_pdf_in_an_archive_is_known_by_its_start_and_others_are_none() -> None:
    assert looks_like_container(b"\n%PDF-1.7", "x.PDF")
    assert not looks_like_container(b"%PDF-1.7", "x.txt")
    assert not looks_like_container(b"<html>", "x.pdf")
    assert looks_like_container(pack_zip({"a.md": b"1"}), "x.pdf")
