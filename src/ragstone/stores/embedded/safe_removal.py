"""Erasing files and directories so that a crash leaves only what the next open removes."""

import contextlib
import os
import re
import shutil
from pathlib import Path

from ragstone.core.errors import StoreError
from ragstone.stores.durable_files import sync_directory
from ragstone.stores.embedded.paths import GONE_PREFIX, KEY_FILE


def remove_path(path: Path) -> None:
    """Remove a file of the store, or a folder that stands in its place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def sweep_erasures(root: Path) -> None:
    """Remove what an interrupted erasure left, of a tenant or a collection, where this user may."""
    for directory in (d for d in (root, *root.iterdir()) if d.is_dir() and os.access(d, os.W_OK)):
        for gone in directory.glob(GONE_PREFIX + "*"):
            zero_file(gone / KEY_FILE)
            shutil.rmtree(gone, ignore_errors=True)


def zero_file(path: Path) -> None:
    """Overwrite a small file before it is removed with its directory; nothing happens where there is none."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        fd = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
        try:
            os.pwrite(fd, bytes(os.fstat(fd).st_size), 0)
            os.fsync(fd)
        finally:
            os.close(fd)


def move_aside(directory: Path) -> Path:
    """Rename a directory to a name that is never opened and that the next sweep removes; durable when it returns."""
    number = 0
    while (gone := directory.with_name(f"{GONE_PREFIX}{number}-{directory.name}")).exists():
        number += 1
    directory.rename(gone)
    sync_directory(gone.parent)
    return gone


def list_moved_aside(directory: Path) -> list[Path]:
    """The new names of a directory from unfinished erasures."""
    own = re.compile(rf"{re.escape(GONE_PREFIX)}\d+-{re.escape(directory.name)}")
    return sorted(path for path in directory.parent.glob(GONE_PREFIX + "*") if own.fullmatch(path.name))


def check_no_link(directory: Path) -> None:
    """Raises `StoreError` for a link: to remove it would leave what it leads to."""
    if directory.is_symlink():
        raise StoreError(
            f"{directory} is a link to {directory.resolve()}, which would stay: put that folder in the link's place "
            "first; nothing was erased"
        )


def erase_directory(directory: Path) -> None:
    """Remove a directory with all that it holds, also while another process removes it too."""
    while directory.exists():
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(directory)
