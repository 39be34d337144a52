"""The parts of an Office file, and which part leads to which."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from ragstone.errors import Refused
from ragstone.extract.archive import Archive, Element
from ragstone.extract.docx.ooxml import read_xml

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


@dataclass(frozen=True, slots=True)
class Link:
    """Where a relationship leads: its kind (`styles`, `hyperlink` …), a part's name or an address outside."""

    kind: str
    target: str
    outside: bool


class Package:
    """Parts by name, read when asked for; parts beside the main one may be missing or broken, with a warning."""

    def __init__(self, data: bytes, *, path: str) -> None:
        """Raises `Refused`: encrypted, unsupported (an older format), broken or too_large."""
        if data.startswith(OLE):
            raise _sealed(data, path)
        self._path = path
        self._archive = Archive(data, path=path)
        self._names = {name.lower(): name for name in self._archive.names}
        self._links: dict[str, Mapping[str, Link]] = {}
        self.warnings: list[str] = []

    def main(self) -> tuple[str, Element]:
        """The name and the root of the part that everything hangs on."""
        found = [link.target for link in self.links("").values() if link.kind == "officeDocument"]
        if not found or found[0].lower() not in self._names:
            raise Refused("broken", f"{self._path} holds no document: its main part is missing; save it again")
        return found[0], read_xml(self._read(found[0]), path=self._path, name=found[0])

    def part(self, name: str | None) -> Element | None:
        """The root of a part; None where there is none that can be read."""
        if not name or name.lower() not in self._names:
            return None
        try:
            return read_xml(self._read(name), path=self._path, name=name)
        except Refused as error:
            self.warnings.append(f"a part was left out: {error}")
            return None

    def _read(self, name: str) -> bytes:
        return self._archive.read(self._names[name.lower()])

    def links(self, part: str) -> Mapping[str, Link]:
        """The relationships of a part by their ids, "" for those of the whole file."""
        if part not in self._links:
            self._links[part] = dict(self._read_links(part))
        return self._links[part]

    def kind(self, part: str, kind: str) -> str | None:
        """The name of the first part of a kind that a part leads to."""
        return next((link.target for link in self.links(part).values() if link.kind == kind and not link.outside), None)

    def _read_links(self, part: str) -> Iterator[tuple[str, Link]]:
        folder, _, name = part.rpartition("/")
        root = self.part(posixpath.join(folder, "_rels", f"{name}.rels"))
        for one in root.iter(RELATIONSHIP) if root is not None else ():
            target, outside = one.get("Target") or "", one.get("TargetMode") == "External"
            if not outside:
                target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")
            yield one.get("Id") or "", Link((one.get("Type") or "").rpartition("/")[2], target, outside)


def named(package: Package, part: str, kind: str) -> Element | None:
    """The root of the first part of a kind that a part leads to."""
    return package.part(package.kind(part, kind))


def _sealed(data: bytes, path: str) -> Refused:
    if ENCRYPTED in data:
        return Refused("encrypted", f"{path} is protected by a password; save a copy without one")
    return Refused("unsupported", f"{path} is an Office file of before 2007; save it in today's format")
