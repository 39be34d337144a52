"""Archives of mails: where messages begin, what of each is read, and what is told of all."""

import mailbox
import random
from contextlib import suppress
from email.message import EmailMessage
from pathlib import Path

import pytest

from ragstone.chunking import Characters, make_chunker
from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction import detect, extract
from ragstone.extraction.mail.mbox import parse_mbox
from ragstone.extraction.media_types import MBOX
from tests.speed import in_step

LINE = "From dana at example.org  Mon Mar  4 10:11:12 2024\n"
HEAD = "From: dana at example.org (Dana =?utf-8?q?M=C3=BCller?=)\nDate: Mon, 4 Mar 2024 10:11:12 +0100\n"


def message(subject: str, text: str, line: str = LINE, head: str = HEAD) -> str:
    return f"{line}{head}Subject: {subject}\n\n{text}\n\n"


def read(text: str | bytes) -> Extraction:
    return parse_mbox(text.encode() if isinstance(text, str) else text, path="list.mbox")


def headings(found: Extraction) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in found.blocks if block.type == "heading"]


def test_each_message_is_a_section_with_sender_and_date() -> None:
    found = read(message("Harvest\n plan", "We pick on Saturday.") + message("Re: Harvest", "Good."))
    assert found.record == (
        "# Harvest plan\n\nFrom: dana at example.org (Dana Müller)\nDate: Mon, 4 Mar 2024 10:11:12 +0100\n\n"
        "We pick on Saturday.\n\n"
        "# Re: Harvest\n\nFrom: dana at example.org (Dana Müller)\nDate: Mon, 4 Mar 2024 10:11:12 +0100\n\nGood."
    )
    assert found.media_type == MBOX
    assert found.meta == {"messages": 2}
    assert found.warnings == ()


def make_mail(subject: str, text: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Dana Müller <dana@example.org>", subject
    mail.set_content(text, cte="base64")
    mail.add_alternative(f"<h1>{subject}</h1><p>{text}</p>", subtype="html")
    mail.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="plan.pdf")
    return mail


def test_an_archive_that_python_writes_is_read_whole(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "INBOX")
    for number in range(3):
        box.add(make_mail(f"Äpfel {number}", f"Größe {number}.\n\nFrom the west we go east.\n"))
    box.close()
    data = (tmp_path / "INBOX").read_bytes()
    found = extract(data, path="INBOX")
    assert headings(found) == [(1, "Äpfel 0"), (1, "Äpfel 1"), (1, "Äpfel 2")]
    assert found.record.count("\n\nFrom the west we go east.") == 3
    assert "Größe 2." in found.record
    assert "--===" not in found.record
    assert "Attachments: plan.pdf" in found.record
    assert found.warnings == ()


@pytest.mark.parametrize(
    "line",
    [
        LINE,
        LINE.replace("\n", "\r\n"),
        "From 1795483749483749384@xxx Mon Mar 04 10:11:12 +0000 2024\n",
        "From - Mon Mar 04 10:11:12 2024\n",
        "From dana@example.org Mon Mar  4 10:11 CET 2024\n",
        "From MAILER-DAEMON Mon Mar  4 10:11:12 2024\n>From dana@example.org Mon Mar  4 10:11:12 2024\n",
        "From \n",
        "From -\n",
    ],
)
def test_lines_of_many_writers_part_messages(line: str) -> None:
    text = message("One", "First.", line) + message("Two", "Second.", line)
    assert detect(text.encode(), "archive") == MBOX
    assert headings(read(text)) == [(1, "One"), (1, "Two")]


def test_messages_part_at_dated_lines_without_a_blank_line_between() -> None:
    assert headings(read((message("One", "First.") + message("Two", "Second.")).replace(".\n\n", ".\n"))) == [
        (1, "One"),
        (1, "Two"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "From the beginning, the desk was open.\n\nNo more.\n",
        "From Monday to Friday, 10:00 to 12:00:\nNote: closed on Sunday\n",
        "From Mon Mar 4 10:11 on we meet weekly.\nSubject: apples\n\nText.\n",
        "From Mon to Fri 10:00 we are open\nDate: see below\nTo: all\n\nText.\n",
        "From Anna\nTo: Bob\nSubject: tea\n\nText.\n",
        "From: Dana\nSubject: Tea\n\nAt four.\n",
        "From dana Mon Mar  4 10:11:12 2024\n\nFrom: x\nSubject: y\n",
    ],
)
def test_prose_is_no_archive(text: str) -> None:
    assert detect(text.encode(), "notes.txt") == "text/plain"


def test_lines_of_a_message_that_begin_so_stay_in_it() -> None:
    text = ">From here.\n>>From there.\n\nFrom Monday to Friday, 10:00:\nNote: open\n\nFrom now on\nSee: below"
    text += "\nFrom Mon to Fri 10:00 to 18:00\nSat: closed\n\nFrom the team\nTo: all\nDate: Monday"
    found = read(message("One", text) + message("Two", "."))
    assert headings(found) == [(1, "One"), (1, "Two")]
    assert "\n\nFrom here.\n>From there.\n\nFrom Monday to Friday, 10:00:\nNote: open\n\nFrom now on\n" in found.record
    assert "\nFrom Mon to Fri 10:00 to 18:00\nSat: closed\n\nFrom the team\nTo: all\n" in found.record


def test_headings_of_a_message_stand_below_its_subject_and_missing_subjects_have_a_name() -> None:
    page = "<h1>Apples</h1><p>Red.</p>"
    found = read(
        message("One", page, head=f"{HEAD}Content-Type: text/html\n") + message("", "Words.") + message("Two", ".")
    )
    assert headings(found) == [(1, "One"), (2, "Apples"), (1, "(no subject)"), (1, "Two")]


def test_a_message_is_never_one_chunk_with_half_of_another() -> None:
    text = "".join(message(f"Subject {n}", f"Words of message {n}. " * 40) for n in range(9))
    pieces = make_chunker("structure", tokenizer=Characters(), options={"tokens": 300, "cap": 400}).cut(read(text))
    assert len(pieces) == 9
    for number, piece in enumerate(pieces):
        assert piece.heading_path == (f"Subject {number}",)
        assert "Dana Müller" in piece.text


def test_what_is_no_message_is_kept_as_text() -> None:
    found = read("Words before.\n\n" + message("One", "First.") + f"{LINE}Odd: x\n\nLast words.\n")
    assert found.record.startswith("Words before.\n\n# One\n\n")
    assert found.record.endswith("# Message 2\n\nOdd: x\n\nLast words.")
    assert found.warnings == ("messages that could not be read were kept as plain text, counted from the first: 2",)
    assert read("Just words.\n").warnings == ("no message begins in this file; it was kept as plain text",)


def test_notes_on_many_messages_are_few() -> None:
    picture = "Content-Type: text/plain\nContent-Transfer-Encoding: 8bit\n"
    rng = random.Random(4)
    runs = ["".join(rng.choices("abcXYZ0189", k=1000 + n)) for n in range(30)]
    warnings = read("".join(message("S", run, head=HEAD + picture) for run in runs)).warnings
    assert len(warnings) == 21
    assert warnings[-1] == "10 more notes on messages are not listed"


def test_a_restricted_message_closes_its_archive() -> None:
    text = message("One", ".") + message("Two", "The word confidentiality: restricted is said here.")
    assert "confidentiality" not in read(text).meta
    closed = text + message("Three", ".", head=f"{HEAD}X-Confidentiality: Restricted\n")
    assert read(closed).meta["confidentiality"] == "restricted"


def test_an_archive_with_zero_bytes_or_a_wrong_charset_is_read() -> None:
    head = f"{HEAD}Content-Type: text/plain; charset=utf-8\n"
    data = message("One", "caf\u00e9 \0here", head=head).encode("latin-1", "replace") + message("Two", "!").encode()
    found = extract(data, path="INBOX")
    assert found.media_type == MBOX
    assert "here" in found.record
    assert "\0" not in found.record


def test_no_cut_leads_anywhere_but_to_text() -> None:
    data = make_mail("Äpfel", "Größe. " * 40).as_bytes()
    text = LINE.encode() + data + b"\n" + LINE.encode() + data
    rng = random.Random(5)
    for _ in range(150):
        broken = bytearray(text[: rng.randrange(60, len(text))])
        for _ in range(rng.randrange(4)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        with suppress(Refused):
            read(bytes(broken))


@pytest.mark.parametrize("line", [LINE, "From \n", "From mon mon 1:1 mon 1:11 " * 20 + "\n", "From \nFrom: x\n"])
def test_many_lines_take_time_in_step_with_their_number(line: str) -> None:
    in_step(lambda size: read(message("S", "Words.") + size * message("S", line)), 150, 1200, most=20)
