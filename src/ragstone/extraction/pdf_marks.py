"""Which PDFs may have files in them, by marks that stand in each file's head and are never packed or encrypted."""

import re

PDF = b"%PDF-"
MARKS = re.compile(rb"/EmbeddedFile|/FileAttachment|/EF[\s<\d]")


def may_embed_files(data: bytes) -> bool:
    """Whether a PDF may have files in it. The dictionary of a file's stream has such a mark; a writer may leave it out.

    >>> may_embed_files(b"%PDF-1.7 5 0 obj << /Type /EmbeddedFile"), may_embed_files(b"%PDF-1.7 << /Type /Page >>")
    (True, False)
    """
    return MARKS.search(data) is not None


def is_plain_pdf(data: bytes) -> bool:
    """Whether data is a PDF without files in it."""
    return data.startswith(PDF) and not may_embed_files(data)
