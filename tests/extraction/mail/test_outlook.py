"""Outlook's own formats: packed RTF, pages wrapped in RTF, winmail.dat, templates, data files."""

import random
import struct
from email.message import EmailMessage

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction import extract
from ragstone.extraction.mail.eml import parse_eml
from ragstone.extraction.mail.msg import parse_msg
from ragstone.extraction.mail.rtf_body import unpack_rtf, unwrap_page
from ragstone.extraction.mail.tnef import read_tnef
from tests.extraction.mail.made_msg import Outlook
from tests.speed import in_step

# The example of MS-OXRTFCP, 3.2.
PACKED = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
)
PAGE = rb"""{\rtf1\ansi\ansicpg1251\fromhtml1 \deff0
{\fonttbl {\f0\fmodern Courier;}}
{\*\htmltag19 <html>}\htmlrtf {\htmlrtf0
{\*\htmltag84 <b>}\htmlrtf {\b\htmlrtf0 \'cf\'f0 &amp; \u8364? tag\'7d {\*\htmltag92 </b>}\htmlrtf }\htmlrtf0
\htmlrtf\par\htmlrtf0
{\*\mhtmltag64 <a href="x">}{\*\htmltag64 <a href="http://y">}it costs\tab 5{\*\htmltag72 </a>}
{\*\htmltag27 </html>}\htmlrtf }\htmlrtf0 }"""


def store_rtf(rtf: bytes) -> bytes:
    return struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf


def make_property(name: int, kind: int, value: bytes) -> bytes:
    return struct.pack("<HHII", kind, name, 1, len(value)) + value + bytes(-len(value) % 4)


def make_attribute(level: int, name: int, value: bytes) -> bytes:
    return struct.pack("<BII", level, name, len(value)) + value + b"\0\0"


def make_tnef(*properties: bytes, names: tuple[str, ...] = ()) -> bytes:
    fixed = (
        struct.pack("<HHI", 3, 0x0E07, 1)
        + struct.pack("<HH", 0x1003, 0x8001)
        + bytes(16)
        + struct.pack("<III", 0, 7, 1)
    )
    data = b"\x78\x9f\x3e\x22\1\0" + make_attribute(1, 0x00069007, struct.pack("<II", 1252, 0))
    listed = struct.pack("<I", len(properties) + 2) + fixed + bytes(4) + b"".join(properties)
    data += make_attribute(1, 0x00069003, listed)
    for name in names:
        long = make_property(0x3707, 0x1F, f"{name}\0".encode("utf-16-le"))
        data += make_attribute(2, 0x00069002, bytes(14)) + make_attribute(2, 0x00018010, b"SHORT~1.PDF\0")
        data += make_attribute(2, 0x00069005, struct.pack("<I", 1) + long)
    return data


def test_packed_rtf_is_unpacked_as_the_specification_shows() -> None:
    assert unpack_rtf(PACKED) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert [unpack_rtf(odd) for odd in (b"", PACKED[:15], b"\0" * 40)] == [b""] * 3


def test_a_page_that_is_wrapped_in_rtf_is_that_page() -> None:
    assert unwrap_page(PAGE) == '<html><b>Пр &amp; € tag} </b><a href="http://y">it costs\t5</a></html>'
    assert unwrap_page(b"{\\rtf1 no page}") == ""


@pytest.mark.parametrize(
    ("rtf", "said"),
    [(PACKED, "hello world"), (store_rtf(PAGE), "Пр & € tag} [it costs 5](http://y)"), (b"odd", "")],
)
def test_a_message_with_a_body_in_rtf_alone_is_read(rtf: bytes, said: str) -> None:
    found = parse_msg(Outlook("Pears", rtf=rtf).to_bytes(), path="a.msg")
    assert found.record.rpartition("\n\n")[2] == (said or 'From: "Dana" <dana@x.org>')


def test_a_template_without_subject_is_named_by_its_file() -> None:
    found = extract(Outlook("", "Dear guest, welcome.", sender="").to_bytes(), path="mails/Welcome-mail.oft")
    assert found.title == "Welcome mail"
    assert found.record.endswith("Dear guest, welcome.")


def make_mail(text: str, tnef: bytes) -> bytes:
    made = EmailMessage()
    made["Subject"] = "Report"
    made.set_content(text)
    made.add_attachment(tnef, maintype="application", subtype="ms-tnef", filename="winmail.dat")
    return made.as_bytes()


@pytest.mark.parametrize(
    ("text", "body", "said"),
    [
        ("", make_property(0x1000, 0x1F, "Zwölf Äpfel.\0".encode("utf-16-le")), "Zwölf Äpfel."),
        ("See the file.", make_property(0x1013, 0x102, b"<p>Twelve <b>apples</b>.</p>"), "Twelve apples."),
        ("", make_property(0x1009, 0x102, PACKED), "hello world"),
        ("Twelve apples.", make_property(0x1000, 0x1E, b"Twelve apples.\0"), "Twelve apples."),
    ],
)
def test_text_and_names_of_attachments_in_winmail_are_read(text: str, body: bytes, said: str) -> None:
    found = parse_eml(make_mail(text, make_tnef(body, names=("plan of the orchard.pdf",))), path="a.eml")
    assert found.record.count(said) == 1
    assert (found.meta["attachments"], found.warnings) == (["plan of the orchard.pdf"], ())


def test_a_winmail_alone_is_the_mail_in_it() -> None:
    subject = make_property(0x0037, 0x1F, "Zwölf\0".encode("utf-16-le"))
    data = make_tnef(subject, make_property(0x1000, 0x1E, b"Twelve apples.\0"), names=("a.pdf",))
    found = extract(data, path="mails/winmail.dat")
    assert (found.title, found.meta["attachments"]) == ("Zwölf", ["a.pdf"])
    assert found.record.endswith("Twelve apples.")
    for odd, reason in ((data[:4], "broken"), (make_tnef(), "empty")):
        with pytest.raises(Refused) as refused:
            extract(odd, path="winmail.dat")
        assert refused.value.reason == reason


def test_damaged_winmail_is_read_as_far_as_it_goes() -> None:
    whole = make_tnef(make_property(0x1000, 0x1E, b"Twelve apples.\0"), names=("a.pdf",))
    rng = random.Random(5)
    for _ in range(200):
        odd = bytearray(whole[: rng.randrange(6, len(whole))])
        odd[rng.randrange(4, len(odd))] = rng.randrange(256)
        read_tnef(bytes(odd))
    assert read_tnef(b"PK\3\4") is None


def test_a_data_file_of_outlook_is_refused_with_what_to_do() -> None:
    with pytest.raises(Refused, match=r"archive\.pst is a data file of Outlook .*: export its mails") as refused:
        extract(b"!BDN" + bytes(range(256)) * 4, path="archive.pst")
    assert refused.value.reason == "unsupported"


def test_texts_in_the_pages_of_windows_are_read_under_the_names_that_outlook_gives_them() -> None:
    for page, text in ((950, "豐"), (936, "丰"), (949, "풍"), (932, "豊"), (874, "ไทย")):
        assert text.encode(f"cp{page}").decode(f"windows-{page}") == text


@pytest.mark.parametrize("unit", ["{", "{\\*\\htmltag ", "\\'e4", "\\u8364?", "}", "\\htmlrtf ", "a\\"])
def test_hostile_rtf_is_unwrapped_in_step(unit: str) -> None:
    in_step(lambda size: unwrap_page(b"{\\rtf1\\fromhtml1 " + unit.encode() * size), 2_000, 16_000, most=20)


def test_packed_rtf_is_unpacked_in_step() -> None:
    head = struct.pack("<II4sI", 0, 0, b"LZFu", 0)
    in_step(lambda size: unpack_rtf(head + b"\xff" + b"\0\xff" * 8 * size), 500, 4_000, most=20)
