"""Elements of HTML: every text in them is escaped, and secrets in texts of others are masked."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from ragstone.core.escaping import remove_controls
from ragstone.guard import mask_secrets

VOID = frozenset({"meta"})


class Markup(str):
    """Text that is HTML already; any other text is escaped where it becomes part of an element."""

    __slots__ = ()


Content = str | None | Iterable["Content"]


def element(name: str, *content: Content, **attributes: str | float | None) -> Markup:
    """An element; `class_` and `for_` are written without their underscore, other underscores as hyphens.

    >>> element("p", "a < b", element("b", "!"), class_="note")
    '<p class="note">a &lt; b<b>!</b></p>'
    """
    opened = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(remove_controls(str(value)), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = join(content)
    return Markup(f"<{name}{opened}>" if name in VOID else f"<{name}{opened}>{inner}</{name}>")


def join(content: Content) -> Markup:
    """Parts as HTML in a row; None is nothing."""
    if content is None:
        return Markup()
    if isinstance(content, Markup):
        return content
    if isinstance(content, str):
        return Markup(escape(remove_controls(content), quote=True))
    return Markup("".join(map(join, content)))


def mask(text: str) -> str:
    """A text of a document, a question or a setting as the page may show it."""
    return mask_secrets(text)


def table(caption: str, headings: Iterable[Content], rows: Iterable[Iterable[Content]], **attributes: str) -> Markup:
    """A table with a caption; the first cell of a row is its heading."""
    head = element("tr", [element("th", one, scope="col") for one in headings])
    body = []
    for first, *rest in rows:
        body.append(element("tr", element("th", first, scope="row"), [element("td", cell) for cell in rest]))
    whole = element("table", element("caption", caption), element("thead", head), element("tbody", body), **attributes)
    return element("div", whole, class_="wide", tabindex="0", role="region", aria_label=caption)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under its heading; `identifier` is where a link leads."""

    identifier: str
    heading: str
    content: Content

    @property
    def markup(self) -> Markup:
        """The part as HTML."""
        name = f"{self.identifier}-heading"
        head = element("h2", self.heading, id=name)
        return element("section", head, self.content, id=self.identifier, aria_labelledby=name)
