"""The stores: a URL becomes a store, through one table."""

from collections.abc import Callable, Mapping
from pathlib import Path

from ragstone.errors import UsageError
from ragstone.ports import Store


def open_store(url: str, *, keep_versions: int = 1) -> Store:
    """The store behind a URL; nothing is read or written yet.

    `embedded:PATH` or a bare path is a directory, `json:PATH` one file. `keep_versions` is how many revisions
    of a document stay (the active one always does). Raises `UsageError` for an unknown scheme.
    """
    if "\0" in url:
        raise UsageError(f"store {url!r:.60} is no place; write a folder, or one of: {KINDS}")
    scheme, colon, rest = url.partition(":")
    if not colon or "/" in scheme:
        scheme, rest = "embedded", url
    if scheme not in STORES:
        raise UsageError(f"store {url!r} is of an unknown kind; write one of: {KINDS}")
    if not rest:
        raise UsageError(f"store {url!r} names no place; write {scheme}:PATH")
    if keep_versions < 1:
        raise UsageError(f"keep_versions is {keep_versions}; it must be at least 1")
    return STORES[scheme](Path(rest).expanduser(), keep_versions)


def _embedded(path: Path, keep_versions: int) -> Store:
    from ragstone.stores.embedded import EmbeddedStore

    return EmbeddedStore(path, keep_versions=keep_versions)


def _json(path: Path, keep_versions: int) -> Store:
    from ragstone.stores.jsonfile import JsonStore

    return JsonStore(path, keep_versions=keep_versions)


STORES: Mapping[str, Callable[[Path, int], Store]] = {"embedded": _embedded, "json": _json}
KINDS = ", ".join(f"{scheme}:PATH" for scheme in STORES)
