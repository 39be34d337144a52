"""JSON and lines with times: chunks begin and end between messages, and each message says of whom and when it is."""

import json
import random
from typing import Any

import pytest

from ragstone.chunking import Characters, make_chunker
from ragstone.core.errors import Refused
from ragstone.core.types import Extraction, Piece
from ragstone.extraction import Limits, extract
from ragstone.extraction.json_elements import split_elements
from ragstone.extraction.json_mentions import show_mentions
from ragstone.extraction.json_times import show_times
from tests.speed import in_step

DANA, ELI = {"id": "U1", "name": "Dana Müller"}, {"id": "U2", "name": "Eli Stone"}


def cut(found: Extraction, *, tokens: int = 150, cap: int = 250) -> list[Piece]:
    return make_chunker("structure", tokenizer=Characters(), options={"tokens": tokens, "cap": cap}).cut(found)


def read(value: Any, path: str = "chat.json", *, indent: int | None = 2) -> Extraction:
    return extract(json.dumps(value, indent=indent).encode(), path=path)


def make_slack(number: int) -> dict[str, Any]:
    words = f"Words of message {number}, which nobody else said."
    profile = {
        "avatar_hash": "0f1e2d3c4b5a69780f1e",
        "image_72": "https://example.org/a.jpg",
        "real_name": "Dana Müller",
    }
    said = {"type": "rich_text", "elements": [{"type": "text", "text": words}]}
    return {
        "user": "U1",
        "type": "message",
        "ts": f"17102382{number:02}.000200",
        "client_msg_id": "6f3c1d2e-99aa-4f0c-8d1b-aa00bb11cc22",
        "text": words,
        "team": "T0ABCDEF",
        "user_profile": {**profile, "is_restricted": False, "team": "T0ABCDEF"},
        "blocks": [said],
    }


def make_discord(number: int) -> dict[str, Any]:
    return {
        "id": str(10**17 + number),
        "timestamp": f"2024-03-12T10:{number:02}:00+00:00",
        "isPinned": False,
        "content": f"Words of message {number}, which nobody else said.",
        "author": {**DANA, "color": "#99AAB5", "avatarUrl": "https://example.org/b.png"},
        "attachments": [{"id": "7", "url": "https://example.org/c.pdf", "fileName": f"plan {number}.pdf"}],
        "embeds": [],
    }


def make_telegram(number: int) -> dict[str, Any]:
    words = f"Words of message {number}, which nobody else said."
    when = f"2024-03-12T10:{number:02}:00"
    entities = [{"type": "plain", "text": words}]
    return {
        "id": number,
        "type": "message",
        "date": when,
        "from": "Dana Müller",
        "text": words,
        "text_entities": entities,
    }


CHATS: dict[str, tuple[Any, str]] = {
    "slack": ([make_slack(n) for n in range(30)], '"ts": "2024-03-12 10:10:{:02} UTC"'),
    "discord": ({"guild": {"name": "Orchard"}, "messages": [make_discord(n) for n in range(30)]}, "10:{:02}:00"),
    "telegram": ({"name": "Orchard", "messages": [make_telegram(n) for n in range(30)]}, "10:{:02}:00"),
    "many chats": ({"chats": {"list": [{"messages": [make_telegram(n) for n in range(30)]}]}}, "10:{:02}:00"),
}


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("name", CHATS)
def test_a_message_stands_in_one_chunk_with_its_author_and_time(name: str, indent: int | None) -> None:
    value, time = CHATS[name]
    found = read(value, indent=indent)
    pieces = cut(found)
    assert len(pieces) > 3
    for number in range(30):
        words = f"Words of message {number}, which nobody else said."
        [piece] = [piece for piece in pieces if words in piece.text]
        assert piece.text.count(words) == 1  # what an export repeats in another form is read once
        message = next(one for one in piece.text.split("{\n") if words in one)
        assert "Dana Müller" in message
        assert time.format(number) in message
    [place] = [
        span for span in pieces[0].spans if "Words of message 0," in found.record[span.char_start : span.char_end]
    ]
    assert found.record.split("\n")[place.line_start - 1].count("Words of message 0,")


@pytest.mark.parametrize("name", ["bounded", "sentence-window"])
def test_chunkers_of_small_pieces_make_one_of_each_message(name: str) -> None:
    pieces = make_chunker(name, tokenizer=Characters()).cut(read([make_discord(n) for n in range(9)]))
    assert len(pieces) == 9
    for number, piece in enumerate(pieces):
        assert f"Words of message {number}," in piece.text
        assert "Dana Müller" in piece.text


def test_members_for_programs_are_left_out_of_messages_and_names_of_files_stay() -> None:
    text = "\n".join(piece.text for piece in cut(read([make_slack(1), make_discord(2), make_discord(3)])))
    for gone in (
        "6f3c1d2e",
        "0f1e2d3c",
        "image_72",
        "rich_text",
        "#99AAB5",
        "avatarUrl",
        "false",
        "embeds",
    ):
        assert gone not in text
    assert '"fileName": "plan 3.pdf"' in text


def test_values_of_a_record_that_looks_like_a_message_stay() -> None:
    record = {
        "ticket_id": "T-4711",
        "author": "Dana",
        "date": "2024-03-12",
        "text": "Broken.",
        "team": "Desk 3 of 2024-25",
    }
    rows = [{**record, "rating": 4, "open": True, "order": {"total": 40.5, "item": "Ladder"}, "n": n} for n in range(9)]
    text = cut(read(rows))[0].text
    for kept in ('"ticket_id": "T-4711"', '"team": "Desk 3', '"rating": 4', '"open": true', '"total": 40.5', '"Ladd'):
        assert kept in text


def test_equal_values_of_a_message_stay_under_their_own_names() -> None:
    ticket = {
        "author": "Dana",
        "date": "2024-03-12",
        "text": "null",
        "owner": "Dana",
        "type": "bug",
        "priority": 3,
        "rating": 3,
        "order": {"net": 40, "gross": 40, "date": "2024-01-05"},
        "tags": ["chair", "desk"],
    }
    text = cut(read([{**ticket, "n": n} for n in range(9)]))[0].text
    kept = ('"text": "null"', '"owner": "Dana"', '"type": "bug"', '"priority": 3', '"rating": 3', '"net": 40')
    for one in (*kept, '"gross": 40', '"date": "2024-01-05"', '"tags"\n"chair"\n"desk"'):
        assert one in text


def test_replies_within_a_message_keep_their_own_author_and_time() -> None:
    replies = [
        {"user": {"name": ("Dana", "Eli")[n % 2]}, "created_at": f"2024-03-1{n}", "body": f"Reply {n}."}
        for n in range(5)
    ]
    issue = {"user": {"name": "Dana"}, "created_at": "2024-03-01", "body": "Broken.", "comments": replies}
    text = cut(read([{**issue, "n": n} for n in range(9)]), cap=900)[0].text
    for n in range(5):
        assert f'"name": "{("Dana", "Eli")[n % 2]}"\n"created_at": "2024-03-1{n}"\n"body": "Reply {n}."' in text


def test_records_that_are_no_messages_are_whole() -> None:
    rows = [{"id": n, "title": f"Issue {n}", "body": f"The desk {n} is broken.", "open": False} for n in range(30)]
    found = read(rows)
    pieces = cut(found)
    assert len(pieces) > 3
    assert "".join("".join(piece.text.split()) for piece in pieces) == "".join(found.record.split())
    for piece in pieces:
        assert piece.text.lstrip("[\n ").startswith('{\n    "id"')
        assert piece.text.rstrip("\n ]").endswith(("},", "}"))


@pytest.mark.parametrize("path", ["a.jsonl", "a.ndjson", "a.json"])
def test_lines_of_json_are_cut_between_lines(path: str) -> None:
    lines = [json.dumps({"level": "info", "what": f"Desk {n} is open", "more": {"a": [1, 2]}}) for n in range(40)]
    pieces = cut(extract("\n".join(lines).encode(), path=path))
    assert len(pieces) > 3
    assert [line for piece in pieces for line in piece.text.split("\n")] == lines


def test_json_of_more_bytes_than_other_texts_is_read_in_a_process_of_its_own() -> None:
    value, _ = CHATS["slack"]
    data = json.dumps(value).encode()
    small = Limits(text=len(data) // 2, office=2 * len(data))
    assert extract(data, path="chat.json", limits=small) == extract(data, path="chat.json")
    with pytest.raises(Refused, match=r"limits\.office_bytes") as refused:
        extract(data, path="chat.json", limits=Limits(text=9, office=len(data) // 2))
    assert refused.value.reason == "too_large"


def test_few_short_messages_are_cut_like_many() -> None:
    chat = [{"user": "ann", "text": "At five?", "ts": "1"}, {"user": "bo", "text": "Yes", "ts": "2"}]
    found = read(chat, indent=None)
    assert len(found.record) < 200
    assert [block.text for block in found.blocks] == [
        '{\n"user": "ann"\n"text": "At five?"\n"ts": "1"',
        '{\n"user": "bo"\n"text": "Yes"\n"ts": "2"',
    ]


def test_cards_of_a_board_on_one_line_are_cut_between_cards() -> None:
    cards = [{"id": f"c{n}", "name": f"Plant {n}", "desc": f"By the gate of field {n}. " * 9} for n in range(5)]
    found = read({"id": "b", "name": "Garden", "cards": cards, "lists": [{"id": "l", "name": "To do"}]}, indent=None)
    for number in range(5):
        [block] = [block for block in found.blocks if f"field {number}." in block.text]
        assert f'"name": "Plant {number}"' in block.text
        assert block.text.count('"desc"') == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ts", "1709547072.000100"),
        ("created", 1709547072),
        ("timestamp_ms", 1709547072000),
        ("userEditedTimestampUsec", 1709547072000000),
        ("createdAt", "1709547072"),
    ],
)
def test_times_that_programs_count_are_shown_as_dates(name: str, value: str | int) -> None:
    found = read([{"user": "ann", "text": "Hi", name: value}])
    assert f'"{name}": "2024-03-04 10:11:12 UTC"' in found.record
    assert json.loads(found.record)[0][name] == "2024-03-04 10:11:12 UTC"


@pytest.mark.parametrize(
    ("name", "value"), [("id", 1709547072), ("phone", "1709547072"), ("date", 20240304), ("at", 5)]
)
def test_other_numbers_stay(name: str, value: str | int) -> None:
    assert json.loads(read([{"user": "ann", name: value}]).record)[0][name] == value


def test_a_large_element_is_cut_between_its_own_elements() -> None:
    value = {"tables": {"desks": {f"desk {n}": {"place": f"room {n}", "open": True} for n in range(60)}}}
    for piece in cut(read(value))[1:]:
        assert piece.text.startswith('"desk ')


IOS = "[12/03/24, 10:{0:02}:12] Dana Müller: Words of message {0}\nand its second line, {0}\n"
ANDROID = "12/03/2024, 10:{0:02} - Dana Müller: Words of message {0}\nand its second line, {0}\n"
LOG = "2024-03-12 10:{0:02}:12,123 ERROR Words of message {0}\nand its second line, {0}\n"


@pytest.mark.parametrize(
    "line",
    [
        IOS,
        ANDROID,
        LOG,
        LOG.replace(" 10", "T10"),
        "[10:{0:02}] <dana> Words of message {0}\nand its second line, {0}\n",
    ],
)
def test_lines_that_begin_with_a_time_are_not_parted_from_what_follows(line: str) -> None:
    pieces = cut(extract("".join(map(line.format, range(50))).encode(), path="chat.txt"), tokens=60, cap=90)
    assert len(pieces) > 5
    for piece in pieces:
        assert "Words of message" in piece.text.split("\n")[0]
        assert piece.text.split("\n")[-1].startswith("and its second line")


def test_prose_with_some_times_is_read_as_before() -> None:
    text = "10:00 is when we open.\nWe close at six.\n\n12:00 is lunch.\nNobody is there.\nNot even Eli.\nSo wait.\n"
    found = extract(text.encode(), path="a.txt")
    assert [block.text for block in found.blocks] == [part.strip() for part in text.split("\n\n")]


def test_stretches_hold_all_of_a_text_that_has_no_messages() -> None:
    value = {"rows": [{"a": "x, y ] }", "b": [1, [2, {"c": '\\" {'}]]} for _ in range(200)], "c": "long " * 2000}
    text = json.dumps(value)
    rng = random.Random(3)
    for _ in range(150):
        at = rng.randrange(len(text))
        broken = text[rng.choice((0, at)) : rng.randrange(at, len(text) + 1)].replace(
            rng.choice('{}[],"'), rng.choice('{}["'), 3
        )
        places = [(one.start, one.end) for one in split_elements(broken)]
        assert "".join(broken[a:b] for a, b in places).split() == broken.split()


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "{",
        '{"a":[',
        '"',
        "[1,",
        '{"a\n},',
        '[{"user":"a","ts":1,"text":"b"},',
        '{"user":"a","ts":1,"text":[',
        "[]",
        "{},",
        ",",
    ],
)
def test_broken_json_takes_time_in_step_with_its_size(unit: str) -> None:
    in_step(lambda size: list(split_elements("[" + size * unit)), 8_000 // len(unit), 64_000 // len(unit), most=20)


def test_people_whom_messages_mention_are_called_by_their_names() -> None:
    chat = [make_slack(1), {"user": "U2", "ts": "1710238300.1", "text": "Ask <@U1> or <@U9>."}]
    found = read(chat)
    assert "Ask @Dana Müller or <@U9>." in found.record
    assert json.loads(found.record)[1]["text"] == "Ask @Dana Müller or <@U9>."
    assert "Ask @Dana Müller or <@U9>." in found.blocks[1].text


@pytest.mark.parametrize("unit", ["<@U1", "<@U1|", '"user":"U1"', '"user":"U1","real_name":"A"<@U1>', '"real_name":"'])
def test_names_are_looked_for_in_time_in_step_with_the_size(unit: str) -> None:
    in_step(lambda size: show_mentions(size * unit), 80_000 // len(unit), 640_000 // len(unit), most=20)


@pytest.mark.parametrize("unit", ['"ts":1709547072,', '"ts": ', '"a_ts_at', '"' + "a" * 40, '"timeAt":17095470'])
def test_times_are_looked_for_in_time_in_step_with_the_size(unit: str) -> None:
    in_step(lambda size: show_times("{" + size * unit), 80_000 // len(unit), 640_000 // len(unit), most=20)


def test_a_message_of_many_parts_takes_time_in_step_with_its_size() -> None:
    def work(size: int) -> None:
        parts = [{"text": f"Part {number} of a very long message."} for number in range(size)]
        list(split_elements(json.dumps([{"user": "a", "ts": 1, "text": "word " * 50 * size, "more": parts}])))

    in_step(work, 2_000, 16_000, most=20)


@pytest.mark.parametrize(
    "name", ["runtime", "uptime", "cpuTime", "elapsed_time", "responseTime", "total_time", "bytes_sent", "id"]
)
def test_an_amount_below_a_name_of_time_is_no_date(name: str) -> None:
    text = json.dumps({name: 1700000000})
    assert show_times(text) == text


@pytest.mark.parametrize("name", ["last_response_at", "upload_time", "startup_time", "lastRunTime", "total_timestamp"])
def test_a_point_in_time_is_a_date(name: str) -> None:
    assert "2023-11-14 22:13:20" in show_times(json.dumps({name: 1700000000}))


@pytest.mark.parametrize("digits", ["2024010112", "2024123123", "2401311230"])
def test_digits_of_a_calendar_are_no_seconds(digits: str) -> None:
    assert show_times(f'{{"date":{digits}}}') == f'{{"date":{digits}}}'
    assert show_times('{"date":2024999912}') != '{"date":2024999912}'
