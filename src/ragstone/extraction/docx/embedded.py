"""Documents inside a document, which Word shows as a part of its text: those that are read, and the names of others."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from ragstone.core.errors import Refused
from ragstone.core.types import Extraction, Role
from ragstone.extraction.html import parse
from ragstone.extraction.mail import mhtml
from ragstone.extraction.media_types import HTML, MHTML, detect
from ragstone.extraction.ooxml.package import Link, Package
from ragstone.extraction.plain_text import PlainText
from ragstone.extraction.record.builder import BlockDraft, adopt_blocks

READERS: Mapping[str, Callable[..., Extraction]] = {
    HTML: parse.parse_html,
    MHTML: mhtml.parse_mhtml,
    "text/plain": PlainText().extract,
}


class EmbeddedDocuments:
    """Reads such documents one after another; `unread` names those that could not be, `warnings` are of the others."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self.unread: list[str] = []
        self.warnings: list[str] = []

    def read(self, link: Link | None, *, role: Role) -> Iterator[BlockDraft]:
        """The blocks of a document that is in the file: of a page or of plain text."""
        name = link.target if link is not None else "without a name"
        data = self._package.content(name) if link is not None and not link.outside else None
        reader = READERS.get(detect(data, name)) if data else None
        try:
            found = reader(data, path=name) if reader is not None and data else None
        except Refused:
            found = None
        if found is None:
            self.unread.append(name)
            return
        self.warnings += [f"{name}: {warning}" for warning in found.warnings]
        for draft in adopt_blocks(found):
            yield replace(draft, role=role if draft.role == "body" else draft.role)
