"""Notes of Google Keep in exports by Takeout."""

import json
from typing import Any

import pytest

from ragstone.extraction import extract
from ragstone.extraction.keep_notes import read_note
from ragstone.extraction.repetition import show_rule

TIMES = {"userEditedTimestampUsec": 1709547072000000, "createdTimestampUsec": 1709547000000000, "color": "RED"}


@pytest.mark.parametrize(
    ("note", "texts"),
    [
        (
            {"title": "Codes", "textContent": "Door 4711.\n\nBack 4712.", "labels": [{"name": "Office"}]},
            ["Codes", "Door 4711.", "Back 4712.", "Labels: Office"],
        ),
        (
            {
                "title": "Shop",
                "listContent": [{"text": "Paint", "isChecked": False}, {"text": "Brush", "isChecked": True}],
                "annotations": [{"title": "Store", "description": "", "url": "https://x.example/"}],
            },
            ["Shop", "- [ ] Paint", "- [x] Brush", "Store\nhttps://x.example/"],
        ),
    ],
)
def test_a_note_is_what_people_wrote_in_it(note: dict[str, Any], texts: list[str]) -> None:
    found = extract(json.dumps({**TIMES, **note}).encode(), path="note.json")
    assert [block.text for block in found.blocks] == texts
    assert (found.title, found.meta) == (texts[0], {"date": "2024-03-04"})


@pytest.mark.parametrize("text", ["{", "[]", '{"userEditedTimestampUsec": 1}', "[" * 9999])
def test_other_json_is_no_note(text: str) -> None:
    assert read_note(f'{text} "userEditedTimestampUsec"') is None
    assert read_note(text) is None


@pytest.mark.parametrize("digits", [18, 400])
def test_a_note_of_no_possible_time_is_read_without_one(digits: int) -> None:
    note = f'{{"userEditedTimestampUsec": {"9" * digits}, "textContent": "Door 4711."}}'
    found = extract(note.encode(), path="note.json")
    assert (found.record, found.meta) == ("Door 4711.", {})


@pytest.mark.parametrize(
    "rule", ["", "FREQ=", "FREQ=DAILY;INTERVAL=x", "FREQ=DAILY;COUNT=" + "9" * 5000, "FREQ=YEARLY;BYMONTH=13", "=;=;"]
)
def test_a_rule_that_cannot_be_said_stays_as_it_is(rule: str) -> None:
    assert show_rule(rule) == rule
