"""Which files are containers: by their names, then by their content."""

from typing import BinaryIO

from ragstone.extraction.containers.container import Budget, Container
from ragstone.extraction.containers.zip_archive import ZipArchive
from ragstone.extraction.media_types import file_suffix

ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06")
START = 4  # bytes
ENDINGS = frozenset((".zip", ""))


def is_candidate(path: str) -> bool:
    """Whether a file of this name may be a container: then its content is looked at."""
    return file_suffix(path) in ENDINGS


def looks_like_container(start: bytes) -> bool:
    """Whether a candidate may be a container by its first bytes, of which `START` are enough."""
    return start.startswith(ZIP_MARKS)


def open_container(file: BinaryIO, *, path: str, budget: Budget) -> Container | None:
    """The container that a file is; None for any other file. Raises `Refused` for one that cannot be read."""
    file.seek(0)
    start = file.read(START)
    return ZipArchive(file, path=path, budget=budget) if start.startswith(ZIP_MARKS) else None
