"""Containment of symlinks: a place is inside the root, or it is not read."""

import os
import stat
from pathlib import Path

from ragstone.core.errors import Refused
from ragstone.ingestion.sources.rules import Rules

LEADS_OUTSIDE = (
    "{} is a symlink that leads out of {}; put the file inside the root or make its folder a root of its own"
)
# Opening must not wait for a writer at the other end of a pipe, nor follow a link made after the check.
OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def relative_to_root(real: str, root: Path) -> str | None:
    """A real path relative to the real root, with `/` ("" is the root itself); None when it lies outside."""
    if real == str(root):
        return ""
    inside = os.path.join(root, "")
    return real[len(inside) :].replace(os.sep, "/") if real.startswith(inside) else None


def resolve_inside(place: str, path: str, root: Path, rules: Rules) -> str:
    """The real path of a document; raises `Refused` when it lies outside the root or is denied there."""
    real = os.path.realpath(place, strict=True)
    relative = relative_to_root(real, root)
    if relative is None:
        raise Refused("outside_root", LEADS_OUTSIDE.format(path, root))
    if rules.denies(relative):
        raise Refused("denied", f"{path} leads to {relative}, which is on the deny list")
    return real


def open_inside(place: str, path: str, root: Path, rules: Rules) -> int:
    """A descriptor of a regular file inside the root, even if files are swapped meanwhile.

    The file is opened first and compared with the allowed path afterwards.
    """
    try:
        descriptor = os.open(resolve_inside(place, path, root, rules), OPEN_FLAGS)
    except FileNotFoundError as error:
        raise Refused("vanished", f"{path} is no longer there") from error
    except (OSError, ValueError) as error:
        raise Refused("unreadable", f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}") from error
    try:
        about = os.fstat(descriptor)
        if not os.path.samestat(about, os.stat(resolve_inside(place, path, root, rules))):
            raise Refused("vanished", f"{path} was replaced while it was opened; run again")
        if not stat.S_ISREG(about.st_mode):
            raise Refused("unreadable", f"{path} is not a regular file")
    except OSError as error:
        os.close(descriptor)
        raise Refused("vanished", f"{path} is no longer there") from error
    except Refused:
        os.close(descriptor)
        raise
    return descriptor
