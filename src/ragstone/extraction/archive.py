"""Zip archives and XML from strangers: sizes are checked before anything unpacks, and nothing in them is followed."""

import codecs
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ragstone.core.errors import Refused
from ragstone.extraction.decoding import LABELS, SEVEN_BIT, encoding_from_bom
from ragstone.extraction.type_names import explain_truncation

Element = etree._Element

ENTRY = b"PK\x01\x02"  # begins every entry of an archive's directory
ARCHIVE_MARKS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")  # begin an archive
ENCRYPTED = 0x1  # of an entry's flags
LONGEST_NAME = 1000  # characters of a member's name
SMALL = 10_000_000  # bytes: what unpacks to less may be packed as densely as it likes
MAX_TREE_BYTES = (
    64_000_000  # bytes of XML read as one tree, which takes 13 times as much memory (a Word document, lxml 6.1)
)
LOOKED_AT = 65_536  # bytes within which streamed XML must come to its first element
TOO_DEEP = "nests deeper than 256 elements"  # libxml2's limit for those who do not ask for more
NO_MEMORY = 2  # libxml2's number for it
# Possessive: what stands before the first element is passed once and never looked at again.
PROLOG = re.compile(rb"(?>\s+|<!--(?s:.*?)-->|<\?(?s:.*?)\?>)*+")
DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
BY_FIRST = ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))  # without a byte order mark
UTF_8 = ("utf-8", "ascii")
FAULTS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, LookupError),
    *(RuntimeError, ValueError, OverflowError),
)
"""What Python's zipfile raises on archives that are none."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """The limits of an unpacked archive: members, bytes in all, and the largest ratio of a member's unpacked to
    packed size. The densest member among 61 office files of many writers has 41; a bomb has 1,000."""

    members: int = 20_000
    total: int = 1_000_000_000
    ratio: int = 200


class Archive:
    """A zip archive in memory whose members are small enough to be read. `names` are in its own order."""

    def __init__(self, data: bytes, *, path: str, most: ArchiveLimits = ArchiveLimits()) -> None:
        """Raises `Refused`: broken, too_large, encrypted, or unsupported (packed in a way that Office never does)."""
        self._path = path
        # Before the directory is read: every entry of it takes memory and time.
        if data.count(ENTRY) > most.members:
            raise self._refusal("too_large", f"holds more than {most.members:,} members")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            members = [info for info in self._zip.infolist() if not info.filename.endswith(("/", "\\"))]
            self._infos = {_normalize_name(info.filename): info for info in members}
        except FAULTS as error:
            if cut := explain_truncation(data, path):
                raise Refused("broken", cut) from error
            raise self._refusal("broken", f"is damaged ({_describe_error(error)})") from error
        if len(self._infos) < len(members):
            raise self._refusal("broken", "holds several members of the same name")
        self._check(most)
        self.names: tuple[str, ...] = tuple(self._infos)

    def size(self, name: str) -> int:
        """The bytes that a member unpacks to; raises `Refused` (broken) where there is none of this name."""
        return self._get_info(name).file_size

    def read(self, name: str) -> bytes:
        """A member, unpacked. Raises `Refused`: broken, or unsupported for an archive within the archive."""
        data = self.read_packed(name)
        if data.startswith(ARCHIVE_MARKS):
            raise self._refusal("unsupported", f"holds another archive, {_quote_name(name)}, which is not opened")
        return data

    def read_packed(self, name: str) -> bytes:
        """A member, unpacked, which may be an archive: that one stays packed. Raises `Refused` (broken)."""
        try:
            return self._zip.read(self._get_info(name))
        except FAULTS as error:
            raise self._refusal(
                "broken", f"is damaged: {_quote_name(name)} cannot be unpacked ({_describe_error(error)})"
            ) from error

    def read_xml(self, name: str) -> Element:
        """A member as a tree; raises as `read` and `parse_xml` do."""
        return parse_xml(self.read(name), path=self._path, name=name)

    def iterate_elements(self, name: str, tag: str) -> Iterator[Element]:
        """The elements of one tag of a member that is too large for a tree, emptied after their turn.

        `tag` is "{namespace}name". Raises as `read` and `parse_xml` do.
        """
        try:
            with self._zip.open(self._get_info(name)) as file:
                head = file.read(LOOKED_AT)
            if _find_encoding(head) not in UTF_8:
                yield from self.read_xml(name).iter(tag)
                return
            _check_start(head)
            with self._zip.open(self._get_info(name)) as file:
                for _, element in etree.iterparse(file, tag=tag, encoding="utf-8", **SAFE):
                    yield element
                    element.clear()
                    while element.getprevious() is not None:
                        del element.getparent()[0]
        except (etree.XMLSyntaxError, _BadXmlError) as error:
            raise _xml_refusal(error, self._path, name) from error
        except FAULTS as error:
            raise self._refusal(
                "broken", f"is damaged: {_quote_name(name)} cannot be unpacked ({_describe_error(error)})"
            ) from error

    def _get_info(self, name: str) -> zipfile.ZipInfo:
        if name not in self._infos:
            raise self._refusal("broken", f"holds no {_quote_name(name)}")
        return self._infos[name]

    def _check(self, most: ArchiveLimits) -> None:
        infos = self._zip.infolist()
        total = sum(info.file_size for info in infos)
        if total > most.total:
            raise self._refusal("too_large", f"unpacks to {total:,} bytes, more than the {most.total:,} allowed")
        for info in infos:
            self._check_member(info, most)

    def _check_member(self, info: zipfile.ZipInfo, most: ArchiveLimits) -> None:
        name = _quote_name(info.filename)
        if not _is_safe_name(_normalize_name(info.filename)):
            raise self._refusal("broken", f"holds a member with a name that leads elsewhere, {name}")
        if info.flag_bits & ENCRYPTED:
            raise self._refusal("encrypted", "is protected by a password")
        # Others unpack without bounds to what one read brings.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self._refusal("unsupported", f"is packed by a method that is not read, number {info.compress_type}")
        if info.file_size > max(SMALL, most.ratio * info.compress_size):
            raise self._refusal("too_large", f"holds {name}, which unpacks to {info.file_size:,} bytes from a few")

    def _refusal(self, reason: str, what: str) -> Refused:
        return Refused(reason, f"{self._path} {what}; save it again in the program that it comes from")


# Entities cannot be declared without a document type, which is refused before; this is the second lock.
SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "load_dtd": False,
    "dtd_validation": False,
    "attribute_defaults": False,
    "no_network": True,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
    "collect_ids": False,  # an `xml:id` that is no name would refuse the file
}


def parse_xml(data: bytes, *, path: str, name: str) -> Element:
    """The root of a part of a document. No entity is expanded, nothing is fetched, comments are left out.

    Raises `Refused`: broken if it is not XML, nests deeper than 256 or declares a document type, too_large over 64 MB.
    `path` and `name` are for messages.
    """
    if len(data) > MAX_TREE_BYTES:
        raise Refused(
            "too_large", f"{path}: {_quote_name(name)} has more than the {MAX_TREE_BYTES:,} bytes allowed; split it"
        )
    try:
        encoding = _find_encoding(data)
        text = data if encoding in UTF_8 else data.decode(encoding).encode()
        _check_start(text)
        return etree.fromstring(text, etree.XMLParser(encoding="utf-8", **SAFE))
    except (etree.XMLSyntaxError, _BadXmlError, ValueError) as error:
        raise _xml_refusal(error, path, name) from error


class _BadXmlError(Exception):
    """Why a text is not read as XML."""


def _find_encoding(data: bytes) -> str:
    """How a text is encoded: ours to say, as a parser that guesses might see another text than was checked."""
    if marked := encoding_from_bom(data):
        return marked[0]
    for first, encoding in BY_FIRST:
        if data.startswith(first):
            return encoding
    declared = DECLARED.match(data)
    if declared is None:
        return "utf-8"
    label = declared[1].decode("ascii", errors="replace").lower()
    try:
        # The list has no encodings that hide markup from a look at the bytes but one.
        if not LABELS.fullmatch(label) or label in SEVEN_BIT:
            raise LookupError
        return codecs.lookup(label).name
    except LookupError:
        raise _BadXmlError(f"its encoding {label} is not read") from None


def _check_start(text: bytes) -> None:
    """Raises for a text that opens with a document type: where entities and addresses come from."""
    start = PROLOG.match(text, len(codecs.BOM_UTF8) if text.startswith(codecs.BOM_UTF8) else 0)
    rest = text[start.end() : start.end() + len(b"<!DOCTYPE")] if start else b""
    if rest == b"<!DOCTYPE":
        raise _BadXmlError("it declares a document type, which no Office program writes")
    if not rest.startswith(b"<") or rest.startswith((b"<!", b"<?")):
        raise _BadXmlError("it does not begin with an element")


def _xml_refusal(error: Exception, path: str, name: str) -> Refused:
    if isinstance(error, etree.XMLSyntaxError) and getattr(error, "code", 0) == NO_MEMORY:
        raise MemoryError from None
    why = TOO_DEEP if "xcessive depth" in str(error) else _describe_error(error)
    return Refused("broken", f"{path}: {_quote_name(name)} cannot be read as XML: {why}; save it again")


def _normalize_name(name: str) -> str:
    """A member's name as the format has it; some writers on Windows use their own slashes."""
    return name.replace("\\", "/")


def _is_safe_name(name: str) -> bool:
    """Whether a name stays inside the archive and holds no control characters."""
    outside = name.startswith("/") or name[1:2] == ":" or ".." in name.split("/")
    return not outside and 0 < len(name) <= LONGEST_NAME and min(name) >= " "


def _quote_name(name: str) -> str:
    return repr(name[:80])


def _describe_error(error: BaseException) -> str:
    return str(error)[:200] or type(error).__name__
