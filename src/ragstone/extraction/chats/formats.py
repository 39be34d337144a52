"""The exports of chats that are known by the members of their JSON: Slack, Discord, Telegram, Teams, Google Chat."""

import html
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from ragstone.extraction.chats.conversation import Conversation, Message, join_chats, make_message, read_moment
from ragstone.extraction.chats.more_formats import FIRST_LINE, MORE
from ragstone.extraction.chats.slack import DAY_FILE, read_slack
from ragstone.extraction.json_values import find_texts, list_dicts, strip_text

# One stands in each export.
SIGNS = ('"messages"', '"messageType"', '"MessageList"', '"chat_messages"', '"mapping"', '"post"')
LINE_END = re.compile(r"(?:<br\s?/?>|</(?:p|div|li|tr|h\d)>)\n?", re.IGNORECASE)
TAG = re.compile(r"</?[A-Za-z!][^<>]{0,2000}>")
BLANKS = re.compile(r"[ \t\xa0]+")


def read_chat(text: str, *, path: str, people: Mapping[str, str]) -> Conversation | None:
    """The conversation in JSON that is an export of a chat; None for any other JSON."""
    if not (any(sign in text for sign in SIGNS) or DAY_FILE.fullmatch(path)):  # to decode all costs memory
        return None
    value = _decode(text)
    if value is None:
        return None
    readers: tuple[Callable[[Any], Conversation | None], ...] = (
        lambda one: read_slack(one, path, people),
        _read_discord,
        _read_telegram,
        _read_telegram_account,
        _read_google,
        _read_teams,
        *MORE,
    )
    found = (chat for read in readers if (chat := read(value)) is not None)
    return next((chat for chat in found if any(one.text for one in chat.messages)), None)


def _decode(text: str) -> Any:
    """The JSON of a text, or the list of its lines where each is JSON; None for any other text."""
    try:
        return msgspec.json.decode(text)
    except (RecursionError, UnicodeEncodeError):
        return None
    except msgspec.DecodeError:
        pass
    try:
        return [*map(msgspec.json.decode, text.splitlines())] if text.startswith(FIRST_LINE) else None
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None


def _read_discord(value: Any) -> Conversation | None:
    """By DiscordChatExporter."""
    if not _has(value, guild=dict, channel=dict, messages=list):
        return None
    names = (value["guild"].get("name"), value["channel"].get("category"), f"#{value['channel'].get('name')}")
    title = " / ".join(dict.fromkeys(str(name) for name in names if name))
    messages = list_dicts(value["messages"])
    by_id = {str(one.get("id")): one for one in messages}
    return Conversation(title, [_read_discord_message(one, by_id) for one in messages])


def _read_discord_message(one: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> Message:
    texts = [strip_text(one.get("content"))]
    for embed in list_dicts(one.get("embeds")):
        fields = list_dicts(embed.get("fields"))
        texts += [strip_text(embed.get("title")), strip_text(embed.get("description"))]
        texts += [f"{strip_text(field.get('name'))}: {strip_text(field.get('value'))}" for field in fields]
    files = ", ".join(filter(None, (strip_text(file.get("fileName")) for file in list_dicts(one.get("attachments")))))
    texts.append(f"(files: {files})" if files else "")
    reference = one.get("reference")
    answered = by_id.get(str(reference.get("messageId"))) if isinstance(reference, dict) else None
    return make_message(_name(one.get("author")), read_moment(one.get("timestamp")), texts, answers=_name_of(answered))


def _name_of(message: Mapping[str, Any] | None) -> str:
    return _name(message.get("author")) if message else ""


def _read_telegram(value: Any) -> Conversation | None:
    """By Telegram Desktop."""
    if not _has(value, type=str, id=int, messages=list):
        return None
    messages = [one for one in list_dicts(value["messages"]) if one.get("type") == "message"]
    if not all({"date", "from", "text"} <= one.keys() for one in messages):
        return None
    by_id = {str(one.get("id")): one for one in messages}
    read = []
    for one in messages:
        answered = by_id.get(str(one.get("reply_to_message_id")))
        poll = one.get("poll")
        file = strip_text(one.get("file_name"))
        texts = [_join_telegram(one.get("text")), f"(files: {file})" if file else ""]
        if isinstance(poll, dict):
            texts += [strip_text(poll.get("question")), *find_texts(poll.get("answers"))]
        name = strip_text(one.get("from")) or strip_text(one.get("actor"))
        forwarded = strip_text(one.get("forwarded_from"))
        texts = [f"(forwarded from {forwarded})", *texts] if forwarded else texts
        said = strip_text(answered.get("from")) if answered else ""
        read.append(make_message(name, read_moment(one.get("date")), texts, answers=said))
    return Conversation(strip_text(value.get("name")) or value["type"].replace("_", " "), read)


def _read_telegram_account(value: Any) -> Conversation | None:
    """All chats of an account by Telegram Desktop."""
    groups = [value.get(key) for key in ("chats", "left_chats")] if isinstance(value, dict) else []
    listed = [one for group in groups if isinstance(group, dict) for one in list_dicts(group.get("list"))]
    chats = [chat for one in listed if (chat := _read_telegram(one)) is not None]
    known = value.get("contacts") if isinstance(value, dict) else None
    if chats and isinstance(known, dict) and (people := list_dicts(known.get("list"))):
        chats.append(Conversation("Contacts", [*map(_read_contact, people)]))
    return join_chats(chats)


def _read_contact(one: Mapping[str, Any]) -> Message:
    name = " ".join(filter(None, (strip_text(one.get(key)) for key in ("first_name", "last_name"))))
    return make_message(name, None, [strip_text(one.get("phone_number"))])


def _join_telegram(text: Any) -> str:
    parts = text if isinstance(text, list) else [text]
    return "".join(
        one if isinstance(one, str) else strip_text(one.get("text")) for one in parts if isinstance(one, str | dict)
    )


def _read_google(value: Any) -> Conversation | None:
    """By Google Takeout: `messages.json` of a room."""
    if not _has(value, messages=list):
        return None
    messages = list_dicts(value["messages"])
    if not messages or not all(isinstance(one.get("creator"), dict) and "created_date" in one for one in messages):
        return None
    read = []
    for one in messages:
        files = ", ".join(strip_text(file.get("original_name")) for file in list_dicts(one.get("attached_files")))
        texts = [strip_text(one.get("text")), f"(files: {files})" if files else ""]
        said = "\n".join(filter(None, texts))
        when = " ".join(strip_text(one.get("created_date")).split())
        read.append(Message(_name(one["creator"]), when, said, strip_text(one.get("topic_id"))))
    return Conversation("", read)


def _read_teams(value: Any) -> Conversation | None:
    """By Microsoft Graph (channel messages with their replies), or a person's own export of Teams and Skype."""
    if _has(value, conversations=list):
        return _read_skype(value)
    found = value.get("value") if isinstance(value, dict) else value
    messages = list_dicts(found)
    if not messages or not all("messageType" in one and "createdDateTime" in one for one in messages):
        return None
    read = []
    messages.sort(key=lambda one: strip_text(one.get("createdDateTime")))
    for one in messages:
        replies = sorted(list_dicts(one.get("replies")), key=lambda reply: strip_text(reply.get("createdDateTime")))
        thread = strip_text(one.get("replyToId")) or strip_text(one.get("id"))
        read += [_read_teams_message(each, thread) for each in (one, *replies) if each.get("messageType") == "message"]
    return Conversation("", read)


def _read_teams_message(one: Mapping[str, Any], thread: str) -> Message:
    body = one.get("body")
    content = strip_text(body.get("content")) if isinstance(body, dict) else ""
    if isinstance(body, dict) and body.get("contentType") == "html":
        content = strip_tags(content)
    author = one.get("from")
    people = [_name(each) for each in author.values()] if isinstance(author, dict) else []
    attached = list_dicts(one.get("attachments"))
    files = ", ".join(filter(None, (strip_text(file.get("name")) for file in attached)))
    cards = [text for file in attached for text in _read_card(file.get("content"))]
    texts = [strip_text(one.get("subject")), content, *cards, f"(files: {files})" if files else ""]
    made = make_message(next(filter(None, people), ""), read_moment(one.get("createdDateTime")), texts)
    return Message(made.who, made.when, made.text, thread, made.day)


def _read_card(content: Any) -> Iterator[str]:
    """What a card of a program says, which Teams keeps as JSON within JSON."""
    try:
        yield from find_texts(msgspec.json.decode(strip_text(content)))
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return


def _read_skype(value: Mapping[str, Any]) -> Conversation | None:
    chats = [one for one in list_dicts(value["conversations"]) if isinstance(one.get("MessageList"), list)]
    return join_chats([_read_skype_chat(one) for one in chats])


def _read_skype_chat(chat: Mapping[str, Any]) -> Conversation:
    messages = [one for one in list_dicts(chat["MessageList"]) if "content" in one]
    messages.sort(key=lambda one: strip_text(one.get("originalarrivaltime")))
    read = [
        make_message(
            strip_text(one.get("displayName")) or strip_text(one.get("from")).rpartition(":")[2],
            read_moment(one.get("originalarrivaltime")),
            [strip_tags(strip_text(one["content"]))],
        )
        for one in messages
    ]
    return Conversation(strip_text(chat.get("displayName")) or strip_text(chat.get("id")), read)


def strip_tags(text: str) -> str:
    """
    >>> strip_tags("<p>Ask <at id='0'>Ann</at>&nbsp;first.</p><p>A &lt; B</p>")
    'Ask Ann first.\\nA < B'
    """
    lines = html.unescape(TAG.sub("", LINE_END.sub("\n", text))).split("\n")
    return "\n".join(filter(None, (BLANKS.sub(" ", line).strip() for line in lines)))


def _has(value: Any, **members: type) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), kind) for key, kind in members.items())


def _name(person: Any) -> str:
    if not isinstance(person, dict):
        return ""
    return next(filter(None, (strip_text(person.get(k)) for k in ("nickname", "displayName", "name", "email"))), "")
