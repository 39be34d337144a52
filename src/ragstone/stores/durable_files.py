"""Files and directories that are whole on disk, and the owner's alone, when a call returns."""

import contextlib
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

TEMPORARY_SUFFIX = ".aside"


def make_directory(path: Path) -> None:
    """Make a directory and its parents, readable by the owner alone, durable when it returns."""
    if not path.is_dir():
        make_directory(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
        sync_directory(path.parent)


def file_identity(path: Path) -> str | None:
    """The identity of the file at a path, equal through every link and spelling; None for nothing."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return f"{found.st_dev}/{found.st_ino}"


def sync_directory(path: Path) -> None:
    """Make renames and new files in a directory durable."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def replace_file(
    path: Path,
    data: bytes | bytearray,
    *,
    mark: str = "",
    mode: int = 0o600,
    before_rename: Callable[[], None] | None = None,
) -> None:
    """Put a whole file in place of what stood there: readers see the old or the new.

    Until its rename the file is called `path` and `mark`, process, thread and suffix; then `before_rename` is called.
    """
    aside = path.with_name(f"{path.name}{mark}.{os.getpid()}-{threading.get_native_id()}{TEMPORARY_SUFFIX}")
    try:
        fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
        with open(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(fd)
        if before_rename is not None:
            before_rename()
        aside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def list_temporary_files(directory: Path, name: str | None = None) -> list[Path]:
    """Files that a crash left before their rename: of all files, or of the one with this name."""
    pattern = ".*" if name is None else rf"{re.escape(name)}\.\d+-\d+"
    left = re.compile(pattern + re.escape(TEMPORARY_SUFFIX), re.DOTALL)
    return sorted(path for path in directory.iterdir() if left.fullmatch(path.name))
