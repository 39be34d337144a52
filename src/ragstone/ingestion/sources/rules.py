"""The rules of a source: patterns to ignore, patterns to deny, whether ignore files and hidden names count."""

from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.core.path_patterns import matches_any


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a walk: globs as in `ragstone.core.path_patterns`, relative to the root.

    `ignore` leaves out, `deny` cannot be read either; both hold for a whole folder once its path fits.
    `hidden` lists names that begin with a dot as well. `ignore_files`: what `.gitignore` and `.ragstoneignore`
    name is left out.
    """

    ignore: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    hidden: bool = False
    ignore_files: bool = True

    def is_visible(self, path: str) -> bool:
        """Whether no part of the path is hidden."""
        return self.hidden or not (path.startswith(".") or "/." in path)

    def ignores(self, path: str) -> bool:
        """Whether the path, or a folder that it lies in, is to be left out."""
        return any(matches_any(part, self.ignore) for part in _self_and_ancestors(path)) if self.ignore else False

    def denies(self, path: str) -> bool:
        """Whether the path, or a folder that it lies in, must not be read."""
        return any(matches_any(part, self.deny) for part in _self_and_ancestors(path)) if self.deny else False

    def keeps_out(self, path: str) -> bool:
        """Whether a path is left out in any way that no ignore file says."""
        return not self.is_visible(path) or self.ignores(path) or self.denies(path)


def _self_and_ancestors(path: str) -> Iterator[str]:
    yield path
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
