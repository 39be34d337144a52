"""Notes of Google Keep, as Google Takeout writes them: title, words or list, labels and links."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ragstone.core.types import Block
from ragstone.extraction.chats.conversation import read_seconds
from ragstone.extraction.json_values import list_dicts, strip_text
from ragstone.extraction.record.builder import BlockDraft, write_record

SIGN = '"userEditedTimestampUsec"'


def read_note(text: str) -> tuple[str, dict[str, str], str, tuple[Block, ...]] | None:
    """Title, metadata, text of record and blocks of a note; None for any other JSON."""
    if SIGN not in text:
        return None
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    if not isinstance(value, dict) or not {"textContent", "listContent"} & value.keys():
        return None
    record, blocks = write_record(_draft_note(value))
    edited = value.get("userEditedTimestampUsec")
    moment = read_seconds(edited // 1_000_000) if isinstance(edited, int) else None
    return strip_text(value.get("title")), {"date": f"{moment:%Y-%m-%d}"} if moment else {}, record, blocks


def _draft_note(note: Mapping[str, Any]) -> Iterator[BlockDraft]:
    yield BlockDraft("heading", " ".join(strip_text(note.get("title")).split()), level=1)
    for part in strip_text(note.get("textContent")).replace("\r\n", "\n").split("\n\n"):
        yield BlockDraft("paragraph", part.strip())
    for item in list_dicts(note.get("listContent")):
        if words := " ".join(strip_text(item.get("text")).split()):
            yield BlockDraft("list", f"- [{'x' if item.get('isChecked') else ' '}] {words}", level=1)
    if labels := ", ".join(filter(None, (strip_text(one.get("name")) for one in list_dicts(note.get("labels"))))):
        yield BlockDraft("paragraph", f"Labels: {labels}")
    for link in list_dicts(note.get("annotations")):
        said = dict.fromkeys(filter(None, (strip_text(link.get(key)) for key in ("title", "description", "url"))))
        yield BlockDraft("paragraph", "\n".join(said))
