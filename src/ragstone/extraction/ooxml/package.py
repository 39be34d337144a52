"""The parts of an Office file, and which part leads to which."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import unquote

from ragstone.core.errors import Refused
from ragstone.extraction.archive import Archive, Element
from ragstone.extraction.media_types import ENCRYPTED_PACKAGE, OLE_MARK
from ragstone.extraction.ooxml.elements import read_xml
from ragstone.extraction.optional_steps import FailedStep, attempt_step, warn_failed_steps

T = TypeVar("T")

LONGEST = 200  # characters of a part's name in a warning
WARNED = 50  # warnings of one file
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
        if data.startswith(OLE_MARK):
            raise _ole_refusal(data, path)
        self._path = path
        self._archive = Archive(data, path=path)
        self._names = {name.lower(): name for name in self._archive.names}
        self._links: dict[str, Mapping[str, Link]] = {}
        self.warnings: list[str] = []
        self._failed: list[FailedStep] = []

    @property
    def archive(self) -> Archive:
        """The archive that holds the parts."""
        return self._archive

    def attempt(self, what: str, work: Callable[[], T], *, timed: bool = True) -> T | None:
        """As `attempt_step`; what failed is in `failed_steps`."""
        return attempt_step(what, work, self._failed, timed=timed)

    def failed_steps(self) -> Iterator[str]:
        """Warnings about steps that were left out."""
        return warn_failed_steps(self._failed)

    def main(self) -> tuple[str, Element]:
        """The name and the root of the part that everything hangs on."""
        found = [link.target for link in self.links("").values() if link.kind == "officeDocument"]
        if not found or found[0].lower() not in self._names:
            raise Refused("broken", f"{self._path} holds no document: its main part is missing; save it again")
        return found[0], read_xml(self._read(found[0]), path=self._path, name=found[0])

    def part(self, name: str | None, *, needed: bool = True) -> Element | None:
        """The root of a part; None for no name, and where there is none that can be read, with a warning.

        One that is not `needed` may be missing without one: nothing that a reader sees stands in it.
        """
        data = self.content(name, needed=needed)
        if not name or data is None:
            return None
        try:
            return read_xml(data, path=self._path, name=name)
        except Refused as error:
            self._warn(f"a part was left out: {error}")
            return None

    def content(self, name: str | None, *, needed: bool = True) -> bytes | None:
        """The bytes of a part, which need not be XML; None as `part` says."""
        if not name:
            return None
        if name.lower() not in self._names:
            if needed:
                self._warn(f"a part is missing: {name[:LONGEST]}")
            return None
        try:
            return self._read(name)
        except Refused as error:
            self._warn(f"a part was left out: {error}")
            return None

    def _warn(self, warning: str) -> None:
        if len(self.warnings) < WARNED and warning not in self.warnings:
            last = len(self.warnings) == WARNED - 1
            self.warnings.append("more parts are missing or broken" if last else warning)

    def _read(self, name: str) -> bytes:
        return self._archive.read(self._names[name.lower()])

    def links(self, part: str) -> Mapping[str, Link]:
        """The relationships of a part by their ids, "" for those of the whole file."""
        if part not in self._links:
            self._links[part] = dict(self._read_links(part))
        return self._links[part]

    def find_related(self, part: str, kind: str) -> str | None:
        """The name of the first part of a kind that a part leads to."""
        return next((link.target for link in self.links(part).values() if link.kind == kind and not link.outside), None)

    def _read_links(self, part: str) -> Iterator[tuple[str, Link]]:
        folder, _, name = part.rpartition("/")
        relations = posixpath.join(folder, "_rels", f"{name}.rels")
        root = self.part(relations, needed=False)
        for one in root.iter(RELATIONSHIP) if root is not None else ():
            target, outside = one.get("Target") or "", one.get("TargetMode") == "External"
            if not outside:
                target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")
            yield one.get("Id") or "", Link((one.get("Type") or "").rpartition("/")[2], target, outside)


def read_related(package: Package, part: str, kind: str) -> Element | None:
    """The root of the first part of a kind that a part leads to."""
    return package.part(package.find_related(part, kind))


def _ole_refusal(data: bytes, path: str) -> Refused:
    if ENCRYPTED_PACKAGE.encode("utf-16-le") in data:
        return Refused("encrypted", f"{path} is protected by a password; save a copy without one")
    return Refused("unsupported", f"{path} is an Office file of before 2007; save it in today's format")
