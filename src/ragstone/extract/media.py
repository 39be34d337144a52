"""What a document is: by its content first, by its name where the content is plain text."""

import re

from ragstone.extract.decode import marked_encoding

BINARY = "application/octet-stream"
BY_NAME = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".mdown": "text/markdown",
    ".mkd": "text/markdown",
    ".mdx": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".xml": "application/xml",
}
OFFICE = "application/vnd.openxmlformats-officedocument."
IN_ZIP = (
    (b"word/", OFFICE + "wordprocessingml.document"),
    (b"xl/", OFFICE + "spreadsheetml.sheet"),
    (b"ppt/", OFFICE + "presentationml.presentation"),
    (b"mimetypeapplication/epub+zip", "application/epub+zip"),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
)
# Marks that no text begins with; a mark of two letters is looked at only in what is binary.
MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-executable"),
    (b"BM", "image/bmp"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
)
CALLED = {
    "application/pdf": "a PDF",
    OFFICE + "wordprocessingml.document": "a Word document",
    OFFICE + "spreadsheetml.sheet": "an Excel workbook",
    OFFICE + "presentationml.presentation": "a PowerPoint presentation",
    "application/epub+zip": "an EPUB book",
    "application/vnd.oasis.opendocument.text": "an OpenDocument text",
    "application/zip": "a ZIP archive",
    "application/x-ole-storage": "an Office file of before 2007",
    "application/rtf": "an RTF document",
    "text/csv": "a CSV table",
    "text/tab-separated-values": "a TSV table",
    BINARY: "binary data",
    "text/utf-16": "UTF-16 text without a byte order mark",
}
LOOKED_AT = 64 * 1024  # bytes from the start; NUL bytes are looked for everywhere
CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b")) + b"\x7f"
MANY = 0.02  # control characters among the bytes looked at
# Possessive: what stands before the page is passed once and never looked at again.
PAGE = re.compile(rb"(?>\s+|<!--(?s:.*?)-->|<\?xml[^>]*+>)*+<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)


def detect(data: bytes, path: str) -> str:
    """The media type of a document: `text/markdown`, `text/html`, `text/plain`, `application/pdf` …

    `application/octet-stream` is anything binary that is not known.
    """
    binary = _is_binary(data)
    if data.startswith(b"%PDF-") or (b"%PDF-" in data[:1024] and (binary or not _is_utf8(data[:1024]))):
        return "application/pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zipped(data)
    if data.startswith(b"{\\rtf"):
        return "application/rtf"
    if binary:
        return _binary(data)
    if PAGE.match(data[3:LOOKED_AT] if data.startswith(b"\xef\xbb\xbf") else data[:LOOKED_AT]):
        return "text/html"
    return BY_NAME.get(ending(path), "text/plain")


def ending(path: str) -> str:
    """The name's ending with its dot, in small letters; "" where there is none."""
    name = path.rpartition("/")[2]
    stem, dot, last = name.rpartition(".")
    return f".{last.lower()}" if dot and stem else ""


def called(media_type: str) -> str:
    """The type in words, for messages."""
    return CALLED.get(media_type, media_type)


def _is_binary(data: bytes) -> bool:
    if marked_encoding(data) is not None:
        return False
    if b"\0" in data:
        return True
    start = data[:LOOKED_AT]
    if any(start.startswith(mark) for mark, _ in MAGIC if len(mark) > 2 or mark[0] >= 0x7F or mark[0] < 0x20):
        return not _is_utf8(start) or start.startswith(b"\x7fELF")
    return len(start) - len(start.translate(None, CONTROLS)) > MANY * len(start)


def _is_utf8(data: bytes) -> bool:
    """Whether this is UTF-8, apart from a character cut at the end."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3 and error.reason == "unexpected end of data"
    return True


def _zipped(data: bytes) -> str:
    """What an archive holds, by the names in it: in its first part, or in the list at its end."""
    for part in (data[:LOOKED_AT], data[-LOOKED_AT:]):
        for name, media_type in IN_ZIP:
            if name in part:
                return media_type
    return "application/zip"


def _binary(data: bytes) -> str:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    for mark, media_type in MAGIC:
        if data.startswith(mark):
            return media_type
    zeros = sorted((data[:LOOKED_AT:2].count(0), data[1:LOOKED_AT:2].count(0)))
    # Western text in UTF-16 has a zero in every second byte, and in no other.
    if zeros[0] == 0 and zeros[1] > max(3, 0.3 * min(len(data), LOOKED_AT)):
        return "text/utf-16"
    return BINARY
