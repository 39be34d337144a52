"""Exports of chats: each message with its author and time, threads together, names in place of ids."""

import json
from pathlib import Path
from typing import Any

import pytest

import ragstone
from ragstone.chunking import Characters, make_chunker
from ragstone.extraction import extract
from ragstone.extraction.chats.conversation import Conversation, Message, write_conversation
from ragstone.extraction.chats.formats import read_chat
from ragstone.extraction.chats.pages import read_chat_page
from ragstone.extraction.chats.slack import find_users_file, read_people, read_slack, show_text
from ragstone.ingestion.chat_people import read_names_beside
from tests.speed import in_step

PEOPLE = {"U1": "Ann Smith", "U2": "Bo Berg"}
DAY = "slack/release/2024-03-04.json"


def make_slack(user: str, second: int, text: str, thread: int = 0) -> dict[str, Any]:
    said = {"type": "message", "user": user, "ts": f"17095470{second:02}.000100", "text": text, "team": "T1"}
    return {**said, "thread_ts": f"17095470{thread:02}.000100"} if thread else said


FAILED = [{"type": "section", "text": {"type": "mrkdwn", "text": "Build 7 failed"}}]


def test_a_day_of_slack_has_names_and_each_thread_in_one_piece() -> None:
    chat = [
        {"type": "message", "subtype": "channel_join", "user": "U2", "ts": "1709547001.000100", "text": "<@U2> joined"},
        make_slack("U1", 10, "Who approves? <@U2> " + "so " * 30, thread=10),
        *(make_slack("U9", n, f"Lunch {n} &amp; more. " * 3) for n in range(11, 20)),
        make_slack("U2", 30, "The manager, <@U1>.", thread=10),
        {"type": "message", "ts": "1709547040.000100", "username": "bot", "text": "", "files": [{"name": "log.txt"}]},
        {**make_slack("U3", 45, ""), "blocks": FAILED, "attachments": [{"blocks": [{"text": "On node 3"}]}]},
        {**make_slack("U1", 50, "Late."), "thread_ts": "1709447040.000100"},
    ]
    found = extract(json.dumps(chat).encode(), path=DAY, people=PEOPLE)
    assert (found.title, found.meta) == ("#release 2024-03-04", {"date": "2024-03-04"})
    thread = next(block for block in found.blocks if "Who approves?" in block.text)
    assert thread.whole
    assert [found.record[s.char_start : s.char_end].partition(": ")[0] for s in thread.spans] == [
        "Ann Smith (2024-03-04 10:10 UTC)",
        "Bo Berg (2024-03-04 10:10 UTC)",
    ]
    assert thread.text.endswith("The manager, @Ann Smith.")
    texts = [block.text for block in found.blocks]
    assert texts[-3:] == [
        "bot (2024-03-04 10:10 UTC): (files: log.txt)",
        "U3 (2024-03-04 10:10 UTC): Build 7 failed\nOn node 3",
        "Ann Smith (2024-03-04 10:10 UTC, in a thread of 2024-03-03): Late.",
    ]
    assert "U9 (2024-03-04 10:10 UTC): Lunch 11 & more." in texts[2]
    assert "joined" not in found.record
    pieces = make_chunker("structure", tokenizer=Characters(), options={"tokens": 150, "cap": 250}).cut(found)
    assert sum("Who approves?" in piece.text and "The manager" in piece.text for piece in pieces) == 1


def test_a_day_is_read_without_the_folder_of_its_channel() -> None:
    found = extract(json.dumps([make_slack("U1", 1, "Early.")]).encode(), path="2024-03-04.json")
    assert (found.title, found.blocks[-1].text) == ("2024-03-04", "U1 (2024-03-04 10:10 UTC): Early.")


def test_names_are_known_at_once_for_all_messages_of_a_day() -> None:
    def read(size: int) -> None:
        read_slack([make_slack("U1", 1, "Hi")] * size, DAY, {str(n): "Ann" for n in range(size)})

    in_step(read, 500, 4000, most=20)


def test_a_run_reads_names_from_another_file_of_the_export(tmp_path: Path) -> None:
    (tmp_path / "general").mkdir()
    (tmp_path / "users.json").write_text('[{"id": "U1", "real_name": "Ann Smith"}]')
    (tmp_path / "general/2024-03-04.json").write_text(json.dumps([make_slack("U1", 1, "Ask <@U1>.")]))
    with ragstone.open(tmp_path / "store", embed__model="none") as kb:
        kb.ingest(tmp_path)
        hits = kb.search("ask").hits
    assert "Ann Smith (2024-03-04 10:10 UTC): Ask @Ann Smith." in hits[0].chunk.text


def test_names_are_read_from_the_root_of_an_export(tmp_path: Path) -> None:
    users = [{"id": "U1", "name": "ann", "profile": {"real_name": "Ann Smith"}}, {"id": "U2", "name": "bo"}, "odd", {}]
    assert read_people(json.dumps(users).encode()) == {"U1": "Ann Smith", "U2": "bo"}
    assert [read_people(odd) for odd in (b"{", b'{"id": "U1"}', b"[" * 9999)] == [{}, {}, {}]
    assert find_users_file("general/2024-03-04.json") == "users.json"
    assert find_users_file("general/notes.json") is None
    (tmp_path / "general").mkdir()
    (tmp_path / "users.json").write_text(json.dumps(users))
    assert read_names_beside(f"{tmp_path}/general/2024-03-04.json") == {"U1": "Ann Smith", "U2": "bo"}
    assert read_names_beside(f"{tmp_path}/2024-03-04.json") == {}


ANN, BO = {"id": "1", "name": "ann", "nickname": "Ann"}, {"id": "2", "name": "Bo", "nickname": None}
DISCORD = {
    "guild": {"name": "Orchard"},
    "channel": {"name": "help", "category": "Text"},
    "messages": [
        {"id": "7", "timestamp": "2024-03-04T10:11:12.123+00:00", "content": "Which port?", "author": ANN},
        {
            "id": "8",
            "timestamp": "2024-03-05T10:12:12+01:00",
            "content": "It is 7443.",
            "author": BO,
            "attachments": [{"fileName": "ports.pdf"}],
            "reference": {"messageId": "7"},
        },
    ],
}
TELEGRAM = {
    "name": "Roof",
    "type": "private_group",
    "id": 4711,
    "messages": [
        {"id": 1, "type": "service", "date": "2024-03-04T09:00:00", "actor": "Ann", "text": ""},
        {
            "id": 2,
            "type": "message",
            "date": "2024-03-04T10:00:00",
            "from": "Ann",
            "text": ["On ", {"type": "bold", "text": "Friday"}, "."],
        },
        {
            "id": 3,
            "type": "message",
            "date": "2024-03-04T10:05:00",
            "from": "Bo",
            "reply_to_message_id": 2,
            "text": "When?",
        },
    ],
}
GOOGLE = {
    "messages": [
        {
            "creator": {"name": name},
            "created_date": f"Monday, March 4, 2024 at 10:{n}:12 AM UTC",
            "text": text,
            "topic_id": topic,
        }
        for n, name, text, topic in (
            (11, "Ann", "The key?", "t"),
            (12, "Caro", "Hi", "u"),
            (13, "Bo", "Drawer 3.", "t"),
        )
    ]
}


def make_teams(number: str, name: str, minute: int, html: str, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "messageType": "message",
        "createdDateTime": f"2024-03-04T10:{minute}:00.1Z",
        "from": {"application": None, "user": {"displayName": name}},
        "body": {"contentType": "html", "content": html},
        **more,
    }


TEAMS = {
    "value": [
        make_teams("2", "Bo", 30, "<p>Other</p>", attachments=[{"content": json.dumps(FAILED)}, {"content": "{"}]),
        make_teams("1", "Ann", 10, "<p>A &lt; B</p><p>C</p>", replies=[make_teams("3", "Bo", 40, "<div>40 k</div>")]),
        {"messageType": "systemEventMessage", "createdDateTime": "2024-03-04T09:00:00Z"},
    ]
}
SKYPE = {
    "conversations": [
        {
            "displayName": "Roof",
            "MessageList": [
                {"originalarrivaltime": f"2024-03-04T10:1{n}:00Z", "from": f"8:live:{name}", "content": f"<b>{n}</b>"}
                for n, name in ((1, "bo"), (0, "ann"))
            ],
        }
    ]
}


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (
            DISCORD,
            [
                "Orchard / Text / #help",
                "2024-03-04",
                "Ann (2024-03-04 10:11 UTC): Which port?",
                "2024-03-05",
                "Bo to Ann (2024-03-05 10:12 +01:00): It is 7443.\n(files: ports.pdf)",
            ],
        ),
        (TELEGRAM, ["Roof", "Ann (2024-03-04 10:00): On Friday.", "Bo to Ann (2024-03-04 10:05): When?"]),
        (
            GOOGLE,
            [
                "Ann (Monday, March 4, 2024 at 10:11:12 AM UTC): The key?\n"
                "Bo (Monday, March 4, 2024 at 10:13:12 AM UTC): Drawer 3.",
                "Caro (Monday, March 4, 2024 at 10:12:12 AM UTC): Hi",
            ],
        ),
        (
            TEAMS,
            [
                "Ann (2024-03-04 10:10 UTC): A < B\nC\nBo (2024-03-04 10:40 UTC): 40 k",
                "Bo (2024-03-04 10:30 UTC): Other\nBuild 7 failed",
            ],
        ),
        (SKYPE, ["Roof", "ann (2024-03-04 10:10 UTC): 0", "bo (2024-03-04 10:11 UTC): 1"]),
    ],
)
def test_exports_of_chats_are_written_message_by_message(value: Any, texts: list[str]) -> None:
    assert [block.text for block in extract(json.dumps(value).encode(), path="export.json").blocks] == texts


def test_a_mark_beside_the_messages_of_an_export_closes_it() -> None:
    value = json.dumps({"confidentiality": "restricted", **DISCORD})
    assert extract(value.encode(), path="export.json").meta == {"date": "2024-03-05", "confidentiality": "restricted"}


@pytest.mark.parametrize("path", ["export.json", DAY])
@pytest.mark.parametrize(
    "value",
    [
        {"type": "ticket", "id": 7, "name": "Pump", "messages": [{"type": "message", "from": "Ann", "body": "Leaks."}]},
        {"type": "ticket", "id": 7, "name": "Pump", "messages": [{"type": "message", "date": 1, "text": "Leaks."}]},
        {"guild": {"name": "Pump"}, "channel": {}, "messages": [{"author": {"name": "Ann"}, "body": "Leaks."}]},
        [{"type": "log", "ts": "1709547072.1", "text": "The pump", "level": "Leaks."}],
        {"messages": [{"ts": "1709547072.1", "user": "Ann", "body": "Leaks."}], "name": "Pump"},
    ],
)
def test_json_that_is_like_an_export_is_read_as_any_json(value: Any, path: str) -> None:
    assert '"Leaks."' in extract(json.dumps(value).encode(), path=path).record


@pytest.mark.parametrize("odd", [[], {}, [[{"text": 1}]], 1e300, True, None, "\0"])
@pytest.mark.parametrize("export", [[make_slack("U1", 1, "Hi")], DISCORD, TELEGRAM, GOOGLE, TEAMS, SKYPE])
def test_odd_values_in_an_export_lead_to_no_fault(export: Any, odd: Any) -> None:
    def spoil(value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return {k: odd if k == key else spoil(v, key) for k, v in {**value, "subtype": "", "id": 1}.items()}
        return [spoil(one, key) for one in value] if isinstance(value, list) else value

    def list_keys(value: Any) -> set[str]:
        inner = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
        return {key for one in inner for key in list_keys(one)} | (set(value) if isinstance(value, dict) else set())

    for key in sorted({*list_keys(export), "subtype", "id"}):
        assert extract(json.dumps(spoil(export, key)).encode(), path=DAY).blocks


def test_long_threads_are_joined_in_step() -> None:
    in_step(
        lambda size: write_conversation(Conversation("", [Message("A", "", "Yes.", "t")] * size)), 500, 4000, most=16
    )


TELEGRAM_PAGE = """<html><head><title>Exported Data</title></head><body><div class="page_header"><div class="text bold">
Roof</div></div><div class="message service"><div class="body details">4 March 2024</div></div>
<div class="message default clearfix"><div class="initials">A</div><div class="body">
<div class="pull_right date details" title="04.03.2024 10:00:00 UTC+01:00">10:00</div><div class="from_name">Ann</div>
<div class="text">On <b>Friday</b>.<br>Early.</div></div></div>
<div class="message default clearfix joined"><div class="body"><div class="pull_right date details"
title="04.03.2024 10:01:00 UTC+01:00">10:01</div><div class="text">It costs 900.</div></div></div></body></html>"""


def test_pages_of_chats_are_read_message_by_message_with_the_author_above() -> None:
    chat = read_chat_page(TELEGRAM_PAGE)
    assert chat is not None
    assert chat.title == "Roof"
    assert [(one.who, one.when, one.text) for one in chat.messages] == [
        ("Ann", "2024-03-04 10:00 UTC+01:00", "On Friday.\nEarly."),
        ("Ann", "2024-03-04 10:01 UTC+01:00", "It costs 900."),
    ]
    assert extract(TELEGRAM_PAGE.encode(), path="messages.html").record.startswith("# Roof\n\nAnn (2024")


@pytest.mark.parametrize("value", [[], {}, [{"ts": "1709547072.1"}, 3], {"messages": [1]}, {"value": [{}]}, "x", 3])
def test_other_json_is_no_chat(value: Any) -> None:
    assert read_chat(json.dumps([value, '"messages"'])[1:-14], path=DAY, people={}) is None


@pytest.mark.parametrize("unit", ["<@U1|", "<https://", "<!", "&lt;"])
def test_marks_of_slack_are_read_in_step(unit: str) -> None:
    in_step(lambda size: show_text(size * unit, {}), 20_000 // len(unit), 160_000 // len(unit), most=20)


@pytest.mark.parametrize(
    "unit", ['<div class="message default">', '<div class="message default"><div class="text">a</div></div>']
)
def test_pages_of_chats_are_read_in_step(unit: str) -> None:
    page = '<div class="from_name">Ann</div>'
    in_step(lambda size: read_chat_page(page + size * unit), 20_000 // len(unit), 160_000 // len(unit), most=20)
