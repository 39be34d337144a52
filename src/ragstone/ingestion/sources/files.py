"""A folder, or a single file, as a source."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ragstone.core.errors import Refused, SourceNotReady
from ragstone.core.ports import ListedFile
from ragstone.core.records import Skipped
from ragstone.extraction.containers import ContainerLimits
from ragstone.ingestion.sources.container_notes import ContainerNotes
from ragstone.ingestion.sources.containment import open_inside, relative_to_root
from ragstone.ingestion.sources.expansion import expand
from ragstone.ingestion.sources.members import Members, split_path
from ragstone.ingestion.sources.rules import Rules
from ragstone.ingestion.sources.walk import EntryRules, list_file, walk


class FileSource:
    """The files below `root` that the rules let through, in code point order of their paths.

    Symlinks never lead out of the root. One that leads to a place inside it is listed, under its own
    path, only when the walk does not come to that place itself (it is hidden or ignored): every file appears
    once, and loops end. A root that is a file has one document,
    whose path is the file's name. With `containers`, files in archives, mails and PDFs are documents too: the
    path of one is that of its container, a slash and its own path there.
    """

    def __init__(
        self, name: str, root: str | os.PathLike[str], *, rules: Rules, containers: ContainerLimits | None = None
    ) -> None:
        self._name = name
        self._given = Path(root)
        self._rules = rules
        self._containers = containers
        self._prepare()

    def _prepare(self) -> None:
        self._members = Members(self._open, self._containers or ContainerLimits(), self._rules.keeps_out)
        self._notes = ContainerNotes(repr((self._rules, self._containers)))

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("_members", "_notes")}
        return state | {"_given": self._given.expanduser().absolute()}  # others work in another folder

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

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
            rules = EntryRules(root, self._rules)
            return self._expand(walk(root, rules), root, rules)
        rules = EntryRules(root.parent, self._rules)
        return self._expand([list_file(str(root), self._given.name)], root.parent, rules)

    def _expand(
        self, files: Iterable[ListedFile | Skipped], folder: Path, rules: EntryRules
    ) -> Iterator[ListedFile | Skipped]:
        if self._containers is None:
            return iter(files)

        def find_real_path(path: str) -> str:
            return relative_to_root(os.path.realpath(os.path.join(folder, path)), folder) or path

        return expand(files, self._members, self._notes, rules, find_real_path)

    def take_notes(self, notes: bytes) -> None:
        """Take the notes of the last run about containers."""
        self._notes.load(notes)

    def give_notes(self) -> bytes:
        """The notes about containers, once all files were listed; empty where they did not change."""
        return self._notes.dump()

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
        inside = self._split(path) if "/" in path else None
        if inside is not None:
            return self._members.read(*inside, size)
        with self._open(path) as file:
            try:
                return file.read(size)
            except OSError as error:
                raise Refused("unreadable", f"{path} cannot be read: {error.strerror}") from error

    def _split(self, path: str) -> tuple[str, str] | None:
        """The path of a container and the rest, where this is the path of a member."""
        if self._containers is None:
            return None
        root = self.find_root()
        if not root.is_dir():
            return split_path(path, lambda parent: parent == self._given.name)
        if os.path.lexists(os.path.join(root, path)):
            return None
        return split_path(path, lambda parent: os.path.isfile(os.path.join(root, parent)))

    def _open(self, path: str) -> BinaryIO:
        """A file of the source; raises `Refused`."""
        root = self.find_root()
        if root.is_dir():
            descriptor = open_inside(os.path.join(root, path), path, root, self._rules)
        elif path == self._given.name:
            descriptor = open_inside(str(root), path, root, self._rules)
        else:
            raise Refused("vanished", f"{path} is not part of source {self._name!r}, which is the file {self._given}")
        return open(descriptor, "rb")


class ChosenFiles(FileSource):
    """Chosen files of a folder; the others are left alone."""

    def __init__(
        self,
        name: str,
        root: str | os.PathLike[str],
        paths: Iterable[str],
        *,
        containers: ContainerLimits | None = None,
    ) -> None:
        super().__init__(name, root, rules=Rules(hidden=True, ignore_files=False), containers=containers)
        self._paths = sorted(set(paths))
        self.place = Path(os.path.abspath(root))

    def walk(self) -> Iterator[ListedFile | Skipped]:
        """The chosen files in order; raises `SourceNotReady` when the folder is missing."""
        root = self.find_root()
        files = (list_file(os.path.join(root, path), path) for path in self._paths)
        return self._expand(files, root, EntryRules(root, Rules(ignore_files=False)))
