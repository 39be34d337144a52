"""Mails: headers, the message among the parts, everything else by name."""

import random

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction.labelled_bytes import decode_bytes
from ragstone.extraction.mail.eml import parse_eml
from ragstone.extraction.mail.mime import decode_header

HEAD = "From: =?utf-8?q?Ann_M=C3=BCller?= <ann@x.org>\r\nTo: bob@y.org, Cy <cy@z.org>\r\nSubject: The\r\n plan\r\n"
DATE = "Date: Fri, 05 Jan 2024 10:00:00 +0100\r\n"


def part(kind: str, text: str, more: str = "") -> str:
    return f"--b\r\nContent-Type: {kind}\r\n{more}\r\n{text}\r\n"


def several(*parts: str, kind: str = "alternative") -> bytes:
    return (f'{HEAD}{DATE}Content-Type: multipart/{kind}; boundary="b"\r\n\r\n{"".join(parts)}--b--\r\n').encode()


def test_the_headers_come_first_and_then_the_message() -> None:
    extraction = parse_eml(f"{HEAD}{DATE}\r\nHello.\r\n\r\nBye.\r\n".encode(), path="a.eml")
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
    assert parse_eml(several(part("text/plain", "HEAD\n\nPaged words."), page), path="a").record.endswith(
        "HEAD\n\nPaged words."
    )
    assert parse_eml(several(page), path="a").record.endswith("## Head\n\nPaged words.")


def test_attachments_are_named_and_read_elsewhere() -> None:
    attached = part("text/plain", "secret", 'Content-Disposition: attachment; filename="a.txt"\r\n')
    extraction = parse_eml(several(part("text/plain", "Hello."), attached, kind="mixed"), path="a")
    assert "secret" not in extraction.record
    assert extraction.meta["attachments"] == ["a.txt"]
    assert extraction.warnings == ()


def test_encodings_are_undone() -> None:
    text = part("text/plain; charset=iso-8859-1", "caf=E9", "Content-Transfer-Encoding: quoted-printable\r\n")
    assert parse_eml(several(text), path="a").record.endswith("café")
    unknown = part("text/plain; charset=no-such", "plain")
    assert parse_eml(several(unknown), path="a").record.endswith("plain")


def test_only_parts_that_say_the_same_stand_for_each_other() -> None:
    page, footer = part("text/html", "<p>The message.</p>"), part("text/plain", "_____\nThe list's footer.")
    assert parse_eml(several(page, footer, kind="mixed"), path="a").record.endswith(
        "The message.\n\n_____\nThe list's footer."
    )


def test_the_page_is_read_where_the_text_is_only_a_stub() -> None:
    page = part("text/html", "<p>The report of this week</p><table><tr><th>a<th>b<tr><td>1<td>2</table>")
    extraction = parse_eml(several(part("text/plain", "Please view this mail as HTML."), page), path="a")
    assert extraction.record.endswith("The report of this week\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    assert extraction.warnings == ()


def test_attachments_beside_a_page_that_is_not_read_are_named() -> None:
    attached = part("application/pdf", "x", 'Content-Disposition: attachment; filename="a.pdf"\r\n')
    parts = f"{part('text/html', '<p>Words</p>')}{attached}".replace("--b", "--c")
    inner = part('multipart/mixed; boundary="c"', f"{parts}--c--")
    extraction = parse_eml(several(part("text/plain", "Words"), inner), path="a")
    assert extraction.record.endswith("\n\nWords")
    assert (extraction.meta["attachments"], extraction.warnings) == (["a.pdf"], ())


def test_texts_of_other_types_are_read() -> None:
    invitation = part("text/calendar; method=REQUEST", "BEGIN:VCALENDAR\r\nSUMMARY:Meet\r\n ing\r\nEND:VCALENDAR")
    assert "SUMMARY:Meeting" in parse_eml(several(part("text/plain", "x"), invitation, kind="mixed"), path="a").record
    rich = part("text/enriched", "<bold>Loud</bold> <color><param>red</param>a << b</color>")
    assert parse_eml(several(rich, kind="mixed"), path="a").record.endswith("\n\nLoud a < b")
    page = part("application/xhtml+xml", '<html xmlns="http://www.w3.org/1999/xhtml"><p>Paged</p></html>')
    assert parse_eml(several(page, kind="mixed"), path="a").record.endswith("\n\nPaged")


def test_what_was_not_read_is_named() -> None:
    parts = (part("text/plain", "x"), part("text/calendar", "BEGIN"), part("application/octet-stream", "\x01"))
    assert parse_eml(several(*parts), path="a").warnings == (
        "parts were not read: text/calendar, application/octet-stream",
    )
    signed = several(part("text/plain", "x"), part("application/pgp-signature", "-----BEGIN"), kind="signed")
    assert parse_eml(signed, path="a").warnings == ()
    many = [part("image/png", "x", f'Content-Disposition: attachment; filename="{n}.png"\r\n') for n in range(30)]
    assert len(parse_eml(several(part("text/plain", "x"), *many, kind="mixed"), path="a").meta["attachments"]) == 30


@pytest.mark.parametrize(
    ("kind", "reason"), [("octet-stream", "unsupported"), ("pkcs7-mime", "encrypted"), ("pgp-encrypted", "encrypted")]
)
def test_a_mail_of_which_nothing_is_read_is_refused(kind: str, reason: str) -> None:
    with pytest.raises(Refused, match="encrypted" if reason == "encrypted" else "octet-stream") as caught:
        parse_eml(f"{HEAD}Content-Type: application/{kind}\r\n\r\nabc".encode(), path="a.eml")
    assert caught.value.reason == reason


@pytest.mark.parametrize("boundary", ["", "; boundary=other"])
@pytest.mark.parametrize("divider", ["--b", "------=_Next_1"])
def test_parts_are_found_where_the_mail_does_not_say_how(boundary: str, divider: str) -> None:
    coded = part("text/plain; charset=utf-8", "caf=C3=A9", "Content-Transfer-Encoding: quoted-printable\r\n")
    data = several(coded, kind="mixed").replace(b'; boundary="b"', boundary.encode()).replace(b"--b", divider.encode())
    extraction = parse_eml(data, path="a")
    assert extraction.record.endswith("\n\ncafé")
    assert len(extraction.warnings) == 1
    whole = parse_eml(f"{HEAD}Content-Type: multipart/mixed\r\n\r\nJust words.".encode(), path="a")
    assert whole.record.endswith("\n\nJust words.")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_headers_and_names_in_bytes_are_read(encoding: str) -> None:
    attached = part("text/plain", "x", 'Content-Disposition: attachment; filename="Größe.txt"\r\n')
    head = "From: Jürgen <j@x.org>\r\nSubject: Über =?utf-8?q?gro=C3=9F?=\r\n"
    text = several(part("text/plain", "x"), attached, kind="mixed").decode().replace(HEAD, head)
    extraction = parse_eml(text.encode(encoding), path="a.eml")
    assert extraction.title == "Über groß"
    assert extraction.meta["author"] == "Jürgen <j@x.org>"
    assert extraction.meta["attachments"] == ["Größe.txt"]


@pytest.mark.parametrize(
    "name", ["filename*=utf-8''Gr%C3%B6%C3%9Fe", 'filename="=?utf-8?b?R3LDtg==?= =?utf-8?b?w59l?="', 'filename="Größe"']
)
def test_names_of_attachments_are_decoded(name: str) -> None:
    attached = part("image/png", "x", f"Content-Disposition: attachment; {name}\r\n")
    assert parse_eml(several(part("text/plain", "x"), attached), path="a").meta["attachments"] == ["Größe"]


def test_a_letter_parted_between_two_words_is_one() -> None:
    assert decode_header("=?utf-8?q?a=C3?=\r\n =?utf-8?q?=A9?= b =?iso-8859-1?q?_=E9?=\t=?x?q?c?=") == "aé b éc"
    assert decode_header("=?utf-8?b?%%%=?= =?nothing") == "=?nothing"


def test_a_comma_within_a_name_parts_nobody() -> None:
    data = "From: a@b.c\r\nTo: =?utf-8?q?M=C3=BCller=2C_Ann?= <ann@x.org>\r\nSubject: s\r\n\r\nx"
    assert parse_eml(data.encode(), path="a").meta["to"] == ["ann@x.org"]


def test_all_receivers_are_kept_and_long_headers_cut_with_a_warning() -> None:
    people = ", ".join(f"Person {n} <p{n}@x.org>" for n in range(300))
    extraction = parse_eml(f"From: a@b.c\r\nTo: {people}\r\nSubject: {'s' * 3000}\r\n\r\nx".encode(), path="a")
    assert "Person 299 <p299@x.org>" in extraction.record
    assert extraction.meta["to"][-1] == "p299@x.org"
    assert extraction.warnings == ("Subject was cut at 2,000 characters",)


def test_only_charsets_decode() -> None:
    coded = part("text/plain; charset=unicode_escape", "C:\\new \\x41")
    assert parse_eml(several(coded), path="a").record.endswith("C:\\new \\x41")
    assert parse_eml(several(part("text/plain; charset=utf-7", "H+AOQ-llo")), path="a").record.endswith("Hällo")
    half = "From: a@b.c\nSubject: =?utf-7?q?H+2AA-i?=\nContent-Type: text/plain; charset=utf-7\n\nh+2AA-i"
    assert parse_eml(half.encode(), path="a").record.count("\ufffd") == 2  # half a character, which no text can hold
    assert decode_bytes("größe".encode(), "iso-8859-1") == decode_bytes("größe".encode("cp1252"), "us-ascii") == "größe"
    assert decode_bytes("联通".encode("gbk"), "gb2312") == "联通"


@pytest.mark.parametrize(
    ("data", "reason"), [(b"no mail at all", "broken"), (b"From: a@b.c\n\n", "empty"), (b"\0" * 99, "broken")]
)
def test_what_is_no_mail_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_eml(data, path="a.eml")
    assert caught.value.reason == reason


def test_parts_nested_by_the_thousand_are_read_or_refused() -> None:
    data = (
        HEAD + "".join(f'Content-Type: multipart/mixed; boundary="{n}"\r\n\r\n--{n}\r\n' for n in range(3000)) + "\r\nx"
    )
    with pytest.raises(Refused, match="not a readable mail"):
        parse_eml(data.encode(), path="a")


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
            read += bool(parse_eml(bytes(broken), path="a.eml").record)
        except Refused:
            continue
    assert read > 100
