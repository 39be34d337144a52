"""Archives and XML from strangers: what is honest is read, what is not is refused before it unpacks."""

import io
import struct
import zipfile
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.core.errors import Refused
from ragstone.extraction import archive
from ragstone.extraction.archive import Archive, ArchiveLimits, parse_xml
from tests.speed import within


def packed(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, data in members:
            file.writestr(name, data)
    return out.getvalue()


def refusal(call: Callable[[], object]) -> tuple[str, str]:
    """Why something is refused: reason and sentence."""
    with pytest.raises(Refused) as caught:
        call()
    return caught.value.reason, str(caught.value)


def opening(data: bytes, most: ArchiveLimits | None = None) -> tuple[str, str]:
    """Why an archive is refused."""
    return refusal(lambda: Archive(data, path="a.docx", most=most or ArchiveLimits()))


def reading(data: bytes) -> tuple[str, str]:
    """Why a text is refused as XML."""
    return refusal(lambda: parse_xml(data, path="a.docx", name="word/document.xml"))


def test_members_are_listed_and_read() -> None:
    found = Archive(packed(("word/document.xml", b"<a/>"), ("b\\c.txt", b"text"), ("empty/", b"")), path="a.docx")
    assert found.names == ("word/document.xml", "b/c.txt")
    assert found.read("b/c.txt") == b"text"
    assert found.size("b/c.txt") == 4
    assert found.read_xml("word/document.xml").tag == "a"


def test_a_member_that_is_not_there_is_told() -> None:
    found = Archive(packed(("a", b"")), path="a.docx")
    assert refusal(lambda: found.read("b")) == (
        "broken",
        "a.docx holds no 'b'; save it again in the program that it comes from",
    )


def test_a_bomb_is_refused_before_it_unpacks() -> None:
    data = packed(("bomb.xml", bytes(50_000_000)))
    assert len(data) < 100_000
    reason, message = within(0.1, lambda: opening(data))
    assert reason == "too_large"
    assert "50,000,000 bytes from a few" in message


def test_dense_members_are_read_where_they_are_small() -> None:
    assert len(Archive(packed(("a", bytes(5_000_000))), path="a").read("a")) == 5_000_000


def test_the_sum_of_all_members_is_bounded() -> None:
    data = packed(*((f"{i}", bytes(1000)) for i in range(10)))
    assert opening(data, ArchiveLimits(total=9_999))[0] == "too_large"
    assert len(Archive(data, path="a", most=ArchiveLimits(total=10_000)).names) == 10


def test_the_number_of_members_is_bounded_before_the_directory_is_read() -> None:
    data = packed(*((f"{i}", b"") for i in range(100)))
    assert opening(data, ArchiveLimits(members=99))[0] == "too_large"
    assert len(Archive(data, path="a", most=ArchiveLimits(members=100)).names) == 100


def with_directory(data: bytes, offset: int, value: bytes) -> bytes:
    """The archive with bytes of its first directory entry changed."""
    at = data.index(archive.ENTRY) + offset
    return data[:at] + value + data[at + len(value) :]


def test_a_member_that_says_less_than_it_unpacks_to_gives_no_more_than_it_said() -> None:
    data = with_directory(packed(("a", bytes(30_000_000))), 24, struct.pack("<I", 1000))
    found = Archive(data, path="a.docx")
    assert found.size("a") == 1000
    assert refusal(lambda: found.read("a"))[0] == "broken"


def test_a_password_is_told() -> None:
    assert opening(with_directory(packed(("a", b"x")), 8, b"\x01")) == (
        "encrypted",
        "a.docx is protected by a password; save it again in the program that it comes from",
    )


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_without_bounds_are_not_read(method: int) -> None:
    assert opening(packed(("a", b"x" * 1000), method=method))[0] == "unsupported"


def test_an_archive_within_is_not_opened_and_hurts_nobody_until_it_is_read() -> None:
    found = Archive(packed(("chart.xlsx", packed(("a", b"b"))), ("c", b"d")), path="a.docx")
    assert found.read("c") == b"d"
    assert refusal(lambda: found.read("chart.xlsx"))[0] == "unsupported"


@pytest.mark.parametrize(
    "name", ["../a", "/etc/passwd", "a/../../b", "..\\a", "C:/a", "C:a", "a\nb", "a\x1b[31m", "x" * 1001, "\\\\host\\a"]
)
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    reason, message = opening(packed((name, b"x")))
    assert reason == "broken"
    assert "leads elsewhere" in message
    assert message.isprintable()


def test_two_members_of_one_name_are_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        data = packed(("a", b"1"), ("a", b"2"))
    assert opening(data)[0] == "broken"
    assert opening(packed(("a/b", b"1"), ("a\\b", b"2")))[0] == "broken"


def test_a_member_without_a_name_is_refused() -> None:
    # Python's zipfile cuts names at a NUL and fails on what is left of this one.
    assert opening(packed(("abc", b"x")).replace(b"abc", b"\0bc"))[0] == "broken"


HONEST = packed(("a.xml", b"<a>" + b"<b>text</b>" * 50 + b"</a>"), ("b.txt", b"some text" * 20))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(HONEST) - 1), st.integers(0, 255)), max_size=8), st.integers(0, 300))
def test_a_damaged_archive_is_refused_or_read_and_nothing_else(changes: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(HONEST)
    for at, value in changes:
        data[at] = value
    try:
        found = Archive(bytes(data[: len(data) - cut]), path="a.docx")
        for name in found.names:
            found.read(name)
            found.read_xml(name)
    except Refused as error:
        assert error.reason in ("broken", "encrypted", "too_large", "unsupported")  # noqa: PT017  # both ways are right


LAUGHS = (
    b"""<?xml version="1.0"?><!-- ha --> <!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><a x="&b;">&b;</a>"""
)
FILE = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        FILE,
        FILE.decode().encode("utf-16"),
        FILE.decode().encode("utf-16-le"),
        FILE.decode().encode("utf-16-be"),
        FILE.decode().encode("utf-32"),
        b"\xef\xbb\xbf" + FILE,
        b'<?xml version="1.0" encoding="iso-8859-1"?>' + FILE,
        b'<?xml version="1.0"?><?p i?><!--' + b"x" * 100_000 + b"-->\n" + FILE,
    ],
)
def test_a_document_type_is_refused_in_every_encoding(text: bytes) -> None:
    reason, message = reading(text)
    assert reason == "broken"
    assert "document type" in message


@pytest.mark.parametrize("encoding", ["utf-7", "ibm037", "iso-2022-jp", "utf-16", "hz", "x" * 40])
def test_encodings_that_could_hide_markup_are_not_read(encoding: str) -> None:
    assert reading(f'<?xml version="1.0" encoding="{encoding}"?><a/>'.encode())[0] == "broken"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "windows-1252"])
def test_honest_encodings_are_read(encoding: str) -> None:
    root = parse_xml(f'<?xml version="1.0" encoding="{encoding}"?><a>naïve</a>'.encode(encoding), path="a", name="b")
    assert root.text == "naïve"


def test_comments_and_instructions_are_left_out() -> None:
    root = parse_xml(b"<a>x<!-- no -->y<?no no?>z<b/></a>", path="a", name="b")
    assert root.text == "xyz"
    assert [child.tag for child in root] == ["b"]


def test_depth_is_bounded() -> None:
    reason, message = reading(b"<a>" * 300 + b"</a>" * 300)
    assert (reason, "nests deeper than 256" in message) == ("broken", True)
    assert parse_xml(b"<a>" * 250 + b"</a>" * 250, path="a", name="b").tag == "a"


def test_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_TREE_BYTES", 100)
    assert reading(b"<a>" + b" " * 100 + b"</a>")[0] == "too_large"


@pytest.mark.parametrize(
    "text", [b"", b"text", b"<a>", b"<a></b>", b"<!-- no end", b"<a>\0</a>", b"<![CDATA[x]]>", b"&x;"]
)
def test_what_is_no_xml_is_refused(text: bytes) -> None:
    assert reading(text)[0] == "broken"


def test_an_unknown_entity_is_not_looked_up() -> None:
    assert reading(b"<a>&unknown;</a>")[0] == "broken"


def test_a_long_start_is_passed_in_one_go() -> None:
    for data in (b"<!--x" * 400_000, b"<?x " * 400_000, b" " * 2_000_000):
        assert within(0.7, partial(reading, data))[0] == "broken"


ROWS = b"<s xmlns='urn:s'>" + b"".join(b"<row r='%d'><c>%d</c></row>" % (i, i) for i in range(50_000)) + b"</s>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_elements_of_a_large_member_come_one_by_one(encoding: str) -> None:
    found = Archive(packed(("s.xml", ROWS.decode().encode(encoding))), path="a.xlsx")
    rows = [(row.get("r"), row[0].text) for row in found.iterate_elements("s.xml", "{urn:s}row")]
    assert rows == [(str(i), str(i)) for i in range(50_000)]


@pytest.mark.parametrize("text", [FILE, ROWS[:-10], b"<a>" * 300, b"<!--" + b" " * 70_000 + b"--><a/>", b""])
def test_elements_are_guarded_as_trees_are(text: bytes) -> None:
    found = Archive(packed(("s.xml", text)), path="a.xlsx")
    assert refusal(lambda: list(found.iterate_elements("s.xml", "{urn:s}row")))[0] == "broken"


def test_a_damaged_member_is_told_while_its_elements_come() -> None:
    data = bytearray(packed(("s.xml", ROWS), method=zipfile.ZIP_STORED))
    data[500_000:500_010] = b"0123456789"
    assert refusal(lambda: list(Archive(bytes(data), path="a").iterate_elements("s.xml", "{urn:s}row")))[0] == "broken"
