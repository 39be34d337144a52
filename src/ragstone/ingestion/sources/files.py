"""A folder, or a single file, as a source."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ragstone.core.errors import Refused, SourceNotReady
from ragstone.core.ports import ListedFile
from ragstone.core.records import Skipped
from ragstone.ingestion.sources.containment import open_inside
from ragstone.ingestion.sources.rules import Rules
from ragstone.ingestion.sources.walk import list_file, walk


class FileSource:
    """The files below `root` that the rules let through, in code point order of their paths.

    Symlinks never lead out of the root. One that leads to a place inside it is listed, under its own
    path, only when the walk does not come to that place itself (it is hidden or ignored): every file appears
    once, and loops end. A root that is a file has one document,
    whose path is the file's name.
    """

    def __init__(self, name: str, root: str | os.PathLike[str], *, rules: Rules) -> None:
        self._name = name
        self._given = Path(root)
        self._rules = rules

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_given": self._given.expanduser().absolute()}  # others work in another folder

    @property
    def name(self) -> str:
        return self._name

    @property
    def rules(self) -> Rules:
        return self._rules

    def find_root(self) -> Path:
        """The real place of the root; raises `SourceNotReady` when it is missing or cannot be reached."""
        try:
            root = Path(os.path.realpath(self._given.expanduser(), strict=True))
            root.stat()
        except (FileNotFoundError, NotADirectoryError, ValueError, RuntimeError) as error:
            raise SourceNotReady(
                f"source {self._name!r}: {self._given} does not exist; name a folder or file that exists, or mount it"
            ) from error
        except OSError as error:
            raise SourceNotReady(f"source {self._name!r}: {self._given} cannot be reached: {error.strerror}") from error
        return root

    def walk(self) -> Iterator[ListedFile | Skipped]:
        """Every document in order; raises `SourceNotReady` at once when the root is missing or may not be read."""
        root = self.find_root()
        if root.is_dir():
            if not os.access(root, os.R_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
                raise SourceNotReady(f"source {self._name!r}: {self._given} cannot be read: Permission denied")
            return walk(root, self._rules)
        return iter([list_file(str(root), self._given.name)])

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of one document; never takes more than `limit` + 1 of them from the disk.

        Raises `Refused` with the reason outside_root, denied, unreadable, vanished or too_large.
        """
        data = self._read_start(path, limit + 1)
        if len(data) > limit:
            settings = "limits.text_bytes or limits.office_bytes"
            raise Refused("too_large", f"{path} has more than {limit:,} bytes; raise {settings}, or leave it out")
        return data

    def peek(self, path: str, size: int) -> bytes:
        """The first bytes of one document, at most `size`; raises `Refused` as `read` does."""
        return self._read_start(path, size)

    def _read_start(self, path: str, size: int) -> bytes:
        if self._rules.denies(path):
            raise Refused("denied", f"{path} is on the deny list of source {self._name!r}")
        root = self.find_root()
        if root.is_dir():
            descriptor = open_inside(os.path.join(root, path), path, root, self._rules)
        elif path == self._given.name:
            descriptor = open_inside(str(root), path, root, self._rules)
        else:
            raise Refused("vanished", f"{path} is not part of source {self._name!r}, which is the file {self._given}")
        with open(descriptor, "rb") as file:
            try:
                return file.read(size)
            except OSError as error:
                raise Refused("unreadable", f"{path} cannot be read: {error.strerror}") from error


class ChosenFiles(FileSource):
    """Chosen files of a folder; the others are left alone."""

    def __init__(self, name: str, root: str | os.PathLike[str], paths: Iterable[str]) -> None:
        super().__init__(name, root, rules=Rules(hidden=True, ignore_files=False))
        self._paths = sorted(set(paths))
        self.place = Path(os.path.abspath(root))

    def walk(self) -> Iterator[ListedFile | Skipped]:
        """The chosen files in order; raises `SourceNotReady` when the folder is missing."""
        root = self.find_root()
        return (list_file(os.path.join(root, path), path) for path in self._paths)
