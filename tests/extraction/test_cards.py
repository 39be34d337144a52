"""Calendars and address cards: a section for each event or card, its values as people read them."""

import pytest

from ragstone.core.types import Extraction
from ragstone.extraction import detect, extract
from tests.speed import in_step

EVENT = """\
BEGIN:VEVENT
UID:1@example.org
DTSTAMP:20240101T000000Z
DTSTART;TZID=Europe/Berlin:20240914T060000
DTEND:20240914T100000Z
SUMMARY:Harvest\\, first day
LOCATION:West orchard\\; gate 3
ORGANIZER;CN="Dana Müller":mailto:dana@example.org
ATTENDEE;CN=Eli Stone;PARTSTAT=ACCEPTED:mailto:eli@exa
 mple.org
ATTENDEE;CN="Stone, Kay":MAILTO:kay@example.org
DESCRIPTION:Bring ladders.\\nThe apples go to the pre
\tss.\\n\\nPark behind the barn.
BEGIN:VALARM
DESCRIPTION:Never shown
END:VALARM
END:VEVENT
"""
TASK = "BEGIN:VTODO\nSUMMARY:Order boxes\nDUE;VALUE=DATE:20240901\nEND:VTODO\n"
OLD = """\
BEGIN:VCARD
VERSION:2.1
N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;Dana
TEL;WORK;VOICE:+44 1204 123456
TEL;CELL:+44 7700 900123
NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Knows the pre=
ss in K=C3=B6ln=0D=0ACall before nine.
PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD
 /2wBDAAMCAgICAgMCAgID
END:VCARD
"""
CARD = """\
BEGIN:VCARD
VERSION:3.0
FN:Eli Stone
N:Stone;Eli;;;
ORG:Cider Press;Sales
item1.EMAIL;type=INTERNET;type=HOME:eli@example.org
item1.X-ABLabel:private
ADR;TYPE=WORK:;;5 Mill Lane\\, East;Bolton;;BL1 1AA;UK
PHOTO;ENCODING=b;TYPE=JPEG:AAAA
END:VCARD
"""


def calendar(*parts: str, name: str = "") -> str:
    return f"BEGIN:VCALENDAR\nVERSION:2.0\n{name}{''.join(parts)}END:VCALENDAR\n"


def read(text: str, path: str = "a.ics") -> Extraction:
    return extract(text.encode(), path=path)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_event_is_a_section_with_unfolded_values(end: str) -> None:
    found = read(calendar(EVENT, TASK, name="X-WR-CALNAME:Orchard\n").replace("\n", end))
    assert found.record == (
        "# Orchard\n\n## Harvest, first day\n\n"
        "Start: 2024-09-14 06:00 Europe/Berlin\nEnd: 2024-09-14 10:00 UTC\nLocation: West orchard; gate 3\n"
        "Organizer: Dana Müller <dana@example.org>\n"
        "Attendee: Eli Stone <eli@example.org>; Stone, Kay <kay@example.org>\n\n"
        "Bring ladders.\nThe apples go to the press.\n\nPark behind the barn.\n\n"
        "## Order boxes\n\nDue: 2024-09-01"
    )
    assert found.title == "Orchard"
    assert read(calendar(TASK)).title == "Order boxes"


def test_cards_of_both_kinds_are_sections() -> None:
    found = read(OLD + CARD, "people.vcf")
    assert found.record == (
        "# Dana Müller\n\nPhone (work): +44 1204 123456\nPhone (cell): +44 7700 900123\n\n"
        "Knows the press in Köln\nCall before nine.\n\n"
        "# Eli Stone\n\nOrganization: Cider Press, Sales\nE-mail (home): eli@example.org\n"
        "Address (work): 5 Mill Lane, East, Bolton, BL1 1AA, UK"
    )


def test_a_note_in_utf7_holds_no_half_characters() -> None:
    found = read(OLD.replace("NOTE;", "NOTE;CHARSET=utf-7;ENCODING=QUOTED-PRINTABLE:tea +2AA-\nNOTE;"), "people.vcf")
    assert "tea \ufffd" in found.record


def test_a_section_that_is_not_closed_ends_where_the_next_begins() -> None:
    found = read(calendar(EVENT.replace("END:VALARM\nEND:VEVENT\n", ""), TASK, TASK, name="X-WR-CALDESC:Dates.\n"))
    assert [block.text for block in found.blocks if block.type == "heading"] == [
        "Harvest, first day",
        "Order boxes",
        "Order boxes",
    ]
    assert found.record.startswith("Dates.\n\n# Harvest")


def test_lines_that_were_not_folded_go_on_with_the_text_above() -> None:
    event = "BEGIN:VEVENT\nSUMMARY:Tea\nDESCRIPTION:Bring cups.\nAnd milk\n\nand cake.\nEND:VEVENT\n"
    assert read(calendar(event)).record == "# Tea\n\nBring cups.\nAnd milk\nand cake."


def test_every_part_of_a_name_is_shown() -> None:
    name = "N:Stone\\;Hill;Eli;Kay;Dr.;PhD\n"
    assert read(f"BEGIN:VCARD\n{name}END:VCARD\n", "a.vcf").record == "# Dr. Eli Kay Stone;Hill PhD"
    found = read(f"BEGIN:VCARD\nFN:Eli Hill\n{name}END:VCARD\n", "a.vcf")
    assert found.record == "# Eli Hill\n\nName: Dr. Eli Kay Stone;Hill PhD"


def test_the_content_tells_a_calendar_without_an_ending() -> None:
    assert detect(calendar(TASK).encode(), "invitation") == "text/calendar"
    assert detect(f"\ufeff{CARD}".encode(), "dana.txt") == "text/vcard"
    assert detect(b"BEGIN: a story\n", "a.txt") == "text/plain"
    assert detect(b"BEGIN:VCARD is how a card begins.\n", "a.txt") == "text/plain"


def test_a_file_without_a_card_and_a_cut_one_are_kept() -> None:
    found = read("Just words.\n", "a.vcf")
    assert found.record == "Just words.\n"
    assert found.warnings == ("the file holds no event and no card; it was kept as plain text",)
    for size in range(20, len(EVENT), 7):
        assert read(calendar(EVENT)[:size]).record
    assert "Bring ladders" in read(calendar(EVENT)[: -len("END:VALARM\nEND:VEVENT\nEND:VCALENDAR\n")]).record


def test_a_restricted_event_closes_its_calendar() -> None:
    closed = calendar(TASK, EVENT.replace("UID", "X-CONFIDENTIALITY:Restricted\nUID"))
    assert read(closed).meta["confidentiality"] == "restricted"


@pytest.mark.parametrize("level", ["PRIVATE", "CONFIDENTIAL", "X-BOARD"])
def test_an_entry_that_is_not_for_everyone_restricts_a_calendar_of_its_own(level: str) -> None:
    marked = EVENT.replace("UID", f"CLASS:{level}\nUID")
    found, beside = read(calendar(marked)), read(calendar(TASK, marked))
    assert found.meta["confidentiality"] == "restricted"
    assert "confidentiality" not in beside.meta
    for one in (found, beside):
        assert one.warnings[0].startswith("1 entry is marked as private or confidential (CLASS); ")
    assert "confidentiality" not in read(calendar(EVENT.replace("UID", "CLASS:PUBLIC\nUID"))).meta


def test_escapes_of_properties_are_letters() -> None:
    found = read("greeting=Gr\\u00fc\\u00dfe\n", "messages.properties")
    assert found.record == "greeting=Grüße\n"
    assert found.blocks[0].text == "greeting=Grüße"
    assert read("greeting=Gr\\u00fc\\u00dfe\n", "a.txt").record == "greeting=Gr\\u00fc\\u00dfe\n"


@pytest.mark.parametrize(
    "unit", [EVENT, CARD, "BEGIN:VCARD\n", ";a", 'A;b="":', " \n", "N;QUOTED-PRINTABLE:a=\n", "a\\,;"]
)
def test_time_is_in_step_with_the_size(unit: str) -> None:
    start = "BEGIN:VEVENT\nSUMMARY:a\nDESCRIPTION:"
    in_step(lambda size: read(start + size // len(unit) * unit), 30_000, 240_000, most=20)
