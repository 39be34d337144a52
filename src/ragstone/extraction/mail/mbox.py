"""Archives of mails in one file (mbox): each message a section, read as a mail that is a file of its own."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction
from ragstone.extraction.labelled_bytes import decode_bytes
from ragstone.extraction.mail.body import lower_heading
from ragstone.extraction.mail.message import NAMED, Mail, format_names, read_mail
from ragstone.extraction.mail.mime import FAULTS, parse_message
from ragstone.extraction.mail_boundaries import find_messages, undo_quoting
from ragstone.extraction.media_types import MBOX
from ragstone.extraction.plain_text import PlainText
from ragstone.extraction.record.builder import BlockDraft, adopt_blocks, write_record
from ragstone.extraction.record.confidentiality import close_with_reason

NO_MESSAGE = "no message begins in this file; it was kept as plain text"


@dataclass(slots=True)
class _Notes:
    """What is told of all messages together: the first of each kind, and how many there are."""

    messages: int = 0
    warnings: list[str] = field(default_factory=list)
    unlisted: int = 0
    lost: list[str] = field(default_factory=list)
    lost_count: int = 0
    marked: str = ""
    private: int = 0

    def add_mail(self, mail: Mail, warnings: tuple[str, ...]) -> None:
        self.marked = self.marked or next(iter(mail.marks), "")
        self.private += mail.private
        for warning in (*warnings, *mail.list_warnings()):
            if warning not in self.warnings and len(self.warnings) >= NAMED:
                self.unlisted += 1
            elif warning not in self.warnings:
                self.warnings.append(warning)

    def add_lost(self) -> None:
        self.lost += [f"{self.messages:,}"] if len(self.lost) < NAMED else []
        self.lost_count += 1

    def describe(self) -> Iterator[str]:
        if self.lost:
            numbers = format_names(self.lost, self.lost_count)
            yield f"messages that could not be read were kept as plain text, counted from the first: {numbers}"
        yield from self.warnings
        if self.unlisted:
            yield f"{self.unlisted:,} more notes on messages are not listed"
        if self.private:
            said = "1 mail is" if self.private == 1 else f"{self.private:,} mails are"
            yield f"{said} marked as personal or private (Sensitivity); all who search the archive find them"


def parse_mbox(data: bytes, *, path: str) -> Extraction:
    """Each message with its subject as heading, the other headers and the names of attachments below it, then what it
    says. Messages are read one after the other: of each only its text stays in memory.

    Text before the first message and messages that are none are kept as plain text, as is a file without any. Raises
    `Refused`: empty, encoding (of plain text).
    """
    first = next(find_messages(data), None)
    if first is None:
        found = PlainText().extract(data, path=path)
        return replace(found, warnings=(*found.warnings, NO_MESSAGE))
    notes = _Notes()
    record, blocks = write_record(_read_archive(data, first[0], notes, path))
    found = Extraction(record, blocks, MBOX, None, {"messages": notes.messages}, tuple(notes.describe()))
    return close_with_reason(found, notes.marked) if notes.marked else found


def find_mark(data: bytes, *, path: str) -> str:
    """Why an archive is restricted, "" where it is not: the first mark in any of its messages."""
    notes = _Notes()
    for _ in _read_archive(data, 0, notes, path):
        if notes.marked:
            break
    return notes.marked


def _read_archive(data: bytes, begin: int, notes: _Notes, path: str) -> Iterator[BlockDraft]:
    yield from _read_plain(data[:begin], path)
    for _, start, end in find_messages(data):
        notes.messages += 1
        yield from _read_message(undo_quoting(data[start:end]), notes, path)


def _read_message(raw: bytes, notes: _Notes, path: str) -> Iterator[BlockDraft]:
    try:
        message, warnings = parse_message(raw)
        mail = read_mail(message, path=path)
    except (Refused, *FAULTS):
        notes.add_lost()
        yield BlockDraft("heading", f"Message {notes.messages:,}", level=1, made=True)
        yield from _read_plain(raw, path)
        return
    notes.add_mail(mail, warnings)
    yield from mail.draft_section()


def _read_plain(data: bytes, path: str) -> Iterator[BlockDraft]:
    """The blocks of a text in whatever encoding; nothing where there is none."""
    text = decode_bytes(data.replace(b"\0", b""), None)
    with suppress(Refused):
        yield from map(lower_heading, adopt_blocks(PlainText().extract(text.encode(), path=path)))
