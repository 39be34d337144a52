"""Outlook messages written by hand (MS-CFB, MS-OXMSG): a subject, a sender, a text, and files or messages within."""

import struct
from dataclasses import dataclass, field

SECTOR, SMALL = 512, 64
LEAST = 4096  # bytes from which a stream has sectors of its own
FILLS = (b"\xff", b"\0", b"\0")
FREE, END, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
TEXT, NUMBER, OBJECT, BYTES = 0x001F, 0x0003, 0x000D, 0x0102
PACKED_RTF = 0x1009
SUBJECT, SENDER, ADDRESS, BODY, SENSITIVITY = 0x0037, 0x0C1A, 0x0C1F, 0x1000, 0x0036
FILE_NAME, FILE_METHOD, FILE_DATA = 0x3707, 0x3705, 0x3701
Folder = dict[str, "bytes | Folder"]


@dataclass(slots=True)
class Outlook:
    """A message; a `str` among its attachments is the name of a file, a pair its name and content."""

    subject: str
    body: str = ""
    sender: str = "Dana"
    attachments: list["Outlook | str | tuple[str, bytes]"] = field(default_factory=list)
    sensitivity: int = 0
    rtf: bytes = b""
    head: int = 24  # bytes in front of the properties where the message is within another; some writers have 32

    def to_bytes(self) -> bytes:
        return write_compound(self._folder(header=32))

    def _folder(self, header: int) -> Folder:
        texts = {SUBJECT: self.subject, SENDER: self.sender, ADDRESS: f"{self.sender.lower()}@x.org", BODY: self.body}
        if not self.sender:
            texts = {name: text for name, text in texts.items() if name not in (SENDER, ADDRESS)}
        folder = _store(header, texts, {SENSITIVITY: self.sensitivity}, rtf=self.rtf)
        for number, one in enumerate(self.attachments):
            if isinstance(one, str | tuple):
                name, data = (one, b"") if isinstance(one, str) else one
                inner = _store(8, {FILE_NAME: name}, {FILE_METHOD: 1})
                if data:
                    inner["__properties_version1.0"] += struct.pack("<HHIQ", BYTES, FILE_DATA, 6, len(data))  # type: ignore[operator]  # bytes
                    inner[f"__substg1.0_{FILE_DATA:04X}{BYTES:04X}"] = data
            else:
                inner = _store(8, {}, {FILE_METHOD: 5}, OBJECT)
                inner[f"__substg1.0_{FILE_DATA:04X}{OBJECT:04X}"] = one._folder(header=one.head)
            folder[f"__attach_version1.0_#{number:08X}"] = inner
        return folder


def _store(header: int, texts: dict[int, str], numbers: dict[int, int], object_: int = 0, rtf: bytes = b"") -> Folder:
    folder: Folder = {}
    said = bytes(header)
    for name, number in numbers.items():
        said += struct.pack("<HHIQ", NUMBER, name, 6, number)
    for name, text in texts.items():
        data = text.encode("utf-16-le")
        said += struct.pack("<HHIQ", TEXT, name, 6, len(data) + 2)
        folder[f"__substg1.0_{name:04X}{TEXT:04X}"] = data
    if rtf:
        said += struct.pack("<HHIQ", BYTES, PACKED_RTF, 6, len(rtf))
        folder[f"__substg1.0_{PACKED_RTF:04X}{BYTES:04X}"] = rtf
    if object_:
        said += struct.pack("<HHIQ", object_, FILE_DATA, 6, 0xFFFFFFFF)
    folder["__properties_version1.0"] = said
    return folder


def write_compound(root: Folder) -> bytes:
    """A compound file of short streams, which share the sectors of one."""
    entries: list[list[int | str]] = [["Root Entry", 5, FREE, FREE, END, 0]]  # name, kind, right, child, start, size
    shared, places = b"", list[int]()

    def add(folder: Folder, parent: int) -> None:
        nonlocal shared
        last = -1
        for name, held in folder.items():
            number = len(entries)
            entries.append([name, 2 if isinstance(held, bytes) else 1, FREE, FREE, END, 0])
            entries[last if last >= 0 else parent][2 if last >= 0 else 3] = number
            last = number
            if isinstance(held, bytes):
                assert len(held) < LEAST
                count = -(-len(held) // SMALL)
                entries[number][4:] = [len(places) if count else END, len(held)]
                places.extend([*range(len(places) + 1, len(places) + count), END] if count else [])
                shared += held.ljust(count * SMALL, b"\0")
            else:
                add(held, number)

    add(root, 0)
    parts = [b"".join(struct.pack("<I", place) for place in places), bytes(128 * len(entries)), shared]
    counts = [-(-len(part) // SECTOR) for part in parts]
    tables = 1
    while (sum(counts) + tables) * 4 > tables * SECTOR:
        tables += 1
    assert tables <= 109
    starts = [tables, tables + counts[0], tables + counts[0] + counts[1]]
    entries[0][4:] = [starts[2], len(shared)]
    parts[1] = b"".join(_entry(*entry) for entry in entries)  # type: ignore[arg-type]
    chains = [TABLE] * tables
    for start, count in zip(starts, counts, strict=True):
        chains += [*range(start + 1, start + count), END]
    table = b"".join(struct.pack("<I", place) for place in chains).ljust(tables * SECTOR, b"\xff")
    head = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<IIIIIIIII", 0, tables, starts[1], 0, LEAST, starts[0], counts[0], END, 0)
    head += b"".join(struct.pack("<I", number) for number in range(tables))
    filled = (part.ljust(count * SECTOR, fill) for part, count, fill in zip(parts, counts, FILLS, strict=True))
    return head.ljust(SECTOR, b"\xff") + table + b"".join(filled)


def _entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
    said = name.encode("utf-16-le") + b"\0\0"
    head = said.ljust(64, b"\0") + struct.pack("<HBBIII", len(said), kind, 1, FREE, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)
