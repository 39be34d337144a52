"""HTML to a text of record like Markdown, with blocks and spans in it."""

from dataclasses import dataclass
from typing import Any

from ragstone.errors import Refused
from ragstone.extract.contents import marked
from ragstone.extract.dates import iso_date
from ragstone.extract.decode import decoded_page
from ragstone.extract.maintext import sorted_out
from ragstone.extract.markup import visible
from ragstone.extract.page import Page, TooDeep, parsed
from ragstone.extract.writer import Writer
from ragstone.types import Extraction

DATE_NAMES = (
    "article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.date",
    "dcterms.created",
    "pubdate",
    "publishdate",
    "parsely-pub-date",
    "sailthru.date",
)
DESCRIPTION_NAMES = ("description", "og:description", "dc.description", "twitter:description")


@dataclass(frozen=True, slots=True)
class Html:
    """A web page. The text of record is made here, like Markdown: `## ` headings, `- ` items, fenced code, `|` rows.

    Text that is not the page's own (navigation, headers, footers, teasers) has the role nav, header or
    footer; scripts, hidden parts and form controls are left out.
    """

    recipe: str = "html-1"
    media_type: str = "text/html"

    def extract(self, data: bytes, *, path: str) -> Extraction:
        """Raises `Refused` ("empty") for a page without visible text."""
        text, warnings = decoded_page(data)
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
        writer = Writer()
        try:
            page = parsed(text)
        except TooDeep:
            page = Page(parsed("").body)
            warnings = (*warnings, "elements nest too deep; the page was read as a flat text")
            for found in visible(text, 0, len(text)):
                writer.put_found(found)
        else:
            sorted_out(page.body)
            writer.put(page.body)
        record = writer.record()
        blocks = tuple(marked(writer.blocks(), record))
        if not blocks:
            raise Refused(
                "empty", f"{path} holds no visible text; a page that scripts fill must be saved after they ran"
            )
        heading = next((b.text for b in blocks if b.type == "heading" and b.level == 1 and b.role == "body"), None)
        title = page.meta.get("og:title") or page.title or heading
        return Extraction(record, blocks, self.media_type, title, _meta(page), warnings)


def _meta(page: Page) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    dates = (iso_date(page.meta[name]) for name in DATE_NAMES if name in page.meta)
    if found := next(filter(None, dates), None):
        meta["date"] = found
    if description := next((page.meta[name] for name in DESCRIPTION_NAMES if name in page.meta), None):
        meta["description"] = description
    if author := page.meta.get("author"):
        meta["author"] = author
    if page.language:
        meta["language"] = page.language
    return meta
