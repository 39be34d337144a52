"""The files in archives, mails and PDFs of a folder: listed behind their container, read by their joined paths."""

import io
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from operator import eq
from typing import BinaryIO

from ragstone.core.errors import Refused
from ragstone.core.ports import ListedFile, Source
from ragstone.core.records import Skipped
from ragstone.core.types import NO_FACTS, Enclosing
from ragstone.extraction.containers import (
    START,
    UNLISTED,
    Budget,
    Container,
    ContainerLimits,
    Member,
    Problem,
    is_candidate,
    looks_like_container,
    open_container,
)
from ragstone.ingestion.sources.container_notes import NO_CONTAINER, Contents
from ragstone.ingestion.sources.ignore_files import MOST_BYTES, NAMES

OPENED = 4  # containers whose members are remembered
BINARY = "binary"  # the reason of an archive that is none of files
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Opened:
    """A container and, where it lies in another one, its bytes."""

    container: Container
    data: bytes | None = None


@dataclass(slots=True)
class _Found:
    """What was found so far in a container and those in it, by paths in the outermost one."""

    budget: Budget
    members: dict[str, Member] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    ignore_files: dict[str, str] = field(default_factory=dict)
    left: int = MOST_BYTES  # of all ignore files together

    def read_ignore_file(self, container: Container, file: BinaryIO, name: str, whole: str) -> None:
        """Read a member that says what is left out; one that cannot be read says nothing."""
        with suppress(Refused):
            data = container.read(file, name, self.left)
            self.left -= len(data)
            self.ignore_files[whole] = data.decode("utf-8-sig", errors="replace")


class Members:
    """Opens containers: by `open_file`, which gives a file of the source by its path and raises `Refused`."""

    def __init__(
        self, open_file: Callable[[str], BinaryIO], limits: ContainerLimits, is_kept_out: Callable[[str], bool]
    ) -> None:
        """`is_kept_out`: whether rules say of a joined path that it is not to be opened."""
        self._open_file = open_file
        self._limits = limits
        self._is_kept_out = is_kept_out
        self._opened: OrderedDict[Key, _Opened] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, path: str, inner: str, most: int) -> bytes:
        """The first bytes of a member, at most `most`; raises `Refused`."""
        with self._open(path) as file:
            about = os.fstat(file.fileno())
            key: Key = (path, about.st_size, about.st_mtime_ns, about.st_ino)
            opened = self._open_once(key, partial(self._open_outer, file, path))
            return self._read(opened, file, key, path, inner, most, depth=self._limits.depth)

    @contextmanager
    def _open(self, path: str) -> Iterator[BinaryIO]:
        """A container while it is read; raises `Refused` where the disk does not give it."""
        with self._open_file(path) as file:
            try:
                yield file
            except OSError as error:
                raise Refused("unreadable", f"{path} cannot be read: {error.strerror}") from error

    def list_contents(self, entry: ListedFile) -> Contents:
        """The members of a file; raises `Refused` where it cannot be read."""
        with self._open(entry.path) as file:
            found = _Found(Budget.of(self._limits))
            container = open_container(file, path=entry.path, budget=found.budget)
            if container is None:
                return NO_CONTAINER
            self._add(container, file, entry.path, "", found, depth=self._limits.depth)
        if not found.members and not found.problems and not container.is_document:
            found.problems = [Problem("", "empty", f"{entry.path} holds no file")]
        members = tuple(found.members[name] for name in sorted(found.members))
        return Contents(members, tuple(found.problems), container.is_document, found.ignore_files)

    def _add(
        self,
        container: Container,
        file: BinaryIO,
        path: str,
        prefix: str,
        found: "_Found",
        *,
        depth: int,
        outer: Enclosing = NO_FACTS,
    ) -> None:
        """Add the members of a container, and of the containers among them. `prefix`: its path and a slash in the
        outermost one, which is at `path`."""
        for one in container.problems:
            name = prefix if prefix and one.name == UNLISTED else f"{prefix}{one.name}"
            found.problems.append(replace(one, name=name if one.name == UNLISTED else name.rstrip("/")))
        inner = []
        for name in sorted(container.members):
            member = container.members[name]
            whole = replace(member, name=prefix + name, enclosing=member.enclosing.within(outer))
            if whole.name not in found.members:
                found.members[whole.name] = whole
                inner.append((name, whole))
            if name.rpartition("/")[2] in NAMES and not container.is_document:
                found.read_ignore_file(container, file, name, whole.name)
        for name, whole in inner if depth > 1 else ():
            joined = f"{path}/{whole.name}"
            if whole.is_plain or not is_candidate(name) or self._is_kept_out(joined):
                continue
            try:
                opened = self._open_inner(container, file, name, joined, found.budget)
            except Refused as error:
                if error.reason != BINARY:
                    found.problems.append(Problem(whole.name, error.reason, str(error)))
                    del found.members[whole.name]
                continue
            if opened is None or opened.data is None:
                continue
            if not opened.container.is_document:
                del found.members[whole.name]
            within = io.BytesIO(opened.data)
            inside = f"{whole.name}/"
            self._add(opened.container, within, path, inside, found, depth=depth - 1, outer=whole.enclosing)

    def _open_inner(self, container: Container, file: BinaryIO, name: str, path: str, budget: Budget) -> _Opened | None:
        """A container in a container; None for any other member."""
        if not looks_like_container(container.read(file, name, START), name):
            return None
        size = container.members[name].size
        if size > self._limits.document:
            raise Refused(
                "too_large",
                f"{path} has {size:,} bytes, more than the {self._limits.document:,} allowed for "
                "an archive in an archive; unpack the outer one, or raise limits.office_bytes",
            )
        data = container.read(file, name, self._limits.document)
        opened = open_container(io.BytesIO(data), path=path, budget=budget)
        return None if opened is None else _Opened(opened, data)

    def _read(
        self, opened: _Opened | None, file: BinaryIO, key: Key, path: str, inner: str, most: int, *, depth: int
    ) -> bytes:
        names = inner.split("/")
        for at in range(len(names), 0, -1):  # the longest first
            name, rest = "/".join(names[:at]), "/".join(names[at:])
            if opened is None or name not in opened.container.members:
                continue
            if not rest:
                return opened.container.read(file, name, most)
            joined = f"{path}/{name}"
            make = partial(self._open_inner, opened.container, file, name, joined, Budget.of(self._limits))
            within = self._open_once((*key, name), make) if depth > 1 else None
            if within is not None and within.data is not None:
                data = io.BytesIO(within.data)
                return self._read(within, data, (*key, name), joined, rest, most, depth=depth - 1)
        raise Refused("vanished", f"{path} holds no {inner}")

    def _open_outer(self, file: BinaryIO, path: str) -> _Opened | None:
        container = open_container(file, path=path, budget=Budget.of(self._limits))
        return None if container is None else _Opened(container)

    def _open_once(self, key: Key, make: Callable[[], _Opened | None]) -> _Opened | None:
        """An opened container, of those remembered; one thread opens it while others wait. Of containers in others only
        those are held that this one lies in, or that lie in it."""
        with self._lock:
            found = self._opened.get(key) or make()
            if found is None:
                return None
            self._opened[key] = found
            self._opened.move_to_end(key)
            others = [other for other in self._opened if not all(map(eq, key, other))]
            inner = [other for other in others if self._opened[other].data is not None]
            for old in {*inner, *others[: 1 - OPENED]}:
                del self._opened[old]
            return found


def split_path(path: str, is_file: Callable[[str], bool]) -> tuple[str, str] | None:
    """The path of a file and the rest of a joined path; None where no file is on the way."""
    names = path.split("/")
    for at in range(len(names) - 1, 0, -1):
        if is_file(parent := "/".join(names[:at])):
            return parent, "/".join(names[at:])
    return None


def find_member(source: Source, path: str) -> ListedFile:
    """A member that a source lists; raises `Refused` with the reason why it does not."""
    for entry in source.walk():
        if entry.path == path:
            if isinstance(entry, Skipped):
                raise Refused(entry.reason, entry.message or f"{path} is passed over")
            return entry
    raise Refused("vanished", f"there is no {path}")
