"""The files in a PDF: of the whole document, as in portfolios and invoices, and attached to pages. Runs in the
sandbox."""

import ctypes
import hashlib
from collections.abc import Collection, Iterator
from typing import Any

import msgspec
import pypdfium2
import pypdfium2.raw as raw

from ragstone.core.errors import Refused
from ragstone.core.filters import RESTRICTED
from ragstone.core.types import Extraction
from ragstone.extraction.attachment_row import Attachment
from ragstone.extraction.pdf.characters.annotations import iterate_attached, iterate_embedded
from ragstone.extraction.pdf.characters.pdfium import open_document
from ragstone.extraction.pdf.parse import MEDIA_TYPE, PAGES, WINDOW, read_info
from ragstone.extraction.pdf_marks import is_plain_pdf
from ragstone.extraction.record.confidentiality import KEY, close_if_marked

MARKED = "the PDF is marked as restricted"


def list_attachments(data: bytes, *, path: str, most: int) -> bytes:
    """The files as rows, one more than `most` at most; those that several pages have stand there once. Raises
    `Refused`: encrypted, broken."""
    with open_document(data, path=path, password=None) as document:
        about = close_if_marked(Extraction("", (), MEDIA_TYPE, None, read_info(document)))
        closed = MARKED if about.meta.get(KEY) == RESTRICTED else ""
    rows: list[Attachment] = []
    seen = set()
    for number, (name, content) in enumerate(_iterate_files(data, path)):
        key = (name, hashlib.sha256(content).digest())
        if key not in seen:
            rows.append(Attachment("", name, len(content), closed, -1, -1, number, is_plain_pdf(content)))
        seen.add(key)
        if len(rows) > most:
            break
    return msgspec.msgpack.encode(rows)


def take_attachments(data: bytes, *, path: str, numbers: Collection[int]) -> bytes:
    """The contents of files by their numbers in the PDF. Raises `Refused`: encrypted, broken."""
    wanted, found = frozenset(numbers), {}
    for at, (_, content) in enumerate(_iterate_files(data, path)):
        if at in wanted:
            found[at] = content
            if len(found) == len(wanted):
                return msgspec.msgpack.encode(found)
    raise Refused("broken", f"{path} cannot be read: the PDF that it lies in is damaged")


def _iterate_files(data: bytes, path: str) -> Iterator[tuple[str, bytes]]:
    """All files in order, of pages in windows: pdfium keeps what it has seen."""
    first, count = 0, 1
    while first < count:
        with open_document(data, path=path, password=None) as document:
            if not first:
                yield from ((name, _read_file(one)) for name, one in iterate_embedded(document))
            count = min(len(document), PAGES)
            for number in range(first, min(first + WINDOW, count)):
                yield from _read_page(document, number)
        first += WINDOW


def _read_page(document: Any, number: int) -> Iterator[tuple[str, bytes]]:
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return
    try:
        for name, one in iterate_attached(page):
            yield name, _read_file(one)
    finally:
        page.close()


def _read_file(attached: Any) -> bytes:
    """The content of a file; nothing where the PDF only names it."""
    size = ctypes.c_ulong(0)
    if not attached or not raw.FPDFAttachment_GetFile(attached, None, 0, ctypes.byref(size)) or not size.value:
        return b""
    buffer = ctypes.create_string_buffer(size.value)
    raw.FPDFAttachment_GetFile(attached, buffer, size.value, ctypes.byref(size))
    return buffer.raw[: size.value]
