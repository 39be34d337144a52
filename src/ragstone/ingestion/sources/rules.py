"""The rules of a source: patterns to ignore, patterns to deny, endings to accept."""

from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.core.path_patterns import matches_any
from ragstone.extraction.media_types import BY_NAME, PROMISED

# JSON and XML are as often data as documents: a walk leaves them out, a file that is named is read.
UNLISTED = frozenset((".json", ".xml"))
# Formats that nothing reads yet are listed too, so that a run says of each file that it was left out.
EXTENSIONS = tuple(sorted({".txt", *BY_NAME, *PROMISED} - UNLISTED))


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a walk: globs as in `ragstone.core.path_patterns`, relative to the root.

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

    def is_visible(self, path: str) -> bool:
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
