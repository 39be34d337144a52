"""Exports of several chats at once, and of talks with language models: each chat under its name, messages in order."""

import json
from typing import Any

import pytest

from ragstone.extraction import extract
from ragstone.extraction.chats.formats import read_chat
from tests.extraction.test_chats import SKYPE, TELEGRAM

DAY = 1_709_546_400  # 2024-03-04 10:00 UTC
OTHER = {**TELEGRAM, "name": None, "type": "saved_messages", "id": 5}
ACCOUNT = {
    "contacts": {"list": [{"first_name": "Bo", "last_name": "Berg", "phone_number": "+49 170 1"}]},
    "chats": {"about": "All chats", "list": [TELEGRAM, OTHER]},
    "left_chats": {"list": []},
}
TWO = {"conversations": [SKYPE["conversations"][0], {**SKYPE["conversations"][0], "displayName": "Cellar"}]}
FACEBOOK = {
    "participants": [{"name": "Bo MÃ¼ller"}],
    "messages": [
        {"sender_name": "Bo MÃ¼ller", "timestamp_ms": (DAY + 60) * 1000, "content": "GrÃ¼Ã\x9fe"},
        {"sender_name": "Ann", "timestamp_ms": DAY * 1000, "share": {"link": "https://x.org", "share_text": "Plan"}},
    ],
    "title": "Bo MÃ¼ller",
}
CHATGPT = [
    {
        "title": "Roof",
        "mapping": {
            "root": {"message": None},
            "b": {
                "message": {
                    "author": {"role": "assistant"},
                    "create_time": DAY + 60.5,
                    "content": {"parts": ["9,000.", {"image": 1}]},
                }
            },
            "c": {
                "message": {
                    "author": {"role": "assistant"},
                    "create_time": DAY + 61,
                    "content": {"content_type": "code", "text": "print(1)"},
                }
            },
            "a": {"message": {"author": {"role": "user"}, "create_time": DAY, "content": {"parts": ["How dear?"]}}},
            "s": {"message": {"author": {"role": "system"}, "create_time": DAY, "content": {"parts": ["Be brief."]}}},
        },
    }
]
PRINTED = "assistant (2024-03-04 10:01 UTC): print(1)"
CLAUDE = [
    {
        "name": name,
        "chat_messages": [{"sender": "human", **said, "created_at": "2024-03-04T10:00:00Z"}],
    }
    for name, said in (
        ("Roof", {"text": "How dear?", "attachments": [{"file_name": "a.txt", "extracted_content": "9,000"}]}),
        ("", {"text": "", "content": [{"type": "text", "text": "How dear?"}]}),
    )
]
DUMP = {
    "channel_id": "C1",
    "name": "roof",
    "messages": [
        {
            "type": "message",
            "user": "U1",
            "ts": f"{DAY}.0001",
            "thread_ts": f"{DAY}.0001",
            "text": "Who?",
            "slackdump_thread_replies": [
                {"type": "message", "user": "U2", "ts": f"{DAY + 120}.0001", "thread_ts": f"{DAY}.0001", "text": "Ann."}
            ],
        },
        {"type": "message", "user": "U2", "ts": f"{DAY + 60}.0001", "text": "Lunch?"},
    ],
}


def _make_event(minute: int, sender: str, kind: str = "m.room.message", /, **content: Any) -> dict[str, Any]:
    moment = (DAY + 60 * minute) * 1000
    return {
        "type": kind,
        "sender": f"@{sender}:x",
        "origin_server_ts": moment,
        "event_id": f"${minute}",
        "content": content,
    }


MATRIX = {
    "room_name": "Roof",
    "messages": [
        _make_event(0, "ann", "m.room.member", displayname="Ann Lee"),
        _make_event(1, "ann", body="On Friday."),
        _make_event(
            2, "bo", body="> <@ann:x> On Friday.\n\nWhen?", **{"m.relates_to": {"m.in_reply_to": {"event_id": "$1"}}}
        ),
        _make_event(3, "bo", body="plan.pdf", msgtype="m.file"),
        _make_event(
            4,
            "ann",
            body="* On Monday.",
            **{"m.new_content": {"body": "On Monday."}, "m.relates_to": {"rel_type": "m.replace", "event_id": "$1"}},
        ),
        _make_event(5, "bo", body="Who?", **{"m.relates_to": {"rel_type": "m.thread", "event_id": "$1"}}),
        _make_event(6, "bo"),
        {**_make_event(7, "ann", "m.room.member", membership="invite", displayname="Bo"), "state_key": "@bo:x"},
        _make_event(
            8,
            "eve",
            body="* Never.",
            **{"m.new_content": {"body": "Never."}, "m.relates_to": {"rel_type": "m.replace", "event_id": "$1"}},
        ),
        {**_make_event(9, "ann", body="Fine."), "origin_server_ts": 10**400},
    ],
}


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (
            ACCOUNT,
            [
                *("Roof", "Ann (2024-03-04 10:00): On Friday.", "Bo to Ann (2024-03-04 10:05): When?"),
                *("saved messages", "Ann (2024-03-04 10:00): On Friday.", "Bo to Ann (2024-03-04 10:05): When?"),
                *("Contacts", "Bo Berg: +49 170 1"),
            ],
        ),
        (
            TWO,
            [
                *("Roof", "ann (2024-03-04 10:10 UTC): 0", "bo (2024-03-04 10:11 UTC): 1"),
                *("Cellar", "ann (2024-03-04 10:10 UTC): 0", "bo (2024-03-04 10:11 UTC): 1"),
            ],
        ),
        (
            FACEBOOK,
            ["Bo Müller", "Ann (2024-03-04 10:00 UTC): Plan\nhttps://x.org", "Bo Müller (2024-03-04 10:01 UTC): Grüße"],
        ),
        (
            CHATGPT,
            ["Roof", "user (2024-03-04 10:00 UTC): How dear?", "assistant (2024-03-04 10:01 UTC): 9,000.", PRINTED],
        ),
        (
            CLAUDE,
            [
                *("Roof", "human (2024-03-04 10:00 UTC): How dear?\na.txt\n9,000"),
                *("(no name)", "human (2024-03-04 10:00 UTC): How dear?"),
            ],
        ),
        (
            MATRIX,
            [
                "Roof",
                "Ann Lee (2024-03-04 10:01 UTC): On Monday.\nBo (2024-03-04 10:05 UTC): Who?",
                "Bo to Ann Lee (2024-03-04 10:02 UTC): When?",
                "Bo (2024-03-04 10:03 UTC): (files: plan.pdf)",
                "Ann Lee: Fine.",
            ],
        ),
        (
            DUMP,
            [
                "#roof",
                "U1 (2024-03-04 10:00 UTC): Who?\nU2 (2024-03-04 10:02 UTC): Ann.",
                "U2 (2024-03-04 10:01 UTC): Lunch?",
            ],
        ),
    ],
)
def test_each_chat_stands_under_its_name(value: Any, texts: list[str]) -> None:
    assert [block.text for block in extract(json.dumps(value).encode(), path="export.json").blocks] == texts


def test_posts_of_mattermost_are_lines_by_channel_with_their_replies() -> None:
    def post(minute: int, channel: str, text: str, *replies: str) -> dict[str, Any]:
        said = {"team": "eng", "channel": channel, "user": "ann", "message": text, "create_at": (DAY + minute) * 1000}
        answers = [{"user": "bo", "message": one, "create_at": (DAY + minute) * 1000} for one in replies]
        return {"type": "post", "post": {**said, "replies": answers}}

    direct = {"channel_members": ["ann", "bo"], "user": "bo", "message": "Psst", "create_at": DAY * 1000}
    lines = [{"type": "version"}, post(0, "roof", "Who?", "Ann."), post(1, "cellar", "Damp"), post(2, "roof", "Ok")]
    text = "\n".join(map(json.dumps, [*lines, {"type": "direct_post", "direct_post": direct}]))
    assert [block.text for block in extract(text.encode(), path="export.jsonl").blocks] == [
        "eng / roof",
        "ann (2024-03-04 10:00 UTC): Who?\nbo (2024-03-04 10:00 UTC): Ann.",
        "ann (2024-03-04 10:00 UTC): Ok",
        "eng / cellar",
        "ann (2024-03-04 10:00 UTC): Damp",
        "ann, bo",
        "bo (2024-03-04 10:00 UTC): Psst",
    ]


@pytest.mark.parametrize("value", [ACCOUNT, TWO, FACEBOOK, CHATGPT, CLAUDE, DUMP, MATRIX])
@pytest.mark.parametrize("odd", [None, 0, "x", [], {}, [[]], [None]])
def test_odd_values_lead_to_no_fault(value: Any, odd: Any) -> None:
    def spoil(one: Any, depth: int) -> Any:
        if depth == 0:
            return odd
        if isinstance(one, dict):
            return {key: spoil(inner, depth - 1) for key, inner in one.items()}
        return [spoil(inner, depth - 1) for inner in one] if isinstance(one, list) else one

    for depth in range(1, 8):
        for spoiled in (spoil(value, depth), {**value, "messages": odd} if isinstance(value, dict) else [odd, *value]):
            text = json.dumps(spoiled)
            chat = read_chat(f'{text[:-1]},"post":0}}' if text.endswith("}") else text, path="x.json", people={})
            assert chat is None or chat.messages
