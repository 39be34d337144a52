"""The type of a document: by its content, and by its name if the content is plain text."""

import codecs
import re
from collections.abc import Callable

from ragstone.extraction import text_beginnings as beginnings
from ragstone.extraction.code_languages import find_language
from ragstone.extraction.decoding import encoding_from_bom
from ragstone.extraction.gzipped import is_damaged, unpack_start
from ragstone.extraction.holed_text import is_holed_text, is_utf8
from ragstone.extraction.mail_boundaries import is_archive, is_server_mail
from ragstone.extraction.manual_pages import is_manual_page
from ragstone.extraction.unmarked_utf16 import find_utf16
from ragstone.extraction.wiki_beginnings import find_wiki

BINARY = "application/octet-stream"
PDF = "application/pdf"
HTML = "text/html"
MHTML = "multipart/related"
XML = "application/xml"
JSON = "application/json"
CSV = "text/csv"
TSV = "text/tab-separated-values"
EML = "message/rfc822"
MBOX = "application/mbox"
MEDIAWIKI = "application/x-mediawiki+xml"
WIKI_PAGE = "text/x-mediawiki"
WIKIS = DOKUWIKI, JIRA, TEXTILE, CREOLE = ("text/x-dokuwiki", "text/x-jira", "text/x-textile", "text/x-creole")
CONFLUENCE = "application/x-confluence+xml"
SHAREPOINT = "text/x-sharepoint-page"
DRAWING = "application/vnd.jgraph.mxfile"
XML_WORKBOOK = "application/x-excel+xml"
OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = OFFICE + "wordprocessingml.document"
XLSX = OFFICE + "spreadsheetml.sheet"
PPTX = OFFICE + "presentationml.presentation"
VSDX = "application/vnd.ms-visio.drawing"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
OLE_WORKBOOK = "application/vnd.ms-excel"
DOC = "application/msword"
PPT = "application/vnd.ms-powerpoint"
SPREADSHEETS = (XLSX, ODS)
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/tiff")
ODP = "application/vnd.oasis.opendocument.presentation"
ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"
RTF = "application/rtf"
MSG = "application/vnd.ms-outlook"
PST = "application/vnd.ms-outlook-pst"
SHORTCUT = "application/x-ms-shortcut"
TNEF = "application/vnd.ms-tnef"
TNEF_MARK = b"\x78\x9f\x3e\x22"
NOTEBOOK = "application/x-ipynb+json"
CODE = "text/x-source-code"
MARKUP = RST, ASCIIDOC, ORG, TEX = ("text/x-rst", "text/asciidoc", "text/org", "text/x-tex")
SUBTITLES = "text/vtt"
BIBLIOGRAPHY = "text/x-bibliography"
GETTEXT = "text/x-gettext-translation"
GZIP, GZIPPED = "application/gzip", "text/gzip"  # the second holds a text
ROFF = "text/troff"
YAML = "text/yaml"
CALENDAR = "text/calendar"
CARD = "text/vcard"
CANVAS = ".canvas"  # of Obsidian
XML_DOCUMENTS = (".docbook", ".dbk", ".fb2", ".dita", ".tei", ".nxml")
BY_NAME = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx", ".rmd", ".qmd"), "text/markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), HTML),
    **dict.fromkeys((".mht", ".mhtml"), MHTML),
    ".csv": CSV,
    **dict.fromkeys((".tsv", ".tab"), TSV),
    ".eml": EML,
    **dict.fromkeys((".mbox", ".mbx"), MBOX),
    **dict.fromkeys((".json", ".jsonl", ".ndjson", ".geojson", CANVAS), JSON),
    **dict.fromkeys((".xml", ".rss", ".atom", *XML_DOCUMENTS), XML),
    **dict.fromkeys((".yaml", ".yml"), YAML),
    ".ipynb": NOTEBOOK,
    ".rst": RST,
    **dict.fromkeys((".adoc", ".asciidoc"), ASCIIDOC),
    ".org": ORG,
    **dict.fromkeys((".tex", ".latex", ".ltx"), TEX),
    **dict.fromkeys((".mediawiki", ".wiki"), WIKI_PAGE),
    ".dokuwiki": DOKUWIKI,
    ".jira": JIRA,
    ".textile": TEXTILE,
    ".creole": CREOLE,
    **dict.fromkeys((".bib", ".bibtex", ".ris", ".nbib", ".enw"), BIBLIOGRAPHY),
    **dict.fromkeys((".po", ".pot"), GETTEXT),
    **dict.fromkeys((".srt", ".vtt"), SUBTITLES),
    **dict.fromkeys((".ics", ".ifb", ".vcs"), CALENDAR),
    **dict.fromkeys((".vcf", ".vcard"), CARD),
}
IN_OFFICE = {b"word/": DOCX, b"xl/": XLSX, b"ppt/": PPTX, b"visio/": VSDX}
OFFICE_PART = re.compile(rb"PK(?:\x03\x04.{26}|\x01\x02.{42})/?(word/|xl/|ppt/|visio/)", re.DOTALL)
IN_ZIP = (
    (b"mimetypeapplication/epub+zip", EPUB),
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", ODS),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", ODT),
    (b"mimetypeapplication/vnd.oasis.opendocument.presentation", ODP),
)
ZIP = "application/zip"
ARCHIVES = (
    ZIP,
    GZIP,
    "application/x-bzip2",
    "application/x-xz",
    "application/x-7z-compressed",
    "application/vnd.rar",
)
OLE = "application/x-ole-storage"
OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Names in the directory of such a file. An encrypted document of today is one too: its parser says so.
ENCRYPTED_PACKAGE = "EncryptedPackage"
IN_OLE = (
    ("Workbook", OLE_WORKBOOK),
    ("Book", OLE_WORKBOOK),
    (ENCRYPTED_PACKAGE, ""),
    ("__properties_version1.0", MSG),
    ("WordDocument", DOC),
    ("PowerPoint Document", PPT),
)
ENCRYPTED = {".docx": DOCX, ".docm": DOCX, ".xlsx": XLSX, ".xlsm": XLSX, ".xlsb": XLSX, ".pptx": PPTX, ".pptm": PPTX}
# What a name promises that is never plain text nor just any archive.
PROMISED = {
    **ENCRYPTED,
    **{f".{kind.partition('/')[2]}": kind for kind in IMAGES},
    ".jpg": "image/jpeg",
    ".tif": "image/tiff",
    ".pdf": PDF,
    ".xls": OLE_WORKBOOK,
    ".doc": DOC,
    ".ppt": PPT,
    ".ods": ODS,
    ".odt": ODT,
    ".odp": ODP,
    ".vsdx": VSDX,
    ".epub": EPUB,
    ".rtf": RTF,
    ".msg": MSG,
    ".eml": EML,
    ".mht": MHTML,
    ".mhtml": MHTML,
}
NOT_GUESSED = (HTML, XML, EML, MBOX, MHTML)  # they say their encoding themselves
PDF_MARK = b"%PDF-"
PDF_START = 1024  # bytes in which readers look for the mark
# Marks that no text begins with; a mark of two letters is looked at only in what is binary.
MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (OLE_MARK, OLE),
    (b"\x1f\x8b", GZIP),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"!BDN", PST),
    (b"L\0\0\0\x01\x14\x02\0", SHORTCUT),
    (TNEF_MARK, TNEF),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-executable"),
    (b"BM", "image/bmp"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
)
ZIP_END = b"PK\x05\x06"
ZIP_TAIL = 22 + 65_535  # bytes of an archive's end: a record and the longest comment
# The first line of text formats that any name may have.
BEGINNINGS = ((re.compile(rb"BEGIN:VCALENDAR[ \t]*[\r\n]"), CALENDAR), (re.compile(rb"BEGIN:VCARD[ \t]*[\r\n]"), CARD))
LOOKED_AT = 64 * 1024  # bytes from the start; NUL bytes are looked for everywhere
CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b")) + b"\x7f"
MANY = 0.02  # control characters among the bytes looked at
# Formats that a text may have under any name.
BY_BEGINNING: tuple[tuple[Callable[[bytes], bool], str], ...] = (
    (beginnings.is_page, HTML),
    (beginnings.is_wiki_dump, MEDIAWIKI),
    (beginnings.is_xml_workbook, XML_WORKBOOK),
    (beginnings.is_drawing, DRAWING),
    (beginnings.is_confluence_space, CONFLUENCE),
    (beginnings.is_sharepoint_page, SHAREPOINT),
)


def detect(data: bytes, path: str) -> str:
    """The media type of a document: `text/markdown`, `text/html`, `text/plain`, `application/pdf` …

    `application/octet-stream` is anything binary that is not known.
    """
    binary = _is_binary(data)
    if _is_pdf(data[:PDF_START], path):
        return PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _detect_in_zip(data)
    if data.startswith(b"{\\rtf"):
        return RTF
    if data.startswith(OLE_MARK):
        return _detect_in_ole(data, path)
    named = BY_NAME.get(file_suffix(path), "text/plain")
    if named != EML and is_archive(data):
        return MBOX
    if binary:
        found = _detect_binary(data)
        if found == GZIP and (is_damaged(data) or ((start := unpack_start(data)) and not _is_binary(start))):
            return GZIPPED  # of a damaged one its reader says so
        return named if found == "text/utf-16" and named not in NOT_GUESSED else found
    start = data[:LOOKED_AT].removeprefix(codecs.BOM_UTF8)
    shown = _show_start(start)
    if named not in WIKIS and (known := next((kind for is_kind, kind in BY_BEGINNING if is_kind(shown)), None)):
        return known
    if named == "text/plain" and (is_server_mail(start, path) or is_manual_page(start)):
        return EML if is_server_mail(start, path) else ROFF
    if named == "text/plain" and (exported := _detect_export(shown, file_suffix(path))):
        return exported
    if named == "text/plain":
        begun = start.lstrip()[:100].upper()
        named = next((kind for beginning, kind in BEGINNINGS if beginning.match(begun)), named)
    return CODE if named == "text/plain" and find_language(path, data[:LOOKED_AT]) else named


def _detect_export(start: bytes, suffix: str) -> str:
    """What programs write under a name that says nothing of it, or of an Office file: a document in XML, a page, a part
    of one, a table; "" else."""
    if beginnings.is_saved_page(start):
        return MHTML
    if beginnings.is_known_xml(start):
        return XML
    if suffix in ("", ".txt", ".text") and (wiki := find_wiki(start)):
        return f"text/x-{wiki}"
    if beginnings.is_part_of_page(start, suffix):
        return HTML
    mark = beginnings.find_delimiter(start, suffix)
    return TSV if mark == "\t" else CSV if mark else ""


def _show_start(start: bytes) -> bytes:
    """The start of a text in UTF-8, also of one whose mark says that it is UTF-16."""
    marked = encoding_from_bom(start)
    return start if marked is None else start.decode(marked[0], errors="ignore").lstrip("\ufeff").encode()


def file_suffix(path: str) -> str:
    """The name's ending with its dot, in small letters; "" where there is none."""
    name = path.rpartition("/")[2]
    stem, dot, last = name.rpartition(".")
    return f".{last.lower()}" if dot and stem else ""


def _is_pdf(start: bytes, path: str) -> bool:
    """Whether a PDF's mark is what it begins with; behind other bytes only where the name says that it is one."""
    if start.removeprefix(codecs.BOM_UTF8).lstrip().startswith(PDF_MARK):
        return True
    return file_suffix(path) == ".pdf" and PDF_MARK in start


def _is_binary(data: bytes) -> bool:
    if encoding_from_bom(data) is not None:
        return False
    if b"\0" in data and (any(data.startswith(mark) for mark, _ in MAGIC) or not is_holed_text(data[:LOOKED_AT], data)):
        return True
    start = data[:LOOKED_AT].replace(b"\0", b"")
    if any(start.startswith(mark) for mark, _ in MAGIC if len(mark) > 2 or mark[0] >= 0x7F or mark[0] < 0x20):
        return not is_utf8(start) or start.startswith(b"\x7fELF")
    return len(start) - len(start.translate(None, CONTROLS)) > MANY * len(start)


def _detect_in_zip(data: bytes) -> str:
    """What an archive holds, by the names in it: in its first part, or in the list at its end."""
    for part in (data[:LOOKED_AT], data[-LOOKED_AT:]):
        found = [(place, media_type) for name, media_type in IN_ZIP if (place := part.find(name)) >= 0]
        found += [(name.start(), IN_OFFICE[name[1]]) for name in OFFICE_PART.finditer(part)]
        if found:  # the first: a presentation may hold whole workbooks
            return min(found)[1]
    return ZIP


def _detect_in_ole(data: bytes, path: str) -> str:
    """What an OLE file holds, by the names in its directory."""
    for name, media_type in IN_OLE:
        if f"{name}\0".encode("utf-16-le") in data:
            return media_type or ENCRYPTED.get(file_suffix(path), DOCX)
    return OLE


def _detect_binary(data: bytes) -> str:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    for mark, media_type in MAGIC:
        if data.startswith(mark):
            return media_type
    return "text/utf-16" if find_utf16(data) else BINARY
