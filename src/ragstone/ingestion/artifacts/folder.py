"""Artifacts in a folder: each written aside, made durable, then renamed; readable by their owner alone."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from ragstone.core.errors import StoreError
from ragstone.stores.durable_files import make_directory, replace_file
from ragstone.stores.error_mapping import map_errors
from ragstone.stores.fault_points import reach_point

TRIES = 5  # a sweep may take an empty folder away before the first file is in it


class FolderPlace:
    """Keeps artifacts in a local folder; implements `ArtifactStorage`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def uri(self) -> str:
        return self._root.as_uri()

    def put(self, name: str, data: bytes, *, mark: str) -> None:
        path = self._root / name
        with map_errors(self._root):
            self._replace(path, data, mark)
        reach_point("artifact.renamed")

    def names(self, under: str) -> list[str]:
        with map_errors(self._root):
            return sorted(self._list_names(under))

    def head(self, name: str, size: int) -> bytes:
        with map_errors(self._root):
            try:
                with open(os.open(self._root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
                    return file.read(size)
            except FileNotFoundError:
                return b""

    def remove(self, name: str) -> None:
        path = self._root / name
        with map_errors(self._root):
            path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # it holds more
                path.parent.rmdir()
        reach_point("artifact.removed")

    def _replace(self, path: Path, data: bytes, mark: str) -> None:
        """Write `path` in a folder that stands below the root and is no link to elsewhere."""
        for _ in range(TRIES):
            make_directory(path.parent)
            if path.parent.resolve() != self._root.resolve() / path.parent.relative_to(self._root):
                raise StoreError(f"{path.parent} is a link that leads elsewhere: nothing is written there; remove it")
            with contextlib.suppress(FileNotFoundError):
                replace_file(path, data, mark=f".{mark}", before_rename=lambda: reach_point("artifact.written"))
                return
        raise StoreError(f"{path.parent} : another process keeps removing this folder; run again")

    def _list_names(self, under: str) -> Iterator[str]:
        for folder in _scan_folder(self._root / under):
            if not folder.is_dir(follow_symlinks=False):
                yield from [f"{under}/{folder.name}"] * folder.is_file(follow_symlinks=False)
                continue
            files = _scan_folder(folder.path)
            if not files:  # of a writer that was killed early; one that lives makes it again
                with contextlib.suppress(OSError):
                    os.rmdir(folder.path)
            yield from (f"{under}/{folder.name}/{f.name}" for f in files if f.is_file(follow_symlinks=False))


def _scan_folder(path: Path | str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
