"""The walk of a folder: depth first in the order of whole paths, without recursion."""

import mimetypes
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ragstone.core.ports import ListedFile
from ragstone.core.records import HIDDEN, IGNORED, PASSED_OVER, Skipped
from ragstone.extraction.media_types import PROMISED, file_suffix
from ragstone.ingestion.sources.containment import LEADS_OUTSIDE, relative_to_root
from ragstone.ingestion.sources.ignore_files import IgnoreFiles
from ragstone.ingestion.sources.rules import Rules

UNDECODABLE_NAME = "the name is not valid UTF-8; rename it"
Folder = tuple[str, str]  # where it lies, and the path under which its documents are listed


def walk(root: Path, rules: "EntryRules") -> Iterator[ListedFile | Skipped]:
    """Every document below a real root; holds the names of one folder at each depth, never the whole tree."""
    walker = _Walker(root, rules)
    stack = [walker.scan_folder(str(root), "")]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
        elif isinstance(found, tuple):
            stack.append(walker.scan_folder(*found))
        else:
            yield found


def list_file(place: str, path: str) -> ListedFile | Skipped:
    """A file with its size, or why it cannot be listed."""
    try:
        about = os.stat(place)
    except OSError as error:
        return _skip_unreadable(path, error)
    if not stat.S_ISREG(about.st_mode):
        return Skipped(path, "unreadable", f"{path} is a device, socket or pipe, not a file")
    return ListedFile(path, about.st_size, (about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino))


class EntryRules:
    """The rules of a tree and its ignore files, which decide about each name in it."""

    def __init__(self, root: Path, rules: Rules) -> None:
        self.rules = rules
        self.ignore_files = IgnoreFiles(root, heeded=rules.ignore_files)

    def find_rule(self, name: str, own: str, there: str, *, is_folder: bool) -> Skipped | None:
        """Why an entry is left out by its names: its own path, and the one behind a link."""
        rules = self.rules
        slash = "/" * is_folder
        if rules.ignores(own) or (own != there and rules.ignores(there)):
            return Skipped(own + slash, IGNORED, f"{own} is left out by `ignore`")
        if not rules.is_visible(name):
            return Skipped(own + slash, HIDDEN, f"{own} is hidden: its name begins with a dot")
        if rules.denies(own) or (own != there and rules.denies(there)):
            return Skipped(own, "denied", f"{own} is on the deny list")
        if self.ignore_files.ignores(there, is_folder=is_folder):
            return Skipped(own + slash, IGNORED, f"{own} is left out by an ignore file or by default")
        if not is_folder and file_suffix(own) not in PROMISED and _is_picture(own):
            return Skipped(own, PASSED_OVER)
        return None


class _Walker:
    """One walk: the root, its rules and ignore files, and the places that links led to."""

    def __init__(self, root: Path, rules: EntryRules) -> None:
        self._root = root
        self._entry_rules = rules
        self._rules = rules.rules
        self._ignore_files = rules.ignore_files
        self._followed: set[str] = set()

    def scan_folder(self, folder: str, path: str) -> Iterator[ListedFile | Skipped | Folder]:
        """The documents of one folder, and the folders in it to go into."""
        try:
            with os.scandir(folder) as entries:
                # A folder sorts as its name with a slash: then depth first is the order of whole paths.
                names = sorted(((entry.name + "/" * _is_folder(entry), entry) for entry in entries), key=lambda n: n[0])
        except OSError as error:
            yield _skip_unreadable(path or ".", error)
            return
        real = relative_to_root(folder, self._root) or ""
        for name, entry in names:
            own, there = (f"{parent}/{entry.name}" if parent else entry.name for parent in (path, real))
            if not _is_decodable(own):
                if self._rules.is_visible(entry.name):
                    yield Skipped(_escape_path(own), "unreadable", UNDECODABLE_NAME)
            elif why := self._entry_rules.find_rule(entry.name, own, there, is_folder=name.endswith("/")):
                yield why
            elif entry.is_symlink():
                yield from self._follow_link(own, entry.path)
            elif own == there or self._visit_once(entry.path):
                yield (entry.path, own) if name.endswith("/") else list_file(entry.path, own)

    def _follow_link(self, path: str, place: str) -> Iterator[ListedFile | Skipped | Folder]:
        """What a symlink adds: nothing when the walk comes to its place anyway, or was there."""
        try:
            real = os.path.realpath(place, strict=True)
        except OSError as error:
            yield _skip_unreadable(path, error)
            return
        there = relative_to_root(real, self._root)
        if there is None:
            yield Skipped(path, "outside_root", LEADS_OUTSIDE.format(path, self._root))
        elif self._rules.denies(there):
            yield Skipped(path, "denied", f"{path} leads to {_escape_path(there)}, which is on the deny list")
        elif not self._rules.ignores(there):
            is_folder = os.path.isdir(real)
            comes_anyway = self._rules.is_visible(there) and not self._ignore_files.ignores_on_the_way(
                there, is_folder=is_folder
            )
            if not comes_anyway and self._visit_once(real):
                yield (real, path) if is_folder else list_file(real, path)

    def _visit_once(self, real: str) -> bool:
        """Whether this place, which only links lead to, was not met before; remembers it."""
        new = real not in self._followed
        self._followed.add(real)
        return new


def _skip_unreadable(path: str, error: OSError) -> Skipped:
    return Skipped(path, "unreadable", f"{path} cannot be read: {error.strerror or error}")


def _is_picture(path: str) -> bool:
    return (mimetypes.guess_type(path)[0] or "").startswith("image/")


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_decodable(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _escape_path(path: str) -> str:
    return path.encode(errors="surrogateescape").decode(errors="backslashreplace")
