"""ZIP archives as containers: names in any encoding, hostile archives, damaged ones."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction.containers import Budget, ContainerLimits, Member, open_container
from ragstone.extraction.containers.zip_archive import ZipArchive
from tests.extraction.containers.packing import LOCKED, pack_entry, pack_zip

Change = Callable[[bytes], bytes]


def open_zip(data: bytes, members: int = 100, total: int = 1_000_000_000) -> ZipArchive:
    found = open_container(io.BytesIO(data), path="x.zip", budget=Budget.of(ContainerLimits(members, total)))
    assert isinstance(found, ZipArchive)
    return found


def problems(found: ZipArchive) -> dict[str, str]:
    return {one.name: one.reason for one in found.problems}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_members_are_read_whole_and_by_their_beginning(method: int) -> None:
    text = b"At four. " * 1000
    data = pack_zip({"tea/when.md": text, "empty.md": b"", "tea/": b""}, method)
    found = open_zip(data)
    assert found.members == {"tea/when.md": Member("tea/when.md", 9000), "empty.md": Member("empty.md", 0)}
    assert found.read(io.BytesIO(data), "tea/when.md", 10_000) == text
    assert found.read(io.BytesIO(data), "tea/when.md", 7) == text[:7]
    assert found.read(io.BytesIO(data), "empty.md", 7) == b""


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Übersicht für Müller.md".encode("cp850"), "Übersicht für Müller.md"),
        ("Übersicht.md".encode(), "Übersicht.md"),
        ("見積書/日本語の資料.txt".encode("cp932"), "見積書/日本語の資料.txt"),
        (b"reports\\2024\\may.md", "reports/2024/may.md"),
        (b"./a//b.md", "a/b.md"),
        (b"/srv/a.md", "srv/a.md"),
    ],
)
def test_names_are_those_that_were_meant(raw: bytes, name: str) -> None:
    assert list(open_zip(pack_entry(raw, b"text")).members) == [name]


def test_a_name_in_the_field_of_info_zip_counts() -> None:
    raw, name = b"\x9abersicht.md", "Übersicht.md"
    field = b"\x01" + struct.pack("<L", zlib.crc32(raw)) + name.encode()
    field = struct.pack("<HH", 0x7075, len(field)) + field
    assert list(open_zip(pack_entry(raw, b"text", extra=field)).members) == [name]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"../../etc/passwd", "leads out of the archive"),
        (b"a/../../b.md", "leads out of the archive"),
        (b"C:\\boot.md", "leads out of the archive"),
        (b"a\0b.md", "control characters"),
        (b"x" * 1001, "more than 1,000 characters"),
    ],
)
def test_names_that_lead_elsewhere_are_refused_by_name(raw: bytes, said: str) -> None:
    found = open_zip(pack_entry(raw, b"text"))
    assert not found.members
    assert found.problems[0].reason == "broken"
    assert said in found.problems[0].message


def test_what_needs_a_password_is_told_in_one_sentence_and_the_rest_is_read() -> None:
    data = pack_entry(b"a.md", b"text", flags=LOCKED)
    found = open_zip(data)
    assert not found.members
    assert [(one.name, one.reason, one.message) for one in found.problems] == [
        ("", "encrypted", "x.zip is protected by a password (1 file); unpack it")
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (pack_entry(b"a.md", b"text", method=9), {"a.md": "unreadable"}),
        (pack_entry(b"a.md", b"text", rights=0o120777), {"a.md": "ignored"}),
        (pack_entry(b"a.md", b"text"), {}),
        (pack_zip({"a.md": bytes(50_000_000)}, zipfile.ZIP_DEFLATED), {"a.md": "too_large"}),
        (pack_entry(b"a.md", b"text", count=2), {"a.md": "broken"}),
        (pack_entry(b"a.md", b"text", count=2, second=b"b.md"), {"b.md": "broken"}),
    ],
    ids=["method", "link", "good", "dense", "same name", "same bytes"],
)
def test_members_that_are_not_read_are_told_by_name(data: bytes, expected: dict[str, str]) -> None:
    assert problems(open_zip(data)) == expected


@pytest.mark.parametrize(
    ("limits", "setting"), [({"members": 2}, "limits.archive_files"), ({"total": 100}, "limits.archive_bytes")]
)
def test_an_archive_over_a_limit_is_refused_with_its_setting(limits: dict[str, int], setting: str) -> None:
    data = pack_zip({f"{n}.md": b"x" * 50 for n in range(3)}, zipfile.ZIP_STORED)
    with pytest.raises(Refused, match=setting) as caught:
        open_zip(data, **limits)
    assert caught.value.reason == "too_large"


def test_of_an_archive_that_is_cut_short_the_whole_members_are_read() -> None:
    data = pack_zip({"a.md": b"first", "b.md": b"second" * 100}, zipfile.ZIP_STORED)
    cut = data[: data.index(b"secondsecond") + 50]
    found = open_zip(cut)
    assert found.read(io.BytesIO(cut), "a.md", 100) == b"first"
    assert list(found.members) == ["a.md"]
    assert found.problems[0].message.startswith("x.zip is cut short: the end of its archive is missing")


@pytest.mark.parametrize("kind", ["flipped", "longer than said", "no head"])
def test_a_damaged_member_is_refused_when_it_is_read(kind: str) -> None:
    data = pack_zip({"a.md": b"At four o'clock. " * 9, "b.md": b"fine"}, zipfile.ZIP_DEFLATED)
    at = data.index(b"a.md") + 4
    changes: dict[str, Change] = {
        "flipped": lambda data: data[: at + 4] + bytes([data[at + 4] ^ 255]) + data[at + 5 :],
        "longer than said": lambda data: data.replace(struct.pack("<L", 17 * 9), struct.pack("<L", 9)),
        "no head": lambda data: b"PK\x05\x06" + data[4:],
    }
    broken = changes[kind](data)
    found = open_zip(broken)
    with pytest.raises(Refused) as caught:
        found.read(io.BytesIO(broken), "a.md", 10_000)
    assert caught.value.reason == "broken"
    assert "x.zip/a.md cannot be unpacked" in str(caught.value)
    assert found.read(io.BytesIO(broken), "b.md", 10_000) == b"fine"


@pytest.mark.parametrize("name", ["[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF"])
def test_documents_and_programs_are_no_containers(name: str) -> None:
    with pytest.raises(Refused) as caught:
        open_zip(pack_zip({name: b"x", "a.md": b"x"}, zipfile.ZIP_STORED))
    assert caught.value.reason == "binary"


def test_a_directory_of_lies_costs_nothing() -> None:
    data = bytearray(pack_zip({"a.md": b"text"}, zipfile.ZIP_STORED))
    at = data.index(b"PK\x05\x06")
    data[at + 12 : at + 16] = struct.pack("<L", 1 << 31)
    with pytest.raises(Refused) as caught:
        open_zip(bytes(data))
    assert caught.value.reason == "broken"
