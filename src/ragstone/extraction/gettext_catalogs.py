"""Translations of gettext (`.po`, `.pot`): a table with a row for each text, as for those in XML."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ragstone.core.types import Extraction
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.media_types import GETTEXT
from ragstone.extraction.plain_text import PlainText
from ragstone.extraction.record.builder import write_record
from ragstone.extraction.record.confidentiality import close_if_marked
from ragstone.extraction.xml_formats.translations import draft_table

LINE = re.compile(r'[ \t]*(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?)[ \t]+)?"(.*)"[ \t]*')
ESCAPE = re.compile(r"\\(.)")
SHOWN = {"n": " ", "t": " ", "r": ""}
LANGUAGE = re.compile(r"^Language:\s*([\w@-]{2,20})", re.MULTILINE)


def parse_catalog(data: bytes, *, path: str) -> Extraction:
    """Extract a catalog; a file without a text of it is plain text. Texts that are no longer used are left out.

    Raises `Refused`: encoding, empty.
    """
    text, warnings = decode_text(data, path=path)
    entries = list(_read_entries(text.replace("\r\n", "\n").replace("\r", "\n")))
    about = next((one.get("msgstr", "") for one in entries if not one.get("msgid")), "")
    language = found[1] if (found := LANGUAGE.search(about.replace("\\n", "\n"))) else "translation"
    rows = [
        {
            "text": _join(entry, "msgid"),
            language: _join(entry, "msgstr"),
            "context": _show(entry.get("msgctxt", "")),
            "note": " ".join(entry.get("note", "").split()),
        }
        for entry in entries
        if entry.get("msgid")
    ]
    record, blocks = write_record(draft_table("", ("text", language, "context", "note"), rows))
    if not blocks:
        return replace(PlainText().extract(data, path=path), media_type=GETTEXT)
    return close_if_marked(Extraction(record, blocks, GETTEXT, None, {}, warnings), text)


def _read_entries(text: str) -> Iterator[Mapping[str, str]]:
    """The fields of each entry, joined from their lines; `note` for whoever translates."""
    entry: dict[str, list[str]] = {}
    last: list[str] = []
    for line in text.split("\n"):
        found = LINE.fullmatch(line)
        begins = line.startswith("#") or (found is not None and found[1] in ("msgctxt", "msgid"))
        if begins and any(name.startswith("msgstr") for name in entry):
            yield {name: "".join(parts) for name, parts in entry.items()}
            entry = {}
        if line.startswith(("#.", "# ")):
            entry.setdefault("note", []).append(f"{line[2:].strip()} ")
        elif found is not None:
            last = entry.setdefault(found[1], []) if found[1] else last
            last.append(found[2])
    yield {name: "".join(parts) for name, parts in entry.items()}


def _join(entry: Mapping[str, str], kind: str) -> str:
    """A text, or its forms for one and for several things."""
    return " / ".join(_show(text) for name, text in entry.items() if name.startswith(kind) and text)


def _show(text: str) -> str:
    return " ".join(ESCAPE.sub(lambda found: SHOWN.get(found[1], found[1]), text).split())
