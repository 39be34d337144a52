"""PDFs as containers of the files in them: attachments, portfolios, invoices in XML; parsed in the sandbox."""

from typing import BinaryIO

from ragstone.extraction.containers.container import Budget, is_dense
from ragstone.extraction.containers.parsed import ParsedContainer
from ragstone.extraction.pdf_marks import PDF, may_embed_files

ENDING = ".pdf"


def begins_pdf(start: bytes, path: str) -> bool:
    """Whether a file is a PDF by its name and its first bytes."""
    return path.lower().endswith(ENDING) and PDF in start


class PdfContainer(ParsedContainer):
    """The files in a PDF."""

    parsers = "ragstone.extraction.pdf.embedded_files"
    called = "files in"

    def __init__(self, file: BinaryIO, *, path: str, budget: Budget) -> None:
        """Raises `Refused`: too_large."""
        super().__init__(path, budget)
        file.seek(0)
        data = file.read(budget.limits.document + 1)
        if len(data) > budget.limits.document or not may_embed_files(data):
            return
        self._list(data, budget)
        if is_dense(size := sum(row.size for row in self._rows.values()), len(data)):
            self.members, self._rows, self._names = {}, {}, []
            self.add_problem("too_large", f"they unpack to {size:,} bytes from a few, as only a bomb does")
