"""A quick look into a collection on this machine, before its store is opened: how its vectors were made.

Opening the store imports ten times as much; a model that loads meanwhile should be the one that questions need.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from ragstone.core.types import Scope
from ragstone.stores.file_names import encode_name
from ragstone.stores.kinds import local_place

DATABASE = "collection.sqlite"  # of the embedded store


def peek_variant(url: str, scope: Scope) -> tuple[str, str] | None:
    """The model and the variant (`int8`) of a collection's vectors; None where this look does not tell: another kind of
    store, an encrypted or a damaged one, a collection without vectors."""
    place = local_place(url)
    if place is None or place.is_file():
        return None
    file = place / encode_name(scope.tenant) / encode_name(scope.collection) / DATABASE
    try:
        return _read_variant(file) if file.exists() else None
    except (sqlite3.Error, OSError):  # said when the store is opened
        return None


def _read_variant(file: Path) -> tuple[str, str] | None:
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        asked = "SELECT key, value FROM meta WHERE key IN ('model', 'variant')"
        found = {key: value for key, value in connection.execute(asked) if value}
    return (found["model"], found["variant"].partition("+")[0]) if len(found) == 2 else None
