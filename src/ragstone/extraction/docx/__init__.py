"""Word documents: the entry to their extractor."""

from ragstone.extraction.docx.parse import MEDIA_TYPE, parse_docx

__all__ = ["MEDIA_TYPE", "parse_docx"]
