"""The walk of a folder: depth first in the order of whole paths, without recursion."""

import mimetypes
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ragstone.core.ports import ListedFile
from ragstone.core.records import PASSED_OVER, Skipped
from ragstone.ingestion.sources.containment import LEADS_OUTSIDE, relative_to_root
from ragstone.ingestion.sources.rules import UNLISTED, Rules

UNDECODABLE_NAME = "the name is not valid UTF-8; rename it"
Folder = tuple[str, str]  # where it lies, and the path under which its documents are listed


def walk(root: Path, rules: Rules) -> Iterator[ListedFile | Skipped]:
    """Every document below a real root; holds the names of one folder at each depth, never the whole tree."""
    followed: set[str] = set()
    stack = [_scan_folder(str(root), "", root, rules, followed)]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
        elif isinstance(found, tuple):
            stack.append(_scan_folder(*found, root, rules, followed))
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
    return ListedFile(path, about.st_size)


def _scan_folder(
    folder: str, path: str, root: Path, rules: Rules, followed: set[str]
) -> Iterator[ListedFile | Skipped | Folder]:
    """The documents of one folder, and the folders in it to go into."""
    try:
        with os.scandir(folder) as entries:
            # A folder sorts as its name with a slash: then depth first is the order of whole paths.
            names = sorted(((entry.name + "/" * _is_folder(entry), entry) for entry in entries), key=lambda n: n[0])
    except OSError as error:
        yield _skip_unreadable(path or ".", error)
        return
    real = relative_to_root(folder, root) or ""
    for name, entry in names:
        is_folder = name.endswith("/")
        own, there = (f"{parent}/{entry.name}" if parent else entry.name for parent in (path, real))
        if not rules.is_visible(entry.name) or rules.ignores(own) or (own != there and rules.ignores(there)):
            continue
        if not _is_decodable(own):
            yield Skipped(_escape_path(own), "unreadable", UNDECODABLE_NAME)
        elif rules.denies(own) or (own != there and rules.denies(there)):
            yield Skipped(own, "denied", f"{own} is on the deny list")
        elif not (is_folder or rules.accepts(own)):
            yield _skip_unsupported(own)
        elif entry.is_symlink():
            yield from _follow_link(own, entry.path, root, rules, followed)
        elif own == there or _visit_once(entry.path, followed):
            yield (entry.path, own) if is_folder else list_file(entry.path, own)


def _follow_link(
    path: str, place: str, root: Path, rules: Rules, followed: set[str]
) -> Iterator[ListedFile | Skipped | Folder]:
    """What a symlink adds: nothing when the walk comes to its place anyway, or was there."""
    try:
        real = os.path.realpath(place, strict=True)
    except OSError as error:
        yield _skip_unreadable(path, error)
        return
    there = relative_to_root(real, root)
    if there is None:
        yield Skipped(path, "outside_root", LEADS_OUTSIDE.format(path, root))
    elif rules.denies(there):
        yield Skipped(path, "denied", f"{path} leads to {_escape_path(there)}, which is on the deny list")
    elif not rules.ignores(there):
        is_folder = os.path.isdir(real)
        comes_anyway = rules.is_visible(there) and (is_folder or rules.accepts(there))
        if not comes_anyway and _visit_once(real, followed):
            yield (real, path) if is_folder else list_file(real, path)


def _visit_once(real: str, followed: set[str]) -> bool:
    """Whether this place, which only links lead to, was not met before; remembers it."""
    new = real not in followed
    followed.add(real)
    return new


def _skip_unreadable(path: str, error: OSError) -> Skipped:
    return Skipped(path, "unreadable", f"{path} cannot be read: {error.strerror or error}")


def _skip_unsupported(path: str) -> Skipped:
    if (mimetypes.guess_type(path)[0] or "").startswith("image/"):
        return Skipped(path, PASSED_OVER)
    ending = os.path.splitext(path)[1].lower()
    if ending in UNLISTED:
        why = f"{path}: {ending} files are data as often as documents; name the file to ingest it"
    else:
        why = f"{path}: Ragstone reads no {ending} files" if ending else f"{path} has no ending that names its format"
    return Skipped(path, "unsupported", why)


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
