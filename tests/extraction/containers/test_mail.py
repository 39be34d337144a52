"""Attachments of mails as members: of .eml, .msg, archives of mails and winmail.dat; who may see them."""

import io
from email.message import EmailMessage

import pytest

from ragstone.core.errors import Refused
from ragstone.extraction import sandbox
from ragstone.extraction.containers import (
    Budget,
    Container,
    ContainerLimits,
    is_candidate,
    looks_like_container,
    open_container,
)
from ragstone.extraction.media_types import EML, detect
from tests.extraction.mail.made_msg import Outlook
from tests.extraction.mail.test_outlook import make_attribute, make_tnef

PRICES = b"item,price\nroof,9000\n"
CSV = ("text", "csv", "price list.csv", PRICES)


def make_mail(*files: tuple[str, str, str, bytes], subject: str = "Offer", **headers: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["Subject"], mail["Date"] = "a@x.org", subject, "Mon, 04 Mar 2024 10:00:00 +0100"
    for name, value in headers.items():
        mail[name] = value
    mail.set_content("See below.")
    for main, sub, name, data in files:
        mail.add_attachment(data, maintype=main, subtype=sub, filename=name)
    return mail


def open_mail(data: bytes, path: str = "x.eml") -> Container:
    found = open_container(io.BytesIO(data), path=path, budget=Budget.of(ContainerLimits()))
    assert found is not None
    assert found.is_document
    return found


def read_all(data: bytes, path: str = "x.eml") -> dict[str, bytes]:
    found = open_mail(data, path)
    return {name: found.read(io.BytesIO(data), name, 1000) for name in found.members}


def test_attachments_are_files_and_what_programs_read_is_none() -> None:
    mail = make_mail(
        CSV,
        CSV,
        ("application", "pkcs7-signature", "smime.p7s", b"x"),
        ("application", "octet-stream", "../../etc/passwd", b"x"),
        ("application", "octet-stream", "empty.bin", b""),
    )
    mail.add_attachment(make_mail(("application", "pdf", "plan.pdf", b"%PDF-"), subject="Inner"))
    assert read_all(mail.as_bytes()) == {
        "price list.csv": PRICES,
        "price list (2).csv": PRICES,
        "passwd": b"x",
        "plan.pdf": b"%PDF-",
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (r"C:\Users\ann\offer.csv", "offer.csv"),
        ("/home/ann/offer.csv", "offer.csv"),
        ("C:offer.csv", "offer.csv"),
        ("offer 3/4.csv", "offer 3_4.csv"),
        ("x" * 400 + ".csv", "x" * 196 + ".csv"),
        ("..", "attachment"),
    ],
)
def test_names_of_attachments_lead_nowhere_and_keep_their_endings(name: str, expected: str) -> None:
    assert list(read_all(make_mail(("text", "csv", name, PRICES)).as_bytes())) == [expected]


@pytest.mark.parametrize(
    ("path", "listed"),
    [("INBOX/17", True), ("cur/1532672447.R31.host:2,S", True), ("new/1532672447.M5P2.host", True), ("a.txt", False)],
)
def test_mails_of_a_mail_server_are_known_by_their_headers(path: str, listed: bool) -> None:
    data = make_mail(CSV, **{"Message-ID": "<1@x.org>"}).as_bytes()
    assert detect(data, path) == (EML if listed else "text/plain")
    assert is_candidate(path) is listed
    assert looks_like_container(data, path) is listed
    if listed:
        assert list(open_mail(data, path).members) == ["price list.csv"]
    for other in (b"From: Berlin\nDate: in May\nTo: Rome\n\nTravel", b"Note: " + data[:20] + b"\nno header\n" + data):
        assert not looks_like_container(other, path)
        assert detect(other, path) == "text/plain"


def test_a_mail_without_files_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "get_shared", None)
    assert not open_mail(make_mail().as_bytes()).members


def test_attachments_in_winmail_are_files() -> None:
    tnef = make_tnef(names=("Kisten März.pdf",)) + make_attribute(2, 0x0006800F, b"%PDF-")
    mail = make_mail(("application", "ms-tnef", "winmail.dat", tnef))
    assert read_all(mail.as_bytes()) == {"Kisten März.pdf": b"%PDF-"}
    assert read_all(tnef, "winmail.dat") == {"Kisten März.pdf": b"%PDF-"}
    assert is_candidate("winmail.dat")


def test_files_in_outlook_messages_are_members_also_of_messages_in_them() -> None:
    inner = Outlook("Inner", "x", attachments=[("deep.csv", PRICES)])
    data = Outlook("Offer", "x", attachments=[("price list.csv", PRICES), inner]).to_bytes()
    assert read_all(data, "x.msg") == {"price list.csv": PRICES, "deep.csv": PRICES}


def test_files_of_an_archive_of_mails_lie_below_day_and_subject() -> None:
    mails = [make_mail(CSV), make_mail(CSV, subject="Plans / roof"), make_mail()]
    data = b"".join(b"From a@x.org Mon Mar  4 10:00:00 2024\n" + mail.as_bytes() + b"\n\n" for mail in mails)
    expected = {"2024-03-04 Offer/price list.csv": PRICES, "2024-03-04 Plans _ roof/price list.csv": PRICES}
    assert read_all(data, "INBOX") == expected
    assert read_all(data, "a.mbox") == expected


@pytest.mark.parametrize(
    ("headers", "closed"),
    [
        ({}, False),
        ({"Sensitivity": "private"}, True),
        ({"Confidentiality": "restricted"}, True),
        ({"X-Label": "internal; confidentiality=restricted"}, False),
    ],
)
def test_attachments_of_a_restricted_mail_are_closed(headers: dict[str, str], closed: bool) -> None:
    [member] = open_mail(make_mail(CSV, **headers).as_bytes()).members.values()
    assert bool(member.enclosing.closed) is closed


def test_facts_of_a_mail_have_no_signs_that_control_a_terminal() -> None:
    odd = "=?utf-8?q?Offer=1b[2J=e2=80=ae!=00?="
    data = make_mail(CSV).as_bytes().replace(b"Subject: Offer", f"Subject: {odd}".encode())
    [member] = open_mail(data.replace(b"From: a@x.org", f"From: {odd} <a@x.org>".encode())).members.values()
    assert (member.enclosing.subject, member.enclosing.author) == ("Offer [2J !", "Offer [2J ! <a@x.org>")


@pytest.mark.parametrize(("sensitivity", "closed"), [(0, False), (1, True), (2, True), (3, False)])
def test_attachments_of_an_outlook_message_are_closed_with_it(sensitivity: int, closed: bool) -> None:
    data = Outlook("Offer", "x", attachments=[("prices.csv", PRICES)], sensitivity=sensitivity).to_bytes()
    [member] = open_mail(data, "x.msg").members.values()
    assert bool(member.enclosing.closed) is closed


@pytest.mark.parametrize(
    ("headers", "closed"),
    [({"Sensitivity": "private"}, [True, False]), ({"Confidentiality": "restricted"}, [True, True])],
)
def test_a_restricted_message_closes_an_archive_and_a_private_one_its_own_files(
    headers: dict[str, str], closed: list[bool]
) -> None:
    mails = [make_mail(CSV, **headers), make_mail(CSV, subject="Other")]
    data = b"".join(b"From a@x.org Mon Mar  4 10:00:00 2024\n" + mail.as_bytes() + b"\n\n" for mail in mails)
    assert [bool(member.enclosing.closed) for member in open_mail(data, "INBOX").members.values()] == closed


def test_a_restricted_message_without_files_closes_the_archive_too() -> None:
    mails = [make_mail(CSV), make_mail(Confidentiality="restricted")]
    data = b"".join(b"From a@x.org Mon Mar  4 10:00:00 2024\n" + mail.as_bytes() + b"\n\n" for mail in mails)
    assert [bool(member.enclosing.closed) for member in open_mail(data, "INBOX").members.values()] == [True]


def test_small_files_of_a_mail_are_taken_together(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [("text", "csv", f"{name}.csv", f"{name}\n".encode()) for name in ("a", "a", "c", "b", "large")]
    data = make_mail(*files, ("text", "csv", "large.csv", b"x" * 90)).as_bytes()
    monkeypatch.setattr("ragstone.extraction.containers.parsed.TOGETHER", 30)
    pool, taken = sandbox.get_shared(), []

    class Counted:
        def draw(self, drawer: str, *args: object, **options: object) -> bytes:
            taken.append(drawer)
            return pool.draw(drawer, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(sandbox, "get_shared", Counted)
    read = read_all(data)
    assert {name: content[:5] for name, content in read.items()} == {
        "a.csv": b"a\n",
        "a (2).csv": b"a\n",
        "b.csv": b"b\n",
        "c.csv": b"c\n",
        "large.csv": b"large",
        "large (2).csv": b"xxxxx",
    }
    assert len(taken) <= 1 + 4


def test_what_is_no_mail_is_not_said_to_have_no_files() -> None:
    [problem] = open_mail(b"no mail").problems
    assert (problem.name, problem.reason) == ("/", "broken")
    with pytest.raises(Refused, match="is empty"):
        open_mail(b"")
    with pytest.raises(Refused, match="nothing but zeros"):
        open_mail(bytes(100))


@pytest.mark.parametrize("path", ["x.msg", "x.oft", "x.mbox"])
def test_of_a_mail_whose_start_is_damaged_the_attachments_are_not_known(path: str) -> None:
    mbox = b"From a@x.org Mon Mar  4 10:00:00 2024\n" + make_mail(CSV).as_bytes()
    whole = mbox + bytes(range(256)) if path == "x.mbox" else Outlook("Offer", "x", attachments=[CSV[2:]]).to_bytes()
    assert not open_mail(whole, path).problems
    [problem] = open_mail(b"\0\x01\x02" * 100 + whole[300:], path).problems
    assert (problem.name, problem.reason) == ("/", "broken")


def test_mails_behind_a_damaged_start_of_an_archive_keep_their_attachments() -> None:
    mails = [b"From a@x.org Mon Mar  4 10:00:00 2024\n" + make_mail(CSV, subject=name).as_bytes() for name in "AB"]
    assert list(read_all(b"xx" + b"\n\n".join(mails)[2:], "a.mbox")) == ["2024-03-04 B/price list.csv"]


def test_a_mail_that_takes_too_long_is_told_and_its_attachments_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        def draw(self, *_args: object, **_options: object) -> bytes:
            raise Refused("too_slow", "x.eml took too long")

    monkeypatch.setattr(sandbox, "get_shared", Slow)
    [problem] = open_mail(make_mail(CSV).as_bytes()).problems
    assert (problem.name, problem.reason) == ("/", "too_slow")


@pytest.mark.parametrize("answer", [b"\xff", b"\x91\x92\x01\x02", b"\x91\x97\xa1a\xa1b\x05\xa0\x00\x00"])
def test_nothing_that_the_process_answers_is_believed(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd:
        def draw(self, *_args: object, **_options: object) -> bytes:
            return answer

    monkeypatch.setattr(sandbox, "get_shared", Odd)
    assert not open_mail(make_mail(CSV).as_bytes()).members
