"""Pages of SharePoint as their library keeps them (`.aspx`): the page stands escaped within its properties."""

import html
import re
from dataclasses import replace

from ragstone.core.types import Extraction
from ragstone.extraction.decoding import decode_text
from ragstone.extraction.html.parse import Html
from ragstone.extraction.media_types import SHAREPOINT
from ragstone.extraction.plain_text import PlainText
from ragstone.extraction.record.dates import iso_date

FIELD = re.compile(r"<mso:([\w-]{1,100})(?:\s[^<>]{0,200})?>([^<]*+)</mso:\1>")
# Of modern pages, wiki pages and publishing pages.
CONTENTS = ("CanvasContent1", "WikiField", "PublishingPageContent")
EDITOR = re.compile(r"display_urn[\w-]*(?:Editor|Author)")
# Which component of the page a part is; no text.
COMPONENT = re.compile(r"(<div data-sp-componentid\b[^<>]{0,2000}>)[^<>]{0,200}</div>")
NOTHING = "the page holds no text of its own; it was kept as plain text"


def parse_sharepoint(data: bytes, *, path: str) -> Extraction:
    """The page as `Html` reads it below its title; author and date of the last change are metadata.

    Raises `Refused`: encoding, empty.
    """
    text, warnings = decode_text(data, path=path)
    fields = {name: html.unescape(said).strip() for name, said in FIELD.findall(text)}
    content = "\n".join(filter(None, (fields.get(name, "") for name in CONTENTS)))
    if not content:
        found = PlainText(media_type=SHAREPOINT).extract(data, path=path)
        return replace(found, warnings=(*found.warnings, NOTHING))
    title = " ".join(fields.get("Title", "").split())
    head = f"<h1>{html.escape(title)}</h1>" if title else ""
    body = COMPONENT.sub(r"\1</div>", content)
    page = f"<html><body><main>{head}{body}</main></body></html>"
    found = Html().extract(page.encode(errors="replace"), path=path)
    names = (said for name, said in fields.items() if EDITOR.fullmatch(name))
    meta = {"author": next(names, ""), "date": iso_date(fields.get("Modified", "")) or ""}
    return replace(
        found,
        media_type=SHAREPOINT,
        title=title or found.title,
        meta={**found.meta, **{name: said for name, said in meta.items() if said}},
        warnings=(*warnings, *found.warnings),
    )
