"""Calendars and address cards (iCalendar, vCard): each event, task or card is a section with what it says of itself."""

import quopri
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ragstone.core.errors import Refused
from ragstone.core.newlines import unify_newlines
from ragstone.core.types import Extraction
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.labelled_bytes import decode_bytes
from ragstone.extraction.plain_text import PlainText
from ragstone.extraction.record.builder import BlockDraft, write_record
from ragstone.extraction.record.confidentiality import close_if_marked, close_with_reason
from ragstone.extraction.repetition import show_rule

SECTIONS = ("VEVENT", "VTODO", "VJOURNAL", "VCARD")
TITLES = ("SUMMARY", "FN", "N", "NICKNAME", "ORG", "EMAIL")  # the first that there is names a section
TEXTS = ("DESCRIPTION", "NOTE", "COMMENT")  # paragraphs of their own
CALENDAR_TITLES = ("X-WR-CALNAME", "NAME")
CALENDAR_TEXTS = ("X-WR-CALDESC", "DESCRIPTION")
# What programs need and nobody reads.
SILENT = frozenset(
    "BEGIN END UID DTSTAMP SEQUENCE PRODID VERSION REV CREATED LAST-MODIFIED TRANSP PHOTO LOGO SOUND KEY CALSCALE "
    "METHOD CLASS RECURRENCE-ID SORT-STRING MAILER CLIENTPIDMAP XML".split()
)
SILENT_KINDS = re.compile(r"X-(?:AB|APPLE|MICROSOFT|MS-|MOZ|GOOGLE|LIC|ALT-DESC|EVOLUTION|PHONETIC).*")
LABELS = {
    "N": "Name",
    "DTSTART": "Start",
    "DTEND": "End",
    "TEL": "Phone",
    "EMAIL": "E-mail",
    "ADR": "Address",
    "ORG": "Organization",
    "BDAY": "Birthday",
    "URL": "URL",
    "IMPP": "Chat",
    "RRULE": "Repeats",
    "TZ": "Time zone",
    "GEO": "Position",
}
STRUCTURED = ("N", "ADR", "ORG", "GENDER")
PEOPLE = ("ATTENDEE", "ORGANIZER")
MOMENTS = ("DTSTART", "DTEND", "DUE", "COMPLETED", "EXDATE", "RDATE", "BDAY", "ANNIVERSARY")
KINDS = re.compile(r"home|work|cell|mobile|fax|main|other|school|pager", re.IGNORECASE)
NAMED = re.compile(r'(?:[\w-]++\.)?([\w-]++)((?:;[^":;]*+(?:"[^"]*+"[^":;]*+)*+)*+):(.*)', re.DOTALL)
PARAMETER = re.compile(r';([\w-]+)(?:=((?:"[^"]*"|[^";])*))?')
ESCAPE = re.compile(r"\\([\\,;:nN\"])")
FIELD = re.compile(r"((?:[^;\\]++|\\.?)*+)(?:;|\Z)", re.DOTALL)
WORD = re.compile(r"\w+")
MOMENT = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(?:\d\d)?(?:\.\d+)?(Z?))?")
NOTHING = "the file holds no event and no card; it was kept as plain text"


@dataclass(frozen=True, slots=True)
class Property:
    """A line of a card: its name in capitals, its parameters and its raw value."""

    name: str
    parameters: dict[str, str]
    raw: str


Section = list[Property]


@dataclass(frozen=True, slots=True)
class Cards:
    """iCalendar or vCard. The text of record is written anew: a heading for each event or card (and one for a calendar
    with a name), then its values as lines `Name: value`, then its descriptions. Pictures and what only programs need
    are left out."""

    media_type: str
    recipe: str = "cards-3"

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused`: encoding, empty."""
        text, warnings = decode_text(data, path=path)
        calendar, sections = _read_sections(text)
        if not sections:
            found = PlainText(media_type=self.media_type).extract(data, path=path)
            return replace(found, warnings=(*found.warnings, NOTHING))
        record, blocks = write_record(_draft_blocks(calendar, sections))
        if not blocks:
            raise Refused("empty", f"{path} holds no text")
        title = _find_value(calendar, CALENDAR_TITLES) or (
            _find_value(sections[0], TITLES) if len(sections) == 1 else ""
        )
        found = Extraction(record, blocks, self.media_type, title or None, {}, warnings)
        if count := sum(map(_is_private, (calendar, *sections))):
            said = (
                f"{'1 entry is' if count == 1 else f'{count:,} entries are'} marked as private or confidential (CLASS)"
            )
            if len(sections) == 1:
                found = close_with_reason(found, said)
            else:
                found = replace(found, warnings=(*found.warnings, f"{said}; all who search the calendar find them"))
        return close_if_marked(found, text)


def _is_private(section: Section) -> bool:
    """Whether an entry says that only some may see it, as every CLASS does but PUBLIC (RFC 5545)."""
    return any(one.name == "CLASS" and one.raw.strip().upper() not in ("", "PUBLIC") for one in section)


def _draft_blocks(calendar: Section, sections: list[Section]) -> Iterator[BlockDraft]:
    name = _find_value(calendar, CALENDAR_TITLES)
    yield BlockDraft("heading", name, level=1)
    yield from _draft_texts(calendar, CALENDAR_TEXTS)
    for section in sections:
        yield BlockDraft("heading", _find_value(section, TITLES) or "(no name)", level=2 if name else 1)
        yield BlockDraft("paragraph", "\n".join(_list_lines(section)))
        yield from _draft_texts(section, TEXTS)


def _draft_texts(section: Section, names: Sequence[str]) -> Iterator[BlockDraft]:
    for one in section:
        if one.name in names:
            for part in _show_value(one).split("\n\n"):
                yield BlockDraft("paragraph", part.strip())


def _read_sections(text: str) -> tuple[Section, list[Section]]:
    """What the calendar says of itself, and the sections in order; parts within a section, as alarms, are left out.
    A section that is not closed ends where the next begins."""
    calendar, sections = Section(), list[Section]()
    opened: list[Section | None] = []  # None for a part that is left out
    for one in _list_properties(text):
        if one.name == "BEGIN" and one.raw.strip().upper() in SECTIONS:
            sections.append(Section())
            opened.append(sections[-1])
        elif one.name == "BEGIN" and opened:
            opened.append(None)
        elif one.name == "END" and opened:
            opened.pop()
        elif not opened:
            calendar.append(one)
        elif (section := opened[-1]) is not None:
            section.append(one)
    return calendar, [section for section in sections if section]


def _list_properties(text: str) -> Iterator[Property]:
    """The properties in order. A line that is none goes on with the text above it, which was not folded."""
    last: Property | None = None
    parts: list[str] = []
    for line in _unfold_lines(text):
        named = NAMED.fullmatch(line)
        if named is None:
            parts += [line] if line.strip() else []
            continue
        if last is not None:
            yield _join_lines(last, parts)
        last, parts = Property(named[1].upper(), _read_parameters(named[2]), named[3]), []
    if last is not None:
        yield _join_lines(last, parts)


def _join_lines(one: Property, below: list[str]) -> Property:
    return replace(one, raw="\\n".join((one.raw, *below))) if below and one.name not in ("BEGIN", "END") else one


def _read_parameters(raw: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for parameter in PARAMETER.finditer(raw):
        # Of vCard 2.1: kinds and encodings stand alone.
        key = parameter[1].upper() if parameter[2] is not None else "TYPE"
        value = parameter[2] if parameter[2] is not None else parameter[1]
        parameters[key] = f"{parameters[key]},{value}" if key in parameters else value
    return parameters


def _unfold_lines(text: str) -> Iterator[str]:
    """Whole lines: what is indented goes on with the line above, as does what follows `=` in quoted-printable."""
    parts: list[str] = []
    is_quoted = False
    for line in unify_newlines(text).replace("\r\n", "\n").split("\n"):
        if is_quoted and parts[-1].endswith("="):
            parts[-1] = parts[-1][:-1]
            parts.append(line)
        elif parts and line[:1] in (" ", "\t"):
            parts.append(line[1:])
        else:
            yield "".join(parts)
            parts = [line]
            is_quoted = "QUOTED-PRINTABLE" in line.partition(":")[0].upper()
    yield "".join(parts)


def _list_lines(section: Section) -> Iterator[str]:
    """A line for each name and kind of value, in the order of the section."""
    shown: dict[str, list[str]] = {}
    title = _find_value(section, TITLES)
    known = set(WORD.findall(title))
    for one in section:
        if one.name in SILENT or one.name in TEXTS or SILENT_KINDS.fullmatch(one.name):
            continue
        value = " ".join(_show_value(one).split())
        is_known = value == title if one.name != "N" else known.issuperset(WORD.findall(value))
        if value and not (one.name in TITLES and is_known):
            values = shown.setdefault(_label(one), [])
            values += [value] if value not in values[-1:] else []
    for label, values in shown.items():
        yield f"{label}: {('; ' if label.upper() in PEOPLE else ', ').join(values)}"


def _label(one: Property) -> str:
    label = LABELS.get(one.name) or one.name.removeprefix("X-").replace("-", " ").capitalize()
    kinds = dict.fromkeys(kind.lower() for kind in KINDS.findall(one.parameters.get("TYPE", "")))
    return f"{label} ({', '.join(kinds)})" if kinds else label


def _find_value(section: Section, names: Sequence[str]) -> str:
    """The value on one line of the first of these names that has one."""
    for name in names:
        for one in section:
            if one.name == name and (value := " ".join(_show_value(one).split())):
                return value
    return ""


def _show_value(one: Property) -> str:
    """A value as people read it; nothing of what is encoded as bytes."""
    raw = one.raw.strip()
    encoding = f"{one.parameters.get('ENCODING', '')},{one.parameters.get('TYPE', '')}".upper()
    if "QUOTED-PRINTABLE" in encoding:
        data = quopri.decodestring(raw.encode("utf-8", "surrogateescape"))
        raw = decode_bytes(data, one.parameters.get("CHARSET")).replace("\r\n", "\n").replace("\0", "")
    elif "BASE64" in encoding or encoding.startswith("B,") or raw.startswith("data:"):
        return ""
    if one.name in MOMENTS:
        return ", ".join(_show_moment(moment, one) for moment in raw.split(","))
    if one.name in STRUCTURED:
        parts = [_unescape(part).strip() for part in FIELD.findall(raw)]
        if one.name == "N":
            family, given, further, before, behind, *_ = [*parts, *[""] * 5]
            return " ".join(filter(None, (before, given, further, family, behind)))
        return ", ".join(filter(None, parts))
    value = _unescape(raw) if one.name != "RRULE" else show_rule(raw)
    if one.name in PEOPLE:
        address = re.sub("^mailto:", "", value, flags=re.IGNORECASE)
        name = one.parameters.get("CN", "").strip('"')
        return f"{name} <{address}>" if name and name != address else address
    return value


def _show_moment(raw: str, one: Property) -> str:
    """`20240914T060000Z` as `2024-09-14 06:00 UTC`; what is no moment as it stands."""
    found = MOMENT.fullmatch(raw.strip())
    if found is None:
        return _unescape(raw)
    year, month, day, hour, minute, utc = found.groups()
    zone = " UTC" if utc else f" {zone}" if (zone := one.parameters.get("TZID", "").strip('"')) else ""
    return f"{year}-{month}-{day}" + (f" {hour}:{minute}{zone}" if hour else "")


def _unescape(raw: str) -> str:
    return ESCAPE.sub(lambda match: "\n" if match[1] in "nN" else match[1], raw)
