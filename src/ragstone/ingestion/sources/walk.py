"""The walk of a folder: depth first in the order of whole paths, without recursion."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ragstone.core.ports import Listed
from ragstone.core.types import Skipped
from ragstone.ingestion.sources.gate import OUTSIDE, inside
from ragstone.ingestion.sources.rules import Rules

NAMELESS = "the name is not valid UTF-8; rename it"
Folder = tuple[str, str]  # where it lies, and the path under which its documents are listed


def walk(root: Path, rules: Rules) -> Iterator[Listed | Skipped]:
    """Every document below a real root; holds the names of one folder at each depth, never the whole tree."""
    followed: set[str] = set()
    stack = [_entries(str(root), "", root, rules, followed)]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
        elif isinstance(found, tuple):
            stack.append(_entries(*found, root, rules, followed))
        else:
            yield found


def listed(place: str, path: str) -> Listed | Skipped:
    """A file with its size, or why it cannot be listed."""
    try:
        about = os.stat(place)
    except OSError as error:
        return _unreadable(path, error)
    if not stat.S_ISREG(about.st_mode):
        return Skipped(path, "unreadable", f"{path} is a device, socket or pipe, not a file")
    return Listed(path, about.st_size)


def _entries(
    folder: str, path: str, root: Path, rules: Rules, followed: set[str]
) -> Iterator[Listed | Skipped | Folder]:
    """The documents of one folder, and the folders in it to go into."""
    try:
        with os.scandir(folder) as entries:
            # A folder sorts as its name with a slash: then depth first is the order of whole paths.
            names = sorted(((entry.name + "/" * _is_folder(entry), entry) for entry in entries), key=lambda n: n[0])
    except OSError as error:
        yield _unreadable(path or ".", error)
        return
    real = inside(folder, root) or ""
    for name, entry in names:
        is_folder = name.endswith("/")
        own, there = (f"{parent}/{entry.name}" if parent else entry.name for parent in (path, real))
        if not rules.shows(entry.name) or not (is_folder or rules.accepts(own)):
            continue
        if rules.ignores(own) or (own != there and rules.ignores(there)):
            continue
        if not _decodable(own):
            yield Skipped(_printable(own), "unreadable", NAMELESS)
        elif rules.denies(own) or (own != there and rules.denies(there)):
            yield Skipped(own, "denied", f"{own} is on the deny list")
        elif entry.is_symlink():
            yield from _linked(own, entry.path, root, rules, followed)
        elif own == there or _first(entry.path, followed):
            yield (entry.path, own) if is_folder else listed(entry.path, own)


def _linked(path: str, place: str, root: Path, rules: Rules, followed: set[str]) -> Iterator[Listed | Skipped | Folder]:
    """What a symlink adds: nothing when the walk comes to its place anyway, or was there."""
    try:
        real = os.path.realpath(place, strict=True)
    except OSError as error:
        yield _unreadable(path, error)
        return
    there = inside(real, root)
    if there is None:
        yield Skipped(path, "outside_root", OUTSIDE.format(path, root))
    elif rules.denies(there):
        yield Skipped(path, "denied", f"{path} leads to {_printable(there)}, which is on the deny list")
    elif not rules.ignores(there):
        is_folder = os.path.isdir(real)
        comes_anyway = rules.shows(there) and (is_folder or rules.accepts(there))
        if not comes_anyway and _first(real, followed):
            yield (real, path) if is_folder else listed(real, path)


def _first(real: str, followed: set[str]) -> bool:
    """Whether this place, which only links lead to, was not met before; remembers it."""
    new = real not in followed
    followed.add(real)
    return new


def _unreadable(path: str, error: OSError) -> Skipped:
    return Skipped(path, "unreadable", f"{path} cannot be read: {error.strerror or error}")


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _decodable(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _printable(path: str) -> str:
    return path.encode(errors="surrogateescape").decode(errors="backslashreplace")
