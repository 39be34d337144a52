"""Exports of Slack: a folder for each channel with a file for each day; `users.json` beside them has the names."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ragstone.extraction.chats.conversation import Conversation, Message, read_seconds, show_moment
from ragstone.extraction.json_values import find_texts, list_dicts

DAY_FILE = re.compile(r"(?:(?:(.*)/)?([^/]+)/)?(\d{4}-\d\d-\d\d)\.json")
USERS = "users.json"
STAMP = re.compile(r"\d{10}\.\d{1,9}")
# `<@U1>`, `<@U1|ann>`, `<#C1|general>`, `<!here>`, `<!subteam^S1|@team>`, `<https://x.org|label>`
MARKED = re.compile(r"<([@#!]?)([^<>|\n]{1,2000})(?:\|([^<>\n]{0,500}))?>")
SILENT = frozenset("channel_join channel_leave group_join group_leave channel_archive bot_add bot_remove".split())
LONGEST = 20_000  # characters of a name or text in a file of names that are looked at


def find_users_file(path: str) -> str | None:
    """Where the names of people stand, for the file of a day in a channel; None for other files.

    >>> find_users_file("slack/general/2024-03-04.json"), find_users_file("slack/users.json")
    ('slack/users.json', None)
    """
    day = DAY_FILE.fullmatch(path)
    if day is None or not day[2]:
        return None
    return f"{day[1]}/{USERS}" if day[1] else USERS


def read_people(data: bytes) -> dict[str, str]:
    """The names of people by their ids; none for JSON of another kind."""
    try:
        users = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return {}
    people: dict[str, str] = {}
    for user in users if isinstance(users, list) else ():
        if isinstance(user, dict) and isinstance(key := user.get("id"), str) and (name := _name_of(user)):
            people[key] = name
    return people


def _name_of(user: Mapping[str, Any]) -> str:
    profile = user.get("profile") if isinstance(user.get("profile"), dict) else {}
    assert isinstance(profile, dict)
    for place, key in ((profile, "real_name"), (user, "real_name"), (profile, "display_name"), (user, "name")):
        if isinstance(name := place.get(key), str) and name.strip():
            return " ".join(name[:LONGEST].split())
    return ""


def read_slack(value: Any, path: str, people: Mapping[str, str]) -> Conversation | None:
    """The messages of a channel on a day; None for what is none."""
    day = DAY_FILE.fullmatch(path)
    if day is None or not isinstance(value, list) or not value:
        return None
    if not all(map(_is_message, value)):
        return None
    own = {str(one["user"]): name for one in value if "user" in one and (name := _name_of_author(one))}
    known = {**people, **own}
    return Conversation(f"#{day[2]} {day[3]}" if day[2] else day[3], [_read_message(one, known) for one in value])


def read_dump(value: Any) -> Conversation | None:
    """The messages of a channel as slackdump saves them, with their threads; None for what is none."""
    if not isinstance(value, dict) or "channel_id" not in value:
        return None
    messages = []
    for one in list_dicts(value.get("messages")):
        messages += [one, *list_dicts(one.get("slackdump_thread_replies"))]
    if not messages or not all(map(_is_message, messages)):
        return None
    own = {str(one["user"]): name for one in messages if "user" in one and (name := _name_of_author(one))}
    title = f"#{value.get('name') or value['channel_id']}"
    return Conversation(title, [_read_message(one, own) for one in messages])


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "message" and bool(STAMP.fullmatch(str(value.get("ts"))))


def _name_of_author(message: Mapping[str, Any]) -> str:
    profile = message.get("user_profile")
    return _name_of({"profile": profile}) if isinstance(profile, dict) else ""


def _read_message(message: Mapping[str, Any], people: Mapping[str, str]) -> Message:
    moment = read_seconds(message["ts"])
    when = show_moment(moment) if moment else ""
    bot = message.get("bot_profile")
    user = str(message.get("user") or "")
    who = people.get(user) or message.get("username") or (isinstance(bot, dict) and bot.get("name")) or user
    silent = str(message.get("subtype")) in SILENT
    thread = str(message.get("thread_ts") or "")
    text = "" if silent else "\n".join(_list_texts(message, people))
    asked = read_seconds(thread) if thread != str(message["ts"]) else None
    if asked and moment and asked.date() != moment.date():  # the first message is in another file
        when = f"{when}, in a thread of {asked:%Y-%m-%d}"
    return Message(str(who), when, text, thread, when[:10])


def _list_texts(message: Mapping[str, Any], people: Mapping[str, str]) -> Iterator[str]:
    text = message.get("text")
    if isinstance(text, str) and text.strip():
        yield show_text(text, people)
    else:
        yield from (show_text(one, people) for one in find_texts(message.get("blocks")))
    for attached in list_dicts(message.get("attachments")):
        said = [attached.get(key) for key in ("pretext", "author_name", "title", "text")]
        texts = [show_text(one, people) for one in said if isinstance(one, str) and one.strip()]
        fallback = attached.get("fallback")
        texts = texts or [show_text(one, people) for one in find_texts(attached.get("blocks"))]
        if texts or isinstance(fallback, str):
            yield "\n".join(texts or [show_text(str(fallback), people)])
    files = [str(file.get("name") or file.get("title") or "") for file in list_dicts(message.get("files"))]
    if named := ", ".join(filter(None, files)):
        yield f"(files: {named})"


def show_text(text: str, people: Mapping[str, str]) -> str:
    """
    >>> show_text("<@U1> see <https://x.org|the page> &amp; <#C1|general>, <!here> <@U2>", {"U1": "Ann Lee"})
    '@Ann Lee see the page (https://x.org) & #general, @here @U2'
    """

    def show(mark: re.Match[str]) -> str:
        sign, target, label = mark.groups()
        if sign == "@":
            return f"@{people.get(target) or label or target}"
        if sign == "#":
            return f"#{label or target}"
        if sign == "!":
            return label or f"@{target.partition('^')[0]}"
        bare = target.removeprefix("mailto:")
        return bare if not label or label == bare else f"{label} ({bare})"

    return html.unescape(MARKED.sub(show, text))
