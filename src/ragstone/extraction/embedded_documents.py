"""The documents in an Office file: sheets in a text, files in a presentation. Runs in the sandbox."""

import io
import posixpath
import struct
import zipfile
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple
from urllib.parse import unquote

import msgspec
import olefile

from ragstone.core.errors import Refused
from ragstone.extraction.archive import FAULTS, Archive
from ragstone.extraction.attachment_row import Attachment
from ragstone.extraction.media_types import (
    DOC,
    DOCX,
    MSG,
    ODP,
    ODS,
    ODT,
    OLE_MARK,
    OLE_WORKBOOK,
    PDF,
    PPT,
    PPTX,
    RTF,
    XLSX,
    detect,
    file_suffix,
)
from ragstone.extraction.odp import parse_odp
from ragstone.extraction.odt import parse_odt
from ragstone.extraction.ooxml.properties import read_levels
from ragstone.extraction.record.confidentiality import find_marked_head, says_restricted

MARKED = "the document is marked as restricted"
MANIFEST = "META-INF/manifest.xml"
KINDS = ("package", "oleObject")  # of relationships that lead to a document
ENDINGS = {
    PDF: ".pdf",
    DOCX: ".docx",
    XLSX: ".xlsx",
    PPTX: ".pptx",
    ODS: ".ods",
    ODT: ".odt",
    ODP: ".odp",
    RTF: ".rtf",
    DOC: ".doc",
    OLE_WORKBOOK: ".xls",
    PPT: ".ppt",
    MSG: ".msg",
}
IN_OBJECTS = {ODS: ".ods", ODT: ".odt", ODP: ".odp"}  # parts of an OpenDocument file that are documents
HEADED = {ODT: parse_odt, ODP: parse_odp}  # formats whose text may begin with such lines
STREAMS = ("Package", "CONTENTS", "EmbeddedOdf")  # of an object, in which a whole file stands
NATIVE = "\x01Ole10Native"
LONGEST_LABEL = 1000  # bytes
SIZES = struct.Struct("<L")


class _Embedded(NamedTuple):
    """A document by its name; its content is made when it is asked for."""

    name: str
    read: Callable[[], bytes]


def list_attachments(data: bytes, *, path: str, most: int) -> bytes:
    """The documents as rows, one more than `most` at most. Raises `Refused`: broken, encrypted, too_large."""
    archive = Archive(data, path=path)
    rows: list[Attachment] = []
    for number, one in enumerate(_iterate_documents(archive)):
        rows.append(Attachment("", one.name, len(one.read()), "", -1, -1, number))
        if len(rows) > most:
            break
    if rows and _is_restricted(archive, data, path):
        rows = [msgspec.structs.replace(row, closed=MARKED) for row in rows]
    return msgspec.msgpack.encode(rows)


def _is_restricted(archive: Archive, data: bytes, path: str) -> bool:
    """Whether the document is closed by its properties, or by first lines that say it or cannot be read."""
    if says_restricted(read_levels(archive)):
        return True
    parse = HEADED.get(detect(data, path))
    try:
        return parse is not None and find_marked_head(parse(data, path=path).record)
    except Refused as refused:
        return refused.reason not in ("empty", "no_text")


def take_attachments(data: bytes, *, path: str, numbers: Collection[int]) -> bytes:
    """The contents of documents by their numbers in the file. Raises `Refused`: broken."""
    wanted = frozenset(numbers)
    found = {at: one.read() for at, one in enumerate(_iterate_documents(Archive(data, path=path))) if at in wanted}
    if len(found) < len(wanted):
        raise Refused("broken", f"{path} cannot be read: the document that it lies in is damaged")
    return msgspec.msgpack.encode(found)


def _iterate_documents(archive: Archive) -> Iterator[_Embedded]:
    if MANIFEST in archive.names:
        yield from _iterate_objects(archive)
        return
    names = frozenset(archive.names)
    for name in dict.fromkeys(_iterate_targets(archive)):
        if name in names:
            yield from _open_object(posixpath.basename(name), _read_or_nothing(archive, name))


def _iterate_targets(archive: Archive) -> Iterator[str]:
    """The parts that texts, slides and sheets show as documents. The workbook behind a chart is read as the chart."""
    for rels in archive.names:
        folder, name = posixpath.split(rels)
        owner = posixpath.dirname(folder)
        if not name.endswith(".rels") or posixpath.basename(owner).startswith("chart"):
            continue
        try:
            root = archive.read_xml(rels)
        except Refused:
            continue
        for one in root.iter("{*}Relationship"):
            kind = (one.get("Type") or "").rpartition("/")[2]
            if kind in KINDS and one.get("TargetMode") != "External":
                target = unquote(one.get("Target") or "")
                yield posixpath.normpath(posixpath.join("/", owner, target)).lstrip("/")


def _iterate_objects(archive: Archive) -> Iterator[_Embedded]:
    """The parts of an OpenDocument file that are documents: folders of their own, and objects of Windows."""
    for name, kind in dict.fromkeys(_iterate_entries(archive)):
        if name.endswith("/") and name != "/" and kind in IN_OBJECTS:
            title = name.strip("/").replace("/", " ") + IN_OBJECTS[kind]
            yield _Embedded(title, lambda name=name, kind=kind: _pack_part(archive, name, kind))  # type: ignore[misc]
        elif kind == "application/vnd.sun.star.oleobject" and name in archive.names:
            yield from _open_object(posixpath.basename(name), _read_or_nothing(archive, name))


def _iterate_entries(archive: Archive) -> Iterator[tuple[str, str]]:
    """Names and media types of the parts of an OpenDocument file."""
    for entry in archive.read_xml(MANIFEST).iter("{*}file-entry"):
        said = {str(key).rpartition("}")[2]: str(value) for key, value in entry.attrib.items()}
        yield said.get("full-path", ""), said.get("media-type", "")


def _pack_part(archive: Archive, folder: str, kind: str) -> bytes:
    """A folder of an OpenDocument file as a file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(zipfile.ZipInfo("mimetype"), kind)
        for name in archive.names:
            if name.startswith(folder):
                packed.writestr(zipfile.ZipInfo(name.removeprefix(folder)), _read_or_nothing(archive, name))
    return out.getvalue()


def _read_or_nothing(archive: Archive, name: str) -> bytes:
    try:
        return archive.read_packed(name)
    except Refused:
        return b""


def _open_object(name: str, data: bytes) -> Iterator[_Embedded]:
    """The document that a part is, or that stands in it; none for a formula, a drawing or a sound."""
    stem = name.rpartition(".")[0] or name
    if data.startswith(OLE_MARK) and ENDINGS.get(detect(data, name)) is None:
        try:
            label, data = _read_object(data)
        except (*FAULTS, TypeError, AttributeError):  # what the library raises on objects that are none
            return
        if label:
            yield _Embedded(label, lambda: data)
            return
    if ending := ENDINGS.get(detect(data, name) if data else ""):
        whole = name if file_suffix(name).startswith(ending) else f"{stem}{ending}"
        yield _Embedded(whole, lambda: data)


def _read_object(data: bytes) -> tuple[str, bytes]:
    """The file in an object of Windows with the name that it has there, "" where it has none."""
    with olefile.OleFileIO(io.BytesIO(data)) as ole:
        for stream in STREAMS:
            if ole.exists(stream):
                return "", ole.openstream(stream).read()
        return _read_native(ole.openstream(NATIVE).read()) if ole.exists(NATIVE) else ("", b"")


def _read_native(data: bytes) -> tuple[str, bytes]:
    """What the packager of Windows wrote: two numbers, a label, a path, another path, the file, each with its size."""
    label, at = _read_string(data, 6)
    _, at = _read_string(data, at)
    at += 4
    (length,) = SIZES.unpack_from(data, at)
    at += 4 + length
    (size,) = SIZES.unpack_from(data, at)
    return label.replace("\\", "/").rpartition("/")[2], data[at + 4 : at + 4 + size]


def _read_string(data: bytes, at: int) -> tuple[str, int]:
    end = data.index(b"\0", at, at + LONGEST_LABEL)
    return data[at:end].decode("cp1252", errors="replace"), end + 1
