"""Which files are containers: by their names, then by their content."""

from typing import BinaryIO

from ragstone.core.errors import Refused
from ragstone.extraction.containers import mail
from ragstone.extraction.containers.container import Budget, Container
from ragstone.extraction.containers.tar_archive import GZIP_MARK, TarArchive, is_tar
from ragstone.extraction.containers.zip_archive import ZipArchive
from ragstone.extraction.gzipped import unpack_start
from ragstone.extraction.media_types import file_suffix

START = 1 << 16  # bytes by which a container is known
ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06")
PROMISED = frozenset((".zip", ".tar", ".tgz", ".taz", *mail.ENDINGS))
ENDINGS = PROMISED | {".gz", ""}


def is_candidate(path: str) -> bool:
    """Whether a file of this name may be a container: then its content is looked at."""
    return file_suffix(path) in ENDINGS


def looks_like_container(start: bytes, path: str) -> bool:
    """Whether a candidate may be a container by its first bytes, of which `START` are enough."""
    return start.startswith(ZIP_MARKS) or _begins_tar(start) or mail.find_mail_kind(start, path) is not None


def open_container(file: BinaryIO, *, path: str, budget: Budget) -> Container | None:
    """The container that a file is; None for any other file. Raises `Refused` for one that cannot be read."""
    file.seek(0)
    start = file.read(START)
    if file_suffix(path) in PROMISED and not start.strip(b"\0"):
        why = "begins with nothing but zeros: it was damaged" if start else "is empty"
        raise Refused("broken" if start else "empty", f"{path} {why}; copy or download the file again")
    if start.startswith(ZIP_MARKS):
        return ZipArchive(file, path=path, budget=budget)
    if kind := mail.find_mail_kind(start, path):
        return mail.MailContainer(file, kind, path=path, budget=budget)
    return TarArchive(file, path=path, budget=budget) if _begins_tar(start) else None


def _begins_tar(start: bytes) -> bool:
    return is_tar(unpack_start(start) if start.startswith(GZIP_MARK) else start)
