"""Office files as containers of the documents in them: sheets, texts and slides embedded in one another."""

from typing import BinaryIO

from ragstone.core.errors import Refused
from ragstone.extraction.archive import ArchiveLimits
from ragstone.extraction.containers.container import Budget, is_dense
from ragstone.extraction.containers.parsed import ParsedContainer
from ragstone.extraction.containers.zip_directory import read_entries
from ragstone.extraction.media_types import file_suffix

ENDINGS = frozenset(
    (".docx", ".docm", ".dotx", ".pptx", ".pptm", ".ppsx", ".xlsx", ".xlsm", ".odt", ".ott", ".odp", ".ods")
)
FOLDERS = ("word/embeddings/", "ppt/embeddings/", "xl/embeddings/", "Object ")
PARTS = ArchiveLimits().members
ZIP_MARK = b"PK\x03\x04"


def begins_office(start: bytes, path: str) -> bool:
    """Whether a file is of an Office program by its name and its first bytes."""
    return file_suffix(path) in ENDINGS and start.startswith(ZIP_MARK)


class OfficeContainer(ParsedContainer):
    """The documents in an Office file; it is parsed only where a name in its directory tells that it may have some."""

    parsers = "ragstone.extraction.embedded_documents"
    called = "documents in"

    def __init__(self, file: BinaryIO, *, path: str, budget: Budget) -> None:
        """Raises `Refused`: too_large."""
        super().__init__(path, budget)
        if not _may_embed(file, path, budget):
            return
        file.seek(0)
        data = file.read(budget.limits.document + 1)
        if len(data) > budget.limits.document:
            return
        self._list(data, budget)
        if is_dense(size := sum(row.size for row in self._rows.values()), len(data)):
            self.members, self._rows, self._names = {}, {}, []
            self.add_problem("too_large", f"they unpack to {size:,} bytes from a few, as only a bomb does")


def _may_embed(file: BinaryIO, path: str, budget: Budget) -> bool:
    try:
        entries, _ = read_entries(file, path=path, budget=Budget(PARTS, budget.total))
    except Refused:
        return False  # the reader of the document says what is wrong with it
    return any(entry.raw.decode(errors="replace").startswith(FOLDERS) for entry in entries)
