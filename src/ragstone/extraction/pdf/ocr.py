"""Which pages of a PDF need OCR, and the reader of pictures that a PDF's parser is given."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from ragstone.extraction.pdf.page import Page

UNMAPPED_SHARE = 0.2  # of a page's letters have no meaning in the file: then all of it is read as a picture
PAGES_LISTED = 20  # pages that a warning names


class PageOcr(Protocol):
    """Reads pages whose text is not in the file; see `ragstone.extraction.image.pdf_with_ocr`."""

    tried: list[int]
    """Pages that were drawn and looked at."""
    over: list[int]
    """Pages that were left because the limit was reached."""
    missing: str
    """How to install an engine; "" where there is one."""

    def add_ocr(self, drawn: Any, page: Page) -> Page:
        """The page with what OCR reads on it; `drawn` is the page as pdfium has it."""
        ...

    def meta(self) -> Mapping[str, object]: ...

    def warnings(self) -> Iterator[str]: ...


def needs_ocr(page: Page) -> bool:
    """Whether a page shows something but gives no text, or letters without a meaning in the file."""
    silent = not page.pieces and page.pictured
    return not page.failed and (silent or page.unread > UNMAPPED_SHARE * max(1, page.letters))


def format_pages(numbers: list[int]) -> str:
    """Page numbers as a reader would say them, not too many."""
    shown = ", ".join(map(str, numbers[:PAGES_LISTED]))
    more = f" and {len(numbers) - PAGES_LISTED} more" if len(numbers) > PAGES_LISTED else ""
    return f"page{'s' if len(numbers) > 1 else ''} {shown}{more}"
