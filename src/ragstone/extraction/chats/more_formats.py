"""More exports of chats that are known by their members: Facebook and Instagram, Mattermost, slackdump, and talks with
language models (ChatGPT, Claude)."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from ragstone.extraction.chats.conversation import (
    Conversation,
    Message,
    join_chats,
    make_message,
    read_moment,
    read_seconds,
)
from ragstone.extraction.chats.matrix import read_matrix
from ragstone.extraction.chats.slack import read_dump
from ragstone.extraction.json_values import list_dicts, strip_text

FIRST_LINE = '{"type":"version"', '{"type": "version"'  # of an export of Mattermost, a line of JSON for each message
UNSEEN = ("system", "tool")


def read_facebook(value: Any) -> Conversation | None:
    """A chat of Facebook's Messenger or Instagram. Its texts are UTF-8 that was taken for Latin-1."""
    messages = list_dicts(value.get("messages")) if isinstance(value, dict) else []
    if not messages or not all("sender_name" in one and "timestamp_ms" in one for one in messages):
        return None
    read = []
    for one in sorted(messages, key=lambda one: str(one["timestamp_ms"])):
        shared = one.get("share")
        links = [strip_text(shared.get(key)) for key in ("share_text", "link")] if isinstance(shared, dict) else []
        texts = [_mend(text) for text in (strip_text(one.get("content")), *links)]
        read.append(make_message(_mend(strip_text(one["sender_name"])), _read_thousandths(one["timestamp_ms"]), texts))
    return Conversation(_mend(strip_text(value.get("title"))), read)


def read_mattermost(value: Any) -> Conversation | None:
    """The posts of all channels (bulk export), replies below what they answer."""
    lines = list_dicts(value)
    if not lines or lines[0].get("type") != "version":
        return None
    chats: dict[str, list[Message]] = {}
    for number, line in enumerate(lines):
        post = line.get("post") or line.get("direct_post")
        if not isinstance(post, dict):
            continue
        members = post.get("channel_members")
        said = [*map(strip_text, members)] if isinstance(members, list) else []
        names = " / ".join(filter(None, (strip_text(post.get(key)) for key in ("team", "channel"))))
        texts = chats.setdefault(names or ", ".join(said), [])
        for one in (post, *list_dicts(post.get("replies"))):
            moment = _read_thousandths(one.get("create_at"))
            user = strip_text(one.get("user"))
            texts.append(make_message(user, moment, [strip_text(one.get("message"))], thread=str(number)))
    return join_chats([Conversation(name, messages) for name, messages in chats.items()])


def read_chatgpt(value: Any) -> Conversation | None:
    """All talks with ChatGPT, each in the order of its messages."""
    talks = list_dicts(value)
    if not talks or not all(isinstance(one.get("mapping"), dict) for one in talks):
        return None
    return join_chats([Conversation(strip_text(one.get("title")), _read_nodes(one["mapping"])) for one in talks])


def _read_nodes(mapping: Mapping[str, Any]) -> list[Message]:
    read = []
    for node in list_dicts(list(mapping.values())):
        one = node.get("message")
        if not isinstance(one, dict):
            continue
        author, content = one.get("author"), one.get("content")
        if isinstance(author, dict) and isinstance(content, dict) and author.get("role") not in UNSEEN:
            parts = content.get("parts")
            texts = [*map(strip_text, parts)] if isinstance(parts, list) else [strip_text(content.get("text"))]
            read.append(make_message(strip_text(author.get("role")), read_seconds(one.get("create_time")), texts))
    return sorted(read, key=attrgetter("when"))  # those of one minute stay as they are


def read_claude(value: Any) -> Conversation | None:
    """All talks with Claude."""
    talks = list_dicts(value)
    if not talks or not all(isinstance(one.get("chat_messages"), list) for one in talks):
        return None
    return join_chats(
        [
            Conversation(
                strip_text(talk.get("name")),
                [
                    make_message(
                        strip_text(one.get("sender")), read_moment(one.get("created_at")), _list_claude_texts(one)
                    )
                    for one in list_dicts(talk["chat_messages"])
                ],
            )
            for talk in talks
        ]
    )


def _list_claude_texts(one: Mapping[str, Any]) -> list[str]:
    """What a message says, and the texts that were put into it with their names."""
    said = strip_text(one.get("text"))
    texts = [said] if said else [strip_text(part.get("text")) for part in list_dicts(one.get("content"))]
    for file in list_dicts(one.get("attachments")):
        texts += [strip_text(file.get(key)) for key in ("file_name", "extracted_content")]
    return texts


def _read_thousandths(moment: object) -> Any:
    return read_seconds(moment / 1000) if isinstance(moment, int | float) else None


def _mend(text: str) -> str:
    """
    >>> _mend("GrÃ¼Ã\\x9fe"), _mend("Grüße")
    ('Grüße', 'Grüße')
    """
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text


MORE = (read_facebook, read_mattermost, read_chatgpt, read_claude, read_dump, read_matrix)
