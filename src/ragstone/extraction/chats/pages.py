"""Exports of chats as web pages: Telegram Desktop, DiscordChatExporter."""

import re
from collections.abc import Iterator

from lxml import etree

from ragstone.extraction.chats.conversation import Conversation, Message, read_moment, show_moment

# The classes of the message, its author, time, words and files, and of what is around all.
TELEGRAM = ("message", "from_name", "date", ("text",), ("title",))
DISCORD = (
    "chatlog__message",
    "chatlog__author",
    "chatlog__timestamp",
    ("chatlog__content", "chatlog__embed-title", "chatlog__embed-description"),
    ("chatlog__attachment-generic-name",),
)
SIGNS = (
    (TELEGRAM, ('class="from_name"', 'class="message default')),
    (DISCORD, ("chatlog__message", "chatlog__author")),
)
TITLES = ("page_header", "preamble__entry", "preamble__guild-name")
GERMAN = re.compile(r"(\d\d)\.(\d\d)\.(\d{4}) (\d\d:\d\d)(?::\d\d)?(?: (UTC[+-]\d\d:\d\d))?")
BREAKS = frozenset(("br", "div", "p", "pre", "li"))


def read_chat_page(text: str) -> Conversation | None:
    """The conversation of a page that is an export of a chat; None for any other page."""
    for classes, signs in SIGNS:
        if all(sign in text for sign in signs):
            root = _parse_page(text)
            messages = [] if root is None else list(_list_messages(root, *classes))
            if root is not None and any(one.text for one in messages):
                return Conversation(_find_title(root), messages)
    return None


def _parse_page(text: str) -> etree._Element | None:
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(text.encode(errors="replace"), parser)
    except etree.LxmlError:
        return None


def _find_title(root: etree._Element) -> str:
    found = [_read_text(one) for one in root.iter("div", "span") if _classes(one).intersection(TITLES)]
    return " / ".join(dict.fromkeys(" ".join(text.split()) for text in found[:3] if text.strip()))


def _list_messages(
    root: etree._Element, message: str, author: str, time: str, texts: tuple[str, ...], files: tuple[str, ...]
) -> Iterator[Message]:
    """The messages in order; one without an author is of the one before."""
    who, when = "", ""
    for one in root.iter("div"):
        if message not in _classes(one) or any(message in _classes(above) for above in one.iterancestors("div")):
            continue
        if "service" in _classes(one):
            continue
        said: list[str] = []
        named: list[str] = []
        fresh = True
        for part in one.iter("div", "span", "a"):
            classes = _classes(part)
            if author in classes and fresh:
                who, fresh = " ".join(_read_text(part).split()), False
            elif time in classes:
                when = _show_time(part.get("title") or _read_text(part)) or when
            elif classes.intersection(texts):
                said.append(_read_text(part))
            elif classes.intersection(files):
                named.append(" ".join(_read_text(part).split()))
        said += [f"(files: {', '.join(filter(None, named))})"] if any(named) else []
        day = when[:10] if re.match(r"\d{4}-\d\d-\d\d", when) else ""
        yield Message(who, when, "\n".join(filter(None, said)), day=day)


def _show_time(text: str) -> str:
    """
    >>> _show_time("04.03.2024 10:05:00 UTC+01:00"), _show_time("2024-03-04T10:05:00+00:00"), _show_time("Today")
    ('2024-03-04 10:05 UTC+01:00', '2024-03-04 10:05 UTC', 'Today')
    """
    text = " ".join(text.split())
    if found := GERMAN.fullmatch(text):
        day, month, year, time, zone = found.groups()
        return f"{year}-{month}-{day} {time}{f' {zone}' if zone else ''}"
    moment = read_moment(text)
    return show_moment(moment) if moment else text


def _classes(element: etree._Element) -> set[str]:
    return set((element.get("class") or "").split())


def _read_text(element: etree._Element) -> str:
    """The words of an element, a line for each of its blocks."""
    parts: list[str] = []
    for event, one in etree.iterwalk(element, events=("start", "end")):
        if event == "start":
            parts += ["\n"] if one.tag in BREAKS and one is not element else []
            parts.append(" ".join((one.text or "").split("\n")))
        elif one is not element:
            parts.append(" ".join((one.tail or "").split("\n")))
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(filter(None, lines))
