"""What a source lists: patterns to ignore, patterns to deny, endings to accept."""

from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.core.path_patterns import matches_any

TEXT = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".txt")
WEB = (".html", ".htm", ".xhtml", ".mht", ".mhtml", ".rss", ".atom")
OFFICE = (
    ".pdf",
    ".docx",
    ".docm",
    ".pptx",
    ".pptm",
    ".xlsx",
    ".xlsm",
    ".xlsb",
    ".xls",
    ".ods",
    ".csv",
    ".tsv",
    ".tab",
    ".eml",
)
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
# Listed too, so that a run says of each that it was left out: nothing reads them yet.
UNREAD = (".doc", ".ppt", ".odt", ".rtf", ".epub")
EXTENSIONS = (*TEXT, *WEB, *OFFICE, *IMAGES, *UNREAD)


@dataclass(frozen=True, slots=True)
class Rules:
    """What a walk lists: globs as in `ragstone.core.path_patterns`, relative to the root.

    `ignore` leaves out silently, `deny` is reported and cannot be read either; both hold for a whole
    folder once its path fits. `extensions` are compared without case; what a file really is, its
    content decides later. `hidden` lists names that begin with a dot as well.
    """

    ignore: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    extensions: tuple[str, ...] = EXTENSIONS
    hidden: bool = False

    def accepts(self, path: str) -> bool:
        """Whether the name ends as one of the extensions."""
        return path.lower().endswith(tuple(ending.lower() for ending in self.extensions))

    def shows(self, path: str) -> bool:
        """Whether no part of the path is hidden."""
        return self.hidden or not (path.startswith(".") or "/." in path)

    def ignores(self, path: str) -> bool:
        """Whether the path, or a folder that it lies in, is to be left out."""
        return any(matches_any(part, self.ignore) for part in _self_and_ancestors(path)) if self.ignore else False

    def denies(self, path: str) -> bool:
        """Whether the path, or a folder that it lies in, must not be read."""
        return any(matches_any(part, self.deny) for part in _self_and_ancestors(path)) if self.deny else False


def _self_and_ancestors(path: str) -> Iterator[str]:
    yield path
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
