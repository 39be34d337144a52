"""Which documents a listing names: those of a source, at a path and below it."""

from ragstone.core.types import Document


def within_bounds(path: str) -> tuple[str, str, str]:
    """A path, and the texts between which all paths below it lie in code point order.

    >>> within_bounds("a.zip")
    ('a.zip', 'a.zip/', 'a.zip0')
    """
    return path, f"{path}/", f"{path}{chr(ord('/') + 1)}"


def is_listed(document: Document, source: str | None, within: str | None, identity: str | None) -> bool:
    """Whether a document is of a source (None: of any), at the path `within` or below it (None: anywhere), and has this
    id (None: any)."""
    if source not in (None, document.source) or identity not in (None, document.id):
        return False
    return within is None or document.path == within or document.path.startswith(f"{within}/")
