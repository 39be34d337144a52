"""Mails by their headers: a single one under any name, and where the messages of an archive (mbox) begin and end."""

import re
from collections.abc import Iterator

LOOKED_AT = 64 * 1024  # bytes in which the headers of the first message are looked for
HEADER = rb"[!-9;-~]{1,76}:"
# Headers that a message begins with.
OF_MAIL = (
    rb"(?:return-path|received|from|to|cc|date|subject|message-id|delivered-to|mime-version|content-type|reply-to|sender"
    rb"|status|envelope-to|in-reply-to|references|list-id|authentication-results|dkim-signature|arc-[a-z-]{1,40}"
    rb"|x-[a-z0-9-]{1,60}):"
)
MONTH = rb"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
DAY = rb"(?:mon|tue|wed|thu|fri|sat|sun),?[ \t]+(?:" + MONTH + rb"[ \t]+\d{1,2}|\d{1,2}[ \t]+" + MONTH + rb")"
# Day, time and year: hours that a message tells (`From Mon to Fri 10:00`) are none.
DATE = (
    rb"[^\r\n]{0,300}?\b" + DAY + rb"\b(?=[^\r\n]{0,60}\b(?:19|20)\d\d\b)"
    rb"[^\r\n]{0,40}?\d{1,2}:\d\d[^\r\n]{0,60}"
)
# With its date a line of any writer; without one, as some write it, it stands below a blank line and above `From:` and
# another header that every mail has.
DATED = re.compile(rb"From " + DATE + rb"\r?\n(?:>?From [^\r\n]{0,300}\r?\n)?(?=" + HEADER + rb")", re.IGNORECASE)
BARE = re.compile(rb"From [^\r\n]{0,300}\r?\n(?=" + OF_MAIL + rb")", re.IGNORECASE)
LINE = re.compile(rb"(?:^|(?<=\xef\xbb\xbf))From ", re.MULTILINE)
QUOTED = re.compile(rb"^>(?=>*From )", re.MULTILINE)
TELLING = re.compile(rb"^(from|date|subject|message-id|to):", re.MULTILINE | re.IGNORECASE)
NAME = re.compile(rb"([!-9;-~]{1,76}):")
OF_SERVER = re.compile(r"(?:^|/)(?:[^./]+|\d{9,11}\.[^/]+|[^/]+[:;!]2,[a-zA-Z]*)$")
SENT = frozenset((b"message-id", b"received", b"return-path", b"delivered-to", b"mime-version"))
HEAD_END = re.compile(rb"\r?\n\r?\n")
MARK = b"\xef\xbb\xbf"
SHORT = 1000  # bytes of white space in front of the first message


def is_archive(data: bytes) -> bool:
    """Whether a file begins as an archive of mails does: a line `From `, then the headers of a message.

    >>> is_archive(b"From ann@x.org Mon Jan  1 10:00:00 2024\\nFrom: ann@x.org\\nSubject: Tea\\n\\nAt four.\\n")
    True
    >>> is_archive(b"From Monday to Friday, 10:00: open\\nNote: closed on Sunday\\n")
    False
    """
    head = data[:LOOKED_AT].removeprefix(MARK).lstrip()
    if not head.startswith(b"From "):
        return False
    if begun := DATED.match(head):
        return len(_list_telling(head, begun.end())) > 1
    begun = BARE.match(head)
    return begun is not None and _has_sender(head, begun.end())


def is_mail_name(path: str) -> bool:
    """Whether a file may be a mail of a mail server: it has no ending, or is called by the time when the mail came, or
    with its marks.

    >>> [is_mail_name(path) for path in ("INBOX/17", "cur/1532672447.R3166.host:2,S", "new/1532672447.R3166.host")]
    [True, True, True]
    >>> is_mail_name("notes/2024.draft"), is_mail_name("mail.txt")
    (False, False)
    """
    return OF_SERVER.search(path) is not None


def is_server_mail(data: bytes, path: str) -> bool:
    """Whether a file is a mail of a mail server, by its name and its headers."""
    return is_mail_name(path) and is_mail(data)


def is_mail(data: bytes) -> bool:
    """Whether a file begins with the headers of a mail that was sent: nothing else, and those that every mail has.

    >>> is_mail(b"From: ann@x.org\\nDate: Mon, 1 Jan 2024 10:00:00 +0100\\nMessage-ID: <1@x.org>\\n\\nTea?\\n")
    True
    >>> is_mail(b"From: Berlin\\nDate: in May\\n\\nTravel notes\\n")
    False
    """
    names = set()
    for line in data[:LOOKED_AT].removeprefix(MARK).split(b"\n"):
        if not line.strip():
            break
        if line[:1] not in b" \t":
            named = NAME.match(line)
            if named is None:
                return False
            names.add(named[1].lower())
    return {b"from", b"date"} <= names and not names.isdisjoint(SENT)


def find_messages(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Of each message where its line `From ` begins, where it begins itself behind that, and where it ends."""
    line = start = -1
    for found in LINE.finditer(data):
        begun = DATED.match(data, found.start())
        if begun is None and _is_below_blank(data, found.start()):
            begun = BARE.match(data, found.start())
            begun = begun if begun is not None and _has_sender(data, begun.end()) else None
        if begun is None:
            continue
        if start >= 0:
            yield line, start, begun.start()
        line, start = begun.span()
    if start >= 0:
        yield line, start, len(data)


def _has_sender(data: bytes, at: int) -> bool:
    """Whether headers from here name a sender, and something else that every mail has."""
    found = _list_telling(data, at)
    return b"from" in found and len(found) > 1


def _list_telling(data: bytes, at: int) -> set[bytes]:
    """The names of the headers from here that every mail has."""
    end = HEAD_END.search(data, at, at + LOOKED_AT)
    return {name.lower() for name in TELLING.findall(data, at, end.start() if end else at + LOOKED_AT)}


def undo_quoting(message: bytes) -> bytes:
    """The message without the mark that archives put before `From ` at the beginning of a line."""
    return QUOTED.sub(b"", message)


def _is_below_blank(data: bytes, at: int) -> bool:
    above = data[max(0, at - 4) : at]
    return (
        at == 0 or above.endswith((b"\n\n", b"\r\n\r\n")) or (at <= SHORT and not data[:at].removeprefix(MARK).strip())
    )
