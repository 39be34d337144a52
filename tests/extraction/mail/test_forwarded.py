"""Mails within mails, invitations, and what marks a mail as not for everyone, in each format of mails."""

import base64
from email.message import EmailMessage

import pytest

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction import extract
from ragstone.extraction.mail.eml import parse_eml
from ragstone.extraction.mail.mbox import parse_mbox
from ragstone.extraction.mail.message import NESTED
from ragstone.extraction.mail.msg import parse_msg
from tests.extraction.mail.made_msg import Outlook
from tests.speed import grows_in_step

FROM = "From dana@example.org Mon Mar  4 10:11:12 2024\n"


def mail(subject: str, text: str = "", sender: str = "Bo <bo@x.org>") -> EmailMessage:
    made = EmailMessage()
    made["Subject"], made["From"], made["Date"] = subject, sender, "Mon, 4 Mar 2024 10:11:12 +0100"
    made.set_content(text)
    return made


def forward(subject: str, text: str, *inner: EmailMessage) -> EmailMessage:
    made = mail(subject, text, "Ann <ann@x.org>")
    for one in inner:
        made.add_attachment(one)
    return made


def read(made: EmailMessage) -> Extraction:
    return parse_eml(made.as_bytes(), path="a.eml")


def headings(found: Extraction) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in found.blocks if block.type == "heading"]


def test_a_forwarded_mail_is_a_section_with_subject_sender_date_and_text() -> None:
    found = read(forward("Fwd: Pears", "See below.", mail("Pears", "Forty crates on Friday.")))
    assert found.record.endswith(
        "See below.\n\n## Pears\n\nFrom: Bo <bo@x.org>\nDate: Mon, 04 Mar 2024 10:11:12 +0100\n\n"
        "Forty crates on Friday."
    )
    assert found.title == "Fwd: Pears"
    assert found.warnings == ()
    assert "attachments" not in found.meta


def test_a_forwarded_mail_alone_is_the_text_of_a_mail() -> None:
    page = mail("Plums")
    page.set_content("<h1>Plums</h1><p>Ten crates.</p>", subtype="html")
    made = EmailMessage()
    made["From"] = "ann@x.org"
    made.set_content(page)
    found = read(made)
    assert headings(found) == [(2, "Plums"), (3, "Plums")]
    assert found.record.endswith("Ten crates.")


def test_attachments_of_forwarded_mails_are_named_there() -> None:
    inner = mail("Pears", "Look.")
    inner.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="crates.pdf")
    found = read(forward("Fwd", "x", inner))
    assert "Attachments: crates.pdf\n\nLook." in found.record
    assert found.warnings == ()
    assert found.meta["attachments"] == ["crates.pdf"]


@pytest.mark.parametrize("kind", ["message/rfc822", "application/octet-stream"])
@pytest.mark.parametrize("disposition", ["attachment", "inline"])
def test_a_mail_that_its_sender_packed_as_a_file_is_read(kind: str, disposition: str) -> None:
    packed = base64.encodebytes(mail("Pears", "Forty crates.").as_bytes()).decode()
    data = (
        'From: a@x.org\nSubject: Fwd\nContent-Type: multipart/mixed; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nx\n"
        f'--b\nContent-Type: {kind}; name="Pears.eml"\nContent-Disposition: {disposition}; filename="Pears.eml"\n'
        f"Content-Transfer-Encoding: base64\n\n{packed}\n--b--\n"
    )
    found = parse_eml(data.encode(), path="a.eml")
    assert headings(found) == [(1, "Fwd"), (2, "Pears")]
    assert found.record.endswith("Forty crates.")
    assert found.warnings == ()


def test_a_digest_is_read_mail_by_mail() -> None:
    parts = "".join(f"--b\n\nFrom: p{n}@x.org\nSubject: Topic {n}\n\nText {n}.\n" for n in range(30))
    head = 'From: list@x.org\nSubject: Digest\nContent-Type: multipart/digest; boundary="b"\n\n'
    found = parse_eml(f"{head}{parts}--b--\n".encode(), path="a.eml")
    assert headings(found) == [(1, "Digest"), *((2, f"Topic {n}") for n in range(30))]


def test_a_mail_beside_the_page_of_an_alternative_is_read() -> None:
    made = mail("Fwd", "Words.")
    made.add_alternative("<p>Words.</p>", subtype="html")
    page = made.get_payload()[1]  # type: ignore[index]
    assert isinstance(page, EmailMessage)
    page.add_attachment(mail("Pears", "Forty crates."))
    assert read(made).record.endswith("Forty crates.")


def test_forwarded_mails_are_read_in_archives_and_below_their_mail() -> None:
    inner = forward("Second", "two", mail("Third", "Forty crates."))
    data = FROM.encode() + forward("First", "one", inner).as_bytes() + b"\n" + FROM.encode() + mail("Next").as_bytes()
    found = parse_mbox(data, path="a.mbox")
    assert headings(found) == [(1, "First"), (2, "Second"), (3, "Third"), (1, "Next")]
    assert "Forty crates." in found.record


@pytest.mark.parametrize("head", [24, 32])
def test_messages_within_outlook_messages_are_read_and_files_are_named(head: int) -> None:
    inner = Outlook("Pears", "Forty crates.", "Bo", ["crates.pdf", Outlook("Plums", "Ten crates.", "Cy")], head=head)
    found = parse_msg(Outlook("Fwd: Pears", "See below.", attachments=[inner]).to_bytes(), path="a.msg")
    assert headings(found) == [(1, "Fwd: Pears"), (2, "Pears"), (3, "Plums")]
    assert 'From: "Bo" <bo@x.org>\nAttachments: crates.pdf\n\nForty crates.' in found.record
    assert found.record.endswith('From: "Cy" <cy@x.org>\n\nTen crates.')
    assert found.warnings == ()


def test_mails_nested_deeper_than_is_sane_are_counted_in_a_warning() -> None:
    made, outlook = mail("Mail 0", "The innermost."), Outlook("Mail 0", "The innermost.")
    for number in range(1, NESTED + 5):
        made, outlook = forward(f"Mail {number}", "x", made), Outlook(f"Mail {number}", "x", attachments=[outlook])
    for found in (read(made), parse_msg(outlook.to_bytes(), path="a.msg")):
        assert len(headings(found)) == NESTED + 1
        assert "innermost" not in found.record
        assert found.warnings == (f"mails that are forwarded more than {NESTED} deep were not read: 1",)


def test_mails_nested_by_the_hundred_are_read_and_by_the_thousand_refused() -> None:
    data = [
        "".join(f"From: a{n}@x.org\nContent-Type: message/rfc822\n\n" for n in range(count)) for count in (99, 3000)
    ]
    assert "a10@x.org" in parse_eml(data[0].encode() + b"Subject: x\n\nx", path="a.eml").record
    with pytest.raises(Refused) as caught:
        parse_eml(data[1].encode() + b"Subject: x\n\nx", path="a.eml")
    assert caught.value.reason == "broken"
    assert "its parts are nested too deeply" in str(caught.value)


def test_a_mail_is_read_whose_attached_mail_is_broken() -> None:
    made = mail("Fwd", "Forty crates.")
    deep = b"".join(b"From: a@x.org\nContent-Type: message/rfc822\n\n" for _ in range(3000))
    made.add_attachment(deep, maintype="application", subtype="octet-stream", filename="deep.eml")
    found = read(made)
    assert found.record.endswith("Forty crates.")
    assert found.meta["attachments"] == ["deep.eml"]


def test_forwarded_mails_are_read_in_time_in_step_with_their_number() -> None:
    part = "--b\nContent-Type: message/rfc822\n\nFrom: a@x.org\nSubject: s\n\nWords.\n"
    head = 'From: a@x.org\nContent-Type: multipart/mixed; boundary="b"\n\n'
    grows_in_step(lambda n: parse_eml((head + part * n).encode(), path="a.eml"), (100, 200, 400, 800))


@pytest.mark.parametrize("kind", ["mixed", "alternative"])
@pytest.mark.parametrize("more", ["", '; name="invite.ics"'])
def test_an_invitation_says_when_and_where(kind: str, more: str) -> None:
    calendar = (
        "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nSUMMARY:Harvest plan\n"
        "DTSTART;TZID=Europe/Berlin:20240914T060000\nLOCATION:Barn\\, north gate\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    data = (
        f'From: a@x.org\nSubject: Invitation\nContent-Type: multipart/{kind}; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nPlease join.\n"
        f"--b\nContent-Type: text/calendar; method=REQUEST{more}\n\n{calendar}--b--\n"
    )
    found = parse_eml(data.encode(), path="a.eml")
    assert found.record.endswith(
        "Please join.\n\n## Harvest plan\n\nStart: 2024-09-14 06:00 Europe/Berlin\nLocation: Barn, north gate"
    )
    assert found.warnings == ()


def test_a_container_of_outlook_is_named_with_what_to_do() -> None:
    made = mail("Report", "See the file.")
    made.add_attachment(b'x\x9f>"', maintype="application", subtype="ms-tnef", filename="winmail.dat")
    [warning] = read(made).warnings
    assert warning.startswith("winmail.dat was not read")
    assert "ask the sender" in warning
    assert read(made).record.endswith("See the file.")


@pytest.mark.parametrize("header", ["Sensitivity: private", "Sensitivity: Personal", "X-Confidentiality: restricted"])
def test_a_mail_that_holds_one_that_is_not_for_everyone_is_restricted(header: str) -> None:
    inner = mail("Salaries", "4711 apples.")
    inner[header.partition(":")[0]] = header.partition(": ")[2]
    made = forward("Fwd", "x", forward("Fwd", "y", inner))
    for found in (extract(made.as_bytes(), path="a.eml"), extract(inner.as_bytes(), path="a.eml")):
        assert found.meta["confidentiality"] == "restricted"
        assert any("treated as restricted" in warning for warning in found.warnings)
    archive = parse_mbox(FROM.encode() + made.as_bytes(), path="a.mbox")
    assert ("confidentiality" in archive.meta) == (header == "X-Confidentiality: restricted")
    private = "1 mail is marked as personal or private (Sensitivity); all who search the archive find them"
    assert (private in archive.warnings) == header.startswith("Sensitivity")


def test_a_mail_for_the_whole_company_is_not_restricted() -> None:
    inner = mail("Prices")
    inner["Sensitivity"] = "Company-Confidential"
    for made in (inner, forward("Fwd", "x", inner), forward("Fwd", "x", mail("Prices"))):
        assert "confidentiality" not in extract(made.as_bytes(), path="a.eml").meta


def test_outlook_messages_that_are_private_are_restricted() -> None:
    for made in (Outlook("a", "b", sensitivity=2), Outlook("a", "b", attachments=[Outlook("c", "d", sensitivity=1)])):
        assert parse_msg(made.to_bytes(), path="a.msg").meta["confidentiality"] == "restricted"
    assert "confidentiality" not in parse_msg(Outlook("a", "b").to_bytes(), path="a.msg").meta
