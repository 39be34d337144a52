"""Messages of a chat as a text of record: each with its author and time, replies below what they answer."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby

from ragstone.core.types import Block
from ragstone.extraction.record.builder import BlockDraft, write_record

LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `thread` names what it answers together with others, "" where it stands alone; `day` is the day as
    2024-03-04 where that is known, `when` how it is shown. `chat` is the name of its chat in an export of several."""

    who: str
    when: str
    text: str
    thread: str = ""
    day: str = ""
    chat: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat with its title and its messages in order."""

    title: str
    messages: Sequence[Message]

    @property
    def meta(self) -> dict[str, str]:
        """The day of the last message as the date of the document, where it is known."""
        day = max((message.day for message in self.messages), default="")
        return {"date": day} if day else {}


def write_conversation(chat: Conversation) -> tuple[str, tuple[Block, ...]]:
    """The text of record and its blocks: a heading for the chat and each day, a paragraph for each message; a thread is
    one whole block."""
    drafts: list[BlockDraft] = []
    threads: list[str] = []
    days = {message.day for message in chat.messages if message.day}
    day = named = ""
    if chat.title:
        drafts.append(BlockDraft("heading", " ".join(chat.title.split()), level=1))
    for message in _join_threads(chat.messages):
        if message.chat != named:
            day, named = "", message.chat
            drafts.append(BlockDraft("heading", " ".join(named.split()), level=1 + bool(chat.title)))
        if len(days) > 1 and message.day and message.day != day and not (message.thread and _is_in(message, threads)):
            day = message.day
            drafts.append(BlockDraft("heading", day, level=2 + bool(chat.title and named)))
        name = " ".join(message.who.split())[:LONGEST_NAME] or "(no name)"
        lines = message.text.replace("\0", "").strip().split("\n")
        said = "\n".join(line.rstrip() for line in lines if line.strip())
        drafts.append(
            BlockDraft("paragraph", f"{name} ({message.when}): {said}" if message.when else f"{name}: {said}")
        )
        threads += [""] * (len(drafts) - 1 - len(threads)) + [message.thread]
    threads += [""] * (len(drafts) - len(threads))
    record, blocks = write_record(drafts)
    return record, tuple(_join_blocks(blocks, threads))


def _is_in(message: Message, threads: Sequence[str]) -> bool:
    return bool(threads) and threads[-1] == message.thread


def _join_threads(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages in order, those of a thread at the place of its first one."""
    groups: dict[tuple[str, str, int], list[Message]] = {}
    for number, message in enumerate(messages):
        if message.text.strip():
            own = 0 if message.thread else number + 1
            groups.setdefault((message.chat, message.thread, own), []).append(message)
    for group in groups.values():
        yield from group if len(group) > 1 else (replace(one, thread="") for one in group)


def _join_blocks(blocks: Sequence[Block], threads: Sequence[str]) -> Iterator[Block]:
    """The blocks, those of one thread as one that is whole."""
    for _, places in groupby(range(len(blocks)), key=lambda place: threads[place] or place):
        group = [blocks[place] for place in places]
        text = "\n".join(block.text for block in group)
        spans = tuple(span for block in group for span in block.spans)
        yield replace(group[0], text=text, spans=spans, whole=len(group) > 1)


def make_message(
    who: str, moment: datetime | None, texts: list[str], *, thread: str = "", answers: str = ""
) -> Message:
    """A message of its texts, a line each; `answers` is who it answers."""
    said = "\n".join(filter(None, texts))
    when = show_moment(moment) if moment else ""
    return Message(f"{who} to {answers}" if answers and said else who, when, said, thread, when[:10])


def join_chats(chats: Sequence[Conversation]) -> Conversation | None:
    """The chats of an export as one conversation, each under its name; None where none has a message."""
    if len(chats) == 1:
        return chats[0]
    joined = [replace(one, chat=chat.title or "(no name)") for chat in chats for one in chat.messages]
    return Conversation("", joined) if joined else None


def show_moment(moment: datetime) -> str:
    """
    >>> show_moment(datetime(2024, 3, 4, 10, 11, 12, tzinfo=UTC))
    '2024-03-04 10:11 UTC'
    """
    zone = "" if moment.tzinfo is None else " UTC" if not moment.utcoffset() else f" {moment.isoformat()[-6:]}"
    return f"{moment:%Y-%m-%d %H:%M}{zone}"


def read_seconds(seconds: object) -> datetime | None:
    """The moment that a program counts in seconds since 1970."""
    try:
        return datetime.fromtimestamp(int(float(str(seconds))), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def read_moment(text: object) -> datetime | None:
    """The moment of an ISO date and time."""
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None
