"""Mails: headers, one body, attachments by name."""

import random

import pytest

from ragstone.errors import Refused
from ragstone.extract.eml import parse

HEAD = "From: =?utf-8?q?Ann_M=C3=BCller?= <ann@x.org>\r\nTo: bob@y.org, Cy <cy@z.org>\r\nSubject: The\r\n plan\r\n"
DATE = "Date: Fri, 05 Jan 2024 10:00:00 +0100\r\n"


def part(kind: str, text: str, more: str = "") -> str:
    return f"--b\r\nContent-Type: {kind}\r\n{more}\r\n{text}\r\n"


def several(*parts: str, kind: str = "alternative") -> bytes:
    return (f'{HEAD}{DATE}Content-Type: multipart/{kind}; boundary="b"\r\n\r\n{"".join(parts)}--b--\r\n').encode()


def test_the_headers_come_first_and_then_the_message() -> None:
    extraction = parse(f"{HEAD}{DATE}\r\nHello.\r\n\r\nBye.\r\n".encode(), path="a.eml")
    assert extraction.record == (
        "# The plan\n\nFrom: Ann Müller <ann@x.org>\nTo: bob@y.org, Cy <cy@z.org>\n"
        "Date: Fri, 05 Jan 2024 10:00:00 +0100\n\nHello.\n\nBye."
    )
    assert extraction.title == "The plan"
    assert extraction.meta == {
        "author": "Ann Müller <ann@x.org>",
        "to": ["bob@y.org", "cy@z.org"],
        "date": "2024-01-05T10:00:00+01:00",
    }


def test_plain_text_goes_before_the_page_and_the_page_is_read_where_there_is_none() -> None:
    page = part("text/html", "<h2>Head</h2><p>Paged words.</p>")
    assert parse(several(part("text/plain", "Plain."), page), path="a").record.endswith("Plain.")
    assert parse(several(page), path="a").record.endswith("## Head\n\nPaged words.")


def test_attachments_are_named_and_not_read() -> None:
    attached = part("text/plain", "secret", 'Content-Disposition: attachment; filename="a.txt"\r\n')
    extraction = parse(several(part("text/plain", "Hello."), attached, kind="mixed"), path="a")
    assert "secret" not in extraction.record
    assert extraction.meta["attachments"] == ["a.txt"]
    assert extraction.warnings == ("attachments were not read: a.txt",)


def test_encodings_are_undone() -> None:
    text = part("text/plain; charset=iso-8859-1", "caf=E9", "Content-Transfer-Encoding: quoted-printable\r\n")
    assert parse(several(text), path="a").record.endswith("café")
    unknown = part("text/plain; charset=no-such", "plain")
    assert parse(several(unknown), path="a").record.endswith("plain")


@pytest.mark.parametrize(
    ("data", "reason"), [(b"no mail at all", "broken"), (b"From: a@b.c\n\n", "empty"), (b"\0" * 99, "broken")]
)
def test_what_is_no_mail_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        parse(data, path="a.eml")
    assert caught.value.reason == reason


def test_parts_nested_by_the_thousand_are_read_or_refused() -> None:
    data = (
        HEAD + "".join(f'Content-Type: multipart/mixed; boundary="{n}"\r\n\r\n--{n}\r\n' for n in range(3000)) + "\r\nx"
    )
    with pytest.raises(Refused, match="no mail that can be read"):
        parse(data.encode(), path="a")


def test_damaged_mails_are_read_or_refused() -> None:
    page = part("text/html; charset=utf-8", "PGI+eDwvYj4=", "Content-Transfer-Encoding: base64\r\n")
    data = several(
        page, part("text/plain", "x", "Content-Disposition: attachment; filename*=utf-8''a%20b\r\n"), kind="mixed"
    )
    chance = random.Random(3)
    pieces = (b"", b"=?", b"?=", b'"', b";", b"\xff\xfe", b"\r\n", b"=?x?b?", b"*0*=", b"\0")
    read = 0
    for _ in range(300):
        broken = bytearray(data)
        for _ in range(chance.randint(1, 8)):
            at = chance.randrange(len(broken))
            broken[at : at + chance.randint(0, 6)] = chance.choice(pieces)
        try:
            read += bool(parse(bytes(broken), path="a.eml").record)
        except Refused:
            continue
    assert read > 100
