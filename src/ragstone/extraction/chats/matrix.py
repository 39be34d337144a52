"""Exports of rooms of Matrix, as Element writes them: events, of which the messages are read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragstone.extraction.chats.conversation import Conversation, Message, make_message, read_seconds
from ragstone.extraction.json_values import list_dicts, strip_text

MESSAGES = ("m.room.message", "m.sticker")
FILES = ("m.file", "m.image", "m.video", "m.audio")
Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Room:
    """Names of people, events by their ids, those that edit others by the ids and senders of these, and where threads
    begin."""

    names: Mapping[str, str]
    by_id: Mapping[str, Event]
    edits: Mapping[tuple[str, str], Event]
    threads: frozenset[str]


def read_matrix(value: Any) -> Conversation | None:
    """The messages of a room as they were last edited, with names where the room's events tell them; None for any other
    JSON."""
    events = list_dicts(value.get("messages")) if isinstance(value, dict) else []
    if not events or not all({"type", "sender", "origin_server_ts"} <= one.keys() for one in events):
        return None
    room = _Room(
        # An invitation gives the name of the invited, who is its key.
        {
            strip_text(one.get("state_key")) or strip_text(one["sender"]): name
            for one in events
            if (name := strip_text(_content(one).get("displayname")))
        },
        {strip_text(one.get("event_id")): one for one in events},
        # By their own authors: nobody else may edit a message, and no client shows it.
        {(edited, strip_text(one["sender"])): one for one in events if (edited := _related(one, "m.replace"))},
        frozenset(_related(one, "m.thread") for one in events),
    )
    said = [one for one in events if one["type"] in MESSAGES and not _related(one, "m.replace")]
    return Conversation(strip_text(value.get("room_name")), [_read_message(one, room) for one in said])


def _read_message(event: Event, room: _Room) -> Message:
    own = strip_text(event.get("event_id"))
    edit = room.edits.get((own, strip_text(event["sender"])))
    new = _content(edit).get("m.new_content") if edit is not None else None
    content = new if isinstance(new, dict) else _content(event)
    text = strip_text(content.get("body"))
    reply = _relation(event).get("m.in_reply_to")
    answered = room.by_id.get(strip_text(reply.get("event_id"))) if isinstance(reply, dict) else None
    text = _drop_quote(text) if reply else text
    text = f"(files: {text})" if content.get("msgtype") in FILES and text else text
    moment = event["origin_server_ts"]
    return make_message(
        _name(event, room),
        read_seconds(moment // 1000) if isinstance(moment, int | float) else None,
        [text],
        thread=_related(event, "m.thread") or (own if own in room.threads else ""),
        answers=_name(answered, room) if answered is not None else "",
    )


def _content(event: Event) -> Event:
    content = event.get("content")
    return content if isinstance(content, dict) else {}


def _relation(event: Event) -> Event:
    relation = _content(event).get("m.relates_to")
    return relation if isinstance(relation, dict) else {}


def _related(event: Event, kind: str) -> str:
    """The id of the event that this one edits or stands below in a thread."""
    relation = _relation(event)
    return strip_text(relation.get("event_id")) if relation.get("rel_type") == kind else ""


def _name(event: Event, room: _Room) -> str:
    sender = strip_text(event.get("sender"))
    return room.names.get(sender) or sender.removeprefix("@").partition(":")[0]


def _drop_quote(text: str) -> str:
    """A reply without the lines that quote what it answers."""
    lines = text.split("\n")
    while lines and lines[0].startswith(">"):
        del lines[0]
    return "\n".join(lines).strip() or text
