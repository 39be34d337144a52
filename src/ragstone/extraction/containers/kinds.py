"""Which files are containers: by their names, then by their content."""

from typing import BinaryIO

from ragstone.core.errors import Refused
from ragstone.extraction.containers import mail, office, pdf
from ragstone.extraction.containers.container import Budget, Container
from ragstone.extraction.containers.parsed import DamagedContainer
from ragstone.extraction.containers.tar_archive import GZIP_MARK, TarArchive, is_tar
from ragstone.extraction.containers.zip_archive import ZipArchive
from ragstone.extraction.gzipped import unpack_start
from ragstone.extraction.mail_boundaries import is_mail_name
from ragstone.extraction.media_types import BINARY, detect, file_suffix

START = 1 << 16  # bytes by which a container is known
ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06")
PROMISED = frozenset((".zip", ".tar", ".tgz", ".taz", *mail.ENDINGS))
NAMED = frozenset((*mail.ENDINGS, pdf.ENDING))
ENDINGS = PROMISED | office.ENDINGS | {".gz", pdf.ENDING, "", *mail.PACKED}


def is_candidate(path: str) -> bool:
    """Whether a file of this name may be a container: then its content is looked at."""
    return file_suffix(path) in ENDINGS or is_mail_name(path)


def looks_like_container(start: bytes, path: str) -> bool:
    """Whether a candidate may be a container by its first bytes, of which `START` are enough."""
    if start.startswith(ZIP_MARKS) or _begins_tar(start):
        return True
    return mail.find_mail_kind(start, path) is not None or pdf.begins_pdf(start, path) or _is_damaged(start, path)


def open_container(file: BinaryIO, *, path: str, budget: Budget) -> Container | None:
    """The container that a file is; None for any other file. Raises `Refused` for one that cannot be read."""
    file.seek(0)
    start = file.read(START)
    if file_suffix(path) in PROMISED and not start.strip(b"\0"):
        why = "begins with nothing but zeros: it was damaged" if start else "is empty"
        raise Refused("broken" if start else "empty", f"{path} {why}; copy or download the file again")
    if office.begins_office(start, path):
        return office.OfficeContainer(file, path=path, budget=budget)
    if start.startswith(ZIP_MARKS):
        return ZipArchive(file, path=path, budget=budget)
    if kind := mail.find_mail_kind(start, path):
        return mail.MailContainer(file, kind, path=path, budget=budget)
    if pdf.begins_pdf(start, path):
        return pdf.PdfContainer(file, path=path, budget=budget)
    if _begins_tar(start):
        return TarArchive(file, path=path, budget=budget)
    return DamagedContainer(path, budget) if _is_damaged(start, path) else None


def _is_damaged(start: bytes, path: str) -> bool:
    """Whether a file is a mail or a PDF by its name alone, and nothing that is known by its content."""
    return file_suffix(path) in NAMED and detect(start, path) in (BINARY, "text/utf-16")


def _begins_tar(start: bytes) -> bool:
    return is_tar(unpack_start(start) if start.startswith(GZIP_MARK) else start)
