"""The embedded store: SQLite as the truth, exact search in memory, one directory for each collection."""

from pathlib import Path

from ragstone.stores.embedded.store import EmbeddedStore
from ragstone.stores.master_key import MasterKey

__all__ = ["EmbeddedStore", "open_url"]


def open_url(path: str, keep_versions: int, master: MasterKey | None) -> EmbeddedStore:
    """The store in a folder."""
    return EmbeddedStore(Path(path).expanduser(), keep_versions=keep_versions, master=master)
